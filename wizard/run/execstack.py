"""The executable-stack flag of shared libraries, which glibc 2.41 and later refuse to honour."""

from __future__ import annotations

import os
from pathlib import Path

EXECUTABLE = 1
"""PF_X of ELF program headers."""


def asks_for_executable_stack(library: Path) -> bool:
    """True when the library's PT_GNU_STACK segment is executable, or it has no such segment."""
    return _stack_flags(library)[1] & EXECUTABLE != 0


def clear(library: Path) -> bool:
    """Clear the flag in place; False when there was nothing to clear.

    Raises ValueError when the file is no ELF library or has no PT_GNU_STACK segment to change.
    """
    offset, flags = _stack_flags(library)
    if not flags & EXECUTABLE:
        return False
    if offset is None:
        raise ValueError(f"{library} has no PT_GNU_STACK segment to change")
    descriptor = os.open(library, os.O_WRONLY)
    try:
        os.pwrite(descriptor, (flags & ~EXECUTABLE).to_bytes(4, "little"), offset)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return True


def _stack_flags(library: Path) -> tuple[int | None, int]:
    """File offset of the stack segment's flags, and the flags; no segment counts as executable."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    with library.open("rb") as file:
        try:
            elf = ELFFile(file)
            if elf.elfclass != 64 or not elf.little_endian:
                raise ValueError(f"{library} is not a 64-bit little-endian library")
            for number in range(elf.num_segments()):
                segment = elf.get_segment(number)
                if segment["p_type"] == "PT_GNU_STACK":
                    header = elf["e_phoff"] + number * elf["e_phentsize"]
                    return header + 4, segment["p_flags"]
        except ELFError as error:
            raise ValueError(f"{library} is not an ELF library: {error}") from None
    return None, EXECUTABLE
