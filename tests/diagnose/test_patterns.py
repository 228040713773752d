"""The data of causes: complete, reachable by their anchors, and quick on any line."""

import re
import time

import pytest

from wizard.diagnose import kinds, lines, listed_cards, mentions, plain, settings_told, told
from wizard.diagnose.explain import explain
from wizard.diagnose.lines import AFTER, BEFORE, LONGEST
from wizard.diagnose.told import TOLD_ANCHORS
from wizard.knowledge.causes import Sign, load_causes, load_marks, load_signs, load_words

SIGNS = (*load_signs(), *load_marks())
PATTERNS = [
    pytest.param(pattern, id=f"{sign.id}-{name}")
    for sign in SIGNS
    for name in ("pattern", "unless", "near", "unless_near")
    if (pattern := getattr(sign, name)) is not None
]
NESTED = re.compile(r"\([^()]*[*+]\)[*+]")
AROUND = [
    pytest.param(pattern, id=f"{sign.id}-{name}")
    for sign in SIGNS
    for name in ("near", "unless_near")
    if (pattern := getattr(sign, name)) is not None
]
AT_THE_START = ("BEGINS", "COMMENT", "PREFIX", "JSON_LOG", "AGENT")
"""Looked for where a line begins, and nowhere else."""
OF_LINES = [
    pytest.param(value, name in AT_THE_START, id=f"{module.__name__}.{name}")
    for module in (kinds, lines, listed_cards, mentions, plain, settings_told, told)
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str)
]
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


@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_pattern_runs_away_on_long_lines(pattern: re.Pattern[str]) -> None:
    assert not NESTED.search(pattern.pattern)
    for line in hostile(pattern):
        began = time.process_time()
        pattern.search(line)
        assert time.process_time() - began < QUICK_S


@pytest.mark.parametrize("pattern", AROUND)
def test_what_looks_around_a_line_is_quick_on_all_that_it_gets(pattern: re.Pattern[str]) -> None:
    for line in hostile(pattern):
        began = time.process_time()
        pattern.search("\n".join([line] * (BEFORE + AFTER + 1)))
        assert time.process_time() - began < QUICK_S


@pytest.mark.parametrize(("pattern", "at_the_start"), OF_LINES)
def test_what_is_asked_of_every_line_found_is_quick(
    pattern: re.Pattern[str], at_the_start: bool
) -> None:
    for line in hostile(pattern):
        began = time.process_time()
        (pattern.match if at_the_start else pattern.search)(line)
        assert time.process_time() - began < QUICK_S


@pytest.mark.parametrize("filler", ["a", "a=", " ", "0", "> ", "- ", "torch==2.0.0+", "Depends: "])
def test_a_line_of_a_megabyte_is_read_in_seconds(filler: str) -> None:
    line = (filler * MEGABYTE)[:MEGABYTE]
    began = time.process_time()
    explain(f"{line}\n amdgpu: {line} /dev/kfd\n".encode())
    assert time.process_time() - began < MEGABYTE_S


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.id)
def test_every_sign_has_anchors_that_are_worth_looking_for(sign: Sign) -> None:
    assert sign.anchors
    assert all(len(anchor) >= 3 for anchor in sign.anchors)


def test_a_thousand_services_are_no_trouble() -> None:
    text = "".join(f"service-{number}x | up\n" * 3 for number in range(15_000))
    began = time.process_time()
    explain(text.encode())
    assert time.process_time() - began < MEGABYTE_S


def test_what_signs_and_causes_refer_to_is_there() -> None:
    known = {*load_words(), *(mark.id for mark in load_marks())}
    for sign in load_signs():
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
    assert all(anchor.strip() for anchor in TOLD_ANCHORS)
