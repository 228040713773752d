"""Lists every file that a plan changed in the copy of the system, with a summary and a filter."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Log

from screens.faults import fault, tell
from screens.session import Session
from screens.step import COMMON_KEYS, StepScreen
from screens.widgets.cut_marks import SidewaysLog
from wizard.core.amounts import counted
from wizard.diagnose.finding import Status
from wizard.overlay.changes import read_changes, unexpected
from wizard.overlay.expected import why_expected
from wizard.overlay.rehearsed import Rehearsed
from wizard.services import Services

TRY_AGAIN = (
    "Press Esc to go back to the plan, then try the plan on a copy again to write a new list."
)
PLAN, ROLLBACK = "plan", "rollback"
TITLES = {
    PLAN: "What the plan would change",
    ROLLBACK: "What would differ after the rollback",
}
NOTHING = {
    PLAN: "No files would change.",
    ROLLBACK: "No differences. After the rollback, every file is as it was before.",
}
NOT_READ = "This list has not been loaded yet."
NO_MATCH = "No line contains that text. Shorten the text to see more lines."
FILTER_HINT = "/ filter: part of a path, or + - ~ for new, removed, changed"
NOT_RESTORED = "NOT RESTORED"


class Changes(StepScreen):
    """What a plan changed in the copy, and what its rollback did not restore there."""

    NAME = "review"
    TITLE_WORD = "What changes"
    HELP_TEXT = (
        "These files differed after the plan ran on a copy of this system: + means new, - "
        "removed, and ~ changed. The system itself was not changed.\n\nt switches between what "
        "the plan changes and what would differ after the rollback, with the reason if it is "
        "known.\n/ goes to the filter, which shows only lines that contain the text you type. "
        "Enter goes to the list; the arrow keys, PgUp, PgDn, Home and End scroll it. Esc goes "
        "back to the plan.\n\nThe file named at the end contains the whole list, with sizes, "
        "permissions and hashes."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "turn", "Plan / rollback"),
        Binding("slash", "filter", "Filter", key_display="/"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#changes"
    shown_list: reactive[str] = reactive(PLAN, init=False)

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.rehearsed is None:
            raise ValueError("there is nothing to show without a trial run")
        self._done: Rehearsed = session.rehearsed
        self._lines: dict[str, list[str]] | None = None
        """None until they are read."""

    def body(self) -> Iterable[Widget]:
        """Filter, list."""
        yield Input(placeholder=FILTER_HINT, id="change-filter", compact=True)
        yield SidewaysLog(id="changes", classes="panel", auto_scroll=False)

    def on_mount(self) -> None:
        """Reads the lists."""
        self.query_one("#changes").border_title = Content(TITLES[PLAN])
        self._read()

    @work(group="read", exclusive=True)
    async def _read(self) -> None:
        done = self._done
        try:
            plan = await asyncio.to_thread(read_changes, done.there.file)
            rollback = await asyncio.to_thread(read_changes, done.back.file)
        except (OSError, ValueError) as error:
            trouble = fault("The list of changes cannot be read", error, TRY_AGAIN)
            tell(self, "No list", trouble)
            self._show()
            return
        unexpected_first = sorted(rollback, key=lambda change: bool(why_expected(change.path)))
        packages = (f"package {name}: {NOT_RESTORED}" for name in done.packages)
        told = (f"{each}: {why_expected(each.path) or NOT_RESTORED}" for each in unexpected_first)
        gone = (f"package {name}: removed permanently, as planned" for name in done.for_good)
        self._lines = {
            PLAN: list(map(str, plan)),
            ROLLBACK: [*packages, *gone, *told],
        }
        left = len(unexpected(rollback))
        self.conclude(_forth(done), Status.FAULT if done.failed else None, *_back(done, left))
        self._show()

    def _show(self) -> None:
        if self._lines is None:
            self._write((NOT_READ,))
            return
        lines = self._lines[self.shown_list]
        wanted = self.query_one("#change-filter", Input).value.lower()
        found = [line for line in lines if wanted in line.lower()]
        self._write(found or (NO_MATCH if lines else NOTHING[self.shown_list],))
        file = self._done.there.file if self.shown_list == PLAN else self._done.back.file
        self.say(f"{len(found):,} of {len(lines):,}. Whole list: {file}")

    def _write(self, lines: Iterable[str]) -> None:
        log = self.query_one("#changes", Log)
        log.border_title = Content(TITLES[self.shown_list])
        log.clear()
        log.write_lines(lines)
        log.scroll_home(animate=False)

    def watch_shown_list(self) -> None:
        """Shows the other list."""
        self._show()

    def on_input_changed(self) -> None:
        """Shows the lines that have the text."""
        self._show()

    def on_input_submitted(self) -> None:
        """Goes to the list."""
        self.query_one("#changes").focus()

    def action_turn(self) -> None:
        """Shows the other list."""
        self.shown_list = ROLLBACK if self.shown_list == PLAN else PLAN

    def action_filter(self) -> None:
        """Lets one type."""
        self.query_one("#change-filter").focus()

    def action_back(self) -> None:
        """Goes back to the plan; out of the filter first."""
        if isinstance(self.focused, Input):
            self.query_one("#changes").focus()
        else:
            self.post_message(self.Go("review", self.session))


def _forth(done: Rehearsed) -> str:
    files = f"{done.there.all:,} file{'s' * (done.there.all != 1)}"
    changed = f"{files}: {done.there}" if done.there.all else "no file"
    if done.failed:
        return (
            f"Step {done.failed} failed on the copy of this system. Before that, the plan had "
            f"changed {changed}."
        )
    return f"The plan would change {changed}."


def _back(done: Rehearsed, left: int) -> tuple[str, Status]:
    """What the rollback restores, of which so many files are not as before without a reason."""
    but = (
        counted(left, "file") if left else "",
        counted(len(done.packages), "package") if done.packages else "",
        f"{counted(len(done.for_good), 'package')} removed permanently" if done.for_good else "",
    )
    if done.left_something:
        return "The rollback could not restore everything.", Status.FAULT
    if not any(but):
        return "The rollback restores everything.", Status.OK
    told = " and ".join(filter(None, but))
    return f"The rollback restores everything except {told}. Press t for details.", Status.WARNING
