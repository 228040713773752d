"""The rows of Detect: one question with its answer each, as many lines as it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets.option_list import Option

from screens.detect_text import row_text
from screens.services import DetectedPart
from screens.widgets.marked_list import MarkedList
from wizard.diagnose.finding import Status

MARGIN_CELLS = 4


class Checklist(MarkedList):
    """The answers so far; Enter opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Details", key_display="Enter")
    ]

    def __init__(self) -> None:
        super().__init__(id="parts", markup=False, compact=True)
        self.parts: tuple[DetectedPart, ...] = ()
        self.statuses: Mapping[str, Status] = {}
        """By title; empty until the whole machine is known."""

    def show(
        self, parts: tuple[DetectedPart, ...], statuses: Mapping[str, Status] | None = None
    ) -> None:
        """Shows these answers and keeps the highlighted row where there is one."""
        self.statuses = statuses or {}
        kept = self.highlighted
        self.clear_options()
        self.parts = ()
        for part in parts:
            self.add(part)
        if kept is not None and kept < len(parts):
            self.highlighted = kept

    def add(self, part: DetectedPart) -> None:
        """Adds an answer."""
        self.parts = (*self.parts, part)
        text = row_text(part, self.app.size.width - MARGIN_CELLS, self.statuses.get(part.title))
        self.add_option(Option(text))
        if self.highlighted is None:
            self.highlighted = 0

    def on_resize(self) -> None:
        """Lays the rows out for the new width."""
        self.show(self.parts, self.statuses)
