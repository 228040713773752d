"""The data of causes: complete, reachable by their anchors, and quick on any line."""

import re
import time

import pytest

from wizard.diagnose.lines import LONGEST
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
QUICK_S = 0.5
"""Far more than any of them takes, far less than one that runs away."""


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
    ]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_pattern_runs_away_on_long_lines(pattern: re.Pattern[str]) -> None:
    assert not NESTED.search(pattern.pattern)
    for line in hostile(pattern):
        began = time.process_time()
        pattern.search(line)
        assert time.process_time() - began < QUICK_S


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.id)
def test_every_sign_has_anchors_that_are_worth_looking_for(sign: Sign) -> None:
    assert sign.anchors
    assert all(len(anchor) >= 3 for anchor in sign.anchors)


def test_what_signs_and_causes_refer_to_is_there() -> None:
    known = {*load_words(), *(mark.id for mark in load_marks())}
    for sign in load_signs():
        assert {*sign.beside, *sign.without} <= known
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
