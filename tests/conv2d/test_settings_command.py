"""Searches about settings from the command line: what they must be told, and what they tell."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.conv2d.sweeping import environ, small, sweep_of
from tests.conv2d.test_command import Home
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import Setting
from wizard.conv2d.sweep import EngineTried, SettingAnswer, SetTried, SweepDone
from wizard.core.json_form import to_json, typed
from wizard.report.conv2d_answers import setting_lines

FIND = ("--device", "cpu", "--channels", "2-3", "--sizes", "4", "--find-setting")
PAIR = ["MIOPEN_DEBUG_CONV_GEMM=0", "MIOPEN_DEBUG_CONV_WINOGRAD=0"]
BLAMED = {"helps": [PAIR], "blames": ["GEMM", "WINOGRAD", "DIRECT"]}
SET: Setting = (("MIOPEN_DEBUG_CONV_GEMM", "0"), ("MIOPEN_DEBUG_CONV_WINOGRAD", "0"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_setting_is_found_and_told_with_how_to_keep_it(home: Home, worker_python: str) -> None:
    asked = ("--python", worker_python, *FIND, "--hangs", "5", "--deadline", "1")
    code, output, errors = home.run(*asked, **environ(miopen=BLAMED))
    assert code == 0, errors
    text = " ".join(output.split())
    assert f"The smallest set that makes this shape work is {' '.join(PAIR)}." in text
    assert "right result 3 of 3 times" in text
    assert "The search used 3 hangs of the 5 allowed." in text
    assert "The authors of this program have not measured" in text
    assert f"{' '.join(PAIR)} {worker_python} your_script.py" in text
    assert max(len(line) for line in output.splitlines() if "/" not in line) < 80
    folder = worker_python.rpartition("/bin/")[0]
    assert f"rdna1-setup keep --venv {folder} {' '.join(PAIR)}" in text


def test_nothing_found_is_exit_one(home: Home, worker_python: str) -> None:
    asked = ("--python", worker_python, *FIND, "--hangs", "1", "--deadline", "1")
    code, output, _ = home.run(*asked, **environ(miopen={"helps": [["NOTHING=1"]]}))
    text = " ".join(output.split())
    assert code == 1
    assert "No setting was found that makes this shape work: 1 of" in text
    assert "--engine native" in text
    assert "run the same command with --hangs 4" in text


def test_a_dry_run_says_what_would_be_tried_and_starts_nothing(home: Home) -> None:
    asked = ("--dry-run", "--python", "/nowhere/python", *FIND, "--hangs", "2")
    code, output, _ = home.run(*asked)
    assert code == 0
    assert "With at most 2 hangs" in output
    assert "  MIOPEN_DEBUG_CONV_WINOGRAD=0\n" in output
    assert "  MIOPEN_DEBUG_FIND_ONLY_SOLVER=ConvBinWinogradRxSf2x3g1\n" in output
    assert list(home.folder.iterdir()) == []
    _, output, _ = home.run(*asked, "--json")
    assert "  MIOPEN_FIND_MODE=FAST" in json.loads(output)["tried"]


def test_a_comparison_shows_every_rival(home: Home, worker_python: str) -> None:
    asked = ("--python", worker_python, "--channels", "2-3", "--sizes", "4", "--hangs", "3")
    code, output, errors = home.run(*asked, "--yes", "--compare-settings", FAKE_TORCH_HIP="5.2")
    assert code == 0, errors
    for name in ("unchanged", "only implicit GEMM", "native"):
        assert f"  {name:<20}pass" in output
    code, output, _ = home.run("--dry-run", *asked, "--compare-settings")
    assert "only FFT: MIOPEN_DEBUG_CONV_DIRECT=0" in output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--hangs", "0"), "--hangs 3"),
        (("--hangs", "3", "--sizes", "4,6"), "exactly one shape"),
        (("--hangs", "3", "--engine", "native"), "Omit --engine"),
        (("--hangs", "3", "--find-limit", "size"), "Use only one of them"),
    ],
)
def test_what_is_missing_is_asked_for(home: Home, options: tuple[str, ...], said: str) -> None:
    code, _, errors = home.run("--python", "python3", *FIND, *options)
    assert code == 2
    assert said in errors


def test_what_the_shell_sets_is_told_and_clean_leaves_it_out(
    home: Home, worker_python: str
) -> None:
    asked = ("--python", worker_python, "--device", "cpu", "--channels", "2-3", "--sizes", "4")
    _, output, errors = home.run(*asked, "--json", MIOPEN_FIND_MODE="2")
    assert (
        "Your shell sets MIOPEN_FIND_MODE=2. Add --clean to measure without your shell's settings."
    ) in errors
    assert json.loads(output)["results"][0]["setting"] == {"MIOPEN_FIND_MODE": "2"}
    _, output, errors = home.run(*asked, "--json", "--clean", MIOPEN_FIND_MODE="2")
    assert "Of your shell's settings, this measurement ignores MIOPEN_FIND_MODE=2." in errors
    assert json.loads(output)["results"][0]["setting"] == {}


def test_killed_half_way_and_run_again_it_ends_the_same(home: Home, worker_python: str) -> None:
    asked = ("--python", worker_python, *FIND, "--hangs", "6", "--json", "--foreground")
    manifest = environ(miopen=BLAMED)
    with home.start(*asked, "--deadline", "1", **manifest) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "MIOPEN_DEBUG_CONV_GEMM=0 MIOPEN_DEBUG_CONV_WINOGRAD=0" in line:
                break
        workers = psutil.Process(process.pid).children(recursive=True)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)
    psutil.wait_procs(workers, timeout=10)
    assert not [worker for worker in workers if worker.is_running()]
    code, output, errors = home.run(*asked, "--deadline", "1", **manifest)
    document = json.loads(output)
    found = document["setting"]
    assert (code, found["changes"], found["hangs"]) == (0, dict(SET), 3)
    assert (found["is_smallest"], found["passes"], found["repeats"]) == (True, 3, 3)
    folder = worker_python.rpartition("/bin/")[0]
    assert found["keep"] == f"rdna1-setup keep --venv {folder} {' '.join(PAIR)}"
    assert [tried["why"] for tried in found["tried"]] == ["GEMM", "Winograd", "direct", "GEMM"]
    assert document["results"][1]["log_line"].endswith("Preparing kernel: Im2d2Col")
    started = [line for line in errors.splitlines() if "(deadline" in line]
    assert not any(line.startswith("2/") for line in started)  # hung before, and not again
    assert list((home.folder / ".cache/rdna1-setup/conv2d").iterdir()) == []


ANSWER = SettingAnswer(
    shape=small(3).shape,
    changes=SET,
    is_smallest=True,
    is_complete=True,
    hangs=3,
    allowed=5,
    passes=3,
    repeats=3,
    cold_s=1.5,
    warm_s=0.002,
    unchanged_s=None,
    engines=(EngineTried("native", "pass", 0.004),),
    tried=(SetTried((), "hung", "GEMM"), SetTried(SET, "pass")),
    possible=200,
)


@pytest.mark.parametrize(
    "value",
    [
        SettingRequest(
            replace(sweep_of("python3"), rows=(replace(small(3), setting=SET, log=True),)), 4
        ),
        CompareRequest(sweep_of("python3", 3, 4), 2),
        SweepDone((), None, 0.5, setting=ANSWER),
    ],
    ids=lambda value: type(value).__name__,
)
def test_requests_and_answers_come_back_from_their_json_form(value: object) -> None:
    again = typed(json.loads(json.dumps(to_json(value))), type(value))
    assert again == value


def told(**changes: object) -> str:
    return " ".join(" ".join(setting_lines(replace(ANSWER, **changes), "/v/bin/python")).split())  # type: ignore[arg-type]


def test_every_end_has_its_words() -> None:
    assert "A later call takes 2.00 ms (the first one 1.50 s); with the engine native" in told()
    assert "which may not be the smallest" in told(is_smallest=False)
    assert "the limit on hangs was reached before it could be measured again" in told(
        repeats=0, passes=0
    )
    assert "The shape gives the right result without any changes (3 of 3 times" in told(changes=())
    nothing = told(changes=None)
    assert "No setting makes this shape work: 2 of 200 sets of variables were tried." in nothing
    assert "The native engine makes this shape work: with `torch.backends" in nothing
    bad = (EngineTried("native", "hung", None),)
    assert "MIOpen is not the only" in told(changes=None, engines=bad)
    assert "the card is broken." in told(changes=None, stopped="the card is broken.")
