"""Findings of a machine or of a text, and the plans that mend them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from screens.diagnose.diagnosing import Diagnosing

if TYPE_CHECKING:
    from wizard.diagnose.alone import Look
    from wizard.diagnose.explain import Explanation
    from wizard.diagnose.finding import Finding
    from wizard.diagnose.looking import Progress
    from wizard.diagnose.machine import Diagnosis
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.plan.steps import Plan


def diagnosing_of(host: Host) -> Diagnosing:
    """The roads for one machine; texts may be of any."""
    return Diagnosing(
        look=partial(_look, host),
        explain=_explain,
        explain_file=_explain_file,
        has_plan=_has_plan,
        make_fix=partial(_make_fix, host),
    )


def _look(host: Host, machine: Machine, on_progress: Callable[[Progress], None]) -> Diagnosis:
    from wizard.diagnose.looking import look_at

    return look_at(machine, _further(host, machine), on_progress)


def _further(host: Host, machine: Machine) -> tuple[Look, ...]:
    """What is looked at beside the facts of this very machine."""
    from wizard.commands.looking import places_of
    from wizard.diagnose.here import looks_here

    return looks_here(host, machine, places_of(host))


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
