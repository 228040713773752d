"""Diagnose's way on: a finding becomes a plan, reviewed like any other."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from dataclasses import replace

from textual import work

from screens.diagnose.finding_out import FindingOut
from screens.diagnose.state import Shown
from screens.faults import fault, tell
from screens.widgets.status_line import wait_for
from screens.windows.dialogs import Notice
from wizard.diagnose.finding import Finding
from wizard.machine.facts import Machine

UNCHANGED = "Nothing was changed. Mend that, then press f again."
MAKING = "Making the plan: reading the files that would change ..."


class Mending(FindingOut):
    """Leads from a finding to the plan that mends it."""

    @abstractmethod
    def as_left(self) -> Shown:
        """What is shown of this machine, to come back to."""

    def mend(self, finding: Finding) -> None:
        """Makes the plan and goes on to review it."""
        if self.session.machine is not None:
            wait_for(self, MAKING, self.services.clock)
            self._mend(self.session.machine, finding)

    @work(group="mend", exclusive=True)
    async def _mend(self, machine: Machine, finding: Finding) -> None:
        make = self.services.diagnosing.make_fix
        try:
            plan = await asyncio.to_thread(make, machine, finding)
        except ValueError as reason:
            self.say("No plan can be made. Nothing was changed.", "warning")
            text = f"{reason}\n\nNothing was changed."
            self.app.push_screen(Notice("No plan can be made", text))
            return
        except OSError as error:
            tell(self, "No plan can be made", fault("The plan was not made", error, UNCHANGED))
            return
        before = replace(self.session, diagnosed=self.as_left())
        self.post_message(
            self.Go("review", replace(before, plan=plan, mending=finding, before=before))
        )
