"""Findings by number; where there is a plan for one, the command that mends it is carried out."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import pytest

from tests.plain.conversing import Conversation
from wizard.cli.plain import diagnose
from wizard.cli.questions import Guide
from wizard.diagnose.fix_settings import BY_HAND

MENDED = 7
"""The exit code of what is carried out here."""


def walked(*answers: str) -> tuple[int, Conversation, list[Sequence[str]]]:
    """The exit code, the talk of this way over the demo's machine, and what was carried out."""
    talk, done = Conversation(*answers), list[Sequence[str]]()

    def do(words: Sequence[str]) -> int:
        done.append(words)
        return MENDED

    demo = argparse.Namespace(demo=True, machine=None, dry_run=False)
    return diagnose(Guide(talk.ask, do, demo, ("--demo",))), talk, done


def test_a_fix_is_the_command_that_shows_its_plan_first() -> None:
    code, talk, done = walked("3", "2")
    assert "fix it: you see the plan first" in talk.text
    assert done == [("diagnose", "--fix", "noop-setting")]
    assert code == MENDED


def test_nothing_is_mended_unless_that_is_chosen() -> None:
    for answer in ("", "1", "b"):
        code, talk, done = walked("3", answer, "0")
        assert (code, done) == (0, [])
        assert "What now?" in talk.text


def test_what_has_no_plan_is_mended_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    code, talk, done = walked("2", "0")
    assert (code, done) == (0, [])
    assert "What now?" not in talk.text
    assert BY_HAND in capsys.readouterr().out


def test_enter_alone_goes_back_to_the_beginning() -> None:
    code, talk, _ = walked("")
    assert code == 0
    assert talk.text.count("Which finding do you want to see?") == 1
