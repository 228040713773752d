"""``test-my-card``: what it says beforehand, what it measures, and what it writes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from tests.commands.running import wizard
from tests.conv2d.sweeping import environ
from wizard.cli import card_test
from wizard.cli.card_test import carry_out
from wizard.cli.conv2d_runs import CANCELLED, measure_apart
from wizard.cli.options import parser
from wizard.conv2d.cards.result_card import ResultCard, read_card
from wizard.conv2d.runs.folders import live_run
from wizard.conv2d.shapes import Row, square
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import Verdict
from wizard.core.own_files import places
from wizard.machine.recorded import RecordedHost
from wizard.report import card_test as card_report

USUAL = "rx5600xt-noble-rocm57"
MACHINES = Path(__file__).parents[1] / "machines"
ROWS = tuple(Row(square(c_in, 3, size)) for c_in in (1, 2) for size in (4, 6))
SAFE = ("--yes", "--even-if-in-use", "--deadline", "1")


class Here(RecordedHost):
    """A recorded machine that passes for this one, with a home in which things are written."""

    def __init__(self, machine: str | Path, home: Path) -> None:
        super().__init__(MACHINES / machine)
        self.name = ""
        self.environ = {**self.environ, "HOME": str(home)}
        self.home = str(home)


class Owner:
    """Somebody who tests a card with the stand-in torch."""

    def __init__(self, home: Path, patch: pytest.MonkeyPatch) -> None:
        self.home, self.patch = home, patch
        patch.setenv("HOME", str(home))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        patch.chdir(home)

    def test(
        self,
        *words: str,
        machine: str | Path = USUAL,
        hip: str | None = "5.7",
        limits: dict[str, int] | None = None,
        rows: tuple[Row, ...] = ROWS,
        overridden: bool = True,
    ) -> int:
        """The exit code of the command on such a machine."""
        given = environ(hip=hip, limits=limits)
        for name in ("PYTHONPATH", "FAKE_TORCH", "FAKE_TORCH_HIP"):
            if name in given:
                self.patch.setenv(name, given[name])
            else:
                self.patch.delenv(name, raising=False)
        if overridden:  # the stand-in says gfx1030, as a card does for which that is said
            self.patch.setenv("HSA_OVERRIDE_GFX_VERSION", "10.3.0")
        self.patch.setenv("FAKE_TORCH_VERSION", "2.2.2+rocm5.7")
        return self.start(*words, machine=machine, rows=rows)

    def start(self, *words: str, machine: str | Path = USUAL, rows: tuple[Row, ...] = ROWS) -> int:
        """The same with whatever torch the Python has."""
        arguments = parser().parse(["test-my-card", *words])
        return carry_out(arguments, Here(machine, self.home), rows)

    def lay_native(self) -> str:
        """A venv of ``native`` in its folder, as detection finds one; its Python is our own."""
        folder, record = self.home / "ai" / "native", self.home / "record"
        shutil.copytree(MACHINES / USUAL, record)
        recorded = record / "files" / str(folder).lstrip("/")
        recorded.parent.mkdir(parents=True)
        (record / "files/home/owner/rocm57").rename(recorded)
        (folder / "bin").mkdir(parents=True)
        (folder / "bin/python").symlink_to(sys.executable)
        return f"{folder}/bin/python"

    @property
    def folders(self) -> list[Path]:
        """What was written for somebody else."""
        return sorted(self.home.glob("rdna1-card-test-*"))

    @property
    def card(self) -> ResultCard:
        """The result card of the only test."""
        (folder,) = self.folders
        return read_card((folder / "result-card.json").read_bytes())


@pytest.fixture
def owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Owner:
    return Owner(tmp_path, monkeypatch)


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_card_on_which_all_is_right_gets_one_card_and_a_report(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    assert owner.test("--python", sys.executable, *SAFE) == 0

    output, errors = capsys.readouterr()
    assert errors.startswith("This tests your Radeon RX 5600 XT (gfx1010) with the torch of")
    assert "may freeze the desktop" in errors
    assert "4 shapes: 4 right, 0 wrong, 0 hung." in output
    assert output.splitlines()[0].startswith("Your Radeon RX 5600 XT with ")
    assert "This program sends nothing" in output
    assert card_report.NO_ADDRESS in flat(output)
    card = owner.card
    assert (card.finished, card.chip.gfx, len(card.results)) == (True, "gfx1010", 4)
    (folder,) = owner.folders
    assert {path.name for path in folder.iterdir()} >= {"report.md", "machine.json", "MANIFEST.txt"}
    assert "result-card.json" in (folder / "MANIFEST.txt").read_text()


def test_what_hangs_is_followed_by_its_exact_limit_and_by_the_search_for_a_setting(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--python", sys.executable, *SAFE, "--hangs", "6", "--json")
    assert owner.test(*words, limits={"2": 5}) == 1

    output, _ = capsys.readouterr()
    document = json.loads(output)
    table, limit, setting = document["tests"][0]["parts"]
    assert [each["verdict"] for each in table["results"]] == ["pass"] * 3 + ["hung"]
    assert (limit["limit"]["known"]["passes"], limit["limit"]["known"]["hangs"]) == (5, 6)
    assert setting["setting"]["hangs"] <= 4
    assert (document["send_to"], document["files"][0]) == (None, "result-card.json")
    hung = [each for each in owner.card.results if each.verdict is Verdict.HUNG]
    assert len(hung) >= 2


def test_with_one_hang_allowed_it_stops_at_the_first_and_names_the_commands_for_the_rest(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    code = owner.test("--python", sys.executable, *SAFE, "--hangs", "1", limits={"any": 5})

    output, errors = capsys.readouterr()
    assert code == 1
    assert "once, which is the limit." in output
    assert (
        "The search for the exact limit was not started: too few allowed hangs are left" in errors
    )
    commands = [line for line in errors.splitlines() if line.startswith("    rdna1-setup conv2d")]
    assert ["--find-limit" in line for line in commands] == [True, False]
    assert "--find-setting" in commands[1]
    assert not owner.card.finished


def test_native_is_tested_too_where_it_is_installed_with_a_card_and_a_hang_of_its_own(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    native = owner.lay_native()
    words = ("--python", sys.executable, *SAFE, "--hangs", "2")
    assert owner.test(*words, limits={"2": 5}, machine=owner.home / "record") == 1

    output, errors = capsys.readouterr()
    assert f", then of {native}: " in flat(errors)
    assert f"Your Radeon RX 5600 XT with {native}:" in flat(output)
    (folder,) = owner.folders
    cards = [read_card(path.read_bytes()) for path in sorted(folder.glob("result-card*.json"))]
    assert [len(card.results) for card in cards] == [4, 4]


def test_a_search_is_ended_when_its_time_is_over(owner: Owner) -> None:
    given = environ({3: "hang"}, hip="5.7")
    for name in ("PYTHONPATH", "FAKE_TORCH", "FAKE_TORCH_HIP"):
        owner.patch.setenv(name, given[name])
    there, began = places({}, str(owner.home)), time.monotonic()
    request = Sweep(sys.executable, ROWS)
    assert measure_apart(request, there, resume=True, seconds=1.0) == CANCELLED
    assert time.monotonic() - began < request.deadlines.later
    assert live_run(there) is None


def test_after_ten_minutes_no_search_begins(
    owner: Owner, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--python", sys.executable, *SAFE, "--hangs", "6", "--folder")
    monkeypatch.setattr(card_test, "LONGEST_S", 1.0)
    assert owner.test(*words, "one", "--deadline", "1", limits={"2": 5}) == 1
    assert "The search for a setting was not started: the ten minutes are over" in flat(
        capsys.readouterr().err
    )


def test_a_second_start_measures_nothing_twice_unless_it_is_told_to(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--python", sys.executable, *SAFE, "--folder")
    assert owner.test(*words, "one") == 0
    capsys.readouterr()
    assert owner.test(*words, "two") == 0
    assert "and will not" in capsys.readouterr().err
    assert owner.test(*words, "three", "--no-resume") == 0
    assert "and will not" not in capsys.readouterr().err
    cards = [read_card((owner.home / n / "result-card.json").read_bytes()) for n in ("one", "two")]
    assert cards[0].results == cards[1].results


def test_a_key_that_stops_it_keeps_what_was_measured_and_the_next_start_goes_on(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    def press() -> None:
        """Ctrl+C once a shape hangs: its process computes, and says no more."""
        until = time.monotonic() + 30
        journals = owner.home / ".local/state/rdna1-setup/conv2d"
        while time.monotonic() < until:
            texts = [path.read_text() for path in journals.glob("*.jsonl")]
            if any(text.count('"launch"') > 1 for text in texts):
                os.kill(os.getpid(), signal.SIGINT)
                return
            time.sleep(0.05)

    words = ("--python", sys.executable, "--yes", "--even-if-in-use", "--hangs", "3")
    thread = threading.Thread(target=press)
    thread.start()
    code = owner.test(*words, "--deadline", "60", limits={"1": 5})
    thread.join()
    assert code == 130
    card = owner.card
    assert (card.finished, [each.verdict for each in card.results][:1]) == (False, [Verdict.PASS])
    assert "Run the same command again to continue" in capsys.readouterr().err

    assert owner.test(*words, "--deadline", "60", "--folder", "again") == 0
    assert "Continuing an unfinished measurement" in capsys.readouterr().err
    left = [each for each in psutil.Process().children(recursive=True) if each.is_running()]
    assert left == []


def test_a_torch_for_the_processor_is_never_taken_for_the_card(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    assert owner.test("--python", sys.executable, *SAFE, hip=None) == 2

    output, errors = capsys.readouterr()
    assert output == ""
    assert "finds no GPU" in errors
    assert "The graphics card was not measured" in errors
    assert owner.folders == []


def test_another_card_is_never_taken_for_the_one_that_is_tested(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--python", sys.executable, *SAFE, "--hangs", "6")
    assert owner.test(*words, limits={"2": 5}, overridden=False) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert "used Fake RX 5600 XT instead of your Radeon RX 5600 XT" in flat(errors)
    assert "exact limit of" not in errors.partition("== ")[2]
    assert owner.folders == []


@pytest.mark.parametrize("words", [(), ("--python", "ai/native/bin/python3")])
def test_a_torch_that_is_known_to_be_for_the_processor_is_named_and_nothing_starts(
    owner: Owner, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    owner.lay_native()
    for path in (owner.home / "record").rglob("version.py"):
        path.write_text("__version__ = '2.13.0+cpu'\ncuda = None\nhip = None\n")
    for path in (owner.home / "record").rglob("torch*rocm5.7.dist-info"):
        path.rename(path.with_name(path.name.replace("rocm5.7", "cpu")))
    code = owner.test(*words, *SAFE, machine=owner.home / "record")
    said = flat("".join(capsys.readouterr()))
    assert code == (2 if words else 0)
    assert "was built for the CPU only, so your card cannot be tested with it" in said
    assert owner.folders == []


def test_where_nothing_can_be_tested_it_says_what_to_install_and_that_is_no_failure(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    assert owner.test(machine="rx5700xt-jammy-clean") == 0
    output = capsys.readouterr().out
    assert "No PyTorch for AMD cards is installed here" in output
    assert "\n    rdna1-setup apply --stack " in output
    for machine in ("no-amd-gpu", "rx6700xt-noble", "nvidia-only"):
        assert owner.test(machine=machine) == 0
        assert "there is nothing to test" in flat(capsys.readouterr().out)


def test_a_card_that_may_not_be_used_yet_is_refused_with_what_it_needs(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = "rx5700xt-jammy-clean"
    assert owner.test("--python", sys.executable, *SAFE, machine=machine) == 2
    assert "First you need permission to open /dev/kfd" in capsys.readouterr().err


def test_nothing_starts_that_nobody_agreed_to(
    owner: Owner, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(os.devnull, encoding="utf-8") as nowhere:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", nowhere)
        assert owner.test("--python", sys.executable) == 2
    assert "there is no terminal in which to prompt" in flat(capsys.readouterr().err)
    assert list(owner.home.iterdir()) == []


def test_the_address_for_results_is_the_one_of_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert card_report.results_address() == ""
    folder = tmp_path / "rdna1_setup-99.dist-info"
    folder.mkdir()
    text = "Metadata-Version: 2.1\nName: rdna1-setup\nVersion: 99\n"
    address = "https://example.org/results"
    (folder / "METADATA").write_text(f"{text}Project-URL: Results, {address}\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert card_report.results_address() == address


@pytest.mark.parametrize("words", [("--machine", "rx5600xt-noble-rocm57"), ("--demo",)])
def test_a_look_starts_nothing_and_touches_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    words = tuple(str(MACHINES / word) if word.startswith("rx") else word for word in words)
    done = wizard(tmp_path, "test-my-card", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Nothing is started.\nThis tests your Radeon RX 5600 XT")
    assert "64->128 3x3 @224x224" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_wrong_numbers_are_refused(owner: Owner, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("--hangs", "0"), ("--deadline", "0")):
        assert owner.test("--python", sys.executable, *words) == 2
        assert words[0] in capsys.readouterr().err
