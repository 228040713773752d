"""Findings by number; where there is a plan for one, it is shown and carried out as any other."""

from __future__ import annotations

import argparse
import sys
from types import SimpleNamespace

import pytest

from tests.plain.conversing import Conversation
from tests.screens import examples
from wizard.plain import diagnosing
from wizard.plain.road import Road


def walked(*answers: str) -> tuple[int, Conversation]:
    """The exit code and the talk of this way over the demo's machine."""
    talk = Conversation(*answers)
    demo = argparse.Namespace(demo=True, machine=None, dry_run=False)
    road = Road(talk.ask, lambda words: 0, demo, ("--demo",))
    return diagnosing.walk(road), talk


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planner of fixes that has a plan for everything."""
    planner = SimpleNamespace(
        has_plan=lambda finding: True, make_fix=lambda host, machine, finding: examples.PLAN
    )
    monkeypatch.setitem(sys.modules, "wizard.plan.fixing", planner)


@pytest.mark.usefixtures("plans")
def test_a_fix_is_a_plan_that_is_shown_first(capsys: pytest.CaptureFixture[str]) -> None:
    code, talk = walked("1", "2", "0")
    told = capsys.readouterr().out
    assert code == 0
    assert "mend it: the plan is shown first" in talk.text
    assert f"Plan {examples.PLAN.id}" in told
    assert "rehearsed: nothing was changed" in told


@pytest.mark.usefixtures("plans")
def test_nothing_is_mended_unless_that_is_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    for answer in ("", "1", "b"):
        assert walked("1", answer, "0")[0] == 0
        assert "Plan " not in capsys.readouterr().out


def test_enter_alone_goes_back_to_the_beginning() -> None:
    code, talk = walked("")
    assert code == 0
    assert talk.text.count("Which finding?") == 1
