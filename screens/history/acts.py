"""What can be done with a run that is over: each act looks in a thread, shows, and asks."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from textual import work

from screens.faults import fault, told
from screens.history.past import Draft, Lines, Past
from screens.history.result_choice import ResultChoice
from screens.history.text import HINT
from screens.step import StepScreen
from screens.widgets.runs_table import RunsTable
from screens.widgets.status_line import wait_for
from screens.windows.dialogs import Notice, Question
from screens.windows.lines_view import LinesView
from screens.windows.path_question import PathQuestion
from wizard.conv2d.runs.folders import Run
from wizard.conv2d.search.setting_answer import Found
from wizard.conv2d.verdicts import Result
from wizard.report.past_runs import first_to_tell, no_results
from wizard.run.trouble import Trouble

T = TypeVar("T")
LOOKING = "Looking."
NOTHING_WRITTEN = "Nothing was written."
REHEARSED = "A dry run writes nothing. This line would write it:"
CARD = "What is given to others leaves this machine. The card holds:"
WHERE_TO = "Write it to (Enter writes it, Esc does not):"
WHERE = "Path of the card (Enter reads it):"
IMPORTED = (
    "A card is what `rdna1-setup conv2d --export`, or x in this list, has written on somebody's "
    "machine. It is checked field by field, shown, and set beside the highlighted run.",
    "",
    "What was measured on another chip than yours is labelled so. A card is what its owner says: "
    "we have measured none of it, and anybody can write one by hand.",
)


class HistoryActs(StepScreen):
    """The acts behind the keys of the history."""

    @property
    def past(self) -> Past | None:
        """The roads to the runs; None on a recorded machine."""
        return self.services.past

    @property
    def table(self) -> RunsTable:
        """The list."""
        return self.query_one(RunsTable)

    async def _ask(self, look: Callable[[], T]) -> T | None:
        """What a look in a thread gives; where it cannot, why is shown."""
        wait_for(self, LOOKING, self.services.clock)
        try:
            found = await asyncio.to_thread(look)
        except (Trouble, OSError) as error:
            trouble = fault("What is kept of runs was not read or written", error)
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
    async def show_whole(self, run: Run) -> None:
        """The report of a run."""
        if (past := self.past) is not None:
            await self._show(f"The run of {run.since}", lambda: past.whole(run))

    @work(group="act", exclusive=True)
    async def action_compare(self) -> None:
        """Two runs side by side: the marked ones, or the highlighted one and the one before."""
        past, run, other = self.past, self.table.current, None
        marked = self.table.marked
        if len(marked) == 2:
            run, other = marked
        elif marked and marked[0] != run:
            other = marked[0]
        if past is not None and run is not None:
            await self._show("Two runs, A the older", lambda: past.compare(run, other))

    @work(group="act", exclusive=True)
    async def action_export(self) -> None:
        """The highlighted run as a card."""
        past, run = self.past, self.table.current
        if past is None or run is None:
            return
        draft = await self._ask(lambda: past.card(run))
        if draft is not None:
            await self._hand_out(past, "Export as a card", draft, (CARD, *draft.about))

    @work(group="act", exclusive=True)
    async def action_script(self) -> None:
        """A stand-alone script for one result of the highlighted run."""
        past, run = self.past, self.table.current
        if past is None or run is None:
            return
        place = await self._chosen(past, run)
        if place is None:
            return
        draft = await self._ask(lambda: past.script(run, place))
        if draft is not None:
            await self._hand_out(past, "A stand-alone script", draft, draft.about)

    @abstractmethod
    def keep(self, found: Found) -> None:
        """Has a setting kept."""

    @work(group="act", exclusive=True)
    async def action_keep(self) -> None:
        """The setting that the highlighted run found."""
        past, run = self.past, self.table.current
        if past is None or run is None:
            return
        found = await self._ask(lambda: past.found(run))
        if found is not None:
            self.keep(found)

    async def _chosen(self, past: Past, run: Run) -> int | None:
        """The place of the result that is meant."""

        def look() -> tuple[Result, ...]:
            results = past.results(run)
            if not results:
                raise no_results(run)
            return results

        results = await self._ask(look)
        if results is None or len(results) == 1:
            return None if results is None else 0
        choice = ResultChoice("A script for which result?", results, first_to_tell(results))
        return await self.app.push_screen_wait(choice)

    async def _hand_out(self, past: Past, title: str, draft: Draft, about: Lines) -> None:
        """Show what it would be, ask where it goes, and write it; over nothing unasked."""
        write, path = past.write, draft.path
        if write is None:
            lines = (REHEARSED, f"  {draft.line}", "", *about)
            await self.app.push_screen_wait(LinesView(title, lines))
            return
        while path := await self._path(PathQuestion(title, about, WHERE_TO, path)):
            over = await self._ask(partial(past.is_there, path))
            if over is None:
                continue
            if over and not await self._may_go(path):
                continue
            written = await self._ask(partial(write, path, draft.text, over))
            if written is not None:
                self.say(f"Written to {written}.")
                text = f"{written}\n\nRead it before you share it."
                await self.app.push_screen_wait(Notice("Written", text))
                return
        self.say(NOTHING_WRITTEN)

    async def _path(self, question: PathQuestion) -> str:
        return await self.app.push_screen_wait(question)

    async def _may_go(self, path: str) -> bool:
        text = f"{path} is there already.\n\nWhat it holds now would be lost."
        question = Question("Write over it?", text, "y", "Write over it")
        sure: bool = await self.app.push_screen_wait(question)
        return sure

    @work(group="act", exclusive=True)
    async def action_import(self) -> None:
        """A card of somebody else, beside the highlighted run."""
        past, run, path = self.past, self.table.current, ""
        if past is None:
            return
        while path := await self._path(PathQuestion("Import a card", IMPORTED, WHERE, path)):
            lines = await self._ask(partial(past.take_in, path, run))
            if lines is not None:
                await self.app.push_screen_wait(LinesView("A card, and your run beside it", lines))
                return
