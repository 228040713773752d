"""Compares what you gain and give up with each stack: one aspect per row, one stack per column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import DataTable, Static

from screens.choose.approaches import Evidence
from screens.choose.card import LARGE, choosing_at, grouped, kind_of, sentence
from screens.session import Session
from screens.step import HELP_KEY, QUIT_KEY, StepScreen
from screens.widgets.verdict_table import NO_CURSOR, VerdictTable
from wizard.advice.comparison import RUN, Aspect, everything
from wizard.core.lines import shown
from wizard.services import Services

TITLES = {
    LARGE: "Large convolutions",
    "small-conv2d": "Small convolutions",
    "fp16": "Half precision",
    "support": "AMD support",
    "age": "PyTorch",
    "security": "Vulnerabilities",
    "download": "Download size",
    "disk": "Disk space",
    "root": "Root access",
}
"""Titles that have more room here than in the report; the others keep theirs."""
ROOT = {"yes": "needed", "no": "not needed"}
"""Here a no is good news, and a verdict's no would look like bad news."""
BESIDE = 160
"""Cells of a screen that has room for the reason beside the table."""
FIRST = ("age", "python")
"""The aspects that come first."""


class Compare(StepScreen):
    """The stacks for the card beside each other, and why each of them has that verdict."""

    NAME = "compare"
    TITLE_WORD = "Compare"
    HELP_TEXT = (
        "Each column is a stack for your card, and each row is one way in which the stacks "
        "differ. Use the arrow keys to move; the box explains the highlighted cell. e shows every "
        "report about that cell, including those that disagree. Enter selects the stack in the "
        "highlighted column and goes back to Choose. The cpu stack does not use the card, so it "
        "has no column."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Select this stack", key_display="Enter", priority=True),
        Binding("e", "evidence", "Evidence"),
        Binding("escape,c", "back", "Back", key_display="Esc"),
        Binding("pagedown", "page(1)", "Scroll the box", show=False, priority=True),
        Binding("pageup", "page(-1)", "Scroll the box up", show=False, priority=True),
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#aspects"

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._choosing = choosing_at(session, services)
        stacks = self._choosing.stacks.values()
        self._stacks = [each.id for each in stacks if each.gfx]
        found = self._choosing.column(self._stacks[0]).aspects
        self._aspects = sorted((each.id for each in found), key=lambda each: each not in FIRST)

    def body(self) -> Iterable[Widget]:
        """The table, and the box below it."""
        with Vertical(id="comparison"):
            aspects = VerdictTable("aspects", "cell")
            aspects.border_title = "What differs"
            yield aspects
            with VerticalScroll(id="reason", classes="panel", can_focus=False):
                yield Static(id="because", markup=False)

    def on_mount(self) -> None:
        """Fills the table; the cursor is at what was asked, in the column of the stack."""
        choosing, table = self._choosing, self.query_one(VerdictTable)
        asked = [each for each in self._aspects if each.startswith(RUN)]
        first = asked[0] if choosing.ticked else LARGE
        best = f"{self._title(first)}: {grouped(choosing, first, self._stacks)}."
        others = [
            f"{each.id} ({kind_of(each)}, slow): {choosing.word(each.id, first)}."
            for each in choosing.stacks.values()
            if not each.gfx
        ]
        self.conclude(best, second=f"Without the card: {' '.join(others)}" if others else "")
        for stack in self._stacks:
            table.add_column(Text(f"{NO_CURSOR}{stack}"), key=stack)
        for name in self._aspects:
            cells = (table.word(f"{NO_CURSOR}{self._word(each, name)}") for each in self._stacks)
            table.add_row(*cells, key=name, label=Text(self._title(name)))
        row, stack = self._aspects.index(asked[0]), choosing.stack.id
        column = self._stacks.index(stack) if stack in self._stacks else 0
        table.move_cursor(row=row, column=column)

    def on_resize(self) -> None:
        """Puts the reason beside the table where there is room."""
        super().on_resize()
        self.set_class(self.size.width >= BESIDE, "-beside")

    def on_data_table_cell_highlighted(self, event: DataTable.CellHighlighted) -> None:
        """Says why."""
        event.stop()
        self._show()

    def action_take(self) -> None:
        """Goes back to Choose with the stack of the column selected."""
        stack = self._stack
        chosen = "" if stack == self._choosing.suggested.stack else stack
        self.post_message(self.Go("choose", replace(self.session, stack=chosen)))

    def action_evidence(self) -> None:
        """Shows who says so, and who contradicts."""
        choosing, stack = self._choosing, self._stack
        aspects = (*map(self._aspect, self._aspects), everything(choosing.stacks[stack]))
        day = self.services.today()
        question = Evidence(stack, aspects, self._row, choosing.claims, day)
        self.app.push_screen(question, self._move_to)

    def action_page(self, pages: int) -> None:
        """Scrolls the box."""
        self.query_one("#reason").scroll_relative(y=2 * pages, animate=False)

    def _move_to(self, name: str | None) -> None:
        if name in self._aspects:
            self.query_one(VerdictTable).move_cursor(row=self._aspects.index(name))

    def _show(self) -> None:
        stack, name = self._stack, self._row
        self.query_one(VerdictTable).mark(name, stack)
        aspect, word = self._aspect(name), self._word(stack, name)
        kind = kind_of(self._choosing.stacks[stack])
        box = self.query_one("#reason")
        box.border_title = Content(f"{self._title(name)} with {stack}: {word}")
        box.border_subtitle = Content(kind)
        self.query_one("#because", Static).update(Content(sentence(aspect.because)))
        box.scroll_home(animate=False)

    @property
    def _stack(self) -> str:
        return self._stacks[self.query_one(VerdictTable).cursor_column]

    @property
    def _row(self) -> str:
        return self._aspects[self.query_one(VerdictTable).cursor_row]

    def _aspect(self, name: str) -> Aspect:
        return self._choosing.aspect(self._stack, name)

    def _word(self, stack: str, name: str) -> str:
        aspect = self._choosing.aspect(stack, name)
        if name == "age":
            torch = self._choosing.column(stack).torch
            return f"{'.'.join(torch.split('.')[:2])}, {aspect.word[-4:]}"
        word = shown(aspect.word.partition(",")[0])
        return ROOT.get(word, word) if name == "root" else word

    def _title(self, name: str) -> str:
        aspects = self._choosing.column(self._stacks[0]).aspects
        found = next(each.title for each in aspects if each.id == name)
        return TITLES.get(name, shown(found))
