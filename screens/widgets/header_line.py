"""The one line on top of every step: name, step, machine, mode."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from screens.services import LIVE
from screens.words import card_text, cut, system_text
from wizard.machine.facts import Machine

NAME = "rdna1-setup"


class HeaderLine(Static):
    """Name, step number and title, card, distribution, and the mode at the right end."""

    DEFAULT_CSS = """
    HeaderLine {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $foreground;
    }
    """

    def __init__(self, place: str, mode: str) -> None:
        super().__init__(markup=False)
        self._place = place
        self._mode = mode
        self._machine: Machine | None = None

    def show_machine(self, machine: Machine | None) -> None:
        """Shows this machine from now on."""
        self._machine = machine
        self.refresh(layout=False)

    def render(self) -> Content:
        """The line in exactly the width that there is."""
        mode = f" {self._mode.upper()} "
        left = f"{NAME}  {self._place}  "
        room = self.content_size.width - cell_len(left) - cell_len(mode) - 1
        middle = cut(self._about(), room)
        gap = " " * max(1, room - cell_len(middle) + 1)
        style = "bold" if self._mode == LIVE else "bold reverse"
        return Content.assemble(
            (NAME, "bold"),
            "  ",
            (self._place, "bold $text-primary"),
            f"  {middle}{gap}",
            (mode, style),
        )

    def _about(self) -> str:
        if self._machine is None:
            return ""
        return f"{card_text(self._machine)} | {system_text(self._machine)}"
