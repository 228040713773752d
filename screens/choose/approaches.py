"""Every known approach, and the claims behind one aspect of a stack, each over the whole screen."""

from __future__ import annotations

import re
from datetime import date
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from screens.widgets.lists import MarkedList
from screens.words import hanging
from wizard.advice.comparison import Aspect
from wizard.conv2d.cards.received import received_on
from wizard.core.lines import clean, shown
from wizard.knowledge.claims import Approach, Claim
from wizard.report.stacks import (
    HEADS,
    approach_aspect,
    approach_head,
    approach_lines,
    evidence_lines,
)

NARROWEST_EVIDENCE, WIDEST_EVIDENCE = 40, 99
HEAD = re.compile(rf"(?:{'|'.join(HEADS.values())}): \d")
"""How a line begins that is the head of what follows."""


class Evidence(ModalScreen[str]):
    """The strongest claims, the rest behind one key; dismissed with the id of the last aspect."""

    DEFAULT_CSS = """
    Evidence {
        layout: vertical;
        background: $background;
        & > VerticalScroll { scrollbar-size-vertical: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "whole", "All reports"),
        Binding("right,a", "turn(1)", "Next aspect", key_display="→"),
        Binding("left,A", "turn(-1)", "Previous aspect", key_display="←"),
        Binding("pagedown,space", "page(1)", "Page", key_display="PgDn", priority=True),
        Binding("pageup", "page(-1)", "Page up", show=False, priority=True),
        Binding("home", "page(-999)", "Top", show=False, priority=True),
        Binding("end", "page(999)", "End", show=False, priority=True),
        Binding("escape,q,e,enter", "close", "Close", key_display="Esc"),
    ]
    AUTO_FOCUS = "VerticalScroll"

    def __init__(
        self,
        stack: str,
        aspects: tuple[Aspect, ...],
        marked: str,
        claims: tuple[Claim, ...],
        day: date,
    ) -> None:
        super().__init__()
        self._day = day
        self._name_of_stack = stack
        self._stack, self._aspects, self._claims = shown(stack), aspects, claims
        ids = [aspect.id for aspect in aspects]
        self._place = ids.index(marked) if marked in ids else 0
        self._whole = False

    def compose(self) -> ComposeResult:
        """Which aspect, the text, keys."""
        with VerticalScroll(classes="panel page"):
            yield Static(id="evidence", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_resize(self) -> None:
        """Lays the text out for the new width."""
        self.call_after_refresh(self._show)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides what turns to another aspect where there is one alone."""
        return len(self._aspects) > 1 if action == "turn" else True

    def action_turn(self, by: int) -> None:
        """Shows the next aspect of the same stack."""
        self._place = (self._place + by) % len(self._aspects)
        self._whole = False
        self._show()
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_whole(self) -> None:
        """Shows every claim, or the strongest alone."""
        self._whole = not self._whole
        self._show()

    def action_page(self, pages: int) -> None:
        """Moves the text by pages, at once: an animation would be cut off by the next key."""
        text = self.query_one(VerticalScroll)
        text.scroll_relative(y=pages * max(1, text.size.height - 1), animate=False)

    def action_close(self) -> None:
        """Goes back."""
        self.dismiss(self._aspects[self._place].id)

    def _show(self) -> None:
        aspect, count = self._aspects[self._place], len(self._aspects)
        number = f"  {self._place + 1} of {count}" if count > 1 else ""
        title = f"Evidence: {self._stack}, {shown(aspect.title)}{number}"
        page = self.query_one(VerticalScroll)
        page.border_title = Content(f" {title} ")  # a narrow one has no corners
        cells = min(
            WIDEST_EVIDENCE, max(NARROWEST_EVIDENCE, page.content_size.width - 1)
        )  # the scroll bar's
        lines = evidence_lines(
            aspect,
            self._claims,
            self._day,
            cells,
            whole=self._whole,
            more="m shows",
            received=received_on(self._name_of_stack, aspect.id),
        )
        text = Content("\n").join(
            Content.styled(clean(line), "bold $text-primary" if HEAD.match(clean(line)) else "")
            for line in lines
        )
        self.query_one("#evidence", Static).update(text)
        self.refresh_bindings()


NARROWEST, WIDEST = 30, 99


class ApproachTitles(MarkedList, inherit_bindings=False):
    """Approaches below one another. PageUp and PageDown are the screen's: they scroll the words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MarkedList.BINDINGS,
        *(binding for binding in OptionList.BINDINGS if "page" not in str(binding)),
    ]


class ApproachList(ModalScreen[str]):
    """A line each, then what is said of the marked one; dismissed with its stack, or ``""``."""

    DEFAULT_CSS = """
    ApproachList {
        layout: vertical;
        background: $background;
        & > #approaches-title { height: 1; padding: 0 1; text-style: bold; background: $surface; }
        & > #approaches { height: 1fr; layout: vertical; }
        & #list { height: 45%; scrollbar-size-vertical: 1; }
        & #words { height: 1fr; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
        & > Footer { dock: none; padding: 0 1; }
        &.-wide > #approaches { layout: horizontal; margin: 1 0 0 0; }
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

    def __init__(
        self, approaches: tuple[Approach, ...], claims: tuple[Claim, ...], day: date
    ) -> None:
        super().__init__()
        self._approaches, self._claims, self._day = approaches, claims, day

    def compose(self) -> ComposeResult:
        """Title, list, words, keys."""
        count = len(self._approaches)
        ours = sum(bool(approach.stack) for approach in self._approaches)
        title = f"All {count} known approaches; this program installs {ours} of them"
        yield Static(title, id="approaches-title", markup=False)
        options = (
            Option(clean(approach_head(approach)), approach.id) for approach in self._approaches
        )
        with Container(id="approaches"):
            yield ApproachTitles(*options, id="list", classes="panel")
            with VerticalScroll(id="words", classes="panel", can_focus=False):
                yield Static(id="approach", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Marks the first one."""
        self.query_one(OptionList).highlighted = 0

    def on_resize(self) -> None:
        """Lays the words out for the new width."""
        self.call_after_refresh(self._show)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Shows what is said of the approach."""
        event.stop()
        self._show()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dims Take where this program installs nothing, and Who where nobody said anything."""
        if action == "take":
            return True if self._approach.stack else None
        if action == "claims":
            return True if self._approach.claims else None
        return True

    def action_take(self) -> None:
        """Goes back to Choose, to the stack that installs it."""
        self.dismiss(self._approach.stack)

    def action_claims(self) -> None:
        """Shows who says what of it, and who contradicts."""
        aspect = approach_aspect(self._approach)
        evidence = Evidence(self._approach.state, (aspect,), aspect.id, self._claims, self._day)
        self.app.push_screen(evidence)

    def action_scroll(self, direction: int) -> None:
        """Moves the words."""
        self.query_one(VerticalScroll).scroll_relative(y=direction * 5, animate=False)

    def action_close(self) -> None:
        """Goes back without one."""
        self.dismiss("")

    @property
    def _approach(self) -> Approach:
        marked = self.query(OptionList).first().highlighted if self.is_mounted else 0
        return self._approaches[marked or 0]

    def _show(self) -> None:
        words = self.query_one("#words", VerticalScroll)
        words.border_title = Content(clean(self._approach.title))
        place = self._approaches.index(self._approach) + 1
        self.query_one("#list").border_subtitle = f"{place} of {len(self._approaches)}"
        cells = min(WIDEST, max(NARROWEST, words.scrollable_content_region.width))
        lines = (
            part
            for line in map(clean, approach_lines(self._approach, cells))
            for part in hanging(line[: -len(line.lstrip())], line.lstrip(), cells)
        )
        self.query_one("#approach", Static).update(Content("\n").join(lines))
        words.scroll_home(animate=False)
