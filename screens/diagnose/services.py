"""What Diagnose asks of the core: findings of a machine or a text, and plans that fix them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.diagnose.explain import Explanation
    from wizard.diagnose.finding import Finding
    from wizard.diagnose.looking import Progress
    from wizard.diagnose.machine import Diagnosis
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.plan.steps import Plan


@dataclass(frozen=True, slots=True)
class Diagnosing:
    """Functions that find and fix. Each of them may take a while, and runs in a thread."""

    look: Callable[[Machine, Callable[[Progress], None]], Diagnosis]
    """Every check, each reported when it begins and when it ends."""
    explain: Callable[[str], Explanation]
    """What a text proves. Raises ValueError, with a text fit to show."""
    explain_file: Callable[[str], Explanation]
    """The same of the text in a file."""
    has_plan: Callable[[Finding], bool]
    """True where a plan fixes it."""
    make_fix: Callable[[Machine, Finding], Plan]
    """The plan that fixes it. Raises ValueError, with a text fit to show, where there is none."""


def diagnosing_of(host: Host) -> Diagnosing:
    """The functions for one machine; texts may be of any."""
    return Diagnosing(
        look=partial(_look, host),
        explain=_explain,
        explain_file=_explain_file,
        has_plan=_has_plan,
        make_fix=partial(_make_fix, host),
    )


def _look(host: Host, machine: Machine, on_progress: Callable[[Progress], None]) -> Diagnosis:
    from wizard.commands.looking import places_of
    from wizard.diagnose.here import looks_here
    from wizard.diagnose.looking import look_at

    return look_at(machine, looks_here(host, machine, places_of(host)), on_progress)


def _explain(text: str) -> Explanation:
    from wizard.diagnose.explain import explain

    return explain(text.encode("utf-8", "surrogateescape"))


def _explain_file(path: str) -> Explanation:
    from wizard.commands.explain import explained_file

    # Absolute: `-` would be the standard input, which is the keyboard of the screens.
    return explained_file(os.path.abspath(os.path.expanduser(path)))  # noqa: PTH100, PTH111 - ~who


def _has_plan(finding: Finding) -> bool:
    from wizard.mending.fixing import has_plan

    return has_plan(finding)


def _make_fix(host: Host, machine: Machine, finding: Finding) -> Plan:
    from wizard.mending.fixing import make_fix

    return make_fix(host, machine, finding)
