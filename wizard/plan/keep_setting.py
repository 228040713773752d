"""The plan that keeps a setting for one venv of ours: lines added to the files that set its own."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from wizard.core.fact import Unknown
from wizard.core.journal import Kind
from wizard.host.contents import read_live_contents
from wizard.host.host import Host
from wizard.knowledge.variables import effect_of
from wizard.operations.edit_lines import Lines, PutLinesBack, sha256, with_lines
from wizard.plan.impossible import NothingToDo, PlanImpossible
from wizard.plan.new_environment import MODULE
from wizard.plan.removal import system_plan
from wizard.plan.steps import Plan

Variables = tuple[tuple[str, str], ...]
REASON = "Shells, editors, Jupyter and cron jobs that start this Python also use the setting."
LAUNCHER_REASON = (
    "This command applies the setting before Python starts, for libraries that need it that early."
)
NOTES = (
    "A result for one shape may not hold for another, so measure the shapes your programs use.",
    "Before you remove the venv, undo this change with rdna1-setup rollback.",
)


def make_keep(host: Host, venv: str, setting: Variables) -> Plan:
    """Adds the setting to that venv; raises NothingToDo or PlanImpossible."""
    for name, value in setting:
        _require_effect(name, value)
    contents = read_live_contents(host, venv)
    module = f"{contents.site}/{MODULE}.py" if contents and contents.site else ""
    text = host.read(module) if module else Unknown("there is no venv")
    if isinstance(text, Unknown):
        lines = "; ".join(f"export {name}={shlex.quote(value)}" for name, value in setting)
        raise PlanImpossible(
            f"rdna1-setup set no variables in {venv}, so it cannot add one. Set it in a "
            f"shell: {lines}"
        )
    launcher = f"{venv}/bin/rdna1-python"
    steps = (
        *_added(module, text, _module_lines(setting), REASON),
        *_added(launcher, host.read(launcher), _launcher_lines(setting), LAUNCHER_REASON),
    )
    if not steps:
        raise NothingToDo(f"{venv} already has this setting.")
    return system_plan(Kind.KEEP, steps, NOTES)


def _require_effect(name: str, value: str) -> None:
    """Raise PlanImpossible for what does nothing, or what nobody here knows."""
    effect = effect_of(name, value)
    if effect.kind != "effective":
        why = effect.text or "this program does not know this variable of ROCm"
        raise PlanImpossible(f"{name}={value} is not kept: {why}.")
    if not re.fullmatch(r"[\w.;:,-]+", value, re.ASCII):
        raise PlanImpossible(
            f"{name}={value} is not kept: its value contains characters that "
            "such variables never need."
        )


def _added(
    path: str, text: str | Unknown, lines: tuple[str, ...], why: str
) -> Iterator[PutLinesBack]:
    """The step that adds those lines that are missing, before the last line that says anything."""
    rows = [] if isinstance(text, Unknown) else text.split("\n")
    missing = [line for line in lines if line not in rows]
    if not missing or isinstance(text, Unknown):
        return
    place = _place(rows)
    numbered: Lines = tuple(enumerate(missing, place))
    after = sha256(with_lines(text, numbered))
    yield PutLinesBack(why, path, numbered, sha256(text), after)


def _place(rows: list[str]) -> int:
    """1-based: before the line that starts Python, which is the last that runs; else at the end."""
    for number, row in enumerate(rows, 1):
        if row.startswith("exec "):
            return number
    return len(rows) if rows[-1] == "" else len(rows) + 1


def _module_lines(setting: Variables) -> tuple[str, ...]:
    return tuple(f"os.environ[{name!r}] = {value!r}" for name, value in setting)


def _launcher_lines(setting: Variables) -> tuple[str, ...]:
    return tuple(f"export {name}={shlex.quote(value)}" for name, value in setting)
