"""How busy a card is: what its driver's file says, and nothing where that says nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wizard.conv2d.worker import launch
from wizard.conv2d.worker.launch import busy_percent


def driver(folder: Path, *said: str) -> Path:
    for number, text in enumerate(said):
        device = folder / f"0000:0{number}:00.0"
        device.mkdir()
        (device / "gpu_busy_percent").write_text(text)
    return folder


def test_the_one_card_says_how_busy_it_is(tmp_path: Path) -> None:
    assert busy_percent(driver(tmp_path, "97\n")) == 97


def test_of_two_cards_nobody_knows_which_one_works(tmp_path: Path) -> None:
    assert busy_percent(driver(tmp_path, "97\n", "0\n")) is None


@pytest.mark.parametrize("said", ["", "busy\n", "-5\n", "³\n"])
def test_what_is_no_number_is_no_answer(tmp_path: Path, said: str) -> None:
    assert busy_percent(driver(tmp_path, said)) is None


def test_without_a_card_there_is_no_answer(tmp_path: Path) -> None:
    assert busy_percent(tmp_path) is None


def test_a_driver_that_never_answers_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "DRIVER_ANSWER_S", 0.1)
    device = tmp_path / "0000:03:00.0"
    device.mkdir()
    os.mkfifo(device / "gpu_busy_percent")
    assert busy_percent(tmp_path) is None
