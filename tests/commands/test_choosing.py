"""Choices on the command line: refused early where they cannot be, named where they were taken."""

from pathlib import Path

import pytest

from tests.commands.running import MACHINE, answered, wizard


@pytest.mark.parametrize("command", ["plan", "apply --stack cpu", "--plain"])
@pytest.mark.parametrize(
    "index", ["nonsense", "htps://me:secret@host/simple", "https://", "a\x1b[1m"]
)
def test_an_index_that_is_none_is_refused_with_what_is_accepted(
    tmp_path: Path, command: str, index: str
) -> None:
    done = wizard(tmp_path, *command.split(), "--torch-index", index)
    assert (done.returncode, done.stdout) == (2, "")
    assert "http://" in done.stderr
    assert "pip" in done.stderr
    assert "secret" not in done.stderr
    assert "\x1b" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "index", ["pip", "https://mirror.example/whl/cpu", "HTTP://127.0.0.1:8000", "file:///wheels"]
)
def test_addresses_and_the_word_pip_are_accepted(tmp_path: Path, index: str) -> None:
    done = wizard(tmp_path, "plan", "--machine", MACHINE, "--stack", "cpu", "--torch-index", index)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["plan", "apply --stack cpu --yes", "--plain", "--dry-run"])
def test_a_wheelhouse_that_is_not_there_is_refused_early(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").touch()
    for name, words in (("gone", "there is no such folder"), ("file", "is no folder")):
        house = str(tmp_path / name)
        done = wizard(tmp_path, *command.split(), "--wheelhouse", house)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"rdna1-setup: --wheelhouse {house}")
        assert words in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_on_a_recorded_machine_a_wheelhouse_may_be_anywhere(tmp_path: Path) -> None:
    options = ("--machine", MACHINE, "--stack", "cpu", "--wheelhouse", "/usb/wheels")
    assert wizard(tmp_path, "plan", *options).returncode == 0


def test_a_plan_without_a_stack_says_which_it_took_and_why_and_how_to_take_another(
    tmp_path: Path,
) -> None:
    taken = wizard(tmp_path, "plan", "--machine", MACHINE).stdout
    head = " ".join(taken.split("\nPlan ")[0].split())
    assert head.startswith("No --stack was given: this is the plan for rocm52, the suggested one.")
    assert "longer attested" in head
    assert "--stack native, rocm57, rocm62 or cpu" in head
    assert max(map(len, taken.split("\nPlan ")[0].splitlines())) < 80
    named = wizard(tmp_path, "plan", "--machine", MACHINE, "--stack", "rocm52").stdout
    assert named.startswith("Plan ")


def test_the_suggestion_is_for_the_card_that_was_chosen(tmp_path: Path) -> None:
    done = wizard(tmp_path, "plan", "--machine", MACHINE, "--gpu", "0000:ff:00.0")
    assert done.returncode == 2
    assert "no AMD card at the PCI address 0000:ff:00.0" in done.stderr


def test_a_no_is_answered_with_what_it_means(tmp_path: Path) -> None:
    done = answered(tmp_path, "n", "apply", "--stack", "cpu")
    assert done.returncode == 2
    assert done.stderr == "Nothing was changed.\n"
    assert list(tmp_path.iterdir()) == []


def test_with_nobody_to_ask_yes_is_asked_for(tmp_path: Path) -> None:
    done = wizard(tmp_path, "apply", "--stack", "cpu")
    assert done.returncode == 2
    assert "Nothing was changed: " in done.stderr
    assert "--yes" in done.stderr
