"""Each cause in many dresses, and lines that only speak of one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wizard.diagnose.explain import explain

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXTS = tomllib.loads(Path(__file__).with_name("wordings.toml").read_text("utf-8"))["text"]
HARMLESS = "benign-kdb-warning"


@pytest.mark.parametrize("row", TEXTS, ids=lambda row: row["text"][:60])
def test_a_message_is_known_in_any_dress(row: dict[str, object]) -> None:
    findings = explain(str(row["text"]).encode()).findings
    assert [f.cause for f in findings if f.counts or f.cause == HARMLESS] == row["causes"]
