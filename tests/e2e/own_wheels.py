"""What the wizard itself depends on, as wheels from PyPI, for a folder that needs no network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NAMES = ("textual>=8.2.8,<9", "rich", "psutil", "packaging", "uv", "pip")
OLDER = ("tomli", "exceptiongroup", "typing_extensions")
"""What they need on Python 3.10: pip asks their markers of the Python that runs it."""


def download_own(folder: Path, *minors: str) -> None:
    """Put them into a folder, for these versions of Python."""
    for minor in minors:
        names = (*NAMES, *(OLDER if minor == "3.10" else ()))
        options = ("--quiet", "--only-binary=:all:", f"--python-version={minor}", "--dest", folder)
        pip = (sys.executable, "-m", "pip", "download", *options, *names)
        subprocess.run(pip, check=True, stdin=subprocess.DEVNULL, timeout=600)
