"""Explanations: a list of topics, and each as a text to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from screens.dialogs import LinesView, Page
from screens.widgets.lists import MarkedList
from wizard.knowledge.explanations import Explanation, load_explanations
from wizard.report.explanations import topic_lines

FIRST = "Choose a question and press Enter. To read them all as plain text, run rdna1-setup about."


class Explain(Page[None]):
    """What the words mean, why games work and Conv2d does not, what nobody knows."""

    DEFAULT_CSS = """
    Explain {
        & #explain-first { margin: 0 0 1 0; }
        & #topics { height: 1fr; border: none; background: $background; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("i", "close", "Back", show=False)]
    AUTO_FOCUS = "#topics"

    def __init__(self, topics: tuple[Explanation, ...] = ()) -> None:
        super().__init__("Explanations")
        self._topics = topics or load_explanations()

    def body(self) -> Iterable[Widget]:
        """What to do, and the topics."""
        yield Static(Content.styled(FIRST, "bold"), id="explain-first", markup=False)
        options = (
            Option(Content.assemble((each.title, "bold"), f"\n    {each.short}"), each.id)
            for each in self._topics
        )
        yield MarkedList(*options, enter="Read", id="topics")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Shows the topic whole."""
        topic = self._topics[event.option_index]
        self.app.push_screen(LinesView(topic.title, topic_lines(topic)))
