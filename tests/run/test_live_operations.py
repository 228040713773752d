"""What the executor asks of an operation, in which order, and what it keeps of a first look."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tests.run.places import plan_of
from tests.run.test_live import ending, events_of, live
from wizard.core.events import Event, Output, StepFailed, StepFinished
from wizard.core.trouble import Trouble
from wizard.host.files import Print
from wizard.operations.operation import After, Before, Operation
from wizard.plan.steps import Step
from wizard.run.journal import Journal
from wizard.run.runs import read_records
from wizard.system.system import News, System


@dataclass(frozen=True, slots=True)
class Write(Operation):
    """Writes a text over what a file holds; every call is noted in another file."""

    reason: str
    path: str
    told: str
    verdict: str = "not done"
    """What is found after a kill; ``foreign`` raises."""
    proves: bool = True

    title = "Write"

    def _note(self, word: str) -> None:
        with Path(self.told).open("a") as file:
            file.write(f"{word}\n")

    def shown(self) -> str:
        return f"write {self.path}"

    def observe(self) -> Before:
        self._note("observe")
        return {"text": Path(self.path).read_text()}

    async def do(self, system: System, before: Before) -> News:
        self._note(f"do over {before['text']}")
        system.write(self.path, "new")
        yield Output(("written",))

    def verify(self, before: Before) -> After:
        self._note("verify")
        if not self.proves:
            raise Trouble("It is not so.", "m", "n")
        return After("it is so")

    def probe(self, before: Before) -> bool:
        self._note(f"probe knowing {before['text']}")
        if self.verdict == "foreign":
            raise Trouble("Somebody else was here.", "m", "n")
        return self.verdict == "done"

    def remains(self, before: Before) -> dict[str, Print]:
        self._note("remains")
        return {"../file": (4, 0)} if self.verdict == "partly done" else {}


def step_in(folder: Path, verdict: str = "not done", *, proves: bool = True) -> Write:
    (folder / "file").write_text("first")
    return Write("r", str(folder / "file"), str(folder / "told"), verdict, proves)


async def run(folder: Path, step: Write) -> tuple[list[Event], list[str]]:
    """The events, and what was called."""
    events = await events_of(live(folder), plan_of(folder, cast(Step, step)))
    return events, Path(step.told).read_text().splitlines()


def cut_off(folder: Path, step: Write) -> None:
    """A run that was killed inside the step, whose file is another one by now."""
    journal = Journal(folder / ".local/state/rdna1-setup/runs/20260101-000000-012345")
    journal.begin(plan_of(folder, cast(Step, step)), "now")
    journal.intend(1, {"text": "first"})
    Path(step.path).write_text("half")


async def test_it_looks_notes_acts_and_proves(tmp_path: Path) -> None:
    events, called = await run(tmp_path, step_in(tmp_path))
    assert called == ["observe", "do over first", "verify"]
    assert ending(events).ok
    (record,) = read_records(tmp_path / ".local/state/rdna1-setup/runs")
    assert (record.intents, record.outcomes) == ({1: {"text": "first"}}, {1: "it is so"})


async def test_after_a_kill_the_first_look_counts_and_nobody_looks_again(tmp_path: Path) -> None:
    step = step_in(tmp_path)
    cut_off(tmp_path, step)
    _, called = await run(tmp_path, step)
    assert called == ["probe knowing first", "remains", "do over first", "verify"]


async def test_a_half_one_is_cleared_first(tmp_path: Path) -> None:
    step = step_in(tmp_path, "partly done")
    cut_off(tmp_path, step)
    events, called = await run(tmp_path, step)
    assert called == ["probe knowing first", "remains", "do over first", "verify"]
    assert Output(("Removed 1 file that an interrupted step had left behind.",)) in events


async def test_one_that_was_done_is_only_proved(tmp_path: Path) -> None:
    step = step_in(tmp_path, "done")
    cut_off(tmp_path, step)
    events, called = await run(tmp_path, step)
    assert called == ["probe knowing first", "verify"]
    assert any(isinstance(event, StepFinished) for event in events)


async def test_what_somebody_else_did_is_not_written_over(tmp_path: Path) -> None:
    step = step_in(tmp_path, "foreign")
    cut_off(tmp_path, step)
    events, called = await run(tmp_path, step)
    assert called == ["probe knowing first"]
    assert [e.happened for e in events if isinstance(e, StepFailed)] == ["Somebody else was here."]
    assert Path(step.path).read_text() == "half"


async def test_what_cannot_be_proved_has_failed_whatever_it_said(tmp_path: Path) -> None:
    step = step_in(tmp_path, proves=False)
    events, _ = await run(tmp_path, step)
    assert [e.happened for e in events if isinstance(e, StepFailed)] == ["It is not so."]
    (record,) = read_records(tmp_path / ".local/state/rdna1-setup/runs")
    assert record.interrupted == (1,)


async def test_the_intent_is_on_the_disk_before_anything_changes(tmp_path: Path) -> None:
    step = step_in(tmp_path)
    plan = plan_of(tmp_path, cast(Step, step))
    async with aclosing(live(tmp_path).carry_out(plan)) as events:
        async for event in events:
            if isinstance(event, Output):
                (record,) = read_records(tmp_path / ".local/state/rdna1-setup/runs")
                assert record.intents == {1: {"text": "first"}}
                return
    raise AssertionError("nothing was told")
