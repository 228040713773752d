"""What people paste is diagnosed the same after it was redacted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.owners import ZAPHOD
from wizard.diagnose.explain import explain
from wizard.report.private import Redaction
from wizard.run.lines import clean_lines

CORPUS = Path(__file__).parents[1] / "diagnose" / "corpus"
CAUSES = sorted(folder for folder in CORPUS.iterdir() if folder.is_dir())


@pytest.mark.parametrize("folder", CAUSES, ids=lambda folder: folder.name)
def test_what_was_pasted_is_diagnosed_the_same_when_it_is_redacted(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        if path.suffix == ".toml" or not path.is_file():
            continue
        text = clean_lines(path.read_text("utf-8", "replace"))
        left = Redaction(ZAPHOD).text(text)
        before, after = explain(text.encode()), explain(left.encode())
        assert [f.cause for f in after.findings] == [f.cause for f in before.findings], path.name
        assert [c.gfx for c in after.cards] == [c.gfx for c in before.cards], path.name
