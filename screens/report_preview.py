"""What a report would hold: the whole text, before any of it is written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Log, Static

from screens.dialogs import Notice, Page, PathQuestion
from screens.faults import fault, told
from screens.widgets.lists import SidewaysLog
from screens.widgets.status_line import StatusLine, wait_for
from screens.words import wrapped_text
from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.services import Services
from wizard.services.machine import ReportDraft

FIRST = "This is the whole report. Nothing is sent."
LOOKING = "Gathering information for the report. Nothing has been written yet."
READ_IT = "Read the report first. Press w to save it as a folder and as a single .zip file."
REHEARSED = "This mode saves nothing. Use"
WHERE_TO = "Save the report in this new folder, with a .zip file beside it:"
NOTHING_WRITTEN = "Nothing was written."
GATHER_AGAIN = "Nothing was written. Fix the problem, press Esc to go back, and press p again."
ANOTHER = "Free up some space or name another folder, then press Enter to try again. Esc goes back."


class ReportPreview(Page[None]):
    """Gathers a report, shows every line of it, and writes it where its owner says."""

    DEFAULT_CSS = """
    ReportPreview {
        & #report-first { text-style: bold; margin: 0 0 1 0; }
        & #report-lines { height: 1fr; scrollbar-size: 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("w", "write", "Save")]
    AUTO_FOCUS = "#report-lines"
    draft: reactive[ReportDraft | None] = reactive(None, bindings=True)

    def __init__(self, services: Services) -> None:
        super().__init__("Report")
        self._services = services

    def body(self) -> Iterable[Widget]:
        """What this is, the lines, what to do now."""
        yield Static(Content(FIRST), id="report-first")
        yield SidewaysLog(id="report-lines", auto_scroll=False)
        yield StatusLine()

    def on_mount(self) -> None:
        """Begins to gather."""
        self._gather()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers to write what there is, where anything may be written."""
        if action == "write":
            return self.draft is not None and not self._services.rehearses
        return True

    @work(group="gather", exclusive=True)
    async def _gather(self) -> None:
        wait_for(self, LOOKING, self._services.clock)
        try:
            draft = await asyncio.to_thread(self._services.reports.draft)
        except (Trouble, OSError) as error:
            text = told(fault("The report could not be collected", error, GATHER_AGAIN))
            self._show(wrapped_text(text, min(self.size.width, 100) - 6))
            self._say("There is no report, and nothing was written. Press Esc to go back.", "fault")
            for first in self.query("#report-first"):
                first.display = False
            return
        self._show(draft.lines)
        self.draft = draft
        self._say(f"{REHEARSED} {draft.command}" if self._services.rehearses else READ_IT)

    def _show(self, lines: Iterable[str]) -> None:
        for log in self.query(Log):  # none while it is taken down
            # A Log drops lines without any character.
            log.write_lines([clean(one) or " " for one in lines], False)

    def _say(self, text: str, kind: str = "note") -> None:
        for line in self.query(StatusLine):
            line.say(text, kind)

    @work(group="write", exclusive=True)
    async def action_write(self) -> None:
        """Asks where it is to go, and writes it there; what is there already stays."""
        if (draft := self.draft) is None:
            return
        path = draft.path
        while path := await self._asked(draft, path):
            try:
                written = await asyncio.to_thread(draft.write, path)
            except (Trouble, OSError) as error:
                trouble = fault("The report was not written", error, ANOTHER)
                self._say(trouble.happened, "fault")
                await self.app.push_screen_wait(Notice("That did not work", told(trouble)))
                continue
            self._say(f"Written to {written}.")
            text = f"{written}\n\nRead it before you attach it to an issue."
            await self.app.push_screen_wait(Notice("Written", text))
            return
        self._say(NOTHING_WRITTEN)

    async def _asked(self, draft: ReportDraft, path: str) -> str:
        return await self.app.push_screen_wait(
            PathQuestion("Save the report", draft.about, WHERE_TO, path)
        )
