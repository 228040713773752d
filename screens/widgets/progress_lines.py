"""The two lines below a run: the bar of the whole, and what is done now."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from screens.run.state import RunState
from screens.run.text import bar_line, now_line
from screens.words import cut


class ProgressLines(Static):
    """Two lines whose place and height never change, so that nothing jumps."""

    def __init__(self) -> None:
        super().__init__(id="progress", classes="pad", markup=False)
        self._state: RunState | None = None
        self._left: float | None = None
        self._spent = 0.0

    def show(self, state: RunState, seconds_left: float | None, spent: float = 0.0) -> None:
        """Shows a state, how long the running step still takes where that is known, and took."""
        self._state, self._left, self._spent = state, seconds_left, spent
        self.set_class(state.ended, "-ended")
        self.refresh(layout=False)

    def render(self) -> Content:
        """The lines in the width that there is."""
        if self._state is None:
            return Content("")
        cells = self.content_size.width
        style = "bold" if self._state.ended else ""
        first = Content.styled(cut(bar_line(self._state, self._left, self._spent), cells), style)
        return Content("\n").join([first, Content(cut(now_line(self._state), cells))])
