"""Each cause in many dresses, and lines that only speak of one."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.diagnose.scoring import ORDINARY
from wizard.diagnose.explain import explain

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXTS = tomllib.loads(Path(__file__).with_name("wordings.toml").read_text("utf-8"))["text"]
HARMLESS = "benign-kdb-warning"


def test_a_message_is_known_in_any_dress() -> None:
    wrong = []
    for row in TEXTS:
        findings = explain(row["text"].encode()).findings
        told = [f for f in findings if f.cause not in ORDINARY]
        found = [f.cause for f in told if f.counts or f.cause == HARMLESS]
        if found != row["causes"]:
            wrong.append(f"{row['text']!r}: {found}, not {row['causes']}")
    assert wrong == []
