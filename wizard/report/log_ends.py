"""The beginning and the end of a log, whatever its size: what stands between is left out."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from wizard.core.lines import clean_lines
from wizard.machine.facts import Fact, Unknown

HEAD_BYTES, TAIL_BYTES = 32_768, 131_072
"""Where it began, and more of where it ended."""


def log_ends(path: Path) -> Fact[str]:
    """The text of a log; of a long one, whole lines of its two ends."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return Unknown(error.strerror or str(error))
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return Unknown("it is not a regular file")
        return _ends(descriptor, found.st_size)
    except OSError as error:
        return Unknown(error.strerror or str(error))
    finally:
        os.close(descriptor)


def _ends(descriptor: int, size: int) -> str:
    if size <= HEAD_BYTES + TAIL_BYTES:
        return _text(os.pread(descriptor, size, 0))
    # Cut lines go whole: half of a token would be known by nobody as one.
    head = os.pread(descriptor, HEAD_BYTES, 0).rpartition(b"\n")[0]
    tail = os.pread(descriptor, TAIL_BYTES, size - TAIL_BYTES).partition(b"\n")[2]
    out = size - len(head) - len(tail)
    return f"{_text(head)}\n\n[{out} bytes of this log are left out here]\n\n{_text(tail)}"


def _text(raw: bytes) -> str:
    return clean_lines(raw.decode("utf-8", "replace"))
