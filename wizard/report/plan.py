"""A plan as lines that never wrap a command."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from wizard.plan.steps import Plan, Step, WriteFile
from wizard.report.units import WIDTH, bytes_text


def plan_lines(plan: Plan) -> Iterator[str]:
    """Every step with its reason, its exact text and the whole content of every file."""
    yield f"Plan {plan.id}: {plan.stack}, footprint {plan.footprint}, in {plan.venv}"
    yield f"Download {bytes_text(plan.download_bytes)}, on disk {bytes_text(plan.installed_bytes)}"
    yield f"New login needed: {'yes' if plan.relogin_needed else 'no'}"
    for note in plan.notes:
        yield from textwrap.wrap(note, WIDTH, initial_indent="! ", subsequent_indent="  ")
    for number, step in enumerate(plan.steps, 1):
        yield ""
        yield from step_lines(number, step)


def step_lines(number: int, step: Step) -> Iterator[str]:
    """One step as Review shows it; its commands are never wrapped."""
    yield from textwrap.wrap(
        step.reason, WIDTH, initial_indent=f"{number:2}. ", subsequent_indent="    "
    )
    yield f"    {'$' if hasattr(step, 'argv') else '-'} {step}"
    if isinstance(step, WriteFile):
        yield from (f"    | {line}" for line in step.content.splitlines())
    yield f"    undo: {step.inverse}"
