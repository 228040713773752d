"""A machine made sick for a test: a disk that takes no writes, a file system without answers.

Everything here needs root, and leaves nothing behind, also when the test fails.
"""

from __future__ import annotations

import ctypes
import os
import select
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE_S = 20
MNT_FORCE, MNT_DETACH = 1, 2
KIND = "fuse.silent"
FUSE_INIT = 26
INIT_MAJOR, INIT_MINOR = 7, 31
IMAGE_BYTES = 16 * 1024 * 1024
LIBC = ctypes.CDLL(None, use_errno=True)

Daemon = Callable[[int, threading.Event], None]
"""Serves the descriptor of a FUSE file system until it is told to stop."""


@contextmanager
def stuck_writer(folder: Path) -> Iterator[int]:
    """The number of a process that waits in the kernel: the disk that it writes to is frozen."""
    with _small_disk(folder) as place:
        yield from _frozen(place)


@contextmanager
def frozen_disk(folder: Path) -> Iterator[Path]:
    """A mounted file system that takes no writes: who writes waits in the kernel until the end."""
    with _small_disk(folder) as place:
        root("fsfreeze", "--freeze", str(place))
        try:
            yield place
        finally:
            root("fsfreeze", "--unfreeze", str(place))


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path]:
    image, place = folder / "image", folder / "frozen"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(IMAGE_BYTES)
    root("mkfs.ext4", "-q", "-F", str(image))
    root("mount", "-o", "loop", str(image), str(place))
    try:
        yield place
    finally:
        until(lambda: _is_unmounted(place))


def _is_unmounted(place: Path) -> bool:
    """True once nobody uses it any more, for who was stuck in it needs a moment to leave."""
    argv = ("umount", str(place))
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def _frozen(place: Path) -> Iterator[int]:
    root("fsfreeze", "--freeze", str(place))
    writer = None
    try:
        writer = subprocess.Popen(("/usr/bin/touch", str(place / "file")))
        pid = writer.pid
        until(lambda: state_of(pid) == "D")
        yield pid
    finally:
        root("fsfreeze", "--unfreeze", str(place))
        if writer is not None:
            writer.wait(PATIENCE_S)


@contextmanager
def silent_mount(place: Path, daemon: Daemon) -> Iterator[None]:
    """A FUSE file system, open to all users, that this daemon serves."""
    descriptor = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    stop = threading.Event()
    thread = threading.Thread(target=daemon, args=(descriptor, stop), daemon=True)
    options = f"fd={descriptor},rootmode=40000,user_id=0,group_id=0,allow_other"
    try:
        if LIBC.mount(b"none", bytes(place), KIND.encode(), 0, options.encode()):
            raise OSError(ctypes.get_errno(), "mount")
        try:
            thread.start()
            yield
        finally:
            # By force: it answers whoever waits, so that nothing stays behind.
            LIBC.umount2(bytes(place), MNT_FORCE | MNT_DETACH)
    finally:
        stop.set()
        if thread.ident is not None:
            thread.join(PATIENCE_S)
        os.close(descriptor)


def reads_nothing(descriptor: int, stop: threading.Event) -> None:
    """A daemon that was stopped before it began: not even the greeting is answered."""
    stop.wait()


def answers_only_the_greeting(descriptor: int, stop: threading.Event) -> None:
    """A daemon that takes every request and answers none: no signal ends who waits for it."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while not stop.is_set():
        with suppress(OSError):  # the mount is gone
            if poll.poll(50):
                _serve(descriptor)


def _serve(descriptor: int) -> None:
    request = os.read(descriptor, 1 << 18)
    _, operation, unique = struct.unpack_from("=IIQ", request)
    if operation == FUSE_INIT:
        greeting = struct.pack(
            "=IIIIHHIIHHI28x", INIT_MAJOR, INIT_MINOR, 0, 0, 8, 6, 4096, 1, 1, 0, 0
        )
        os.write(descriptor, struct.pack("=IiQ", 16 + len(greeting), 0, unique) + greeting)


def state_of(pid: int) -> str:
    """The state letter of a process; ``""`` when it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return text.rpartition(") ")[2][:1]


def processes_of(uid: int) -> set[int]:
    """Numbers of the processes of a user."""
    found = set()
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdecimal() and folder.stat().st_uid == uid:
                found.add(int(folder.name))
    return found


def until(true: Callable[[], bool]) -> None:
    """Waits for what the kernel does not announce."""
    limit = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.01)


def root(*command: str) -> None:
    """A program of the system that needs root."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
