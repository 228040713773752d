"""Rules by which something is replaced: the same for the same thing, numbered, counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Found = re.Match[str]


def bare(text: str) -> str:
    """The same for all spellings of one thing."""
    return re.sub(r"\W|_", "", text).lower()


@dataclass(frozen=True, slots=True)
class Rule:
    """What is found, and what comes in place of its named group, or of all of it."""

    kind: str
    form: re.Pattern[str]
    now: str
    """With ``#`` for the number of this very thing."""
    is_one: Callable[[Found], bool] = lambda _: True
    same: Callable[[str], str] = bare


@dataclass(frozen=True, slots=True)
class StandIns:
    """All stand-ins of one text, or of all texts that belong together."""

    counts: Counter[str] = field(default_factory=Counter)
    """How often something of a kind was replaced."""
    numbered: dict[tuple[str, str], str] = field(default_factory=dict)

    def applied(self, rules: Iterable[Rule], text: str) -> str:
        """The text after all these rules."""
        for rule in rules:
            text = rule.form.sub(lambda found, rule=rule: self._instead(rule, found), text)  # type: ignore[misc]
        return text

    def put(self, kind: str, was: str, now: str) -> str:
        """``now``, counted unless it stood there already."""
        if was != now:
            self.counts[kind] += 1
        return now

    def _instead(self, rule: Rule, found: Found) -> str:
        if not rule.is_one(found):
            return found[0]
        begin, end = found.span(found.lastgroup or 0)
        if end - begin > 1 and found.string[begin] in "\"'":  # quotes stay
            begin, end = begin + 1, end - (found.string[end - 1] == found.string[begin])
        was = found.string[begin:end]
        now = self._number(rule, was) if "#" in rule.now else rule.now
        before, after = found.string[found.start() : begin], found.string[end : found.end()]
        return f"{before}{self.put(rule.kind, was, now)}{after}"

    def _number(self, rule: Rule, value: str) -> str:
        key = rule.now, rule.same(value)
        if key not in self.numbered:
            count = sum(prefix == rule.now for prefix, _ in self.numbered)
            self.numbered[key] = rule.now.replace("#", str(count + 1))
        return self.numbered[key]
