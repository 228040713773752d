"""Rules by which something is replaced: the same for the same thing, numbered, counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Found = re.Match[str]
STANDS_IN = re.compile(
    r"(?:[GC]PU-)?(?:SERIAL|UUID|MAC|IP|EMAIL|NETWORK|HOST|OTHER|GROUP)-\d+"
    r"|SECRET|QUERY|USER|HOST|UID|~|\*+|\(?not told\)?|owner|other\d+|this-machine"
)
"""What was put in the place of something."""
NOTHING = re.compile(r"(?i)(?:true|false|none|null|yes|no|on|off|unset|\d{1,2}|\W*)\Z")
"""A value that tells nothing, whatever stands before it: so a switch that is called so stays."""
_QUOTE = r"\\{0,3}[\"'`]|&quot;"
_SIGN = r"=>|:=|==(?=[\"'])|=(?!=)|:(?!:)|%3D|,(?= ?\\{0,3}[\"'])|(?<!-)[^<>\n]{0,40}(?<!-)>"
_WORD = r"[ \t]{1,4}(?:(?:is|was|given|provided)[ \t:]{1,3})?(?=\\{0,3}[\"'`]|[^\s:(]*\d)"


def behind(label: str, after_blank: str = r"[^\n]+") -> re.Pattern[str]:
    """A value behind a name that holds such a label, in whatever syntax they are written down.

    Between them stands a sign, or ``value`` and a sign, or a blank if the value is quoted or has a
    digit. What is quoted ends with its quote, other values with a blank; those of a file of
    settings, where a blank stands behind the sign, as ``after_blank`` says.
    """
    closed = rf"(?:{_QUOTE}|[\])}}]){{0,3}}"
    named = rf"(?:,?\s{{1,20}}(?:- )?\\{{0,3}}[\"']?value{closed})?\s{{0,3}}"
    form = (
        rf"(?:(?P<open>[\"'`])[\w.-]{{0,60}}?)?{label}{closed}"
        rf"(?:{named}(?:{_SIGN})(?P<blank>[ \t]{{1,40}})?[\[({{]?|{_WORD})"
        rf"(?:(?:basic|bearer|token|digest)\s{{1,3}})?(?P<quote>{_QUOTE})?"
        r"(?P<x>(?(quote)(?:(?!(?P=quote))(?:\\.|[^\n])|(?P=quote)(?:\"'\"|'\"')?(?P=quote))+"
        rf"|(?(open)[^\"'`\n]+|(?(blank){after_blank}|(?:\$\([^)\n]*\)|(?:\\[ \t]|\S)+)))))"
    )
    return re.compile(form, re.IGNORECASE)


def bare(text: str) -> str:
    """The same for all spellings of one thing."""
    return re.sub(r"\W|_", "", text).lower()


def tells(value: str) -> bool:
    """False for a value that gives nothing away, or stands in for one."""
    plain = value.strip("\"',;)]}")
    return NOTHING.match(plain) is None and STANDS_IN.fullmatch(plain) is None


@dataclass(frozen=True, slots=True)
class Rule:
    """What is found, and what comes in place of its named group; without one it is left alone."""

    kind: str
    form: re.Pattern[str]
    now: str
    """With ``#`` for the number of this very thing."""
    is_one: Callable[[str], bool] = tells
    """Whether what was found there is to be replaced."""
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
        if found.lastgroup is None or not rule.is_one(found[found.lastgroup]):
            return found[0]
        begin, end = found.span(found.lastgroup)
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
