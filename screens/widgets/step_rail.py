"""The line of steps below the header: what is done, where one is, what lies ahead."""

from __future__ import annotations

from collections import Counter

from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from screens.road import Road, Standing, Stop
from screens.words import cut

GAPS = (" ── ", " ─ ", "  ", " ")
"""Between two steps: the widest that fits is taken."""
STYLES = {
    Standing.DONE: "$text-success",
    Standing.FAILED: "bold $text-error",
    Standing.HERE: "bold $text-primary",
    Standing.LEFT_OUT: "",
    Standing.AHEAD: "",
}
ROOMY = 30
"""Lines of a terminal from which on the steps have a line of their own."""
TOLD = (Standing.DONE, Standing.FAILED, Standing.LEFT_OUT, Standing.AHEAD)


class StepRail(Static):
    """All steps in one line; marks and words say what the colours say."""

    DEFAULT_CSS = """
    StepRail {
        height: auto;
        padding: 0 1;
        background: $surface;
        color: $foreground;
    }
    """

    def __init__(self, road: Road) -> None:
        super().__init__(markup=False, id="rail")
        self.road = road

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line where the terminal has lines to spare, else none.

        Not by a class of the style sheet: that comes after the layout of a new size, so that
        everything below would be laid out twice.
        """
        return 1 if viewport.height >= ROOMY else 0

    def render(self) -> Content:
        """The line in the width that there is."""
        width = self.content_size.width
        gap = next((gap for gap in GAPS if self._line(gap).cell_length <= width), GAPS[-1])
        line = self._line(gap)
        words = count_text(self.road)
        room = width - line.cell_length
        if len(words) + 2 > room:
            return line
        return Content.assemble(line, " " * (room - len(words)), words)

    def _line(self, gap: str) -> Content:
        stops = (
            Content.styled(stop_text(stop, self.road.beside), STYLES[stop.standing])
            for stop in self.road.stops
        )
        return Content(gap).join(stops)


def stop_text(stop: Stop, beside: str = "") -> str:
    """A step with its mark: done, failed and left out have a sign, the others their number."""
    match stop.standing:
        case Standing.DONE:
            return f"✓ {stop.title}"
        case Standing.FAILED:
            return f"✗ {stop.title}"
        case Standing.HERE:
            within = f" > {beside}" if beside else ""
            return f"[{stop.number} {cut(f'{stop.title}{within}', 24).upper()}]"
        case Standing.LEFT_OUT:
            return f"- {stop.title}"
        case Standing.AHEAD:
            return f"{stop.number} {stop.title}"


def count_text(road: Road) -> str:
    """The marks in words, such as ``2 done, 4 ahead``."""
    counted = Counter(stop.standing for stop in road.stops)
    return ", ".join(f"{counted[each]} {each.value}" for each in TOLD if counted[each])
