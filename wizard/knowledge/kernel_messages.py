"""Lines of the amdgpu driver in the kernel log, and what each means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from wizard.knowledge.rows import read_rows


@dataclass(frozen=True, slots=True)
class Message:
    """A kind of line that the driver writes."""

    id: str
    kind: str
    """``reset``, ``driver``, ``fault`` or ``harmless``."""
    pattern: str
    means: str
    source: str


@dataclass(frozen=True, slots=True)
class KernelLine:
    """A line of the log that is one of them."""

    message: Message
    line: str


@cache
def load_messages() -> tuple[Message, ...]:
    """All kinds, in the order in which they are tried."""
    return read_rows("kernel_messages.toml", "message", Message, {})


def known_lines(lines: Iterable[str]) -> tuple[KernelLine, ...]:
    """The lines of the driver among these, in their order; the first kind that fits counts."""
    kinds = [(kind, re.compile(kind.pattern, re.IGNORECASE)) for kind in load_messages()]
    found = []
    for line in lines:
        kind = next((kind for kind, pattern in kinds if pattern.search(line)), None)
        if kind is not None:
            found.append(KernelLine(kind, line))
    return tuple(found)
