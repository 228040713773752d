"""A plan, and what happens while it is carried out, as lines that never wrap a command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import assets
from assets.root.files import STATE
from wizard.core.amounts import amount_text, counted, left_text, size_text
from wizard.core.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.journal import Kind
from wizard.core.lines import clean, wrapped
from wizard.knowledge.claims import convolves
from wizard.knowledge.stacks import find_stack, load_catalogue
from wizard.operations.check_torch import CheckTorch
from wizard.plan.steps import Plan, Step
from wizard.plan.usage import measure_command, starts, still_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wizard.machine.facts import Machine
    from wizard.run.preflight import WheelsSize

LOGIN = (
    "Log out and log in again so that the new groups take effect. Until then, your own programs "
    "cannot use the card, but this program can measure on it through the sg command."
)

RESTART = (
    "Restart this machine, because the kernel keeps using the loaded driver until you do. Then "
    "start rdna1-setup again. It will tell you what to do next."
)


def event_lines(event: Event) -> Iterator[str]:
    """What happens while a plan is carried out, as plain lines that steer no terminal."""
    yield from map(clean, _event_lines(event))


def _event_lines(event: Event) -> Iterator[str]:
    match event:
        case StepStarted():
            yield f"[{event.number}/{event.total}] {event.text}"
        case Output():
            yield from (f"    {line}" for line in event.lines)
        case StepFinished():
            state = "done before" if event.already_done else f"ok, {event.seconds:.1f} s"
            yield f"    {state}: {event.outcome}"
        case StepFailed():
            yield f"    FAILED: {event.happened}"
            yield f"    What it means: {event.meaning}"
            yield f"    What to do: {event.next_step}"
        case PlanFinished():
            yield from _ending_lines(event)
        case Progress():
            yield f"    {progress_line(event)}"


def foreseen_lines(event: Event) -> Iterator[str]:
    """What a dry run adds to a plan that was shown: steps that are done, trouble, the end."""
    match event:
        case StepFinished(already_done=True):
            yield clean(f"Step {event.number}: {event.outcome}")
        case StepFailed() | PlanFinished():
            yield from event_lines(event)
        case _:
            pass


def progress_line(progress: Progress) -> str:
    """How far a step is, in words."""
    percent = f"{progress.done * 100 // progress.total} %" if progress.total else ""
    left = progress.seconds_left
    time = "" if left is None else f", {left_text(left)}"
    amount = f"{_count(progress)}{time}".removeprefix(", ")
    return " ".join(filter(None, (percent, f"({amount})" if amount else "", progress.what)))


def _count(progress: Progress) -> str:
    match progress.unit:
        case "bytes":
            total = amount_text(progress.total) if progress.total else "unknown size"
            return f"{amount_text(progress.done)} of {total}"
        case "percent":
            return ""
        case unit:
            return f"{progress.done:,} {unit}"


class Tenths:
    """Which events are worth a line each: all, but of progress only every tenth of the way.

    Of a time that is waited only every ten seconds.
    """

    def __init__(self) -> None:
        self._tenth = -1

    def worth_telling(self, event: Event) -> bool:
        """True for what a reader of plain text should see."""
        match event:
            case StepStarted():
                self._tenth = -1
            case Progress():
                # Lower is another tenth too: apt starts over once all is fetched.
                before, self._tenth = self._tenth, _tenth(event, self._tenth)
                return self._tenth != before
            case _:
                pass
        return True


def _tenth(event: Progress, before: int) -> int:
    if event.total > 0:
        return event.done * 10 // event.total
    # Nobody knows when somebody else will be done: every ten seconds, below all tenths.
    return -2 - event.done // 10 if event.unit == "seconds" else before


def _all_well(event: PlanFinished) -> str:
    if event.would_change:
        return "Nothing was changed, because this was a dry run."
    return "Finished." if event.changed else "No changes were needed."


def _ending_lines(event: PlanFinished) -> Iterator[str]:
    if event.ok:
        yield _all_well(event)
    elif event.cancelled:
        yield "Stopped at a safe point. Run the same command again to continue."
    elif not event.log:
        yield "Nothing was changed."
    else:
        yield "Not finished. Fix the problem, then run the same command again to continue."
    if event.relogin_needed:
        yield LOGIN
    if event.restart_needed:
        yield RESTART
    if event.run:
        yield f"Undo: rdna1-setup rollback {event.run}"
    if event.log:
        yield f"Log: {event.log}"


DECLINE = (
    "! The plan adds you to a group, as root. To keep your groups unchanged: --without-groups."
)


def plan_lines(plan: Plan, found: WheelsSize | None = None, *, runs: str = "") -> Iterator[str]:
    """Every step with its reason, its exact text and the whole content of every file.

    Without what would steer the terminal: lines of files and names of folders may hold it.
    ``found`` is what the index says of the download, where it was asked; ``runs`` is the folder in
    which the run would be recorded.
    """
    yield from map(clean, _plan_lines(plan, found, runs))


def _plan_lines(plan: Plan, found: WheelsSize | None, runs: str) -> Iterator[str]:
    place = f", in the folder {plan.venv}" if plan.venv else ""
    system = " and as system packages" if plan.footprint == "venv+system" else ""
    yield f"Plan {plan.id}: {plan.name}{place}{system}"
    yield from cost_lines(plan, found)
    if runs:
        rooted = any(step.needs_root for step in plan.steps)
        yield from wrapped(
            f"Log:   {runs}{f'; log and backup of root: {STATE}' if rooted else ''}", indent=" " * 7
        )
    if plan.first:
        yield from wrapped(plan.first, head="First you need ", indent="  ")
    for note in plan.notes:
        # A path that is copied is whole: never cut at a hyphen.
        yield from wrapped(note, head="! ", indent="  ")
    if plan.kind is Kind.INSTALL and plan.relogin_needed:
        yield DECLINE
    for number, step in enumerate(plan.steps, 1):
        yield ""
        yield from step_lines(number, step, plan)
    if plan.restart_needed:
        yield ""
        yield from wrapped(RESTART, head="Last: ", indent="  ")


def as_of_lines(plan: Plan) -> Iterator[str]:
    """From when the data is that a plan of an installation rests on, where nobody is asked."""
    stack = find_stack(plan.stack)
    if plan.kind is not Kind.INSTALL or stack is None:
        return
    dates = [stack.checked]
    if plan.footprint != "venv":
        dates.append(load_catalogue().checked)
    text = (
        f"The indexes, versions and sizes are as of {min(dates)} and have not been rechecked "
        "since then."
    )
    yield from wrapped(text)


def size_told(plan: Plan, found: WheelsSize) -> str:
    """How much would be downloaded now, or why that is not known, and how old the sizes are."""
    if found.bytes is not None:
        wheels = counted(found.wheels, "wheel")
        return f"uv currently chooses {wheels}: {size_text(found.bytes)} to download."
    stack = find_stack(plan.stack)
    known = stack is not None and plan.download_bytes is not None
    old = f" The sizes are as of {stack.checked}." if stack and known else ""
    return f"The size of the download is not known: {clean(found.because)}{old}"


def cost_lines(plan: Plan, found: WheelsSize | None = None) -> Iterator[str]:
    """What the plan takes: steps, size, root or not, undo.

    What was found out of the wheels, where it was asked, outranks what we know.
    """
    for label, text in (
        ("Steps", f"{len(plan.steps)}; {_afterwards(plan)}"),
        ("Size", _sizes(plan, found)),
        ("Root", _rights(plan)),
        ("Undo", "" if plan.kind is Kind.ROLLBACK else "rdna1-setup rollback"),
    ):
        if text:
            yield from wrapped(f"{label + ':':<7}{text}", indent=" " * 7)


def _sizes(plan: Plan, found: WheelsSize | None) -> str:
    download = download_bytes(plan, found)
    if found is None and download is None and not plan.resolved:
        return (
            f"PyTorch: {_wheels(plan)}; system packages: not known until their repository is "
            "queried"
        )
    if download is None and plan.installed_bytes is None:
        asked = "not known until versions are chosen" if found is None else "not known"
        return f"download and disk {asked}"
    return f"download {size_text(download)}, disk {_disk(download, plan.installed_bytes)}"


def _disk(download: int | None, installed: int | None) -> str:
    """While it is installed, all that was downloaded lies beside it."""
    if not download or installed is None:
        return size_text(installed)
    most, stays = size_text(download + installed), size_text(installed)
    return f"{most} while installing, {stays} afterwards"


def most_bytes(plan: Plan, found: WheelsSize | None) -> int | None:
    """How much of the disk a plan takes at most: downloads and installed files at once."""
    download, installed = download_bytes(plan, found), plan.installed_bytes
    return None if download is None or installed is None else download + installed


def _wheels(plan: Plan) -> str:
    """What the data says of the wheels, which holds where they come from the stack's own index."""
    stack, resolve = find_stack(plan.stack), plan.resolve
    own = stack is not None and resolve is not None and resolve.manifest.index == stack.index
    if stack is None or not own or (stack.download_bytes, stack.installed_bytes) == (None, None):
        return "not known until versions are chosen"
    fetched, installed = stack.download_bytes, stack.installed_bytes
    return f"download {size_text(fetched)}, disk {_disk(fetched, installed)}"


def download_bytes(plan: Plan, found: WheelsSize | None) -> int | None:
    """How much there is to fetch in all; what the index says of it now outranks what we know."""
    if found is None or found.bytes is None or not plan.resolved:
        return plan.download_bytes
    return found.bytes + sum(step.download_bytes for step in plan.apt_changes)


def _rights(plan: Plan) -> str:
    """Which steps root does, by title where there is one."""
    titles = [step.title for step in plan.steps if step.needs_root]
    if not titles:
        return "not needed"
    count = counted(len(titles), "step")
    return f"needed for {count}{f': {titles[0]}' if len(titles) == 1 else ''}"


def _afterwards(plan: Plan) -> str:
    """What is left to the user; a restart is a new login too."""
    left = ['see "First you need"'] if plan.first else []
    if plan.restart_needed:
        left.append("a restart afterwards")
    elif not plan.first:
        left.append("a new login afterwards" if plan.relogin_needed else "no need to log in again")
    return "; ".join(left)


def ending_lines(
    plan: Plan, applications: Sequence[str], machine: Machine | None = None, *, done: bool
) -> Iterator[str]:
    """How to start what was wanted, and what is left to do; or how to undo the plan.

    Of an installation it is told before it is ``done`` too: then only for reading.
    """
    if plan.kind is not Kind.INSTALL:
        if done:
            yield "To undo it: rdna1-setup rollback"
        return
    if not done:
        yield ""
        yield "== After the installation"
    if missing := still_missing(plan):
        yield clean(f"You still need {missing}.")
    for line, *commands in starts(plan, applications, machine):
        yield from wrapped(line)
        yield from (f"    $ {clean(command)}" for command in commands if command)
    yield "Measure Conv2d:" if convolves(applications) else "Measure what these programs use:"
    yield f"    $ {clean(measure_command(plan, applications))}"


def step_lines(number: int, step: Step, plan: Plan) -> Iterator[str]:
    """One step as Review shows it; its commands are never wrapped."""
    yield f"{number:2}. {step.title}"
    yield from wrapped(step.reason, head="    ")
    yield f"    {'$' if hasattr(step, 'argv') else '-'} {step}"
    if isinstance(step, CheckTorch):  # the step names it without its folder, which is ours
        yield f"    torch_check.py: {assets.FOLDER / 'torch_check.py'}"
    yield from (f"    | {line}" for line in step.content_lines())
    yield f"    undo: {plan.undo_of(step)}"
