"""Every file that a rehearsal changed: numbers first, then the list, with a filter."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Log, Static

from screens.faults import fault, tell
from screens.services import Services
from screens.session import Session
from screens.step import COMMON_KEYS, StepScreen
from screens.widgets.cut_marks import SidewaysLog
from screens.words import shown
from wizard.overlay.changes import Change, by_folder, read_changes
from wizard.overlay.expected import why_expected
from wizard.overlay.rehearsed import Rehearsed, summary_of

REHEARSE_AGAIN = "Esc goes back to the plan, where r rehearses it again and writes the list anew."
THERE, BACK = "there", "back"
TITLES = {
    THERE: "What the plan would change (t: after the way back)",
    BACK: "After the way back, beside the beginning (t: what the plan changes)",
}
NOTHING = {
    THERE: "Nothing would be changed: each file is as it was.",
    BACK: "Nothing: after the way back each file is as it was before.",
}
NOT_READ = "This list is not read (yet): what is in it is not known."
NOTHING_LIKE_IT = "No line has that text; take some of it away to see more."
FILTER_HINT = "/ filter: a part of the path, or + - ~ for new, gone, changed"


class Changes(StepScreen):
    """The file diff of a rehearsal, both ways."""

    NAME = "review"
    TITLE_WORD = "What changes"
    HELP_TEXT = (
        "These files were otherwise after the plan had been rehearsed in a copy of this system: + "
        "is new, - is gone, ~ is changed. This system itself is as it was.\n\n"
        "t shows what is not as before after the way back, with the reason where one is known, and "
        "again what the plan changes.\n"
        "/ goes to the filter: what stands there must be part of a line. Enter goes to the list; "
        "arrows, PgUp, PgDn, Home and End move in it. Esc goes back to the plan.\n\n"
        "The file that is named last has the whole list, with sizes, rights and hashes."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "turn", "There / back"),
        Binding("slash", "filter", "Filter", key_display="/"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#changes"
    way: reactive[str] = reactive(THERE, init=False)

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.rehearsed is None:
            raise ValueError("there is nothing to show without a rehearsal")
        self._done: Rehearsed = session.rehearsed
        self._lines: dict[str, list[str]] | None = None
        """None until they are read."""

    def body(self) -> Iterable[Widget]:
        """Numbers, filter, list."""
        yield Static(id="change-numbers", classes="pad", markup=False)
        yield Input(placeholder=FILTER_HINT, id="change-filter", compact=True)
        yield SidewaysLog(id="changes", auto_scroll=False)

    def on_mount(self) -> None:
        """Reads the lists."""
        self.query_one("#changes").border_title = Content(TITLES[THERE])
        self._read()

    @work(group="read", exclusive=True)
    async def _read(self) -> None:
        done = self._done
        try:
            there = await asyncio.to_thread(read_changes, done.there.file)
            back = await asyncio.to_thread(read_changes, done.back.file)
        except (OSError, ValueError) as error:
            trouble = fault("The list of changes cannot be read", error, REHEARSE_AGAIN)
            tell(self, "No list", trouble)
            self._show()
            return
        numbers = summary_of(done, back)
        unexpected_first = sorted(back, key=lambda change: bool(why_expected(change.path)))
        self._lines = {
            THERE: list(map(str, there)),
            BACK: list(map(_with_reason, unexpected_first)),
        }
        folders = ", ".join(f"{folder} {count:,}" for folder, count in by_folder(there))
        lines = (*numbers[:3], *((f"Where: {folders}",) if folders else ()))
        self.query_one("#change-numbers", Static).update("\n".join(map(shown, lines)))
        self._show()

    def _show(self) -> None:
        if self._lines is None:
            self._write((NOT_READ,))
            return
        lines = self._lines[self.way]
        wanted = self.query_one("#change-filter", Input).value.lower()
        found = [line for line in lines if wanted in line.lower()]
        self._write(found or (NOTHING_LIKE_IT if lines else NOTHING[self.way],))
        file = self._done.there.file if self.way == THERE else self._done.back.file
        self.say(f"{len(found):,} of {len(lines):,}. Whole list: {file}")

    def _write(self, lines: Iterable[str]) -> None:
        log = self.query_one("#changes", Log)
        log.border_title = Content(TITLES[self.way])
        log.clear()
        log.write_lines(lines)
        log.scroll_home(animate=False)

    def watch_way(self) -> None:
        """Shows the other list."""
        self._show()

    def on_input_changed(self) -> None:
        """Shows what has the text."""
        self._show()

    def on_input_submitted(self) -> None:
        """Goes to the list."""
        self.query_one("#changes").focus()

    def action_turn(self) -> None:
        """Shows the other list."""
        self.way = BACK if self.way == THERE else THERE

    def action_filter(self) -> None:
        """Lets one type."""
        self.query_one("#change-filter").focus()

    def action_back(self) -> None:
        """Goes back to the plan; out of the filter first."""
        if isinstance(self.focused, Input):
            self.query_one("#changes").focus()
        else:
            self.post_message(self.Go("review", self.session))


def _with_reason(change: Change) -> str:
    why = why_expected(change.path)
    return f"{change}: {why}" if why else f"{change}: NOT AS BEFORE"
