"""Looks at files without opening what is no file, and says in words why a look failed."""

from __future__ import annotations

import os

CHUNK = 64 * 1024
CHUNK_LIMIT = 64
"""Together 4 MiB: no fact is further down in a file."""


def text_of(path: str) -> str:
    """The first 4 MiB of a regular file, bad bytes replaced."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    chunks: list[bytes] = []
    try:
        # In chunks: files in /proc/sys refuse a read of megabytes.
        while len(chunks) < CHUNK_LIMIT and (chunk := os.read(descriptor, CHUNK)):
            chunks.append(chunk)
    finally:
        os.close(descriptor)
    return b"".join(chunks).decode("utf-8", "replace")


def head_of(path: str, count: int) -> bytes:
    """The first bytes of a regular file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        return os.read(descriptor, count)
    finally:
        os.close(descriptor)


def mount_point(path: str) -> str:
    """The folder at which the file system of a path is mounted."""
    device = os.stat(path).st_dev
    while path != "/" and os.stat(os.path.dirname(path)).st_dev == device:
        path = os.path.dirname(path)
    return path


def is_text(name: str) -> bool:
    """True for a name that is UTF-8 and can be shown."""
    return name.isascii() or readable(name) == name


def readable(text: str) -> str:
    """The text without the marks that Python puts in for bytes that are no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def why(path: str, error: OSError | ValueError) -> str:
    """Why a look at a path failed, in words fit to show."""
    if isinstance(error, PermissionError):
        return f"no permission to read {path}"
    if isinstance(error, FileNotFoundError):
        return f"there is no {path}"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"{path} could not be read: {reason or error}"
