"""The executable-stack flag of shared libraries, which glibc 2.41 and later refuse to honour."""

from __future__ import annotations

import shutil
from pathlib import Path

from wizard.host.elf import EXECUTABLE, HEADER, Stack, segments_of, stack_of
from wizard.system.whole_file import draft_of, sync


def asks_for_executable_stack(library: Path) -> bool:
    """True when the library's PT_GNU_STACK segment is executable, or it has no such segment."""
    return _stack(library).executable


def clear(library: Path) -> bool:
    """Put a copy without the flag in its place; False when there was nothing to clear.

    A copy, for other environments or uv's cache may share the file by a hard link. Raises
    ValueError when the file is no ELF library or has no PT_GNU_STACK segment to change.
    """
    library = library.resolve()  # of a link, what it leads to
    if not asks_for_executable_stack(library):
        return False
    draft = draft_of(library)
    draft.unlink(missing_ok=True)
    try:
        shutil.copyfile(library, draft)
        stack = _stack(draft)
        if stack.offset is None:
            raise ValueError(f"{library} has no PT_GNU_STACK segment to change")
        with draft.open("r+b") as file:
            file.seek(stack.offset)
            file.write((stack.flags & ~EXECUTABLE).to_bytes(4, "little"))
        shutil.copystat(library, draft)
        sync(draft)
    except (OSError, ValueError):
        draft.unlink(missing_ok=True)
        raise
    draft.replace(library)
    sync(library.parent)
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
