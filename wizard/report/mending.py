"""How a finding is fixed: the command that does it, and what became of it afterwards."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from enum import Enum
from typing import Any

from wizard.diagnose.finding import NO_CAUSE, Finding, Status, to_form
from wizard.mending.mendable import has_plan

PROGRAM = "rdna1-setup diagnose --fix"
FOR_ALL = ("dpkg-interrupted",)
"""Causes that are looked for on every machine, and not beside a card for RDNA1 alone."""


class Outcome(str, Enum):
    """What the next look says of a finding that was mended."""

    GONE = "gone"
    LOGIN = "pending-login"
    TERMINAL = "pending-terminal"
    THERE = "there"
    UNSEEN = "unseen"


WORDS = {
    Outcome.GONE: "Checked again: {cause} is fixed.",
    Outcome.LOGIN: (
        "Checked again: {cause} will be fixed at your next login. Log out completely and log in "
        "again (or restart), then run rdna1-setup diagnose again."
    ),
    Outcome.TERMINAL: (
        "Checked again: {cause} is fixed in the settings files, but this terminal still has the "
        "old settings. Open a new one (or log out and log in again), then run rdna1-setup "
        "diagnose again."
    ),
    Outcome.THERE: (
        "Checked again: {cause} is not fixed yet. `rdna1-setup diagnose` shows what is left to do."
    ),
    Outcome.UNSEEN: (
        "Checked again, but not every check ran, so it is not known whether {cause} is fixed. "
        "Run rdna1-setup diagnose again."
    ),
}


def fix_command(finding: Finding, among: Sequence[Finding]) -> str:
    """The command that mends it, with its folder where several have the cause; ``""`` for none."""
    if not has_plan(finding):
        return ""
    folder = folder_of(finding)
    alike = {folder_of(one) for one in among if one.cause == finding.cause and has_plan(one)}
    where = f" --venv {shlex.quote(folder)}" if folder and len(alike) > 1 else ""
    return f"{PROGRAM} {finding.cause}{where}"


def folder_of(finding: Finding) -> str:
    """The environment that it is about; ``""`` where it is about no single one."""
    return finding.about.environment if finding.about else ""


def finding_form(finding: Finding, among: Sequence[Finding]) -> dict[str, Any]:
    """The JSON form of a finding, with what mends it."""
    command = fix_command(finding, among)
    return {**to_form(finding), "plan": bool(command), "command": command}


def outcome_of(mended: Finding, now: Sequence[Finding], *, card: bool = True) -> Outcome:
    """What became of a finding by all those of the next look; ``card``: whether that saw one."""
    left = [one for one in now if _same(one, mended)]
    if not left:
        seen = (card or mended.cause in FOR_ALL) and not any(_hides(one, mended) for one in now)
        return Outcome.GONE if seen else Outcome.UNSEEN
    if mended.cause == "kfd-permission" and not any(map(has_plan, left)):
        return Outcome.LOGIN
    if all(_in_session_alone(one) for one in left):
        return Outcome.TERMINAL
    return Outcome.THERE


def _same(one: Finding, mended: Finding) -> bool:
    return one.counts and one.cause == mended.cause and folder_of(one) == folder_of(mended)


def _hides(one: Finding, mended: Finding) -> bool:
    """True where a look for it did not come to an end."""
    return one.status is Status.NOT_TESTED and one.cause in (mended.cause, NO_CAUSE)


def _in_session_alone(finding: Finding) -> bool:
    """True where only what this session was started with is left."""
    settings = finding.about.settings if finding.about else ()
    return bool(settings) and not any(one.file for one in settings)
