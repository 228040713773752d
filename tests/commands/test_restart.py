"""A kernel driver was removed: the restart is asked for until it happened, then the next step."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from screens.app import SetupApp
from screens.start import services_for
from tests.commands.running import MACHINE, ROOT, wizard
from tests.run.places import places_below, plan_of
from tests.screens.collaborators import but
from tests.screens.driving import reach, screen_text
from tests.screens.fakes import LIVE_SERVICES
from wizard.cli.options import parser
from wizard.core.events import PlanFinished
from wizard.core.journal import Kind
from wizard.operations.packages import AptChange
from wizard.plan.form import plan_form, with_id
from wizard.plan.steps import Plan, Step
from wizard.run.executor import Live
from wizard.run.journal import Journal
from wizard.run.runs import RESTARTED as RESTARTED_WORDS
from wizard.run.runs import WAITS as WAITS_WORDS
from wizard.run.runs import read_records, this_boot

RUN = "20260101-000000-aaaaaa"
DRIVER = AptChange("x", remove=("amdgpu-dkms",), expect_remove=("amdgpu-dkms",))
WITH_DRIVER = str(ROOT / "tests/machines/prov520-jammy-cloud")
NOW = "2026-01-01T00:00:00+00:00"


def system_plan(home: Path, *steps: Step) -> Plan:
    return with_id(replace(plan_of(home, *steps), kind=Kind.REMOVE, stack="", venv=""))


def leave_run(home: Path, boot: str, *, state: str = "finished", run: str = RUN) -> None:
    """A run that took the driver out in that boot."""
    journal = Journal(Path(places_below(home).runs) / run)
    journal.folder.parent.mkdir(parents=True, exist_ok=True)
    journal.begin(system_plan(home, DRIVER), NOW)
    journal.intend(1, {"kind": "AptChange", "boot": boot})
    journal.finish(1, "done")
    if state:
        journal.close(state, NOW)


def test_the_plan_says_restart_where_a_driver_goes_and_nowhere_else(tmp_path: Path) -> None:
    words = ("plan", "--remove", "--machine", WITH_DRIVER)
    text = wizard(tmp_path, *words, "--driver").stdout
    assert "; a restart afterwards\n" in text
    assert "login" not in text.splitlines()[1]
    assert " ".join(text.split("Last: ")[1].split()).startswith(
        "Restart this machine, because the kernel"
    )
    assert json.loads(wizard(tmp_path, *words, "--driver", "--json").stdout)["restart_needed"]
    form = json.loads(wizard(tmp_path, "plan", "--machine", MACHINE, "--json").stdout)
    assert form["restart_needed"] is False


def test_the_word_of_the_restart_makes_no_other_plan(tmp_path: Path) -> None:
    plan = system_plan(tmp_path, DRIVER)
    assert plan.restart_needed
    assert plan_form(plan)["restart_needed"] is True
    without = replace(
        DRIVER, remove=("rocm-core",), expect_remove=("rocm-core", "amdgpu-dkms:i386")
    )
    assert system_plan(tmp_path, without).restart_needed
    assert not system_plan(tmp_path, replace(without, expect_remove=("rocm-core",))).restart_needed


async def test_the_run_notes_the_boot_in_which_the_driver_went(tmp_path: Path) -> None:
    async def refuse(argv: tuple[str, ...], stdin: int, stdout: int) -> int:
        return 1

    live = Live(places_below(tmp_path), os.environ, ask_for_rights=refuse)
    _ = [event async for event in live.carry_out(system_plan(tmp_path, DRIVER))]
    (record,) = read_records(Path(places_below(tmp_path).runs))
    assert record.intents[1]["boot"] == this_boot() != ""


@pytest.mark.parametrize("same", [True, False])
async def test_the_end_asks_for_the_restart_unless_it_has_happened(
    tmp_path: Path, *, same: bool
) -> None:
    leave_run(tmp_path, this_boot() if same else "another", state="")
    live = Live(places_below(tmp_path), os.environ)
    *_, end = [event async for event in live.carry_out(system_plan(tmp_path, DRIVER))]
    assert isinstance(end, PlanFinished)
    assert (end.ok, end.restart_needed) == (True, same)


WAITS = f"Restart this machine, then start rdna1-setup again. Run {RUN} removed AMD's kernel driver"
RESTARTED = f"This machine has been restarted since run {RUN} removed AMD's kernel driver. Next, "


@pytest.mark.parametrize(
    ("same", "state", "told"),
    [
        (True, "finished", WAITS),
        (False, "finished", RESTARTED),
        (False, "rolled back", ""),
        (False, "", ""),
    ],
)
def test_the_next_start_says_what_is_left_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, same: bool, state: str, told: str
) -> None:
    leave_run(tmp_path, this_boot() if same else "another", state=state)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    words = services_for(parser().parse_args([])).runs.restart()
    assert words.startswith(told) if told else not words
    plain = " ".join(wizard(tmp_path, "--plain").stdout.split())
    assert (told in plain) if told else ("AMD's kernel driver" not in plain)


def test_a_later_run_hides_the_next_step_but_not_a_restart_that_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    leave_run(tmp_path, this_boot())
    later = Journal(Path(places_below(tmp_path).runs) / "20260102-000000-bbbbbb")
    later.begin(plan_of(tmp_path), NOW)
    later.close("finished", NOW)
    assert services_for(parser().parse_args([])).runs.restart().startswith(WAITS)
    journal = Path(places_below(tmp_path).runs) / RUN / "journal.jsonl"
    journal.write_text(journal.read_text().replace(this_boot(), "another"))
    assert services_for(parser().parse_args([])).runs.restart() == ""


@pytest.mark.parametrize("words", [WAITS_WORDS, RESTARTED_WORDS])
async def test_welcome_says_it_and_its_menu_stays_whole_on_a_small_terminal(words: str) -> None:
    services = but(LIVE_SERVICES, restart=lambda: words.format(RUN), undoable=lambda: True)
    async with SetupApp(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        shown = screen_text(pilot.app)
    assert words.format(RUN) in " ".join(shown.split())
    assert all(
        f"{name}  " in shown for name in ("Set up PyTorch", "Diagnose", "Remove", "Roll back")
    )
    assert any(line.strip(" │>") == "Quit" for line in shown.splitlines())
