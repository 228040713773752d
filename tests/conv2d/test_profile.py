"""The setting that a result card holds, and the table of many cards."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.conv2d.made import made
from tests.conv2d.sweeping import environ
from tests.conv2d.test_command import Home
from tests.handmade import clean_jammy
from wizard.conv2d.cards.card_form import card_text, read_card
from wizard.conv2d.cards.result_card import FoundSetting, Here, ResultCard, make_card
from wizard.conv2d.search.setting_answer import SettingAnswer
from wizard.conv2d.shapes import square
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.report.fleet import Entry, fleet_form, fleet_lines

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc)
SHAPE = square(16, 32, 64)
SET = (("MIOPEN_DEBUG_CONV_GEMM", "0"), ("MIOPEN_DEBUG_CONV_WINOGRAD", "0"))
TORCH = "2.2.2+rocm5.7"


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


def entries() -> tuple[Entry, ...]:
    hung = make_card([made(), made(verdict=Verdict.HUNG)], WHEN, here(), finished=True)
    cpu = make_card([made(loaded=Loaded("2.13.0", None, "cpu"))], WHEN, here(), finished=True)
    return Entry("lab-1", card()), Entry("lab-2", hung), Entry("lab-3", cpu)


def test_the_fleet_stands_in_one_table_that_fits() -> None:
    lines = list(fleet_lines(entries()))
    assert all(len(line) <= 80 for line in lines)
    assert lines[1].split() == ["lab-1", "gfx1010", TORCH, "1", "1", "0", "0", "0"]
    assert lines[2].split() == ["lab-2", "gfx1010", TORCH, "2", "1", "1", "0", "0"]
    assert lines[3].split() == ["lab-3", "cpu", "2.13.0", "1", "1", "0", "0", "0"]
    text = " ".join(lines)
    assert f"lab-1: {SHAPE.label} right under MIOPEN_DEBUG_CONV_GEMM=0" in text
    assert "2 of 3 machines with every shape right; 2 chips and 2 torches." in text


def test_the_fleet_as_json_says_the_same() -> None:
    form = fleet_form(entries())
    assert [machine["all_right"] for machine in form["machines"]] == [True, False, True]
    assert form["machines"][1]["verdicts"] == {"pass": 1, "hung": 1}
    assert form["machines"][0]["setting"] == dict(SET)


def test_the_command_names_what_is_no_card_and_tells_the_rest(tmp_path: Path) -> None:
    (tmp_path / "lab-1.json").write_text(card_text(card()))
    (tmp_path / "photo.json").write_text("{}")
    words = ("fleet", str(tmp_path / "lab-1.json"), str(tmp_path / "photo.json"))
    done = subprocess.run(
        (sys.executable, "-m", "wizard", *words),
        env=Home(tmp_path).variables(environ()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "photo.json is no card" in done.stderr
    assert "lab-1" in done.stdout
