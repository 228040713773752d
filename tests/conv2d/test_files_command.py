"""``conv2d`` with files: own layers, what fits, cards out and in, two runs, a script."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.commands.running import MACHINE
from tests.conv2d.made import CARD, made
from tests.conv2d.sweeping import environ
from tests.conv2d.test_command import Home
from tests.machine.planting import FULL_NAME, HOST_NAME, NAMES_TOLD, SECRETS, USER
from tests.run.places import places_below
from wizard.__main__ import main
from wizard.conv2d.cards.result_card import read_card_file
from wizard.conv2d.shapes import square
from wizard.conv2d.verdicts import Result, Verdict
from wizard.core.json_form import to_json

PASS = made(square(16, 32, 32), warm_s=0.01, cold_s=0.1)
HUNG = made(square(16, 32, 44), Verdict.HUNG, detail="killed", hang_class="spinning kernel")
RIGHT = made(square(16, 32, 44), warm_s=0.02)


def journal(home: Path, name: str, *results: Result, age_s: int = 0) -> None:
    """A run that is over, that many seconds ago."""
    path = Path(places_below(home).conv2d, f"{name}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines: list[dict[str, Any]] = [{"journal": 1}]
    lines += [{"outcome": n, "result": to_json(result)} for n, result in enumerate(results)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, {"finished": True}]))
    os.utime(path, (1_800_000_000 - age_s,) * 2)


class Told(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


Wizard = Callable[..., Told]


@pytest.fixture
def wizard(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Wizard:
    """A command in this process, with a home of its own."""

    def run(home: Path, *arguments: str) -> Told:
        for name in [name for name in os.environ if name.startswith("XDG_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.chdir(home)
        return Told(main(arguments), *capsys.readouterr())

    return run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two runs, of which the later one hangs."""
    journal(tmp_path, "old", PASS, RIGHT, age_s=60)
    journal(tmp_path, "new", PASS, HUNG)
    return tmp_path


def test_the_last_run_is_exported_and_comes_in_again(home: Path, wizard: Wizard) -> None:
    path = home / "mine.json"
    done = wizard(home, "conv2d", "--export", str(path))
    assert done.returncode == 0, done.stderr
    assert "Read it before you share it" in done.stdout
    card = read_card_file(path)
    assert [result.verdict for result in card.results] == [Verdict.PASS, Verdict.HUNG]
    assert card.finished
    assert card.stack.torch == CARD.torch
    shown = wizard(home, "conv2d", "--import", str(path))
    assert shown.returncode == 0, shown.stderr
    assert "16->32 3x3 @44x44  miopen  hung" in shown.stdout


def test_no_mark_of_the_owner_leaves_the_machine(tmp_path: Path, wizard: Wizard) -> None:
    home = tmp_path / USER
    told = f"RuntimeError: {home}/x of {FULL_NAME} on {HOST_NAME}: {' '.join(SECRETS)}"
    loaded = replace(
        CARD,
        libraries=(f"{home}/venv/lib/libMIOpen.so",),
        setting=(("MIOPEN_USER_DB_PATH", f"{home}/db"), ("HF_TOKEN", SECRETS[1])),
    )
    journal(home, "new", made(verdict=Verdict.ERROR, detail=told, because=told, loaded=loaded))
    for option, name in (("--export", "card.json"), ("--repro", "repro.py")):
        done = wizard(home, "conv2d", option, str(tmp_path / name))
        assert done.returncode == 0, done.stderr
        text = (tmp_path / name).read_text()
        for mark in (*NAMES_TOLD, *SECRETS, str(home), os.uname().nodename):
            assert mark.lower() not in text.lower()


def test_a_file_that_is_there_is_not_written_over(home: Path, wizard: Wizard) -> None:
    path = home / "mine"
    path.write_text("precious")
    for option in ("--export", "--repro"):
        done = wizard(home, "conv2d", option, str(path))
        assert done.returncode == 2
        assert "File exists" in done.stderr
    assert path.read_text() == "precious"


def test_a_dry_run_writes_nothing(home: Path, wizard: Wizard) -> None:
    files = sorted(home.rglob("*"))
    for options in (("--export", "x.json"), ("--repro", "x.py")):
        done = wizard(home, "--dry-run", "conv2d", *options)
        assert done.returncode == 0, done.stderr
        assert "A dry run writes nothing" in done.stdout
    path = home / "mine.json"
    wizard(home, "conv2d", "--export", str(path))
    assert wizard(home, "--dry-run", "conv2d", "--import", str(path)).returncode == 0
    assert sorted(home.rglob("*")) == sorted([*files, path])


def test_a_recorded_machine_has_nothing_to_export(home: Path, wizard: Wizard) -> None:
    done = wizard(home, "--machine", MACHINE, "conv2d", "--export", str(home / "x.json"))
    assert done.returncode == 2
    assert "a machine recording has no runs" in done.stderr


def test_what_is_no_card_is_refused_by_place(home: Path, wizard: Wizard) -> None:
    path = home / "bad.json"
    wizard(home, "conv2d", "--export", str(path))
    path.write_text(path.read_text().replace('"hung"', '"maybe"'))
    done = wizard(home, "conv2d", "--import", str(path))
    assert done.returncode == 2
    assert "the card, results 2, verdict: 'maybe' is not one of" in done.stderr
    gone = wizard(home, "conv2d", "--import", str(home / "nowhere.json"))
    assert gone.returncode == 2
    assert "No such file" in gone.stderr


def test_the_last_run_is_compared_with_the_one_before(home: Path, wizard: Wizard) -> None:
    done = wizard(home, "conv2d", "--compare")
    assert done.returncode == 1
    assert "* 16->32 3x3 @44x44  pass  hung" in done.stdout
    assert "1 of 2 shapes measured in both has a different verdict." in done.stdout
    form = json.loads(wizard(home, "conv2d", "--compare", "--json").stdout)
    assert form["differing"] == 1
    assert form["changes"][0]["after"] == "hung"


def test_cards_are_compared_with_each_other_and_with_the_last_run(
    home: Path, wizard: Wizard
) -> None:
    path = home / "mine.json"
    wizard(home, "conv2d", "--export", str(path))
    for cards in ((str(path),), (str(path), str(path))):
        done = wizard(home, "conv2d", "--compare", *cards)
        assert done.returncode == 0, done.stderr
        assert "None of 2 shapes measured in both has a different verdict." in done.stdout
    assert wizard(home, "conv2d", "--compare", *[str(path)] * 3).returncode == 2


def test_without_runs_it_says_how_to_make_one(tmp_path: Path, wizard: Wizard) -> None:
    for options in (("--export", "x"), ("--repro", "x.py")):
        done = wizard(tmp_path, "conv2d", *options)
        assert done.returncode == 2
        assert "To measure: rdna1-setup conv2d" in done.stderr
    assert "two runs with results are needed" in wizard(tmp_path, "conv2d", "--compare").stderr


def test_a_script_is_written_for_the_first_that_did_not_pass(home: Path, wizard: Wizard) -> None:
    path = home / "repro.py"
    done = wizard(home, "conv2d", "--repro", str(path))
    assert done.returncode == 0, done.stderr
    assert "This script measures 16->32 3x3 @44x44." in done.stdout
    assert "--layer '16 32 3 44x44'" in done.stdout
    assert "MIOpenDriver conv -n 1 -c 16 -H 44 -W 44 -k 32" in done.stdout
    assert "'seen': 'hung, (spinning kernel)" in path.read_text()


def test_a_script_is_written_for_the_result_or_the_layer_that_was_asked_for(
    home: Path, wizard: Wizard
) -> None:
    done = wizard(home, "conv2d", "--repro", str(home / "a.py"), "--result", "1")
    assert "This script measures 16->32 3x3 @32x32." in done.stdout
    layer = ("--layer", "3 8 3 9x9", "--device", "cpu")
    done = wizard(home, "conv2d", "--repro", str(home / "b.py"), *layer)
    assert "This script measures 3->8 3x3 @9x9." in done.stdout
    assert "'device': 'cpu'" in (home / "b.py").read_text()
    assert wizard(home, "conv2d", "--repro", str(home / "c.py"), "--result", "3").returncode == 2


def test_own_layers_are_measured_and_counted_as_a_model(tmp_path: Path, worker_python: str) -> None:
    layers = tmp_path / "mine.txt"
    layers.write_text("1 3 3 4x4 times 4  # four of them\n1 4 3 6x6 batch 2\n")
    asked = ("--python", worker_python, "--device", "cpu", "--deadline", "5")
    faults = environ({4: "wrong"})["FAKE_TORCH"]
    code, output, errors = Home(tmp_path).run(
        *asked, "--layers", str(layers), "--layer", "1 5 3 4x4", FAKE_TORCH=faults
    )
    assert code == 1, errors
    assert "1->4 3x3 @6x6 batch 2" in output
    assert "mine.txt: 5 of 6 layers pass" in " ".join(output.split())


def test_below_a_run_stands_what_changed(tmp_path: Path, worker_python: str) -> None:
    asked = ("--python", worker_python, "--device", "cpu", "--layer", "1 4 3 6x6")
    home = Home(tmp_path)
    assert "Since the previous run" not in home.run(*asked)[1]
    faults = environ({4: "wrong"})["FAKE_TORCH"]
    _, output, _ = home.run(*asked, FAKE_TORCH=faults)
    assert "1->4 3x3 @6x6: pass, now wrong" in output
    compared = home.run("--compare")[1]
    assert "1->4 3x3 @6x6" in compared
    assert "wrong" in compared


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--layers", "/nowhere.txt"), "/nowhere.txt cannot be read"),
        (("--layer", "nonsense"), "line 1: give channels in"),
        (("--layer", "1 1 1 1x1", "--preset", "notes002"), "shapes: omit --preset"),
        (("--layer", "1 1 1 1x1", "--sizes", "4"), "shapes: omit --sizes"),
    ],
)
def test_what_cannot_be_meant_is_exit_two(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    code, output, errors = Home(tmp_path).run("--python", sys.executable, *options)
    assert (code, output) == (2, "")
    assert said in errors


def test_ways_around_are_measured_from_the_command_line(tmp_path: Path, worker_python: str) -> None:
    asked = ("--python", worker_python, "--device", "cpu", "--layer", "2 4 3 40x40")
    faults = environ({4: "wrong"})["FAKE_TORCH"]
    spend = ("--workarounds", "--hangs", "1")
    code, output, errors = Home(tmp_path).run(*asked, *spend, FAKE_TORCH=faults)
    assert code == 0, errors
    assert "2->4 3x3 @40x40: wrong" in output
    assert "padded with zeros to 2->5 channels: pass" in output
    assert "The fastest workaround with the same result: " in output
    form = json.loads(Home(tmp_path).run(*asked, *spend, "--json", FAKE_TORCH=faults)[1])
    assert [each["calls"] for each in form["alternatives"]].count(4) == 1
    dry = Home(tmp_path).run("--dry-run", *asked, *spend)[1]
    assert "Nothing is started." in dry
