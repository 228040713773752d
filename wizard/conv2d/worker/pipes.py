"""Pipes to a worker: JSON lines both ways, and the end of whatever it printed."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from wizard.conv2d.worker.miopen_log import Reading, Stage, read

LONGEST_LINE = 65536
"""A worker's line stays below 4096 bytes: more without a newline is no line of ours."""
TAIL_BYTES = 4096


class Lines(asyncio.Protocol):
    """Events from a worker, in order; None once nobody can send any more."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._unread = b""

    def data_received(self, data: bytes) -> None:
        """Take whole lines that are JSON objects; drop all else."""
        *lines, self._unread = (self._unread + data).split(b"\n")
        if len(self._unread) > LONGEST_LINE:
            self._unread = b""
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and isinstance(event.get("event"), str):
                self.queue.put_nowait(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Say that this is the end."""
        self.queue.put_nowait(None)


class Tail(asyncio.Protocol):
    """What a worker and all below it printed: the last bytes, and what MIOpen said among it."""

    def __init__(self) -> None:
        self.log_lines = 0
        """How many lines MIOpen has written."""
        self.reading: Reading | None = None
        """What the last of them says is under way."""
        self.chosen: Reading | None = None
        """The last of them that names the algorithm that was taken."""
        self._bytes = b""
        self._unread = b""

    def data_received(self, data: bytes) -> None:
        """Keep the end, and read what MIOpen says."""
        self._bytes = (self._bytes + data)[-TAIL_BYTES:]
        *lines, self._unread = (self._unread + data).split(b"\n")
        if len(self._unread) > LONGEST_LINE:
            self._unread = b""
        logged = [line.decode("utf-8", "replace") for line in lines if b"MIOpen" in line]
        self.log_lines += len(logged)
        for reading in filter(None, (read([line]) for line in logged)):
            self.reading = reading
            self.chosen = reading if reading.stage is Stage.CHOSEN else self.chosen

    def forget(self) -> None:
        """From now on it is another launch that speaks."""
        self.reading = self.chosen = None
        self._bytes = b""

    def text(self) -> str:
        """The last lines with anything printable in them, on one line, at most 300 characters."""
        return " | ".join(line.strip() for line in self._printable()[-8:] if line.strip())[-300:]

    def lines(self) -> str:
        """The last lines as they were printed, without what is not printable."""
        return "\n".join(self._printable())

    def _printable(self) -> list[str]:
        lines = self._bytes.decode("utf-8", "replace").splitlines()
        return ["".join(filter(str.isprintable, line)) for line in lines]


async def open_reader(protocol: asyncio.Protocol) -> tuple[int, asyncio.ReadTransport]:
    """A pipe whose read end feeds the protocol, and its write end for the worker."""
    read, write = os.pipe()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: protocol, os.fdopen(read, "rb", 0))
    return write, transport


def send(descriptor: int, command: dict[str, Any]) -> bool:
    """Write one command; False when nobody is left to read it.

    A pipe holds 64 KiB and a worker is sent one short command at a time, so this never blocks.
    """
    try:
        os.write(descriptor, json.dumps(command).encode() + b"\n")
    except BrokenPipeError:
        return False
    return True
