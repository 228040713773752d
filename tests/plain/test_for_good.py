"""The plain road's own question before packages go that nothing could put back."""

from __future__ import annotations

import argparse

import pytest

from tests.plain.conversing import Conversation
from wizard.cli.plain_setup import FOR_GOOD, chosen_for_good
from wizard.cli.questions import Guide, WentBack
from wizard.plan.rollback_packages import RollbackFiles

SOURCES = RollbackFiles((("rocm-core", "5.7.1"),), (("rocblas", "3.1.0"),))


def answered(*answers: str) -> tuple[tuple[str, ...] | None, Conversation]:
    talk = Conversation(*answers)
    guide = Guide(talk.ask, lambda words: 0, argparse.Namespace(), ())
    return chosen_for_good(guide, SOURCES), talk


@pytest.mark.parametrize("answer", ["", "1"])
def test_nothing_goes_for_good_unless_that_is_chosen(
    answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more, talk = answered(answer)
    assert more is None
    assert FOR_GOOD in talk.text
    said = capsys.readouterr().out
    assert "rocm-core 5.7.1" in said
    assert "rocblas 3.1.0" in said
    assert "Rollback could not restore the removed packages. Nothing was changed" in said
    assert "Nothing was changed. Configure their archive again" in said


def test_a_yes_adds_the_option_to_the_command() -> None:
    more, _ = answered("2")
    assert more == ("--without-rollback",)


def test_it_can_be_gone_back_from() -> None:
    with pytest.raises(WentBack):
        answered("b")
