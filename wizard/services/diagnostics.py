"""Findings of a machine or a text, and plans that fix them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.diagnose.explain import Explanation
    from wizard.diagnose.finding import Finding
    from wizard.diagnose.machine import Diagnosis, Progress
    from wizard.host.host import Host
    from wizard.machine.facts import Machine
    from wizard.plan.steps import Plan


class Diagnostics:
    """For one machine; texts may be of any. Each may take a while, and runs in a thread."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def look(
        self, machine: Machine, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> Diagnosis:
        """Every check, each reported when it begins and when it ends."""
        from wizard.commands.looking import places_of
        from wizard.diagnose.fix_settings import by_hand
        from wizard.diagnose.machine import diagnose
        from wizard.diagnose.this_machine import looks_here

        looks = looks_here(self._host, machine, places_of(self._host))
        found = diagnose(machine, looks, on_progress)
        return replace(found, findings=by_hand(self._host, machine, found.findings))

    def explain(self, text: str) -> Explanation:
        """What a text proves. Raises ValueError, with a text fit to show."""
        from wizard.diagnose.explain import explain

        return explain(text.encode("utf-8", "surrogateescape"))

    def explain_file(self, path: str) -> Explanation:
        """The same of the text in a file."""
        from wizard.commands.explain import explained_file

        # Absolute: `-` would be the standard input, which is the keyboard of the screens.
        return explained_file(os.path.abspath(os.path.expanduser(path)))  # noqa: PTH100, PTH111 - ~who

    def fixes(self, machine: Machine, findings: Iterable[Finding]) -> dict[Finding, Plan | None]:
        """The findings that a plan fixes, each with its plan; None where that fails by now."""
        from wizard.diagnose.fix import has_plan

        return {each: self._fix_if_any(machine, each) for each in findings if has_plan(each)}

    def _fix_if_any(self, machine: Machine, finding: Finding) -> Plan | None:
        try:
            return self.make_fix(machine, finding)
        except (OSError, ValueError):
            return None  # told in full when it is asked for

    def make_fix(self, machine: Machine, finding: Finding) -> Plan:
        """The plan that fixes it. Raises ValueError, with a text fit to show, where none does."""
        from wizard.diagnose.fix import make_fix

        return make_fix(self._host, machine, finding)
