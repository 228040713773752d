"""A plan as a list of titles that unfold, with the marked step beside it where there is room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import getters
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from screens.step import StepScreen
from screens.widgets.lists import MarkedList
from screens.words import column, cut, hanging
from wizard.advice.leftovers import short_path
from wizard.core.amounts import counted, size_text
from wizard.core.journal import Kind
from wizard.core.lines import clean, clean_lines, shown
from wizard.core.trouble import Trouble
from wizard.operations.operation import LONGEST_TITLE
from wizard.plan.rollback import FOLDER_REASON, FOLDER_TITLE
from wizard.plan.room import Sizes, sizes_of
from wizard.plan.steps import Plan, Step
from wizard.report.plan import download_bytes, most_bytes

if TYPE_CHECKING:
    from wizard.machine.facts import Machine
    from wizard.run.preflight import WheelsSize

WARNING, ERROR, LABEL = "bold $text-warning", "bold $text-error", "$text-muted"
UNDO = "rdna1-setup rollback"
RESTART = "Restart the machine afterwards."
LOG_IN = "Log in again afterwards."
DOES = {
    Kind.REMOVE: "Remove ROCm from this system",
    Kind.CLEAN_UP: "Remove leftovers from other scripts",
    Kind.FIX: "Apply the fix",
    Kind.KEEP: "Keep the setting",
    Kind.ROLLBACK: "Roll back",
}
"""What a plan is for that installs nothing."""

Remark = tuple[str, str, str]
"""A label, its style, and what is to be known before the plan begins."""


@dataclass(frozen=True, slots=True)
class Row:
    """A step as it is listed, and what unfolds below it."""

    title: str
    reason: str
    does: tuple[str, ...]
    """The commands, or what is done in their place, exactly."""
    undo: str = ""
    lines: tuple[str, ...] = ()
    """What goes into a file or out of it, whole."""
    note: str = ""
    """Beside the title: how much there is to download, or that root is needed."""
    root: bool = False


def rows_of(plan: Plan | None, found: WheelsSize | None = None) -> tuple[Row, ...]:
    """The steps of a plan; ``found`` is what the index says of the download."""
    if plan is None:
        return ()
    sizes = sizes_of(replace(plan, download_bytes=download_bytes(plan, found)))
    return tuple(_row(step, plan, size) for step, size in zip(plan.steps, sizes, strict=True))


def folder_row(text: str) -> Row:
    """The last step of a rollback, which undoes what was done in the folder of the run."""
    does = (line.strip() for line in clean_lines(text).splitlines()[1:])
    return Row(FOLDER_TITLE, FOLDER_REASON, tuple(does))


def _row(step: Step, plan: Plan, sizes: Sizes) -> Row:
    size = sizes.download or sizes.installed
    note = (*(("root",) if step.needs_root else ()), *((size_text(size),) if size else ()))
    lines = tuple(map(clean, step.content_lines()))
    return Row(
        shown(step.title),
        shown(step.reason),
        (clean(str(step)),),
        shown(plan.undo_of(step)),
        lines,
        ", ".join(note),
        step.needs_root,
    )


def sentence(plan: Plan, machine: Machine | None, found: WheelsSize | None = None) -> str:
    """What the plan does and takes."""
    size, most = download_bytes(plan, found), most_bytes(plan, found)
    takes = (
        counted(len(plan.steps), "step"),
        *((f"{size_text(size)} download",) if size else ()),
        *((f"up to {size_text(most)} of disk",) if most else ()),
        rights(plan.steps),
    )
    return f"{_does(plan, machine)}: {', '.join(takes)}."


def rights(steps: Iterable[Step]) -> str:
    """How many of the steps need root."""
    root = sum(step.needs_root for step in steps)
    return f"{root} as root" if root else "no root"


def _does(plan: Plan, machine: Machine | None) -> str:
    if plan.kind is not Kind.INSTALL:
        return DOES[plan.kind]
    place = shown(plan.venv if machine is None else short_path(plan.venv, machine))
    if plan.changes_existing:
        return f"Replace PyTorch in {place} with {shown(plan.stack)}"
    return f"Install {shown(plan.stack)}{f' into {place}' if place else ''}"


def afterwards(plan: Plan) -> str:
    """What is left to the user; a restart is a new login too."""
    if plan.restart_needed:
        return RESTART
    return LOG_IN if plan.relogin_needed and not plan.first else ""


def refusal_remarks(refusal: Trouble | None) -> tuple[Remark, ...]:
    """Why a plan cannot begin: what happened, what it means, what to do."""
    if refusal is None:
        return ()
    return (
        ("✗", ERROR, shown(refusal.happened)),
        (" ", ERROR, shown(refusal.meaning)),
        (" ", ERROR, shown(refusal.next_step)),
    )


def plan_remarks(plan: Plan | None, refusal: Trouble | None = None) -> tuple[Remark, ...]:
    """What must be known before the plan begins, without what it is refused for."""
    if plan is None:
        return ()
    said = refusal.happened if refusal is not None else ""
    notes = (note for note in plan.notes if not (said and note.startswith(said)))
    first = (("!", WARNING, f"First: you need {shown(plan.first)}"),) if plan.first else ()
    return (*first, *(("!", WARNING, shown(note)) for note in notes))


def remark_lines(remarks: Iterable[Remark], cells: int) -> list[Content]:
    """Remarks below one another, none of them cut."""
    return [
        line for label, style, text in remarks for line in hanging(f"{label} ", text, cells, style)
    ]


def detail_lines(row: Row, cells: int, *, apart: bool = False) -> list[Content]:
    """All of a step below its title: why, the exact text of what is done, its files, the undo."""
    between = [Content("")] if apart else []
    lines = hanging("Why   ", row.reason, cells, LABEL)
    for does in row.does:
        lines += between + hanging("Does  ", does, cells, LABEL)
    for line in row.lines:
        lines += hanging("    | ", line, cells, LABEL, exact=True)
    return lines + (between + hanging("Undo  ", row.undo, cells, LABEL) if row.undo else [])


INDENT = 4
"""Cells before a title, for its number."""
NOTE_CELLS = 14
MOST = 100
"""Cells of a line that is still read with ease."""
MARGINS = 5
"""Cells that the mark, the borders and the scroll bar of the list take from its lines."""


FOLDING_KEYS = (
    Binding("space", "unfold(True)", "Expand", key_display="Space"),
    Binding("space", "unfold(False)", "Collapse", key_display="Space"),
    Binding("a", "unfold_all(True)", "Expand all"),
    Binding("a", "unfold_all(False)", "Collapse all"),
)
"""Keys of a screen that shows a plan: of each pair the one that does something."""


class StepTitles(MarkedList, inherit_bindings=False):
    """Titles that unfold. What is longer than the window is scrolled before the mark goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MarkedList.BINDINGS,
        *(binding for binding in OptionList.BINDINGS if "enter" not in str(binding)),
    ]  # Enter is the screen's: it goes on

    class Resized(Message):
        """There is another width for the titles."""

    def on_resize(self) -> None:
        """Tells that the titles are to be laid out anew."""
        self.post_message(self.Resized())

    def action_cursor_down(self) -> None:
        """Goes on in what is marked, or to the next one."""
        if not self._scrolled(1):
            super().action_cursor_down()

    def action_cursor_up(self) -> None:
        """Goes back in what is marked, or to the one before."""
        if not self._scrolled(-1):
            super().action_cursor_up()

    def action_page_down(self) -> None:
        """Goes on by a page."""
        if not self._scrolled(self.scrollable_content_region.height):
            self._turn(1)

    def action_page_up(self) -> None:
        """Goes back by a page."""
        if not self._scrolled(-self.scrollable_content_region.height):
            self._turn(-1)

    def _turn(self, direction: Literal[-1, 1]) -> None:
        """Marks what is a page away; what is longer than a page would keep the mark for good."""
        before, top = self.highlighted or 0, self.scroll_offset.y
        self._move_page(direction)
        if self.highlighted == before:
            self.highlighted = min(max(before + direction, 0), self.option_count - 1)
        page = self.scrollable_content_region.height
        self.scroll_to(y=top + direction * page, animate=False, immediate=True)

    def _scrolled(self, by: int) -> bool:
        """True where more of what is marked lies that way: then it was scrolled to."""
        lines = [y for y, (option, _) in enumerate(self._lines) if option == self.highlighted]
        if not lines:
            return False
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        hidden = lines[-1] + 1 - (top + height) if by > 0 else top - lines[0]
        if hidden <= 0:
            return False
        way = min(abs(by), hidden) * (1 if by > 0 else -1)
        self.scroll_relative(y=way, animate=False, immediate=True)
        return True


class PlanView(Horizontal):
    """What to know before, then every step by its title; the marked one in full where it fits."""

    _list = getters.query_one(StepTitles)

    def __init__(self) -> None:
        super().__init__()
        self._remarks: tuple[Remark, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self._open: frozenset[int] = frozenset()
        self._drawn: object = None
        """What the list was made from: to lay a long plan out again takes a while."""

    def compose(self) -> ComposeResult:
        """The list, and the marked step."""
        yield StepTitles(id="plan", classes="panel")
        with VerticalScroll(id="step", classes="panel"):
            yield Static(id="step-text", markup=False)

    def show(self, remarks: tuple[Remark, ...], rows: tuple[Row, ...]) -> None:
        """Shows these remarks and steps; what is unfolded stays so while the steps are the same."""
        if [row.does for row in rows] != [row.does for row in self._rows]:
            self._open = frozenset()
        self._remarks, self._rows = remarks, rows
        self._draw()

    def on_step_titles_resized(self) -> None:
        """Lays everything out for the new width."""
        self._draw()

    def unfold(self) -> None:
        """Unfolds the marked step, or folds it again."""
        number = self._marked
        if number:
            self._open ^= {number}
            self._draw()

    def unfold_all(self) -> None:
        """Unfolds every step, or folds all of them again."""
        self._open = frozenset() if self._open == self._every else self._every
        self._draw()

    def offers(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Of a pair of keys the one that does something."""
        meant = self._every if action == "unfold_all" else self._every & {self._marked}
        return bool(meant) and parameters != (meant <= self._open,)

    @property
    def _every(self) -> frozenset[int]:
        return frozenset(range(1, len(self._rows) + 1))

    @property
    def _marked(self) -> int:
        """The number of the marked step; 0 for what stands before them."""
        marked = self._list.highlighted_option
        return int(marked.id) if marked is not None and marked.id else 0

    def _draw(self) -> None:
        if not self.query(StepTitles) or not self._list.size.width:
            return  # not laid out yet, or being taken down
        titles = self._list
        cells = min(MOST, titles.size.width - MARGINS)
        made_from = (self._remarks, self._rows, self._open, cells)
        if made_from == self._drawn:
            return
        first_time = not titles.option_count
        self._drawn = made_from
        kept, top = self._marked, titles.scroll_offset.y
        titles.border_title = counted(len(self._rows), "step") if self._rows else ""
        before = remark_lines(self._remarks, cells)
        with self.prevent(OptionList.OptionHighlighted):
            titles.set_options(self._options(before, cells))
        shift = 1 if before else 0
        fits = len(before) + 1 < titles.size.height
        mark = shift if first_time and fits else 0 if first_time or not kept else kept - 1 + shift
        titles.highlighted = min(mark, titles.option_count - 1) if titles.option_count else None
        if not first_time:
            titles.scroll_to(y=top, animate=False, immediate=True)
            titles.scroll_to_highlight()
        self._detail()
        self.screen.refresh_bindings()

    def _options(self, before: list[Content], cells: int) -> Iterator[Option]:
        if before:
            yield Option(Content("\n").join([*before, Content("")]), id="0")
        for number, row in enumerate(self._rows, 1):
            lines = [_title_line(number, row, cells)]
            if number in self._open:
                indent = Content(" " * INDENT)
                lines += [indent + line for line in detail_lines(row, cells - INDENT)]
            yield Option(Content("\n").join(lines), id=str(number))

    def on_option_list_option_highlighted(self) -> None:
        """Shows the marked step beside the list, and offers to unfold it or to fold it."""
        self._detail()
        self.screen.refresh_bindings()

    def on_option_list_option_selected(self) -> None:
        """Unfolds what was clicked on."""
        self.unfold()

    def _detail(self) -> None:
        panel = self.query_one("#step", VerticalScroll)
        number = self._marked
        panel.set_class(not self._rows, "-empty")
        self._list.set_class(not self._rows, "-alone")
        if not self._rows:
            return
        row = self._rows[max(0, number - 1)]
        panel.border_title = Content(f"{max(1, number)}  {row.title}")
        cells = min(MOST, panel.scrollable_content_region.width - 1)
        text = Content("\n").join(detail_lines(row, cells, apart=True))
        self.query_one("#step-text", Static).update(text)
        panel.scroll_home(animate=False)


def _title_line(number: int, row: Row, cells: int) -> Content:
    room = min(LONGEST_TITLE + 2, max(10, cells - INDENT - NOTE_CELLS))
    title = column(row.title, room) if row.note else cut(row.title, cells - INDENT)
    return Content.assemble(f"{number:>2}  ", title, (row.note, "bold" if row.root else ""))


class PlanScreen(StepScreen):
    """A step that shows a plan. It has ``FOLDING_KEYS`` among its own, in the place they take."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers to unfold what is folded, and to fold what is not."""
        if action in ("unfold", "unfold_all"):
            return any(view.offers(action, parameters) for view in self.query(PlanView))
        return super().check_action(action, parameters)

    def action_unfold(self, _opens: bool) -> None:
        """Unfolds the marked step, or folds it."""
        self.query_one(PlanView).unfold()

    def action_unfold_all(self, _opens: bool) -> None:
        """Unfolds every step, or folds all of them."""
        self.query_one(PlanView).unfold_all()
