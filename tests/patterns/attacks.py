"""Texts made for one regular expression: what each of its repeats may eat, without an end."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from itertools import chain, product
from typing import Any

PARSER: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
UNENDING = 30
"""A repeat of more than so many is taken for one without an end."""
PIECES = (*" \t\n0aA_-./:=,;\"'([{<>@#$\\+*|~%", "é", "\u2028")
"""Characters of which every class of ours holds one, if it holds any."""
CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
SINGLE = ("LITERAL", "NOT_LITERAL", "IN", "ANY")
REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
WAYS = 3
"""Of how many branches or characters an example is made."""


def attacks(pattern: re.Pattern[Any]) -> tuple[tuple[str, str], ...]:
    """Pairs of what stands once at the start, and what is then repeated."""
    tree = PARSER.parse(_as_text(pattern.pattern), pattern.flags & ~re.DEBUG)
    alike = _Alike(tuple(_singles(tree)))
    found = dict.fromkeys(
        (before, pump) for before, pump in _of_sequence(tree, ("",)) if alike.first(pump)
    )
    wholes = dict.fromkeys(("", before + pump) for before, pump in found)
    return tuple(pair for pair in (found | wholes) if pair[1])


class _Alike:
    """Characters between which a pattern makes no difference: one of them is enough."""

    def __init__(self, singles: tuple[tuple[Any, Any], ...]) -> None:
        self._singles = singles
        self._first: dict[tuple[bool, ...], str] = {}

    def first(self, pump: str) -> bool:
        """True for the first of its like, and for what is more than one character."""
        return len(pump) != 1 or self._first.setdefault(self._kind(pump), pump) == pump

    def _kind(self, char: str) -> tuple[bool, ...]:
        return char == "_" or char.isalnum(), *(_fits(*one, char) for one in self._singles)


def _singles(tree: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a pattern that stand for one character."""
    for op, value in tree:
        if str(op) in SINGLE:
            yield op, value
        for part in _parts(str(op), value):
            yield from _singles(part)


def _parts(name: str, value: Any) -> tuple[Any, ...]:
    """The patterns within a part of a pattern."""
    if name in REPEATS:
        return (value[2],)
    if name == "BRANCH":
        return tuple(value[1])
    if name == "SUBPATTERN":
        return (value[3],)
    if name == "ATOMIC_GROUP":
        return (value,)
    if name == "GROUPREF_EXISTS":
        return tuple(filter(None, value[1:]))
    return (value[1],) if name in ("ASSERT", "ASSERT_NOT") and value[0] > 0 else ()


def _as_text(pattern: str | bytes) -> str:
    return pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern


def _of_sequence(tree: Any, before: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for op, value in tree:
        if str(op) in REPEATS and int(value[1]) >= UNENDING:
            yield from product(before, _pumps(value[2]))
        for part in _parts(str(op), value):
            yield from _of_sequence(part, before)
        before = _after(before, _examples(op, value))


def _pumps(body: Any) -> tuple[str, ...]:
    if len(body) == 1 and str(body[0][0]) in SINGLE:
        return _characters(*body[0])
    return _of_all(body)


def _after(before: tuple[str, ...], examples: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one + two for one, two in product(before, examples)))[:WAYS]


def _examples(op: Any, value: Any) -> tuple[str, ...]:
    """A few texts that this part of a pattern fits."""
    name = str(op)
    if name == "LITERAL":
        return (chr(value),)
    if name in SINGLE:
        return _characters(op, value)[:WAYS]
    if name in REPEATS:
        least, _, body = value
        each = _of_all(body)
        return tuple(one * max(least, 0) for one in each) if least else ("", *each[:1])
    if name == "BRANCH":
        every = [_of_all(branch) for branch in value[1]]
        firsts = (examples[0] for examples in every if examples)
        return tuple(dict.fromkeys(chain(firsts, chain.from_iterable(every))))[:WAYS]
    if name == "SUBPATTERN":
        return _of_all(value[3])
    if name == "ATOMIC_GROUP":
        return _of_all(value)
    return ("",)


def _of_all(tree: Any) -> tuple[str, ...]:
    found: tuple[str, ...] = ("",)
    for op, value in tree:
        found = _after(found, _examples(op, value))
    return found


def _characters(op: Any, value: Any) -> tuple[str, ...]:
    """Characters that this one place fits, of each kind one."""
    if str(op) == "LITERAL":
        return (chr(value),)
    own = _own(value) if str(op) == "IN" else ()
    return tuple(char for char in dict.fromkeys((*PIECES, *own)) if _fits(op, value, char))


def _own(items: Any) -> Iterator[str]:
    for kind, item in items:
        if str(kind) == "LITERAL":
            yield chr(item)
        elif str(kind) == "RANGE":
            yield chr(item[0])


def _fits(op: Any, value: Any, char: str) -> bool:
    name = str(op)
    if name == "ANY":
        return char != "\n"
    if name == "CATEGORY":
        return re.fullmatch(CATEGORIES[str(value)], char) is not None
    if name == "RANGE":
        return bool(value[0] <= ord(char) <= value[1])
    if name == "IN":
        negated = str(value[0][0]) == "NEGATE"
        return any(_fits(kind, item, char) for kind, item in value[negated:]) is not negated
    return (ord(char) == value) is (name == "LITERAL")
