"""Lists past Conv2d measurements, to read, compare and export them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import ClassVar, TypeVar

from textual import getters, work
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import OptionList, Static

from screens.dialogs import Dialog, LinesView, Notice, PathQuestion, Question
from screens.faults import fault, tell, told
from screens.session import Session
from screens.step import COMMON_KEYS, REPORT_KEY, StepScreen
from screens.widgets.lists import MarkedList
from screens.widgets.runs_table import RunsTable
from screens.widgets.status_line import StatusLine
from wizard.conv2d.runs.folders import KeptRuns, Run
from wizard.conv2d.sweep import FoundSetting
from wizard.conv2d.verdicts import Result
from wizard.core.lines import shown
from wizard.core.trouble import Trouble
from wizard.diagnose.finding import Status
from wizard.report.conv2d_runs import WHY_UNREADABLE, first_to_tell, no_results
from wizard.services import DEMO, DRY_RUN, Services
from wizard.services.experiments import Draft, Lines, Past

FIRST = "Conv2d measurements on this machine."
READING = "Reading earlier runs ..."
HINT = "Space marks a run to compare."
NOTHING = "Esc goes back."
EMPTY = {
    DEMO: "The demo uses an example machine, which has no earlier runs.",
    DRY_RUN: "A dry run measures nothing. Start without --dry-run to measure your card.",
}
NONE_YET = (
    "Press Esc to go back, then start a measurement. Its results are kept here.\n\nIf someone "
    "sent you a result card, press "
    "i to view it."
)


def conclusion_text(kept: KeptRuns) -> str:
    """How many runs there are, and when the last one was."""
    count = len(kept.runs)
    if not count:
        return "No Conv2d measurements yet."
    last = _day(kept.runs[0].began)
    return (
        f"1 run. It began on {last}."
        if count == 1
        else f"{count} runs. The last one began on {last}."
    )


def _day(began: str) -> str:
    try:
        day = datetime.fromisoformat(began)
    except ValueError:
        return began
    return f"{day.day} {day:%B %Y}"


def unreadable_text(kept: KeptRuns) -> str:
    """How many folders are no runs, ``""`` for none."""
    count = len(kept.unreadable)
    return f"{count} more cannot be read." if count else ""


def empty_text(mode: str) -> str:
    """What to do where there is nothing."""
    return EMPTY.get(mode, NONE_YET)


def damaged(path: str) -> str:
    """Why a folder is no run, and what to do about it."""
    return (
        f"{path} cannot be read.\n\nIt is {WHY_UNREADABLE}. The other runs are not "
        "affected.\n\nIf you do not need this run, delete its folder. If a newer version of this "
        "program wrote the run, use that version to see "
        "it."
    )


class ResultChoice(Dialog[int]):
    """Dismissed with the place of a result, or with None."""

    DEFAULT_CSS = "ResultChoice OptionList { height: auto; max-height: 16; border: none; }"
    AUTO_FOCUS = "#results"
    KEYS = (("Enter Select", ""), ("Esc Back", "screen.close"))

    def __init__(self, title: str, results: Sequence[Result], place: int) -> None:
        super().__init__(title)
        self._results, self._place = results, place

    def body(self) -> Iterable[Widget]:
        """One line for each result."""
        lines = (_line(number, each) for number, each in enumerate(self._results, 1))
        yield MarkedList(*lines, id="results")

    def on_mount(self) -> None:
        """Highlights what is likely meant."""
        self.query_one(OptionList).highlighted = self._place

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Takes the highlighted one."""
        self.dismiss(event.option_index)


def _line(number: int, result: Result) -> str:
    return f"{number:>3}  {shown(result.label)}: {result.verdict.value}"


T = TypeVar("T")
LOOKING = "Reading ..."
LOOK_AGAIN = "Nothing was changed. Fix the problem, press Esc to go back, and press h again."
OF_A_RUN = ("mark", "compare", "export", "script", "keep")
"""What needs a run under the cursor."""
MARKED = (
    "No run is marked.",
    "1 run is marked. Press c to compare it with the highlighted one.",
    "2 runs are marked. Press c to compare them.",
)
NOTHING_WRITTEN = "Nothing was written."
REHEARSED = "A dry run does not write this file. To write it, use this command:"
CARD = "You can give this file to others. It contains"
WHERE_TO = "Save it as:"
WHERE = "Path to the result card:"
IMPORTED = (
    "A result card is a file with someone else's results. They exported it with x in this list "
    "or with `rdna1-setup conv2d --export`. The card is checked and shown beside the highlighted "
    "run.",
    "",
    "Results from another chip are labeled. We have not checked other people's results, and "
    "anyone can write a result card by "
    "hand.",
)


class History(StepScreen):
    """The list; each key does one thing with the highlighted run."""

    NAME = "history"
    TITLE_WORD = "History"
    HELP_TEXT = (
        "Each entry is one Conv2d measurement on this machine, newest first: when it began and "
        "how it ended, what was measured, the results, the card and torch. The last 20 finished "
        "ones are kept.\n\nEnter shows everything about a run.\nc compares it with the previous "
        "run that measured the same shapes. Space marks a run. With two runs marked, c compares "
        "them; with one, c compares it with the highlighted run.\nx exports the highlighted run "
        "as a result card, a file you can give to others. You see it before it is written. It "
        "does not contain your name, your folders or the name of your machine.\ni imports someone "
        "else's result card and shows it beside the highlighted run. Results from another chip "
        "are labeled 'not your chip'.\nr writes a standalone script for one result, to report a "
        "problem.\nk keeps the setting that the highlighted run found, for its venv. You review "
        "the plan first.\np shows a report you can give to others.\n\nYou are asked before an "
        "existing file is overwritten. Esc goes back; a running measurement continues."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark", key_display="Space", show=False),
        Binding("c", "compare", "Compare"),
        Binding("x", "export", "Export"),
        Binding("i", "import", "Import a card", show=False),
        Binding("r", "script", "Script for one result", show=False),
        Binding("k", "keep", "Keep its setting", show=False),
        REPORT_KEY,
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#runs"
    kept: reactive[KeptRuns | None] = reactive(None, bindings=True)
    _trouble = ""
    """What the last look failed at; ``""`` where it came to its end."""
    table = getters.query_one(RunsTable)

    def __init__(
        self, session: Session, services: Services, keep: Callable[[FoundSetting], object]
    ) -> None:
        super().__init__(session, services)
        self._keep = keep

    def body(self) -> Iterable[Widget]:
        """The list, and what stands in its place where it is empty."""
        yield RunsTable()
        empty = Static(id="no-runs", markup=False)
        empty.display = False
        yield empty

    @property
    def past(self) -> Past:
        """The runs that are over."""
        return self.services.past

    def on_screen_resume(self) -> None:
        """Reads: what is under way has come further while a dialog was open."""
        if self.kept is None:
            self.conclude(FIRST)
            self.wait(READING)
        self._read()

    @work(group="read", exclusive=True)
    async def _read(self) -> None:
        """The list first, then each run that is not known to its end: that may take a while."""
        try:
            await self._read_all()
        except OSError as error:
            self._show_trouble(fault("The saved runs cannot be read", error, LOOK_AGAIN))

    async def _read_all(self) -> None:
        kept = await asyncio.to_thread(self.past.kept)
        if not self._has_list():
            return
        if kept != self.kept:
            self.kept = kept
            self.table.show(kept)
        self.conclude(
            conclusion_text(kept), second=unreadable_text(kept), second_status=Status.WARNING
        )
        if not kept.runs and not kept.unreadable:
            self._show_instead(empty_text(self.services.mode))
            self.say(NOTHING)
            return
        self._show_list()
        for run in self.table.unknown:
            status = await asyncio.to_thread(self.past.status, run)
            if not self._has_list():
                return
            self.table.tell(status)
        if self.query_one(StatusLine).says in (READING, NOTHING, self._trouble):
            self.say(HINT)  # else a key was answered meanwhile
        self._trouble = ""

    def _show_trouble(self, trouble: Trouble) -> None:
        """In place of the list where there is none yet, else in a window over it: in one only.

        To close it reads again, which may well fail again: nobody would come out of there.
        """
        if self.kept is not None and not self._trouble:
            tell(self, "Not read completely", trouble)
        elif self._has_list():
            if self.kept is None:
                self.conclude("Earlier runs cannot be read.", Status.FAULT)
                self._show_instead(told(trouble))
            self.say(trouble.happened, "fault")
        self._trouble = trouble.happened

    def _has_list(self) -> bool:
        """False while the screen is taken down: its parts go first, and its worker last."""
        return bool(self.query(RunsTable))

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
            return self.past.is_here
        return True if action == "back" else super().check_action(action, parameters)

    def action_back(self) -> None:
        """Goes back to the panel, which was below all the time."""
        self.workers.cancel_node(self)  # or one that still reads would find no list any more
        self.dismiss()

    def on_data_table_row_selected(self) -> None:
        """Shows the highlighted run whole."""
        if self.table.unreadable:
            self.app.push_screen(Notice("Cannot be read", damaged(self.table.unreadable)))
        elif (run := self.table.current) is not None:
            self._show_whole(run)

    def action_mark(self) -> None:
        """Marks the highlighted run, or removes its mark."""
        self.table.toggle_mark()
        self.say(MARKED[len(self.table.marked)])

    # What is done with a run is looked for in a thread, shown, and asked about.

    async def _ask(self, look: Callable[[], T]) -> T | None:
        """What a look in a thread gives; where it cannot, why is shown."""
        self.wait(LOOKING)
        try:
            found = await asyncio.to_thread(look)
        except (Trouble, OSError) as error:
            trouble = fault("The saved runs could not be read or written", error)
            self.say(trouble.happened, "fault")
            await self.app.push_screen_wait(Notice("That did not work", told(trouble)))
            return None
        self.say(HINT)
        return found

    async def _show(self, title: str, look: Callable[[], Lines]) -> None:
        lines = await self._ask(look)
        if lines is not None:
            await self.app.push_screen_wait(LinesView(title, lines))

    @work(group="act", exclusive=True)
    async def _show_whole(self, run: Run) -> None:
        await self._show(f"Run from {run.since}", partial(self.past.whole, run))

    @work(group="act", exclusive=True)
    async def action_compare(self) -> None:
        """Two runs side by side: the marked ones, or the highlighted one and the one before."""
        run, other = self.table.current, None
        marked = self.table.marked
        if len(marked) == 2:
            run, other = marked
        elif marked and marked[0] != run:
            other = marked[0]
        if run is not None:
            await self._show(
                "Two runs (A is the older one)", partial(self.past.compare, run, other)
            )

    @work(group="act", exclusive=True)
    async def action_export(self) -> None:
        """The highlighted run as a card."""
        if (run := self.table.current) is not None:
            draft = await self._ask(partial(self.past.card, run))
            if draft is not None:
                await self._hand_out("Export as a card", draft, (CARD, *draft.about))

    @work(group="act", exclusive=True)
    async def action_script(self) -> None:
        """A stand-alone script for one result of the highlighted run."""
        if (run := self.table.current) is None:
            return

        def look() -> tuple[Result, ...]:
            results = self.past.results(run)
            if not results:
                raise no_results(run)
            return results

        results = await self._ask(look)
        if results is None:
            return
        place: int | None = 0
        if len(results) > 1:
            choice = ResultChoice(
                "Which result do you want a script for?", results, first_to_tell(results)
            )
            place = await self.app.push_screen_wait(choice)
        if place is None:
            return
        draft = await self._ask(partial(self.past.script, run, place))
        if draft is not None:
            await self._hand_out("A stand-alone script", draft, draft.about)

    @work(group="act", exclusive=True)
    async def action_keep(self) -> None:
        """Goes back to the panel, which keeps the setting that the highlighted run found."""
        if (run := self.table.current) is not None:
            found = await self._ask(partial(self.past.found, run))
            if found is not None:
                self.action_back()
                self._keep(found)

    async def _hand_out(self, title: str, draft: Draft, about: Lines) -> None:
        """Show what it would be, ask where it goes, and write it; over nothing unasked."""
        path = draft.path
        if self.services.rehearses:
            lines = (REHEARSED, f"  {draft.line}", "", *about)
            await self.app.push_screen_wait(LinesView(title, lines))
            return
        while path := await self._path(PathQuestion(title, about, WHERE_TO, path)):
            over = await self._ask(partial(self.past.is_there, path))
            if over is None or (over and not await self._may_go(path)):
                continue
            written = await self._ask(partial(self.past.write, path, draft.text, over))
            if written is not None:
                self.say(f"Written to {written}.")
                text = f"{written}\n\nRead it before you share it."
                await self.app.push_screen_wait(Notice("Written", text))
                return
        self.say(NOTHING_WRITTEN)

    async def _path(self, question: PathQuestion) -> str:
        return await self.app.push_screen_wait(question)

    async def _may_go(self, path: str) -> bool:
        text = f"{path} already exists.\n\nIts contents would be lost."
        question = Question("Overwrite this file?", text, "y", "Overwrite it")
        sure: bool = await self.app.push_screen_wait(question)
        return sure

    @work(group="act", exclusive=True)
    async def action_import(self) -> None:
        """A card of somebody else, beside the highlighted run."""
        run, path = self.table.current, ""
        while path := await self._path(PathQuestion("Import a card", IMPORTED, WHERE, path)):
            lines = await self._ask(partial(self.past.take_in, path, run))
            if lines is not None:
                await self.app.push_screen_wait(LinesView("A card beside your run", lines))
                return
