"""What stands in place of what was taken out: the same for the same thing, numbered, counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

Found = re.Match[str]
Rule = tuple[re.Pattern[str], Callable[[Found], str]]
"""What is found, and what comes in its place."""


@dataclass(frozen=True, slots=True)
class StandIns:
    """All stand-ins of one report."""

    counts: Counter[str] = field(default_factory=Counter)
    """How often something of a kind was replaced."""
    numbered: dict[tuple[str, str], str] = field(default_factory=dict)
    """By prefix and by what it stands for."""

    def put(self, kind: str, was: str, now: str) -> str:
        """``now``, counted unless it stood there already."""
        if was != now:
            self.counts[kind] += 1
        return now

    def number(self, kind: str, prefix: str, value: str) -> str:
        """The stand-in for a value: a new one gets the next number."""
        known = self.numbered.get((prefix, value))
        if known is None:
            count = sum(1 for found, _ in self.numbered if found == prefix)
            known = self.numbered[prefix, value] = f"{prefix}-{count + 1}"
        return self.put(kind, value, known)


def put_in(found: Found, group: str, stand_in: str) -> str:
    """What was found, with the stand-in for one of its groups."""
    begin, end = (place - found.start() for place in found.span(group))
    return found[0][:begin] + stand_in + found[0][end:]
