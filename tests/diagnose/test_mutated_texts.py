"""Damaged texts are read without failing, and none of them takes long."""

from __future__ import annotations

import os
import re
import time
from collections import Counter

from tests.diagnose.mutations import LARGEST, mutated_corpus
from tests.diagnose.reading import load_corpus, read_bytes
from wizard.diagnose.explain import Answer, explain
from wizard.diagnose.lines import NotText

TEXTS = int(os.environ.get("RDNA1_SETUP_TEXTS", "400"))
SEED = int(os.environ.get("RDNA1_SETUP_TEXTS_SEED", "7"))
READ_S = 2
"""Of processor time, for one text: a pattern that goes astray takes minutes."""


def test_mutated_texts_are_read_without_failing_and_soon() -> None:
    slowest, answers = 0.0, Counter[str]()
    for number, text in enumerate(mutated_corpus(TEXTS, seed=SEED)):
        began = time.process_time()
        try:
            answers[explain(text).answer.value] += 1
        except NotText:
            answers["no text"] += 1
        took = time.process_time() - began
        assert took < READ_S, f"text {number} of seed {SEED}: {took:.1f} s"
        slowest = max(slowest, took)
    print(f"\n{TEXTS} mutated texts: slowest {slowest:.3f} s, {dict(answers)}")
    assert set(answers) >= {Answer.FOUND.value, Answer.NOTHING.value}


def test_a_switch_before_thousands_of_blanks_is_read_soon() -> None:
    """As a mutation once made it: blanks that three parts of a pattern could share took minutes."""
    began = time.process_time()
    explain(b"MIOPEN_DEBUG_CONV_WINOGRAD" + b" " * 9_000 + b"x\n")
    assert time.process_time() - began < READ_S


def test_digits_that_are_no_number_to_python_are_read() -> None:
    """``int`` refuses "³", which ``isdigit`` calls a digit."""
    for case in load_corpus():
        text = read_bytes(case)
        for place in range(4):
            at_place = re.compile(
                rb"^((?:[^0-9\n]*[0-9]+){%d}[^0-9\n]*)[0-9]+" % place, re.MULTILINE
            )
            damaged = at_place.sub(rb"\g<1>" + "³".encode(), text)
            try:
                explain(damaged[:LARGEST])
            except NotText:
                continue
