"""Detect: marks that agree with what stands beside them, and texts that are whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from screens.app import SetupApp
from screens.detect import Checks, row_text
from screens.machine_reading import statuses_and_verdict
from screens.session import Session
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import app_with, press, reach, resolved, screen_text, until
from tests.screens.failing import fails
from tests.screens.fakes import LIVE_SERVICES
from wizard.diagnose.finding import Status, conclude
from wizard.diagnose.machine import diagnose
from wizard.diagnose.outcomes import Verdict
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.machine.pythons import INTERPRETERS
from wizard.machine.recorded import RecordedHost

MACHINES = Path(__file__).parents[1] / "machines"


def test_a_row_has_the_mark_of_its_status_and_none_before_all_is_read() -> None:
    part = examples.Part("Access to the GPU", "access(2)", "cannot open /dev/kfd")
    marks = [row_text(part, 76, status).plain[:2] for status in (*Status, None)]
    assert marks == ["✗ ", "! ", "? ", "✓ ", "  "]


def test_pythons_that_make_no_venvs_are_told_apart() -> None:
    found = (
        *examples.MACHINE.interpreters,
        examples.MACHINE.interpreters[0]._replace(version="3.10.4", makes_venvs=False),
    )
    assert INTERPRETERS.tell(found)[0] == "3.12; 3.10 incomplete"
    assert INTERPRETERS.tell(found[1:])[0] == "3.10 incomplete"


@pytest.mark.parametrize("cells", [76, 96, 116])
def test_a_long_answer_is_whole_and_takes_further_lines(cells: int) -> None:
    words = "torch 2.2.2+rocm5.7 in /home/sam/a/very/long/path/" + "of-many-letters/" * 6
    part = examples.Part("PyTorch", "dist-info folders", f"{words} and more")
    lines = row_text(part, cells, Status.OK).plain.split("\n")
    assert len(lines) > 1
    assert all(cell_len(line) <= cells for line in lines)
    assert "".join("".join(lines).split()).count("of-many-letters/") == 6
    assert "…" not in row_text(part, cells, Status.OK).plain


async def test_on_the_way_back_to_what_was_read_the_first_row_is_highlighted() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "escape", "escape")
        await reach(pilot, "detect")
        await resolved(pilot)
        assert pilot.app.screen.query_one(Checks).highlighted == 0


def verdict(machine: Machine) -> Verdict:
    return statuses_and_verdict(machine)[1]


def test_the_verdict_names_what_stands_in_the_way_and_counts_warnings() -> None:
    fine = verdict(replace(examples.MACHINE, environments=(), settings=()))
    assert fine.text == "No obstacle to PyTorch found on your RX 5600 XT (gfx1010, 6 GiB)."
    assert (fine.status, fine.second) == (Status.OK, "")
    warned = verdict(examples.MACHINE)
    (told, *_) = diagnose(examples.MACHINE).findings
    card = "your RX 5600 XT (gfx1010, 6 GiB)"
    assert warned.text == f"1 warning for {card}: {told.title}.", "the one that Diagnose names"
    assert warned.second == "You can still set up PyTorch. d explains the warning."
    assert (warned.status, warned.second_status) == (Status.WARNING, None)
    none = verdict(replace(examples.MACHINE, gpus=()))
    assert (none.text, none.status) == ("No graphics card was found.", Status.WARNING)
    jammy = verdict(detect(RecordedHost(MACHINES / "rx5700xt-jammy-clean")))
    assert jammy.text.startswith("Set up 1 thing first on your ")
    assert jammy.text.endswith(": permission to use the GPU.")
    assert jammy.second == "The plan can do it. No other obstacle to PyTorch was found."
    assert jammy.status is Status.WARNING
    machine = detect(RecordedHost(MACHINES / "rx5600xt-noble-rocm52-mix"))
    mixed = verdict(machine)
    first = conclude(diagnose(machine).findings).text.removeprefix("Most likely: ")
    assert mixed.text.endswith(f" warnings for {card}. The first: {first}")
    assert mixed.second.endswith("d explains the warnings.")
    inside = detect(RecordedHost(MACHINES / "docker-no-kfd"))
    docker = verdict(inside)
    assert docker.status is Status.FAULT
    missing = "This container (docker) was started without the GPU's device /dev/kfd"
    assert missing in docker.text
    assert conclude(diagnose(inside).findings).text == f"Most likely: {missing}."


@pytest.mark.parametrize("step", ["welcome", "detect", "conv2d"])
async def test_a_bug_while_the_machine_is_read_ends_the_program_and_is_not_swallowed(
    step: str,
) -> None:
    services = but(LIVE_SERVICES, detect=fails(KeyError("a bug")))
    app = SetupApp(services, Session(), step)
    with pytest.raises(KeyError, match="a bug"):
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: not app.is_running)


async def test_a_wide_screen_shows_all_of_the_marked_row_beside_the_list() -> None:
    async with app_with(LIVE_SERVICES, "detect").run_test(size=(120, 40)) as pilot:
        await reach(pilot, "detect")
        await resolved(pilot)
        assert "Source: environment, shell files" in screen_text(pilot.app)
        await press(pilot, "end")
        assert "more checks, all fine ─" in screen_text(pilot.app)


async def test_the_keys_below_a_failed_reading_are_those_that_do_something() -> None:
    services = but(LIVE_SERVICES, detect=fails(PermissionError(13, "Permission denied")))
    async with SetupApp(services, Session(), "detect").run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Press r to read again" in screen_text(pilot.app))
        await until(pilot, lambda: "r Read again Esc Back" in screen_text(pilot.app))
        assert "Space" not in screen_text(pilot.app)
