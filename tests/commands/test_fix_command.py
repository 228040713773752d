"""``diagnose --fix``: what it offers, what it refuses, and what it says afterwards."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, ROOT, wizard
from wizard.diagnose.finding import About, Evidence, Finding
from wizard.diagnose.outcomes import found, not_tested
from wizard.machine.facts import Setting
from wizard.report.findings import Outcome, finding_form, finding_lines, fix_command, outcome_of

ILL = str(ROOT / "tests/machines/rx5600xt-noble-rocm57")
FROM_FILE = Setting("HIP_FORCE_COARSE_GRAIN", "1", "/home/ada/.bashrc", 3, "invented: x")
FROM_SESSION = FROM_FILE._replace(file="", line=0)


def idle(*settings: Setting) -> Finding:
    return found("noop-setting", (Evidence("x", "y"),), about=About(settings=settings))


def numpy(folder: str) -> Finding:
    return found("numpy2-abi", (Evidence("x", folder),), about=About(folder))


def test_a_finding_names_the_command_that_mends_it() -> None:
    text = "\n".join(finding_lines([idle(FROM_FILE)]))
    assert "  Fix it: rdna1-setup diagnose --fix noop-setting\n" in text
    assert "Mend it" not in "\n".join(finding_lines([idle(FROM_SESSION)]))


def test_of_several_environments_the_command_names_the_folder() -> None:
    one, other = numpy("/home/ada/a"), numpy("/home/ada/b c")
    assert fix_command(one, (one,)) == "rdna1-setup diagnose --fix numpy2-abi"
    assert fix_command(other, (one, other)).endswith(" --venv '/home/ada/b c'")


def test_the_json_form_says_whether_there_is_a_plan() -> None:
    form = finding_form(idle(FROM_FILE), ())
    assert (form["plan"], form["command"]) == (True, "rdna1-setup diagnose --fix noop-setting")
    form = finding_form(replace(idle(), about=None), ())
    assert (form["plan"], form["command"]) == (False, "")


def test_the_next_look_says_gone_pending_or_there() -> None:
    fixed = idle(FROM_FILE)
    assert outcome_of(fixed, ()) is Outcome.GONE
    assert outcome_of(fixed, (numpy("/x"),)) is Outcome.GONE
    assert outcome_of(fixed, (idle(FROM_SESSION),)) is Outcome.TERMINAL
    assert outcome_of(fixed, (idle(FROM_FILE, FROM_SESSION),)) is Outcome.THERE
    assert outcome_of(numpy("/a"), (numpy("/b"),)) is Outcome.GONE
    assert outcome_of(numpy("/a"), (numpy("/a"),)) is Outcome.THERE


def test_what_could_not_be_looked_at_again_is_never_called_gone() -> None:
    fixed = idle(FROM_FILE)
    ended = not_tested("none", "The check of idle did not finish", "it took longer than 10 s")
    assert outcome_of(fixed, (ended,)) is Outcome.UNSEEN
    assert outcome_of(fixed, (not_tested("noop-setting", "x", "y"),)) is Outcome.UNSEEN
    assert outcome_of(fixed, (not_tested("disk-full", "x", "y"),)) is Outcome.GONE
    assert outcome_of(fixed, (), card=False) is Outcome.UNSEEN
    assert outcome_of(found("dpkg-interrupted", ()), (), card=False) is Outcome.GONE
    assert outcome_of(fixed, (idle(FROM_FILE), ended)) is Outcome.THERE


def test_a_group_that_was_joined_is_pending_until_the_next_login() -> None:
    missing = found("kfd-permission", (), about=About(groups=("render",)))
    assert outcome_of(missing, (found("kfd-permission", ()),)) is Outcome.LOGIN
    assert outcome_of(missing, (missing,)) is Outcome.THERE


def test_on_a_recorded_machine_the_plan_is_shown_and_nothing_done(tmp_path: Path) -> None:
    done = wizard(tmp_path, "diagnose", "--machine", ILL, "--fix", "noop-setting")
    assert done.returncode == 0, done.stderr
    assert "fix noop-setting" in done.stdout
    assert "Nothing was changed, because this was a dry run." in done.stdout
    assert "Looked again" not in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_every_line_that_the_finding_names_goes(tmp_path: Path) -> None:
    listed = wizard(tmp_path, "diagnose", "--machine", ILL, "--json")
    rows = {row["cause"]: row for row in json.loads(listed.stdout)["findings"]}
    named = rows["noop-setting"]["evidence"]
    assert len(named) == 7
    done = wizard(tmp_path, "diagnose", "--machine", ILL, "--fix", "noop-setting")
    plan, _, _ = done.stdout.partition("[1/")
    assert " stays, " not in plan
    profile = plan.partition("/etc/profile.d/")[2].partition("undo:")[0].splitlines()
    removed = [row for row in profile if "| line " in row]
    stays = [row for row in profile if "| new line " in row]
    assert removed
    assert stays
    for setting in named:
        assert setting in " ".join(plan.split())
        assert not any(setting in row for row in stays)


def test_the_list_for_programs_has_plan_and_command(tmp_path: Path) -> None:
    done = wizard(tmp_path, "diagnose", "--machine", ILL, "--json")
    rows = {row["cause"]: row for row in json.loads(done.stdout)["findings"]}
    assert rows["noop-setting"]["command"] == "rdna1-setup diagnose --fix noop-setting"
    assert rows["override-isa-mismatch"]["plan"] is True
    assert rows["miopen-solver-restricted"]["plan"] is False


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--fix", "bad-weather"), "there is no cause 'bad-weather'"),
        (("--fix", "miopen-solver-restricted"), "This program has no plan to fix this problem"),
        (("--fix", "noop-setting", "--venv", "/nowhere"), "was not found in /nowhere"),
    ],
)
def test_what_cannot_be_mended_is_refused(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    done = wizard(tmp_path, "diagnose", "--machine", ILL, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


def test_a_finding_that_is_not_there_needs_nothing(tmp_path: Path) -> None:
    done = wizard(tmp_path, "diagnose", "--machine", MACHINE, "--fix", "noop-setting")
    assert (done.returncode, done.stderr) == (0, "")
    assert "There is nothing to fix" in done.stdout


def test_without_a_yes_programs_are_told_to_look_first(tmp_path: Path) -> None:
    done = wizard(tmp_path, "diagnose", "--fix", "noop-setting", "--json")
    assert done.returncode == 2
    assert "With --json" in done.stderr
