"""From answers to ``conv2d``, and from a setting that was found to ``keep``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conv2d.planting_runs import plant
from tests.conv2d.test_settings_command import ANSWER, SET
from tests.plain.conversing import Conversation
from tests.run.places import places_below
from wizard.cli.plain_measuring import measure_installed
from wizard.cli.questions import Guide
from wizard.conv2d.runs.events import EventFile
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Sweep, SweepDone

HERE = argparse.Namespace(demo=False, machine=None, dry_run=False)


def measured(
    home: Path, *answers: str, finds: bool = False, applications: Sequence[str] = ()
) -> list[tuple[str, ...]]:
    """The commands that were carried out, where a search finds a setting or nothing."""
    done: list[tuple[str, ...]] = []

    def do(words: Sequence[str]) -> int:
        if words[0] == "conv2d" and finds:
            row = Row(ANSWER.shape)
            request = SettingRequest(Sweep("/v/bin/python", (row,)), 3)
            run = plant(places_below(home), 0, request=request, ended=False)
            with EventFile(run) as file:
                file.add(SweepDone((), None, 0.5, setting=ANSWER))
        done.append(tuple(words))
        return 0

    guide = Guide(Conversation(*answers).ask, do, HERE, ())
    measure_installed(guide, "/v/bin/python", on_processor=True, applications=applications)
    return done


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("answer", "works"), [("1", True), ("6", False)])
def test_who_wants_to_train_measures_gradients_too(answer: str, works: bool, home: Path) -> None:
    for applications, trains in ((("small-cnn",), True), (("yolo",), True), (("comfyui",), False)):
        ((*_, last),) = measured(home, answer, applications=applications)
        assert (last == "forward,backward") == (works and trains)


CONV2D = ("conv2d", "--python", "/v/bin/python", "--device", "cpu")


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ("1", ()),
        ("2", ("--sizes", "32", "--channels", "16-32")),
        ("3 1", ("--preset", "default")),
        ("4 2", ("--find-limit", "size", "--channels", "32-64")),
        ("6", ("--operations",)),
        ("4 b 1", ()),
    ],
)
def test_answers_become_the_options_of_the_command(
    home: Path, answers: str, words: tuple[str, ...]
) -> None:
    assert measured(home, *answers.split()) == [(*CONV2D, *words)]


def test_a_setting_that_was_found_is_kept_by_a_plan_of_its_own(home: Path) -> None:
    search = (*CONV2D, "--find-setting", "--channels", "8-8", "--sizes", "3")
    keep = ("keep", "--venv", "/v", *(f"{name}={value}" for name, value in SET))
    assert measured(home, "5", "5", "8-8 3", "1", finds=True) == [search, keep]
    assert measured(home, "5", "5", "8-8 3", "2", finds=True) == [search]
