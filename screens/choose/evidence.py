"""Who says so: the claims behind one aspect of a stack, over the whole screen."""

from __future__ import annotations

import re
from datetime import date
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from screens.words import shown
from wizard.advice.comparison import Aspect
from wizard.conv2d.cards.card_form import received_on
from wizard.core.lines import clean
from wizard.knowledge.claims import Claim
from wizard.report.stacks import HEADS, evidence_lines

NARROWEST, WIDEST = 40, 99
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
        cells = min(WIDEST, max(NARROWEST, page.content_size.width - 1))  # the scroll bar's
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
