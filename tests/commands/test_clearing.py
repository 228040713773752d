"""`remove`, `clean-up` and plans from files, on recorded machines and in dry runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.commands.running import ROOT, wizard

RECORDED = ROOT / "tests" / "machines"
MACHINE = str(RECORDED / "rx5600xt-noble-rocm57")
DISTRIBUTION = str(RECORDED / "rx5500xt-bookworm-distro")
CLEAN = str(RECORDED / "rx5700xt-jammy-clean")


def test_removal_is_shown_step_by_step_with_what_is_never_touched(tmp_path: Path) -> None:
    done = wizard(tmp_path, "remove", "--machine", MACHINE)
    assert done.returncode == 0
    assert "apt-get purge comgr hip-runtime-amd" in done.stdout
    assert "Mesa, libdrm, linux-firmware, kernels and Xorg drivers are never removed" in done.stdout
    assert "Nothing was changed, because this was a dry run." in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_distributions_rocm_goes_only_when_asked_for(tmp_path: Path) -> None:
    kept = wizard(tmp_path, "remove", "--machine", DISTRIBUTION)
    assert kept.returncode == 0
    assert "There is nothing to remove" in kept.stdout
    asked = wizard(tmp_path, "remove", "--distribution-rocm", "--machine", DISTRIBUTION)
    assert "apt-get purge" in asked.stdout
    assert "rocminfo" in asked.stdout


def test_lines_of_shell_files_are_shown_one_by_one(tmp_path: Path) -> None:
    done = wizard(tmp_path, "clean-up", "--machine", MACHINE)
    assert "    | line 10: export HSA_OVERRIDE_GFX_VERSION=10.3.0\n" in done.stdout
    assert "remove 7 lines from /home/owner/.bashrc" in done.stdout


def test_nothing_to_do_is_no_failure_and_json_stays_json(tmp_path: Path) -> None:
    for command in ("remove", "clean-up"):
        done = wizard(tmp_path, command, "--json", "--machine", CLEAN)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr


def test_json_without_yes_asks_nothing(tmp_path: Path) -> None:
    for command in (("remove",), ("clean-up",), ("apply", "--plan", "x")):
        done = wizard(tmp_path, *command, "--json")
        assert (done.returncode, done.stdout) == (2, "")
        assert "--yes" in done.stderr


PLANS = (
    ("--remove",),
    ("--remove", "--driver"),
    ("--remove", "--without-rollback"),
    ("--clean-up",),
    ("--clean-up", "--without-rollback"),
    ("--stack", "cpu", "--venv", "/v", "--torch-index", "pip", "--without-card"),
    ("--stack", "rocm52", "--gpu", "0000:0b:00.0"),
)


def plan_in_file(tmp_path: Path, *words: str) -> Path:
    file = tmp_path / "plan.json"
    done = wizard(tmp_path, "plan", *words, "--json", "--machine", MACHINE)
    assert done.returncode == 0, done.stderr
    file.write_text(done.stdout)
    return file


@pytest.mark.parametrize("words", PLANS, ids=" ".join)
def test_a_plan_from_a_file_is_made_again_and_told_step_by_step(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    file = plan_in_file(tmp_path, *words)
    done = wizard(tmp_path, "apply", "--plan", str(file), "--json", "--machine", MACHINE)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    texts = [event["text"] for event in events if event["event"] == "StepStarted"]
    assert texts == [step["text"] for step in json.loads(file.read_text())["steps"]]
    assert events[-1]["event"] == "PlanFinished"


def test_a_plan_for_another_machine_is_refused_with_what_differs(tmp_path: Path) -> None:
    file = plan_in_file(tmp_path, "--remove")
    other = tmp_path / "other"
    shutil.copytree(MACHINE, other, symlinks=True)
    record = json.loads((other / "record.json").read_text())
    rows = record["answers"]["DPKG_PACKAGES"]
    record["answers"]["DPKG_PACKAGES"] = [row for row in rows if not row.startswith("comgr\t")]
    (other / "record.json").write_text(json.dumps(record))
    done = wizard(tmp_path, "apply", "--plan", str(file), "--machine", str(other))
    assert (done.returncode, done.stdout) == (2, "")
    assert "the one the plan was made for" in done.stderr
    assert "removed: as root, apt-get purge comgr" in done.stderr
    assert "new: as root, apt-get purge hip-runtime-amd" in done.stderr


def test_what_a_file_asks_for_makes_its_steps_or_nothing_is_done(tmp_path: Path) -> None:
    file = plan_in_file(tmp_path, "--remove")
    form = json.loads(file.read_text())
    for asked, word in (
        (["--clean-up"], "the one the plan was made for"),
        (["--remove", "--rm", "-rf"], "its options are not valid"),
        (["--help"], "its options are not valid"),
        (["--stack=cpu", "--remove"], "not in the form that this program writes"),
        (["--remove", "--remove"], "not in the form that this program writes"),
    ):
        file.write_text(json.dumps({**form, "asked": asked}))
        done = wizard(tmp_path, "apply", "--plan", str(file), "--machine", MACHINE)
        assert (done.returncode, done.stdout) == (2, ""), asked
        assert word in done.stderr, done.stderr


def test_other_reasons_for_the_same_steps_are_refused_too(tmp_path: Path) -> None:
    file = plan_in_file(tmp_path, "--remove")
    form = json.loads(file.read_text())
    form["steps"][0]["reason"] = "Only looks."
    file.write_text(json.dumps(form))
    done = wizard(tmp_path, "apply", "--plan", str(file), "--machine", MACHINE)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_file_that_is_no_plan_is_refused_and_its_words_do_not_reach_the_terminal(
    tmp_path: Path,
) -> None:
    file = tmp_path / "x"
    for content in (b"", b"\xff", b'{"schema": "\\u001b[2J"}', b"{}"):
        file.write_bytes(content)
        done = wizard(tmp_path, "apply", "--plan", str(file), "--machine", MACHINE)
        assert done.returncode == 2
        assert "cannot be carried out" in done.stderr
        assert "\x1b" not in done.stderr
    missing = wizard(tmp_path, "apply", "--plan", "/nowhere/x", "--machine", MACHINE)
    assert missing.returncode == 2
    assert "cannot be read: No such file" in missing.stderr


def test_a_plan_whose_packages_are_not_exact_is_refused(tmp_path: Path) -> None:
    file = plan_in_file(tmp_path, "--stack", "rocm52", "--footprint", "venv+system")
    done = wizard(tmp_path, "apply", "--plan", str(file), "--machine", MACHINE)
    assert done.returncode == 2
    assert "plan --exact --json" in done.stderr


def test_a_login_is_in_no_plan_and_its_plan_is_not_carried_out_without_it(tmp_path: Path) -> None:
    index = "https://sam:secret@example.org/simple"
    file = plan_in_file(tmp_path, "--stack", "cpu", "--torch-index", index)
    assert "secret" not in file.read_text()
    done = wizard(tmp_path, "apply", "--plan", str(file), "--machine", MACHINE)
    assert done.returncode == 2
    assert "contained a login" in done.stderr


def test_options_beside_a_file_are_refused(tmp_path: Path) -> None:
    file = plan_in_file(tmp_path, "--remove")
    done = wizard(
        tmp_path, "apply", "--plan", str(file), "--stack", "cpu", "--venv", "/x", "--dry-run"
    )
    assert done.returncode == 2
    assert "Omit --stack, --venv" in done.stderr


def test_a_plan_from_a_file_gets_no_leave_to_remove_for_good_beside_it(tmp_path: Path) -> None:
    file = plan_in_file(tmp_path, "--remove")
    assert json.loads(file.read_text())["asked"] == ["--remove"]
    done = wizard(
        tmp_path, "apply", "--plan", str(file), "--without-rollback", "--machine", MACHINE
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Omit --without-rollback" in done.stderr


@pytest.mark.parametrize("words", [("remove",), ("clean-up",), ("plan", "--remove")], ids=" ".join)
def test_without_asking_apt_nothing_is_said_to_go_for_good(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    plain = wizard(tmp_path, *words, "--machine", MACHINE)
    done = wizard(tmp_path, *words, "--without-rollback", "--machine", MACHINE)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "for a machine recording" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_plan_with_system_packages_shows_what_lies_on_the_machine(tmp_path: Path) -> None:
    done = wizard(
        tmp_path,
        *("plan", "--stack", "rocm52", "--footprint", "venv+system", "--machine", MACHINE),
    )
    assert done.returncode == 0
    # What dpkg's lists say goes with the packages; it is known only where they were read.
    assert "move /opt/rocm-5.7.1" in done.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--remove", "--stack", "cpu"), "use only one of them"),
        (("--driver",), "with --remove"),
        (("--remove", "--clean-up"), "not allowed with"),
    ],
)
def test_options_that_exclude_each_other_are_refused(
    tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    done = wizard(tmp_path, "plan", *words, "--machine", MACHINE)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr


def test_nobody_is_asked_in_a_dry_run(tmp_path: Path) -> None:
    done = wizard(tmp_path, "plan", "--stack", "rocm52", "--exact", "--machine", MACHINE)
    assert done.returncode == 2
    assert "does not use the network" in done.stderr
