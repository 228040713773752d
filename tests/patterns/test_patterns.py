"""No regular expression that outside text meets runs away, whatever the text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from tests.patterns.gathering import ROOT

ATTACKS = os.environ.get("RDNA1_SETUP_ATTACKS", "4")
DEADLINE_S = 3600 if "RDNA1_SETUP_ATTACKS" in os.environ else 300
FORMER = r"SWITCH_\w+[\"']?\s*[=\], ]+\s*[\"']?(?:0|no)\b"
"""Once, three parts of a pattern could share the same blanks: thousands of them took minutes."""
MENDED = r"SWITCH_\w+[\"']?[\s=\],]+[\"']?(?:0|no)\b"
FROM_DATA = {
    'wizard/knowledge/causes.py: row["pattern"]',
    'wizard/knowledge/cards.py: row["pattern"]',
    "wizard/knowledge/causes.py: kind.pattern",
    "wizard/core/json_form.py: form",
    'wizard/knowledge/causes.py: "|".join(row["pattern"] for row in rows if row["of"] == of)',
    'wizard/knowledge/variables.py: effect["pattern"]',
}
"""Read with the data."""
ON_LOADING = {
    "wizard/conv2d/hangs.py: text",
    "wizard/machine/recording/excerpts.py: pattern",
    "wizard/redaction/rules.py: form",
    "wizard/core/trouble.py: pattern",
}
"""In functions that are called when their module is loaded."""
OF_WORDS = {
    "assets/root/apt_undo.py: form",
    "screens/widgets/log_pane.py: re.escape(text)",
    "wizard/knowledge/cards.py: rf\"(?i)(?<![a-z0-9]){chip.replace(' ', ' ?')}(?![a-z0-9])\"",
    "wizard/diagnose/conclusions.py: start",
    r'wizard/diagnose/conclusions.py: rf"\b{re.escape(name)}(?![\w.])"',
    "wizard/diagnose/lines.py: _branches(tree)",
    'wizard/diagnose/lines.py: "|".join(map(re.escape, longest_first))',
    'wizard/diagnose/lines.py: rb"(?m)^" + re.escape(margin)',
    'wizard/diagnose/lines.py: rb"(?m)^" + re.escape(name)',
    r'wizard/host/distributions.py: rf"{torch}(-.+)?\.egg-(info|link)"',
    r'wizard/machine/recording/disguise.py: rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"',
    r'wizard/machine/recording/disguise.py: rf"{re.escape(self.home)}(?![\w.-])"',
    r'wizard/machine/recording/allow_list.py: escaped.replace(r"\*", "[^/]*")',
    r'wizard/machine/surroundings.py: rf"\b{words}\b"',
    'wizard/report/private.py: rf"(?P<x>{told})"',
    "wizard/operations/resolve.py: pattern.format(package)",
    r'wizard/operations/resolve.py: rf"(?<![\w.-]){re.escape(each)}(?![\w.+-])"',
    r'wizard/operations/resolve.py: rf"\b{re.escape(pin)}(?![\w.+-])"',
    "wizard/system/programs.py: code",
}
"""Plain words and what stands around them, or one of a few constants."""
TRIED = ("wizard/redaction/names.py: ", "wizard/machine/assignments.py: ")
"""Modules whose patterns of names and of loops are made by ``reading.of_names``."""


def read(most: str, *patterns: str) -> dict[str, Any]:
    """What the program that reads made texts tells."""
    argv = (sys.executable, "-m", "tests.patterns.reading", most, *patterns)
    done = subprocess.run(
        argv, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S, check=True
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_no_pattern_takes_long_on_texts_made_for_it_and_none_is_left_out() -> None:
    told = read(ATTACKS)
    later = {call for call in told["later"] if not call.startswith(TRIED)}
    assert later == FROM_DATA | ON_LOADING | OF_WORDS
    assert told["patterns"] > 600
    assert told["slow"] == []


def test_a_pattern_that_shares_its_blanks_is_noticed() -> None:
    (one,) = read("0", FORMER, MENDED)["slow"]
    assert one["pattern"] == FORMER
    assert one["again and again"].isspace()
