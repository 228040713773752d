"""Reads made texts with every pattern and prints, as JSON, those that take too long.

To be run as a program of its own: it must see the modules being loaded, and a pattern that runs
away must not take the tests with it.
"""

from __future__ import annotations

import json
import random
import re
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any

from tests.patterns.attacks import attacks
from tests.patterns.gathering import Gathered, in_calls, on_loading

SHORT, LONG = 1_000, 4_000
"""Characters of a text: the longer one is the longest line that readers leave whole."""
WORTH_A_LOOK, TOO_LONG = 1.5, 10.0
"""Times what a plain pattern takes that starts over at every character of as many.

Machines and Pythons differ by a few times; what runs away takes a thousand times as long.
"""
PLAIN = re.compile(r"\w+=")
PATIENCE_S = 2.0
"""Of processor time."""


class Astray(Exception):
    """A pattern did not come to an end."""


def _stop(*_: object) -> None:
    raise Astray


def seconds(each: Gathered, text: str | bytes) -> float:
    """Processor time of one search for all that is there."""
    call = each.pattern.finditer if each.method == "search" else getattr(each.pattern, each.method)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)
    began = time.thread_time()
    try:
        found = call(text)
        if each.method == "search":
            deque(found, maxlen=0)
    except Astray:
        return PATIENCE_S
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - began


def made(each: Gathered, before: str, pump: str, size: int) -> str | bytes:
    """A text of about this size that begins like this, goes on with that, and ends otherwise."""
    text = before + (pump * size)[:size] + "\x00"
    return text.encode() if isinstance(each.pattern.pattern, bytes) else text


def plain(size: int) -> float:
    """What the plain pattern takes on this machine, now."""
    return min(seconds(Gathered("", PLAIN), "a" * size) for _ in range(5))


def slow(patterns: tuple[Gathered, ...], most: int) -> Iterator[dict[str, Any]]:
    """The patterns that take too long, each with the first text on which it does."""
    short, long = plain(SHORT), plain(LONG)
    for each in patterns:
        for before, pump in chosen(each, most):
            if seconds(each, made(each, before, pump, SHORT)) < WORTH_A_LOOK * short:
                continue
            text = made(each, before, pump, LONG)
            took = min(seconds(each, text) for _ in range(3))
            if took > TOO_LONG * long and took > TOO_LONG * (long := max(long, plain(LONG))):
                yield {
                    "where": each.where,
                    "pattern": str(each.pattern.pattern),
                    "method": each.method,
                    "before": before,
                    "again and again": pump,
                    "times too long": round(took / long, 1),
                }
                break


def chosen(each: Gathered, most: int) -> list[tuple[str, str]]:
    """At most so many texts of a kind made for a pattern, always the same; all of them for 0."""
    every = list(attacks(each.pattern))
    random.Random(each.where).shuffle(every)  # noqa: S311 - to be repeated, not to be secret
    runs = [pair for pair in every if len(pair[1]) == 1]
    others = [pair for pair in every if len(pair[1]) > 1]
    return runs[: 2 * most or None] + others[: most or None]


def from_data() -> tuple[Gathered, ...]:
    """The patterns that stand in our data."""
    from wizard.knowledge import cards, causes
    from wizard.knowledge.tables import read_table

    signs = (
        Gathered(f"causes.toml: {sign.id}, {name}", pattern)
        for sign in (*chain(*causes.load_signs().values()), *causes.load_marks())
        for name in ("pattern", "unless", "near", "unless_near")
        if (pattern := getattr(sign, name))
    )
    errors = {one.id: one.pattern for one in causes.load_error_texts()}
    messages = {one.id: one.pattern for one in causes.load_messages()}
    lines = (
        Gathered(name, re.compile(pattern, re.IGNORECASE))
        for name, pattern in (*errors.items(), *messages.items())
    )
    values = (
        Gathered("variables.toml", re.compile(pattern), "fullmatch")
        for pattern in _patterns(read_table("variables.toml"))
    )
    listed = (
        Gathered(f"listings.toml: {each.name}", form)
        for each in cards.load_listings().values()
        for form in (*each.one_line, *each.start, *each.told)
    )
    told = (
        Gathered("text_lines.toml", pattern)
        for pattern in (
            *causes.load_kinds().values(),
            *causes.load_errors().values(),
            re.compile(causes.load_prefixes()),
            *causes.load_mentions().values(),
            *(value.pattern for value in causes.load_values()),
        )
    )
    beginning = Gathered("text_lines.toml", causes.load_beginning(), "match")
    return (*signs, *lines, *values, *listed, *told, beginning)


def of_names() -> tuple[Gathered, ...]:
    """The patterns that are made of somebody's names, and those that a loop goes through."""
    from wizard.machine.assignments import PYTHON_SETS
    from wizard.redaction import names

    made_of = (
        names.word(("ada", "Ada Lovelace", "ulme.example.net")),
        names.home_of(("/home/ada",)),
        names.of_person("user"),
        *map(re.compile, PYTHON_SETS),
    )
    return tuple(Gathered("of names", pattern) for pattern in made_of if pattern)


def _patterns(table: Any) -> Iterator[str]:
    if isinstance(table, dict):
        yield from (value for key, value in table.items() if key == "pattern")
        table = list(table.values())
    for value in table if isinstance(table, list) else ():
        yield from _patterns(value)


def main() -> None:
    """Print what was gathered and what of it is slow."""
    signal.signal(signal.SIGVTALRM, _stop)
    most, *given = sys.argv[1:]
    own = tuple(Gathered("given", re.compile(pattern)) for pattern in given)
    every, later = (own, ()) if given else of_program()
    told = {"patterns": len(every), "later": later, "slow": list(slow(every, int(most)))}
    print(json.dumps(told))


def of_program() -> tuple[tuple[Gathered, ...], tuple[str, ...]]:
    """All patterns of the program, and the calls whose pattern is only known when they run."""
    loaded = on_loading()
    known, later = in_calls()
    return (*loaded, *known, *from_data(), *of_names()), later


if __name__ == "__main__":
    main()
