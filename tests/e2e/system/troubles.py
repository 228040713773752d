"""Troubles that a package system meets while somebody works with it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.e2e.system.roots import Root

FRONTEND = "/var/lib/dpkg/lock-frontend"
HOLD = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_lock(root: Root, path: str = FRONTEND) -> Iterator[subprocess.Popen[str]]:
    """Somebody else, called ``python3``, holds a lock of dpkg's or apt's until this is left."""
    with root.start("python3", "-c", HOLD, path) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.communicate("")
