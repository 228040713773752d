"""What people paste is diagnosed the same after it was redacted."""

from __future__ import annotations

from tests.diagnose.reading import load_corpus
from tests.report.owners import ZAPHOD
from wizard.core.lines import clean_lines
from wizard.diagnose.explain import explain
from wizard.report.private import Redaction


def test_what_was_pasted_is_diagnosed_the_same_when_it_is_redacted() -> None:
    differ = []
    for case in load_corpus():
        text = clean_lines(case.text)
        left = Redaction(ZAPHOD).text(text)
        before, after = explain(text.encode()), explain(left.encode())
        if [f.cause for f in after.findings] != [f.cause for f in before.findings] or [
            card.gfx for card in after.cards
        ] != [card.gfx for card in before.cards]:
            differ.append(case.file)
    assert differ == []
