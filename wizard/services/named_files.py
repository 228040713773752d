"""Files whose names the user typed: written new, or over what the user agreed to lose."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.system.whole_file import write_whole


def no_file(path: Path) -> Trouble:
    """Why nothing is read from a pipe or a folder where somebody waits for an answer."""
    return Trouble(
        f"{clean(str(path))} is not a file.",
        "Nothing was imported.",
        "Specify a file written by rdna1-setup conv2d --export.",
    )


ANOTHER = "Choose another file name, in an existing folder of your own."


def place_of(typed: str, home: str) -> Path:
    """The path that was typed: ``~`` is the home, and what begins nowhere begins there."""
    text = typed.strip()
    below = text[2:] if text.startswith("~/") else text
    return Path(home) / below


def is_there(path: Path) -> bool:
    """True when something bears that name, be it a link to nowhere."""
    try:
        path.lstat()
    except OSError:
        return False
    return True


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet. Raises ``OSError``; what was begun is then removed."""
    with path.open("x", encoding="utf-8") as file:
        try:
            file.write(text)
            file.flush()
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def write_over(path: Path, text: str) -> None:
    """Put a text in place of a file, which keeps its rights. Raises ``OSError``."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise FileExistsError(errno.EEXIST, "it exists but is not a regular file", str(path))
    write_whole(path, text, stat.S_IMODE(found.st_mode))


def not_written(path: Path, error: OSError) -> Trouble:
    """Why there is no such file now."""
    why = error.strerror or str(error)
    return Trouble(f"{clean(str(path))} was not written: {why}.", "Nothing was changed.", ANOTHER)
