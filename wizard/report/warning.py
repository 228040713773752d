"""What speaks against a stack that somebody chooses, in a sentence; light enough for any screen."""

from __future__ import annotations

from wizard.advice.fit import Fit
from wizard.advice.recommend import Recommendation, asked_for, words
from wizard.knowledge.applications import applications_named
from wizard.knowledge.claims import Word


def cannot_run(found: Recommendation, fit: Fit) -> str:
    """What of the things asked for a stack cannot run, and which one can; ``""`` for none."""
    asked = dict(zip(found.applications, applications_named(found.applications), strict=True))
    lost = [answer for answer in fit.answers if answer.word is Word.NO]
    texts = [
        f"{fit.stack} cannot run {asked_for(asked[each.application])}: {each.why.rstrip('.')}."
        for each in lost
    ]
    first = found.fits[0]
    if lost and first.possible and all(each.word is not Word.NO for each in first.answers):
        texts.append(f"Suggested instead: {first.stack} ({words(first, tuple(asked.values()))}).")
    return " ".join(texts)
