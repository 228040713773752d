"""The executable-stack flag of shared libraries, which glibc 2.41 and later refuse to honour."""

from __future__ import annotations

import os
from pathlib import Path

from wizard.machine.elf import EXECUTABLE, HEADER, Stack, segments_of, stack_of


def asks_for_executable_stack(library: Path) -> bool:
    """True when the library's PT_GNU_STACK segment is executable, or it has no such segment."""
    return _stack(library).executable


def clear(library: Path) -> bool:
    """Clear the flag in place; False when there was nothing to clear.

    Raises ValueError when the file is no ELF library or has no PT_GNU_STACK segment to change.
    """
    stack = _stack(library)
    if not stack.executable:
        return False
    if stack.offset is None:
        raise ValueError(f"{library} has no PT_GNU_STACK segment to change")
    descriptor = os.open(library, os.O_WRONLY)
    try:
        os.pwrite(descriptor, (stack.flags & ~EXECUTABLE).to_bytes(4, "little"), stack.offset)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return True


def _stack(library: Path) -> Stack:
    """What the library asks of the stack; its program headers may lie anywhere in it."""
    with library.open("rb") as file:
        try:
            segments = segments_of(file.read(HEADER.size))
            file.seek(segments.offset)
            return stack_of(file.read(segments.bytes), segments)
        except ValueError as error:
            raise ValueError(f"{library}: {error}") from None
