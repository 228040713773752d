"""Runs of Conv2d experiments that are over: listed, shown whole, compared, handed out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from screens.faults import fault, tell, told
from screens.history.acts import HistoryActs
from screens.history.text import HINT, NOTHING, READING, count_text, damaged, empty_text
from screens.report.key import QUIET_REPORT_KEY
from screens.report.preview import ReportPreview
from screens.services import Services
from screens.session import Session
from screens.step import HELP_KEY, QUIT_KEY, StepScreen
from screens.widgets.runs_table import RunsTable
from screens.widgets.status_line import StatusLine, wait_for
from screens.widgets.sweep_lines import OneLine
from screens.windows.dialogs import Notice
from wizard.conv2d.runs.folders import KeptRuns
from wizard.conv2d.search.setting_answer import Found
from wizard.run.trouble import Trouble

LOOK_AGAIN = "Nothing was changed. Mend that, go back with Esc and press h again."
OF_A_RUN = ("mark", "compare", "export", "script", "keep")
"""What needs a run under the cursor."""


class History(HistoryActs):
    """The list; each key does one thing with the highlighted run."""

    NAME = "history"
    TITLE_WORD = "History"
    HELP_TEXT = (
        "Each entry is one Conv2d experiment of this machine, the newest first: when it began and "
        "how it stands, what was asked and what came out, and on what it was measured. The last "
        "20 that have ended are kept.\n\n"
        "Enter shows one whole, in the words of the command.\n"
        "c compares it with the run before of the same rows. Space marks: with two marked, c "
        "compares those; with one, that one and the highlighted one.\n"
        "x writes it as a card, a file for others. It is shown before it is written. Your name, "
        "your folders and the name of your machine are not in it.\n"
        "i reads a card of somebody else and shows it beside the highlighted run. What was "
        "measured on another chip is labelled 'not your chip'.\n"
        "r writes a stand-alone script for one result, for a report of the fault.\n"
        "k keeps the setting that the highlighted run found, for its venv: the plan is reviewed "
        "first.\n"
        "p shows a report for others, with the last verdicts, the machine and what was found; it "
        "is redacted, and shown whole before it is written.\n\n"
        "A file that is there is never written over without a question. Esc goes back; what is "
        "being measured goes on meanwhile."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark", show=False),
        Binding("c", "compare", "Compare"),
        Binding("x", "export", "Export"),
        Binding("i", "import", "Import"),
        Binding("r", "script", "Script"),
        Binding("k", "keep", "Keep", show=False),
        QUIET_REPORT_KEY,
        Binding("escape", "back", "Back", key_display="Esc"),
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#runs"
    kept: reactive[KeptRuns | None] = reactive(None, bindings=True)
    _trouble = ""
    """What the last look failed at; ``""`` where it came to its end."""

    def __init__(
        self, session: Session, services: Services, keep: Callable[[Found], object]
    ) -> None:
        super().__init__(session, services)
        self._keep = keep

    def body(self) -> Iterable[Widget]:
        """How many there are, the list, and what stands in its place where it is empty."""
        yield OneLine("kept")
        yield RunsTable()
        empty = Static(id="no-runs", classes="pad", markup=False)
        empty.display = False
        yield empty

    def on_screen_resume(self) -> None:
        """Reads: what is under way has come further while a dialog was open."""
        if self.kept is None:
            wait_for(self, READING, self.services.clock)
        self._read()

    @work(group="read", exclusive=True)
    async def _read(self) -> None:
        """The list first, then each run that is not known to its end: that may take a while."""
        try:
            await self._read_all()
        except OSError as error:
            self._show_trouble(fault("What is kept of runs cannot be read", error, LOOK_AGAIN))

    async def _read_all(self) -> None:
        kept = KeptRuns() if self.past is None else await asyncio.to_thread(self.past.kept)
        if not self._has_list():
            return
        if kept != self.kept:
            self.kept = kept
            self.table.show(kept)
            self.query_one("#kept", OneLine).show(count_text(kept))
        if not kept.runs and not kept.unreadable:
            self._show_empty()
            return
        self._show_list()
        if self.past is not None:
            for run in self.table.unknown:
                account = await asyncio.to_thread(self.past.account, run)
                if not self._has_list():
                    return
                self.table.tell(account)
        if self.query_one(StatusLine).says in (READING, NOTHING, self._trouble):
            self.say(HINT)  # else a key was answered meanwhile
        self._trouble = ""

    def _show_trouble(self, trouble: Trouble) -> None:
        """In place of the list where there is none yet, else in a window over it: in one only.

        To close it reads again, which may well fail again: nobody would come out of there.
        """
        if self.kept is not None and not self._trouble:
            tell(self, "Not read to the end", trouble)
        elif self._has_list():
            if self.kept is None:
                self._show_instead(told(trouble))
            self.say(trouble.happened, "fault")
        self._trouble = trouble.happened

    def _has_list(self) -> bool:
        """False while the screen is taken down: its parts go first, and its worker last."""
        return bool(self.query(RunsTable))

    def _show_empty(self) -> None:
        self._show_instead(empty_text(self.services.mode))
        self.say(NOTHING)

    def _show_instead(self, text: str) -> None:
        self.table.display = False
        self.table.disabled = True  # nothing to take keys for
        empty = self.query_one("#no-runs", Static)
        empty.update(text)
        empty.display = True

    def _show_list(self) -> None:
        """Shows the list again where something else stood in its place."""
        if self.table.disabled:
            self.query_one("#no-runs").display = False
            self.table.display, self.table.disabled = True, False
            self.table.focus()

    @property
    def busy(self) -> bool:
        """True while the panel below would break something off."""
        steps = (each for each in self.app.screen_stack if isinstance(each, StepScreen))
        return any(step.busy for step in steps if step is not self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers what can be done with what is there."""
        if action in OF_A_RUN:
            return bool(self.kept and self.kept.runs)
        if action == "import":
            return self.past is not None
        return True if action == "back" else super().check_action(action, parameters)

    def action_report(self) -> None:
        """Shows what a report for others would hold."""
        self.app.push_screen(ReportPreview(self.services))

    def action_back(self) -> None:
        """Goes back to the panel, which was below all the time."""
        self._leave()

    def _leave(self) -> None:
        self.workers.cancel_node(self)  # or one that still reads would find no list any more
        self.dismiss()

    def on_data_table_row_selected(self) -> None:
        """Shows the highlighted run whole."""
        if self.table.unreadable:
            self.app.push_screen(Notice("Cannot be read", damaged(self.table.unreadable)))
        elif (run := self.table.current) is not None:
            self.show_whole(run)

    def keep(self, found: Found) -> None:
        """Goes back to the panel, which keeps what was found."""
        self._leave()
        self._keep(found)

    def action_mark(self) -> None:
        """Marks the highlighted run, or takes its mark away."""
        self.table.toggle_mark()
        count = len(self.table.marked)
        words = ("No run is marked.", "One is marked: c compares it with the highlighted one.")
        self.say((*words, "Two are marked: c compares them.")[count])
