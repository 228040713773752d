"""The README is short, and what it says is so."""

from __future__ import annotations

import re

from tests.documents.made import ROOT
from wizard.cli.options import COMMANDS, parser
from wizard.knowledge.claims import verdict_on
from wizard.knowledge.stacks import load_stacks

TEXT = (ROOT / "README.md").read_text("utf-8")
MOST_WORDS = 900
STACK = r"^\| `(\w+)` \| ([\d.]+) \| ([\w ]+) \|"


def test_a_stranger_reads_it_in_four_minutes() -> None:
    """The rows of stacks aside, of which a new stack needs one."""
    lines = [line for line in TEXT.splitlines() if not re.match(STACK, line)]
    assert sum(len(line.split()) for line in lines) <= MOST_WORDS


def test_it_lists_every_stack_with_its_torch_and_our_verdict() -> None:
    rows = re.findall(STACK, TEXT, re.MULTILINE)
    known = []
    for stack in load_stacks():
        verdict = verdict_on("large-conv2d", stack.id)
        assert verdict is not None
        known.append((stack.id, stack.torch.split("+")[0], verdict.word.value))
    assert rows == known


def test_it_says_once_that_nobody_ran_it_on_such_a_card() -> None:
    assert TEXT.count("never run on an RDNA1 card") == 1


def test_each_command_and_option_that_it_names_is_one() -> None:
    named = set(re.findall(r"rdna1-setup ([a-z][a-z0-9-]*)", TEXT))
    assert len(named) > 5
    assert named <= {*COMMANDS}
    every = parser()._subparsers._group_actions[0].choices.values()  # type: ignore[union-attr]
    helps = " ".join(one.format_help() for one in (parser(), *every))
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", TEXT)) - {"--quiet", "--compile-bytecode"}
    assert {option for option in options if option not in helps} == set()


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert len(links) > 5
    assert [link for link in links if not (ROOT / link).exists()] == []
