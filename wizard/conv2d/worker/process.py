"""A worker process under somebody's Python: started, listened to, and ended whatever it does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psutil

from assets import FOLDER
from wizard.conv2d.hangs import Reading, Stage, read
from wizard.system.joined_groups import with_joined_group

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
        for reading in filter(None, map(read, logged)):
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


SCRIPT = FOLDER / "conv2d_worker.py"
PROTOCOL = 4
TICKET_BYTES = 8
ALLOCATED_AHEAD = 256 << 20
"""Bytes of shared memory up to which it is taken at once."""
SIGNALLED = 128
"""What sg, like a shell, adds to the number of the signal that ended a program."""
LEAVE_SECONDS = 5.0
"""How long a worker may take to end by itself: drivers free their memory then."""


def worker_argv(python: str, role: str, device: str, spawn: bool = False) -> tuple[str, ...]:
    """The command line without the numbers of the pipes: what a dry run shows."""
    extra = ("--spawn",) if spawn else ()
    return (python, str(SCRIPT), role, "--device", device, *extra)


@dataclass(slots=True)
class Worker:
    """A running worker; always to be closed."""

    process: asyncio.subprocess.Process
    control: int
    permits: int
    lines: Lines
    tail: Tail
    transports: Sequence[asyncio.ReadTransport]
    through_sg: bool = False

    def send(self, command: dict[str, Any]) -> bool:
        """Give it a command; False when it is gone."""
        return send(self.control, command)

    def permit(self, ticket: int) -> None:
        """Let it go to the device with what that command has drawn."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.permits, ticket.to_bytes(TICKET_BYTES, "little"))

    async def receive(self, seconds: float) -> dict[str, Any] | None:
        """Its next event, or None when it has ended. Raises ``TimeoutError`` of asyncio."""
        # Not asyncio.wait_for: before Python 3.12 it swallows a cancellation that comes together
        # with an event (python/cpython#86296), and the sweep would go on to its deadline.
        coming = asyncio.ensure_future(self.lines.queue.get())
        try:
            await asyncio.wait({coming}, timeout=max(seconds, 0.0))
            if not coming.done():
                raise asyncio.TimeoutError
            return coming.result()
        finally:
            coming.cancel()

    async def exit_code(self) -> int | None:
        """How it ended, or None when it has not within a few seconds."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.process.wait(), LEAVE_SECONDS)
        code = self.process.returncode
        by_signal = self.through_sg and code is not None and code > SIGNALLED
        return SIGNALLED - code if by_signal and code is not None else code

    async def close(self, patience: float = LEAVE_SECONDS) -> None:
        """End it and everything below it; a process that cannot be killed is left behind."""
        for descriptor in (self.control, self.permits):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        with contextlib.suppress(asyncio.TimeoutError):
            if patience:
                await asyncio.wait_for(self.process.wait(), patience)
        if self.process.returncode is None:
            kill_tree(self.process.pid)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.process.wait(), LEAVE_SECONDS)
        for transport in self.transports:
            transport.close()


async def start_worker(
    argv: Sequence[str], environ: Mapping[str, str], shared_memory: int, *, on_gpu: bool = False
) -> Worker:
    """Start a worker with its private pipes. Raises ``OSError`` when it cannot be started.

    ``on_gpu``: with the groups of the GPU that the user has joined since the login.
    """
    lines, tail = Lines(), Tail()
    commands, control = os.pipe()
    allowed, permits = os.pipe()
    events, event_transport = await open_reader(lines)
    printed, print_transport = await open_reader(tail)
    numbers = {
        "--control": commands,
        "--events": events,
        "--permits": allowed,
        "--buffer": shared_memory,
    }
    words = [word for name, number in numbers.items() for word in (name, str(number))]
    # Unbuffered: the last words of one that dies are heard.
    environ = {**environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
    call = (*argv, *words)
    wrapped = with_joined_group(call, environ) if on_gpu else call
    try:
        process = await asyncio.create_subprocess_exec(
            *wrapped,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            pass_fds=tuple(numbers.values()),
            start_new_session=True,
            env=environ,
        )
    except BaseException:
        os.close(control)
        os.close(permits)
        event_transport.close()
        print_transport.close()
        raise
    finally:
        for descriptor in (commands, allowed, events, printed):
            os.close(descriptor)
    transports = (event_transport, print_transport)
    through_sg = wrapped is not call
    return Worker(process, control, permits, lines, tail, transports, through_sg)


def kill_tree(pid: int) -> None:
    """SIGKILL for a process, its group and all that descend from it."""
    below: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        below = psutil.Process(pid).children(recursive=True)
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)
    for process in below:
        with contextlib.suppress(psutil.Error):
            process.kill()


@contextlib.contextmanager
def shared_memory(size: int) -> Iterator[int]:
    """A descriptor of memory that worker processes share for results; nothing is left on disk."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("conv2d")
    else:  # a Python that was built for an old glibc
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        os.ftruncate(descriptor, max(size, 1))
        if size <= ALLOCATED_AHEAD:
            # Or the first result of each size pays for the pages of its copy.
            os.posix_fallocate(descriptor, 0, max(size, 1))
        yield descriptor
    finally:
        os.close(descriptor)
