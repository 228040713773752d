"""A setting found on one machine, kept on another: chip, torch and a recheck decide."""

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
from tests.handmade import card as gpu
from tests.handmade import clean_jammy
from wizard.conv2d.cards.card_form import card_text, read_card
from wizard.conv2d.cards.profile import not_meant_for, recheck
from wizard.conv2d.cards.result_card import FoundSetting, Here, ResultCard, make_card
from wizard.conv2d.search.setting_answer import SettingAnswer
from wizard.conv2d.shapes import square
from wizard.machine.facts.contents import Contents, Distribution
from wizard.plan.environment import MODULE, launcher_text, module_text

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc)
SHAPE = square(16, 32, 64)
SET = (("MIOPEN_DEBUG_CONV_GEMM", "0"), ("MIOPEN_DEBUG_CONV_WINOGRAD", "0"))
PAIR = [f"{name}={value}" for name, value in SET]
FIND = ("--device", "cpu", "--channels", "2-3", "--sizes", "4", "--find-setting", "--hangs", "5")
HELPS: dict[str, Any] = {"miopen": {"helps": [PAIR], "blames": ["GEMM", "WINOGRAD", "DIRECT"]}}
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


def contents(torch: str) -> Contents:
    there = Distribution("torch", torch, (), True, "pip", True, "")
    return Contents(
        "/v", "venv", "3.10", True, "/v/lib", True, "", (), (there,), "", False, ()
    )  # fmt: skip


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


def test_it_is_meant_for_the_same_chip_and_torch_alone() -> None:
    sent, torch = card(), contents(TORCH)
    assert not_meant_for(sent, here(), torch) == ""
    assert "that venv has torch 1.13.1" in not_meant_for(sent, here(), contents("1.13.1"))
    assert "that venv has no torch" in not_meant_for(sent, here(), None)
    none, two = replace(here(), gpus=()), replace(here(), gpus=(gpu(), gpu()))
    assert "this machine has no card" in not_meant_for(sent, none, torch)
    assert "this machine has 2 cards" in not_meant_for(sent, two, torch)
    other = replace(sent, chip=replace(sent.chip, gfx="gfx1030"))
    assert "it was found on gfx1030" in not_meant_for(other, here(), torch)
    nobody = replace(sent, chip=replace(sent.chip, gfx=None))
    assert "a chip that it does not tell" in not_meant_for(nobody, here(), torch)


def test_the_recheck_is_short_and_under_the_setting() -> None:
    sweep = recheck(card(), "/v/bin/python")
    assert [(row.shape, row.setting) for row in sweep.rows] == [(SHAPE, SET)]
    assert (sweep.hangs, sweep.device) == (1, "cuda")


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """A venv as a run of ours leaves it, whose torch is the stand-in."""
    folder = tmp_path / "venv"
    site = folder / f"lib/python3.{sys.version_info.minor}/site-packages"
    info = site / f"torch-{TORCH}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {TORCH}\n")
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text(f"version = 3.{sys.version_info.minor}.1\n")
    (site / f"{MODULE}.py").write_text(module_text((), ()))
    (folder / "bin/rdna1-python").write_text(launcher_text(str(folder), (), ()))
    return folder


def keep(
    home: Home, venv: Path, profile: Path, *options: str, **wishes: Any
) -> subprocess.CompletedProcess[str]:
    words = ("keep", "--venv", str(venv), "--profile", str(profile), *options)
    return subprocess.run(
        (sys.executable, "-m", "wizard", *words),
        env=home.variables({**environ(**wishes), "FAKE_TORCH_VERSION": TORCH}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def sent(tmp_path: Path, worker_python: str) -> Path:
    """The card of a machine on which a setting was found."""
    home, path = Home(tmp_path / "there"), tmp_path / "card.json"
    home.folder.mkdir()
    wishes = {**environ(**HELPS), "FAKE_TORCH_VERSION": TORCH}
    asked = ("--python", worker_python, *FIND, "--deadline", "1")
    code, output, errors = home.run(*asked, **wishes)
    assert code == 0, output + errors
    code, output, errors = home.run("--export", str(path))
    assert code == 0, output + errors
    return path


def test_found_there_rechecked_and_kept_here_and_a_second_time_it_is_kept_already(
    tmp_path: Path, venv: Path, sent: Path
) -> None:
    home = Home(tmp_path)
    assert json.loads(sent.read_text())["found"]["setting"] == dict(SET)
    dry = keep(home, venv, sent, "--dry-run", **HELPS)
    assert (dry.returncode, "Would be measured first" in dry.stderr) == (0, True)
    done = keep(home, venv, sent, "--yes", **HELPS)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = next(venv.rglob(f"{MODULE}.py")).read_text()
    assert "os.environ['MIOPEN_DEBUG_CONV_GEMM'] = '0'" in kept
    again = keep(home, venv, sent, "--yes", **HELPS)
    assert (again.returncode, "already" in again.stdout) == (0, True)
    assert "It was found under kernel" not in done.stderr


def test_where_the_recheck_fails_nothing_is_kept(tmp_path: Path, venv: Path, sent: Path) -> None:
    before = next(venv.rglob(f"{MODULE}.py")).read_text()
    wishes: dict[str, Any] = {"miopen": {"wrong": [PAIR]}}
    done = keep(Home(tmp_path), venv, sent, "--yes", **wishes)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "The setting is not kept: here 2->3 3x3 @4x4 was wrong" in " ".join(done.stderr.split())
    assert next(venv.rglob(f"{MODULE}.py")).read_text() == before


def test_another_torch_is_refused_before_anything_is_measured(
    tmp_path: Path, venv: Path, sent: Path
) -> None:
    (info,) = venv.rglob("torch-*.dist-info")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 1.13.1\n")
    info.rename(info.with_name("torch-1.13.1.dist-info"))
    done = keep(Home(tmp_path), venv, sent, "--yes", **HELPS)
    assert (done.returncode, "that venv has torch 1.13.1" in done.stderr) == (2, True)
    assert "Measuring" not in done.stderr


def test_a_card_without_a_setting_and_both_at_once_are_refused(tmp_path: Path, venv: Path) -> None:
    path = tmp_path / "card.json"
    path.write_text(card_text(replace(card(), found=None)))
    done = keep(Home(tmp_path), venv, path, "--yes")
    assert (done.returncode, "holds no setting" in done.stderr) == (2, True)
    done = keep(Home(tmp_path), venv, path, *PAIR)
    assert (done.returncode, "one of them" in done.stderr) == (2, True)
