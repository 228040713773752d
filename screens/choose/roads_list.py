"""Every known approach, also those that this program does not install, and what is known of it."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from screens.choose.evidence import Evidence
from screens.hanging import hanging
from screens.widgets.marked_list import MarkedList
from wizard.core.lines import clean
from wizard.knowledge.claims import Claim
from wizard.knowledge.roads import OtherRoad
from wizard.report.stacks import road_aspect, road_head, road_lines

NARROWEST, WIDEST = 30, 99


class RoadTitles(MarkedList, inherit_bindings=False):
    """Approaches below one another. PageUp and PageDown are the screen's: they scroll the words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MarkedList.BINDINGS,
        *(binding for binding in OptionList.BINDINGS if "page" not in str(binding)),
    ]


class RoadsList(ModalScreen[str]):
    """A line each, then what is said of the marked one; dismissed with its stack, or ``""``."""

    DEFAULT_CSS = """
    RoadsList {
        layout: vertical;
        background: $background;
        & > #roads-title { height: 1; padding: 0 1; text-style: bold; background: $surface; }
        & > #roads { height: 1fr; layout: vertical; }
        & #list { height: 45%; scrollbar-size-vertical: 1; }
        & #words { height: 1fr; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
        & > Footer { dock: none; padding: 0 1; }
        &.-wide > #roads { layout: horizontal; margin: 1 0 0 0; }
        &.-wide #list { width: 66; padding: 1 1; height: 1fr; max-height: 100%; }
        &.-wide #words { margin: 0 1 0 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Select this stack", key_display="Enter", priority=True),
        Binding("e", "claims", "Evidence"),
        Binding("pageup", "scroll(-1)", "Scroll up", key_display="PgUp"),
        Binding("pagedown", "scroll(1)", "Scroll down", key_display="PgDn"),
        Binding("escape,q,o", "close", "Close", key_display="Esc"),
    ]
    AUTO_FOCUS = "OptionList"

    def __init__(self, roads: tuple[OtherRoad, ...], claims: tuple[Claim, ...], day: date) -> None:
        super().__init__()
        self._roads, self._claims, self._day = roads, claims, day

    def compose(self) -> ComposeResult:
        """Title, list, words, keys."""
        count = len(self._roads)
        ours = sum(bool(road.stack) for road in self._roads)
        title = f"All {count} known approaches; this program installs {ours} of them"
        yield Static(title, id="roads-title", markup=False)
        options = (Option(clean(road_head(road)), road.id) for road in self._roads)
        with Container(id="roads"):
            yield RoadTitles(*options, id="list", classes="panel")
            with VerticalScroll(id="words", classes="panel", can_focus=False):
                yield Static(id="road", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Marks the first one."""
        self.query_one(OptionList).highlighted = 0

    def on_resize(self) -> None:
        """Lays the words out for the new width."""
        self.call_after_refresh(self._show)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Shows what is said of the road."""
        event.stop()
        self._show()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dims Take where this program installs nothing, and Who where nobody said anything."""
        if action == "take":
            return True if self._road.stack else None
        if action == "claims":
            return True if self._road.claims else None
        return True

    def action_take(self) -> None:
        """Goes back to Choose, to the stack that installs it."""
        self.dismiss(self._road.stack)

    def action_claims(self) -> None:
        """Shows who says what of it, and who contradicts."""
        aspect = road_aspect(self._road)
        evidence = Evidence(self._road.state, (aspect,), aspect.id, self._claims, self._day)
        self.app.push_screen(evidence)

    def action_scroll(self, direction: int) -> None:
        """Moves the words."""
        self.query_one(VerticalScroll).scroll_relative(y=direction * 5, animate=False)

    def action_close(self) -> None:
        """Goes back without one."""
        self.dismiss("")

    @property
    def _road(self) -> OtherRoad:
        marked = self.query(OptionList).first().highlighted if self.is_mounted else 0
        return self._roads[marked or 0]

    def _show(self) -> None:
        words = self.query_one("#words", VerticalScroll)
        words.border_title = Content(clean(self._road.title))
        place = self._roads.index(self._road) + 1
        self.query_one("#list").border_subtitle = f"{place} of {len(self._roads)}"
        cells = min(WIDEST, max(NARROWEST, words.scrollable_content_region.width))
        lines = (
            part
            for line in map(clean, road_lines(self._road, cells))
            for part in hanging(line[: -len(line.lstrip())], line.lstrip(), cells)
        )
        self.query_one("#road", Static).update(Content("\n").join(lines))
        words.scroll_home(animate=False)
