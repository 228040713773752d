"""Shows what the last run changed, and how each change will be undone, before anything happens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widget import Widget

from screens.faults import fault
from screens.review.plan_view import (
    FOLDING_KEYS,
    PlanScreen,
    PlanView,
    folder_row,
    plan_remarks,
    refusal_remarks,
    rights,
    rows_of,
)
from screens.step import HELP_KEY, QUIT_KEY
from wizard.core.amounts import counted
from wizard.core.lines import clean_lines
from wizard.core.trouble import Trouble
from wizard.diagnose.finding import Status
from wizard.services.runs import Rollback

READING = "Reading what the last run changed ..."
UNCHANGED = "Nothing has been changed yet."
READY = "Nothing has been changed yet. y rolls back; Esc changes nothing."
KEPT = "Your own files are kept."
LOOK_AGAIN = "Nothing was changed. Fix the problem, then open Roll back again."
REFUSED = "Nothing was changed. Esc goes back to the start."


class RollBack(PlanScreen):
    """Both parts of a rollback, root's and the folder's, by the titles of their steps."""

    NAME = "roll_back"
    TITLE_WORD = "Roll back"
    HELP_TEXT = (
        "These steps undo the last run: first its changes to the system, if any, then its "
        "folder. Space expands the marked step.\n\ny rolls back. If root is needed, sudo asks "
        "for your password in this terminal, and then you are asked to type yes.\nYour own files "
        "are kept. The steps show where files you changed are kept.\nTo undo an older run, find "
        "its ID with rdna1-setup rollback --list, then use rdna1-setup rollback ID."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "take_back", "Roll back"),
        *FOLDING_KEYS,
        Binding("escape", "start", "Keep everything", key_display="Esc"),
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#plan"
    found: reactive[Rollback | None] = reactive(None, bindings=True)

    def body(self) -> Iterable[Widget]:
        """The steps."""
        yield PlanView()

    def on_mount(self) -> None:
        """Starts to read."""
        self.conclude(READING, None, UNCHANGED)
        self.wait(READING)
        self._read()

    @work(group="read", exclusive=True)
    async def _read(self) -> None:
        try:
            found = await asyncio.to_thread(self.services.runs.find_rollback)
        except (Trouble, OSError) as error:
            refusal = fault("The changes of the last run cannot be read", error, LOOK_AGAIN)
            self.conclude(
                "The last run cannot be rolled back on this system.", Status.FAULT, UNCHANGED
            )
            self.query_one(PlanView).show(refusal_remarks(refusal), ())
            self.say(REFUSED)
            return
        text, plan = found.text, found.plan
        title, *does = clean_lines(text).splitlines() or [""]
        steps = plan.steps if plan is not None else ()
        run = title.removesuffix(":").removeprefix("Undo ")
        total = counted(len(steps) + 1, "step")
        kept = [f"It will {line.strip()}." for line in does if line.strip().startswith("keep ")]
        self.conclude(f"Roll back {run}: {total}, {rights(steps)}.", None, " ".join(kept) or KEPT)
        self.query_one(PlanView).show(plan_remarks(plan), (*rows_of(plan), folder_row(text)))
        await asyncio.sleep(self.services.pause_s)  # a key from before may have been typed ahead
        self.found = found
        self.say(READY if not self.services.rehearses else REFUSED)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers to roll back what was found, where changes are allowed."""
        if action == "take_back":
            return self.found is not None and not self.services.rehearses
        return super().check_action(action, parameters)

    def action_take_back(self) -> None:
        """Goes on to roll back."""
        self.post_message(self.Go("take_back", replace(self.session, rollback=self.found)))

    def action_start(self) -> None:
        """Goes to the first step, with nothing done."""
        self.post_message(self.Go("welcome", self.session))
