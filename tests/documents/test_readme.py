"""What the README lists is what there is."""

from __future__ import annotations

import re

from tests.documents.made import ROOT
from wizard.__main__ import COMMANDS
from wizard.knowledge.stacks import load_stacks

TEXT = (ROOT / "README.md").read_text("utf-8")


def test_it_lists_every_stack_with_its_torch() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", TEXT, re.MULTILINE)
    assert rows == [(stack.id, stack.torch.split("+")[0]) for stack in load_stacks()]


def test_it_names_every_command_and_no_other() -> None:
    table = TEXT.partition("## Every command")[2].partition("\n## ")[0]
    named = set(re.findall(r"`rdna1-setup ([a-z][a-z0-9-]*)", table))
    assert named == {*COMMANDS}


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert len(links) > 5
    assert [link for link in links if not (ROOT / link).exists()] == []
