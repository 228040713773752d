"""The setting that a result card holds."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest

from tests.conv2d.made import made
from tests.handmade import clean_jammy
from wizard.conv2d.cards.card_form import card_text, read_card
from wizard.conv2d.cards.result_card import FoundSetting, Here, ResultCard, make_card
from wizard.conv2d.search.setting_answer import SettingAnswer
from wizard.conv2d.shapes import square

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc)
SHAPE = square(16, 32, 64)
SET = (("MIOPEN_DEBUG_CONV_GEMM", "0"), ("MIOPEN_DEBUG_CONV_WINOGRAD", "0"))


def answer(**more: Any) -> SettingAnswer:
    plain = SettingAnswer(
        SHAPE, SET, is_smallest=True, is_complete=True, hangs=1, allowed=3, passes=3, repeats=3,
        cold_s=1.0, warm_s=0.1, unchanged_s=None, engines=(), tried=(), possible=8,
    )  # fmt: skip
    return replace(plain, **more)


def here() -> Here:
    machine = clean_jammy()
    return Here(machine.gpus, machine.driver, machine.system)


def card(**more: Any) -> ResultCard:
    return make_card([made()], WHEN, here(), finished=True, answer=answer(**more))


def test_what_was_found_goes_out_with_the_card_and_comes_back() -> None:
    sent = card()
    assert sent.found == FoundSetting(SET, SHAPE, 3)
    assert read_card(card_text(sent).encode()) == sent


@pytest.mark.parametrize(
    "less",
    [
        {"changes": None},
        {"changes": ()},
        {"passes": 2},
        {"passes": 0, "repeats": 0},
        {"changes": (("MIOPEN_USER_DB_PATH", "/home/ada/db"),)},
    ],
)
def test_what_was_not_found_for_sure_or_names_somebody_does_not_go_out(
    less: dict[str, Any],
) -> None:
    assert card(**less).found is None


def test_a_card_of_an_earlier_version_holds_no_setting() -> None:
    form = json.loads(card_text(card()))
    del form["found"]
    assert read_card(json.dumps(form).encode()).found is None
