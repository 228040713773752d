"""Deadlines that pass as soon as somebody says that he hangs, so that no test waits for one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import pytest

LONGER_THAN_ANY_S = 60.0
"""How far the clock jumps: past every deadline of a test."""
ROUNDS = 100
"""Turns of the loop before it jumps: what was said before the hang is heard before the deadline."""


@contextmanager
def deadlines_pass_when_told() -> Iterator[str]:
    """A FIFO: the running loop's clock jumps once for each byte that is written to it.

    A word that comes before anybody waits is lost, and the deadline then passes in real time.
    """
    loop, ahead = asyncio.get_running_loop(), 0.0
    time = loop.time

    def jump(rounds: int) -> None:
        nonlocal ahead
        if rounds:
            loop.call_soon(jump, rounds - 1)
        else:
            ahead += LONGER_THAN_ANY_S

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        fifo = f"{folder}/hangs"
        os.mkfifo(fifo)
        with open(os.open(fifo, os.O_RDWR | os.O_NONBLOCK), "rb+", buffering=0) as told:  # noqa: PTH123
            loop.add_reader(told, lambda: jump(ROUNDS * len(told.read(1))))
            patch.setattr(loop, "time", lambda: time() + ahead)
            yield fifo
            loop.remove_reader(told)
