"""One run at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wizard.core.trouble import Trouble


@contextmanager
def only_one(state: Path) -> Iterator[None]:
    """Hold the lock of our state folder; raises Trouble when another run of ours holds it.

    The kernel drops the lock with the process, so a killed run leaves none behind.
    """
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(state / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
            raise Trouble(
                f"Another rdna1-setup is running (process {holder}).",
                "Two runs at the same time could undo each other's changes.",
                "Wait until the other rdna1-setup finishes, or cancel it. Then try again.",
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)
