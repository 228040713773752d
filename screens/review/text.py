"""A plan as text: word for word what will be carried out, with every file whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from screens.hanging import hanging
from screens.words import shown
from wizard.plan.content import content_lines
from wizard.plan.steps import Plan, Step
from wizard.plan.way_back import FOLDER_REASON
from wizard.report.events import RESTART
from wizard.report.plan import totals
from wizard.run.lines import clean, clean_lines
from wizard.run.trouble import Trouble
from wizard.sizes import counted

if TYPE_CHECKING:
    from wizard.run.wheels_size import WheelsSize

ACCENT = "bold $text-primary"
UNWRAPPED = 100_000


def review_text(
    plan: Plan,
    cells: int,
    refusal: Trouble | None = None,
    told: Sequence[tuple[str, str]] = (),
    size: WheelsSize | None = None,
) -> Content:
    """The plan as Review shows it, or saves it: then with ``UNWRAPPED`` cells.

    A ``refusal`` is why Apply would not begin: it comes first. ``told`` are other things to
    know before, each with its label; ``size`` is what pip said that it would fetch.
    """
    lines = [Content.styled(head(plan), "bold"), Content(totals(plan, size)), Content("")]
    if refusal is not None:
        lines += refusal_lines(refusal, cells)
    for label, text in (each for each in told if each[1]):
        lines += [*hanging(f"{label}  ", shown(text), cells, ACCENT), Content("")]
    if plan.first:
        lines += hanging("First   ", f"you need {shown(plan.first)}", cells, "bold $text-warning")
    for note in plan.notes:
        lines += hanging("Note    ", shown(note), cells, ACCENT)
    if plan.notes or plan.first:
        lines.append(Content(""))
    for number, step in enumerate(plan.steps, 1):
        lines += _step(number, len(plan.steps), step, cells)
    if plan.restart_needed:
        lines += hanging("Last    ", RESTART, cells, "bold $text-warning")
    return Content("\n").join(lines)


def way_back_text(folder: str, plan: Plan | None, cells: int) -> Content:
    """How a run is taken back: root's part in the system, if there is one, then the folder."""
    title, *does = clean_lines(folder).splitlines() or [""]
    steps = plan.steps if plan is not None else ()
    root = sum(step.needs_root for step in steps)
    rights = f"{root} of them as root" if root else "none as root"
    total = len(steps) + 1
    lines = [Content.styled(title.removesuffix(":"), "bold")]
    lines += [Content(f"{counted(total, 'step')}, {rights}"), Content("")]
    for note in plan.notes if plan is not None else ():
        lines += [*hanging("Note    ", shown(note), cells, ACCENT), Content("")]
    for number, step in enumerate(steps, 1):
        lines += [*_head(number, total, step, cells), *_does(step, cells), Content("")]
    lines += hanging(f"{total:>2} of {total}  ", FOLDER_REASON, cells, ACCENT)
    for line in does:
        lines += hanging("   does ", line.strip(), cells)
    return Content("\n").join(lines)


def refusal_lines(refusal: Trouble, cells: int) -> list[Content]:
    """What happened, what it means, what to do."""
    parts = (refusal.happened, refusal.meaning, refusal.next_step)
    labels = ("Refused ", "It means", "Next    ")
    styles = ("bold $text-error", ACCENT, ACCENT)
    lines = []
    for label, text, style in zip(labels, parts, styles, strict=True):
        lines += hanging(f"{label} ", shown(text), cells, style)
    return [*lines, Content("")]


def head(plan: Plan) -> str:
    """What the plan is for, and its digest."""
    place = f" into {shown(plan.venv)}" if plan.venv else ""
    return f"{shown(plan.name)}{place}   plan {shown(plan.id)[:12]}"


def _step(number: int, total: int, step: Step, cells: int) -> list[Content]:
    lines = [*_head(number, total, step, cells), *_does(step, cells)]
    return [*lines, *hanging("   undo ", shown(step.inverse), cells), Content("")]


def _head(number: int, total: int, step: Step, cells: int) -> list[Content]:
    root = " as root" if step.needs_root else ""
    return hanging(f"{number:>2} of {total}{root}  ", shown(step.reason), cells, ACCENT)


def _does(step: Step, cells: int) -> list[Content]:
    lines = hanging("   does ", clean(str(step)), cells)
    for line in content_lines(step):
        lines += hanging("      | ", clean(line), cells, exact=True)
    return lines
