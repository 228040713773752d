"""What other programs read is what the README says."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

from tests.commands.running import ROOT
from wizard.run.events import Event

ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)


def test_the_readme_names_every_event_with_all_its_fields() -> None:
    text = (ROOT / "README.md").read_text("utf-8").partition("## For other programs")[2]
    told = {name: re.findall(r"`(\w+)`", row) for name, row in ROW.findall(text)}
    told.pop("event", None)
    known = {kind.__name__: [field.name for field in fields(kind)] for kind in get_args(Event)}
    assert told == known
