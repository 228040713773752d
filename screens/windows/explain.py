"""Explanations: a list of topics, and each as a text to read."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from screens.widgets.marked_list import MarkedList
from screens.windows.lines_view import LinesView
from wizard.knowledge.explanations import Explanation, load_explanations
from wizard.report.explanations import topic_lines

TITLE = "Explanations   ↑ ↓ choose   Enter reads   also: rdna1-setup about"


class Explain(ModalScreen[None]):
    """What the words mean, why games work and Conv2d does not, what nobody knows."""

    DEFAULT_CSS = """
    Explain {
        layout: vertical;
        background: $background;
        & > #explain-title { height: 1; padding: 0 1; text-style: bold; background: $surface; }
        & > #topics { height: 1fr; margin: 0 1; background: $background; }
        & > Footer { dock: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,i", "close", "Close", key_display="Esc"),
        Binding("k", "cursor(-1)", "Up", show=False),
        Binding("j", "cursor(1)", "Down", show=False),
    ]
    AUTO_FOCUS = "#topics"

    def __init__(self, topics: tuple[Explanation, ...] = ()) -> None:
        super().__init__()
        self._topics = topics or load_explanations()

    def compose(self) -> ComposeResult:
        """Title, topics, keys."""
        yield Static(TITLE, id="explain-title", markup=False)
        options = (Option(_two_lines(each), each.id) for each in self._topics)
        yield MarkedList(*options, id="topics", markup=False, compact=True)
        yield Footer(show_command_palette=False, compact=True)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Shows the topic whole."""
        topic = self._topics[event.option_index]
        self.app.push_screen(LinesView(topic.title, topic_lines(topic)))

    def action_cursor(self, by: int) -> None:
        """Moves to the topic above or below."""
        topics = self.query_one(OptionList)
        if by > 0:
            topics.action_cursor_down()
        else:
            topics.action_cursor_up()

    def action_close(self) -> None:
        """Goes back."""
        self.dismiss(None)


def _two_lines(topic: Explanation) -> Content:
    return Content.assemble((topic.title, "bold"), f"\n    {topic.short}")
