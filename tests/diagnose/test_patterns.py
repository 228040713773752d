"""The data of causes: complete, reachable by their anchors, and quick on any line."""

import re
import time
from collections.abc import Callable, Iterable
from itertools import chain

import pytest

from wizard.diagnose import lines, listed_cards, reading
from wizard.diagnose.explain import explain
from wizard.diagnose.lines import AFTER, BEFORE, LONGEST
from wizard.diagnose.reading import told_anchors
from wizard.knowledge.cards import load_listings
from wizard.knowledge.causes import (
    load_beginning,
    load_causes,
    load_errors,
    load_kinds,
    load_marks,
    load_mentions,
    load_prefixes,
    load_signs,
    load_values,
    load_words,
)

OF_CAUSES = tuple(chain(*load_signs().values()))
SIGNS = (*OF_CAUSES, *load_marks())
PATTERNS = {
    f"{sign.id}: {name}": pattern
    for sign in SIGNS
    for name in ("pattern", "unless", "near", "unless_near")
    if (pattern := getattr(sign, name)) is not None
}
NESTED = re.compile(r"\([^()]*[*+]\)[*+]")
AROUND = {
    name: each for name, each in PATTERNS.items() if name.endswith((": near", ": unless_near"))
}
AT_THE_START = ("beginning", "prefix", ".JSON_LOG", ".HEADING")
"""Looked for where a line begins, and nowhere else."""
OF_LINES = (
    {
        f"{module.__name__}.{name}": value
        for module in (lines, listed_cards, reading)
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str)
    }
    | {
        **{f"text_lines.toml: {name}": form for name, form in load_mentions().items()},
        **{f"text_lines.toml: {name}": form for name, form in load_kinds().items()},
        "text_lines.toml: beginning": load_beginning(),
        "text_lines.toml: prefix": re.compile(load_prefixes()),
        **{f"text_lines.toml: errors of {name}": form for name, form in load_errors().items()},
        **{f"text_lines.toml: {v.id}: {v.pattern.pattern}": v.pattern for v in load_values()},
    }
    | {
        f"listings.toml: {each.name}: {form.pattern}": form
        for each in load_listings().values()
        for form in (*each.one_line, *each.start, *each.told)
    }
)
QUICK_S = 0.5
"""Far more than any of them takes, far less than one that runs away."""
MEGABYTE = 1_000_000
MEGABYTE_S = 8.0
"""One to two were measured."""


def hostile(pattern: re.Pattern[str]) -> list[str]:
    """Long lines of what the pattern looks for, over and over and never to its end."""
    words = re.findall(r"[A-Za-z/.:_-]{3,}|\d+", pattern.pattern)[:40] or ["a"]
    each = [(f"{word} " * LONGEST)[:LONGEST] for word in words]
    return [
        *each,
        (" ".join(words) * LONGEST)[:LONGEST],
        "a" * LONGEST,
        " " * LONGEST,
        "=" * LONGEST,
        ("a=" * LONGEST)[:LONGEST],
        "0" * LONGEST,
        *(f"{word}{filler * LONGEST}"[:LONGEST] for word in words[:12] for filler in " a0/"),
    ]


def slow(asked: Callable[[str], object], texts: Iterable[str]) -> list[str]:
    """The beginnings of texts that take too long."""
    found = []
    for text in texts:
        began = time.process_time()
        asked(text)
        if time.process_time() - began >= QUICK_S:
            found.append(text[:40])
    return found


def test_no_pattern_repeats_what_repeats() -> None:
    assert [name for name, each in PATTERNS.items() if NESTED.search(each.pattern)] == []


def test_no_pattern_runs_away_on_long_lines() -> None:
    found = {name: slow(each.search, hostile(each)) for name, each in PATTERNS.items()}
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_what_looks_around_a_line_is_quick_on_all_that_it_gets() -> None:
    found = {
        name: slow(
            each.search, ("\n".join([line] * (BEFORE + AFTER + 1)) for line in hostile(each))
        )
        for name, each in AROUND.items()
    }
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_what_is_asked_of_every_line_found_is_quick() -> None:
    found = {
        name: slow(each.match if name.endswith(AT_THE_START) else each.search, hostile(each))
        for name, each in OF_LINES.items()
    }
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.parametrize("filler", ["a", "a=", " ", "0", "> ", "- ", "torch==2.0.0+", "Depends: "])
def test_a_line_of_a_megabyte_is_read_in_seconds(filler: str) -> None:
    line = (filler * MEGABYTE)[:MEGABYTE]
    began = time.process_time()
    explain(f"{line}\n amdgpu: {line} /dev/kfd\n".encode())
    assert time.process_time() - began < MEGABYTE_S


def test_every_sign_has_anchors_that_are_worth_looking_for() -> None:
    wrong = [s.id for s in SIGNS if not s.anchors or any(len(each) < 3 for each in s.anchors)]
    assert wrong == []


def test_a_thousand_services_are_no_trouble() -> None:
    text = "".join(f"service-{number}x | up\n" * 3 for number in range(15_000))
    began = time.process_time()
    explain(text.encode())
    assert time.process_time() - began < MEGABYTE_S


def test_what_signs_and_causes_refer_to_is_there() -> None:
    known = {*load_words(), *(mark.id for mark in load_marks())}
    for sign in OF_CAUSES:
        assert {*sign.beside, *sign.without, *sign.until} <= known
        assert sign.confidence in ("certain", "likely", "possible")
    for cause in load_causes().values():
        assert set(cause.suppresses) < set(load_causes())
        assert cause.meaning
        assert cause.grade
        assert cause.links
        assert cause.fix or cause.status == "ok"


def test_no_cause_explains_itself_away_through_others() -> None:
    every = load_causes()
    for cause in every.values():
        for explained in cause.suppresses:
            assert cause.id not in every[explained].suppresses


def test_anchors_of_what_is_told_are_plain() -> None:
    assert all(anchor.strip() for anchor in told_anchors())
