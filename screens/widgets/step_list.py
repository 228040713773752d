"""The steps of a run, wrapped, with the running one in view."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from screens.run.state import RunState
from screens.run.text import step_texts

BEFORE = 2
"""So many lines above the running step stay in view."""


class StepList(VerticalScroll):
    """One step after the other, each on as many lines as it needs."""

    def __init__(self) -> None:
        super().__init__(id="steps", can_focus=True)
        self._state: RunState | None = None

    def compose(self) -> ComposeResult:
        """The lines."""
        yield Static(id="step-lines", markup=False)

    def on_resize(self) -> None:
        """Lays the lines out for the new width."""
        if self._state is not None:
            self.show(self._state)

    def show(self, state: RunState) -> None:
        """Shows a state, and scrolls to its running step."""
        self._state = state
        steps = step_texts(state, self.scrollable_content_region.width)
        text = Content("\n").join(line for step in steps for line in step)
        self.query_one("#step-lines", Static).update(text)
        above = sum(len(step) for step in steps[: max(0, state.current - 1)])
        self.scroll_to(y=max(0, above - BEFORE), animate=False)
