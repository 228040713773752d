"""What people paste of common tools: errors are told, cards are listed, and all else is silent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from wizard.diagnose.explain import explain

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXTS = tomllib.loads(Path(__file__).with_name("pasted.toml").read_text("utf-8"))["text"]


@pytest.mark.parametrize("row", TEXTS, ids=[row["name"] for row in TEXTS])
def test_it_is_told_for_what_it_is(row: dict[str, Any]) -> None:
    explained = explain(row["text"].encode())
    told = [e.text for f in explained.findings if f.counts for e in f.evidence]
    told += [e.text for e in explained.unrecognised]
    if "error" in row:
        assert any(row["error"] in line for line in told), told
    else:
        assert told == []
    if "cards" in row:
        assert [[card.pci_id, card.gfx] for card in explained.cards] == row["cards"]
