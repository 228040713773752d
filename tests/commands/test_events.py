"""What other programs read is what the man page says."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

from tests.commands.running import ROOT
from wizard.core.events import Event

ROW = re.compile(r"^\.TP\n([A-Z]\w+)\n(.+)$", re.MULTILINE)


def test_the_man_page_names_every_event_with_all_its_fields() -> None:
    page = (ROOT / "assets" / "man" / "rdna1-setup.1").read_text("utf-8")
    text = page.partition(".SH FOR OTHER PROGRAMS")[2]
    told = {name: row.split(", ") for name, row in ROW.findall(text)}
    known = {kind.__name__: [field.name for field in fields(kind)] for kind in get_args(Event)}
    assert told == known
