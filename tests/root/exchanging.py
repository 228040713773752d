"""A process that exchanges folders for links while root works in them.

Standard library alone: it runs in a root, beside the helper.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from tests.root.mutating import TRAP

EXCHANGE = 2
AT_CWD = -100
FOLDERS = (
    "/etc/profile.d",
    "/etc/apt/sources.list.d",
    "/etc/apt/preferences.d",
    "/etc/apt/keyrings",
    "/etc/ld.so.conf.d",
    "/etc/udev/rules.d",
)
ABOVE = ("/etc/apt", "/etc/udev")
"""Whose exchange leads all below them astray."""


@contextlib.contextmanager
def exchanging() -> Iterator[None]:
    """Folders are links at times until this ends; then all of them are as they were."""
    swapper = os.fork()
    if swapper == 0:
        try:
            _exchange_for_ever()
        finally:
            os._exit(0)
    try:
        yield
    finally:
        os.kill(swapper, signal.SIGTERM)
        os.waitpid(swapper, 0)


def _exchange_for_ever() -> None:
    """Each folder is a link to a trap for a moment, in one atomic exchange."""
    libc = ctypes.CDLL(None, use_errno=True)
    chance = random.Random(7)  # noqa: S311 - moments, no secrets
    going = [True]
    signal.signal(signal.SIGTERM, lambda *_: going.clear())
    while going:
        folder = Path(chance.choice((*FOLDERS, *FOLDERS, *ABOVE)))
        link = Path(f"{folder}.link")
        link.unlink(missing_ok=True)
        link.symlink_to(f"{TRAP}{folder}")
        for _ in range(2):
            libc.renameat2(AT_CWD, bytes(link), AT_CWD, bytes(folder), EXCHANGE)
            time.sleep(chance.uniform(0, 0.002))
        link.unlink()
        _plant_a_link(folder / "one.sh")
        time.sleep(chance.uniform(0, 0.004))


def _plant_a_link(path: Path) -> None:
    """Where a file of ours may come to lie, a link to what is precious, for a moment."""
    with contextlib.suppress(OSError):
        path.symlink_to(f"{TRAP}/precious")
        time.sleep(0.0005)
        if path.is_symlink():
            path.unlink()
