"""The Conv2d panel's way on: a setting that was found becomes a plan, reviewed like any other."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from textual import work

from screens.conv2d.answers import Answer, SettingFound
from screens.conv2d.asking import AskingPanel
from screens.faults import fault, tell
from screens.windows.dialogs import Notice
from wizard.conv2d.asked import Request, sweep_in
from wizard.conv2d.search.setting_answer import Found, found_by
from wizard.conv2d.sweep import SweepDone

UNCHANGED = "Nothing was changed. Mend that, then press a and k again."


class KeepingPanel(AskingPanel):
    """Leads from an answer to the plan that keeps it."""

    def keep_answer(self, request: Request, done: SweepDone) -> None:
        """Keeps what a request came to, with the setting that it found."""
        super().keep_answer(request, done)
        found = found_by(done.setting, sweep_in(request).python)
        self.session = replace(self.session, found=found)

    def answer_window(self, title: str, text: str) -> Answer:
        """The window of an answer; with a key to keep it where there is something to keep."""
        found = self.session.found
        if found is None:
            return super().answer_window(title, text)
        return SettingFound(title, text, lambda: self.keep_found(found))

    @work(group="keep", exclusive=True)
    async def keep_found(self, found: Found) -> None:
        """Makes the plan and goes on to review it."""
        try:
            plan = await asyncio.to_thread(self.services.make_keep, found)
        except ValueError as reason:
            self.app.push_screen(Notice("Nothing to keep", f"{reason}\n\nNothing was changed."))
            return
        except OSError as error:
            tell(self, "Not kept", fault("The setting cannot be kept", error, UNCHANGED))
            return
        kept = replace(
            self.session, plan=plan, choice=None, finished=None, failure=None, before=self.session
        )
        self.post_message(self.Go("review", kept))
