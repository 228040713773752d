"""Starts the program as root, as a folder: nothing of the user's is imported but the package."""

import os
import sys
import types

FOLDER = os.path.dirname(os.path.abspath(__file__))


def speak_utf8() -> None:
    """Start anew where the caller's language writes letters otherwise: names of files are bytes."""
    if sys.getfilesystemencoding() != "utf-8":
        argv = (sys.executable, "-I", "-B", "-X", "utf8", FOLDER)
        os.execv(sys.executable, argv)  # noqa: S606


def start() -> int:
    """Import everything, which reads all its files, and only then serve."""
    speak_utf8()
    del sys.path[0]  # this folder: the standard library alone is looked for by name
    package = types.ModuleType("assets")
    package.__path__ = [os.path.dirname(FOLDER)]
    sys.modules["assets"] = package
    from assets.root.serve import main  # not before it can be found

    return main()


if __name__ == "__main__":
    sys.exit(start())
