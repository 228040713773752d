"""A plan as text: word for word what will be carried out, with every file whole."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from screens.hanging import hanging
from screens.words import shown
from wizard.plan.steps import Plan, Step, WriteFile, WriteSystemFile
from wizard.report.plan import totals
from wizard.run.lines import clean
from wizard.run.trouble import Trouble

ACCENT = "bold $text-primary"
UNWRAPPED = 100_000


def review_text(
    plan: Plan,
    cells: int,
    refusal: Trouble | None = None,
    told: Sequence[tuple[str, str]] = (),
) -> Content:
    """The plan as Review shows it, or saves it: then with ``UNWRAPPED`` cells.

    A ``refusal`` is why Apply would not begin: it comes first. ``told`` are other things to
    know before, each with its label.
    """
    lines = [Content.styled(head(plan), "bold"), Content(totals(plan)), Content("")]
    if refusal is not None:
        lines += _refused(refusal, cells)
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
    return Content("\n").join(lines)


def _refused(refusal: Trouble, cells: int) -> list[Content]:
    parts = (refusal.happened, refusal.meaning, refusal.next_step)
    labels = ("Refused ", "It means", "Next    ")
    lines = []
    for label, text in zip(labels, parts, strict=True):
        lines += hanging(f"{label} ", shown(text), cells, "bold $text-error")
    return [*lines, Content("")]


def head(plan: Plan) -> str:
    """What the plan is for, and its digest."""
    return f"{shown(plan.stack)} into {shown(plan.venv)}   plan {shown(plan.id)[:12]}"


def _step(number: int, total: int, step: Step, cells: int) -> list[Content]:
    root = " as root" if step.needs_root else ""
    lines = hanging(f"{number:>2} of {total}{root}  ", shown(step.reason), cells, ACCENT)
    lines += hanging("   does ", clean(str(step)), cells)
    if isinstance(step, (WriteFile, WriteSystemFile)):
        text = clean(step.content).split("\n")
        for line in text[:-1] if text[-1] == "" else text:
            lines += hanging("      | ", line, cells, exact=True)
    lines += hanging("   undo ", shown(step.inverse), cells)
    return [*lines, Content("")]
