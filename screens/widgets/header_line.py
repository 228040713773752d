"""The one line on top of every step: name, step, machine, mode."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from screens.services import DEMO, DRY_RUN, LIVE
from screens.words import card_text, cut, system_text
from wizard.machine.facts import Machine

NAME = "rdna1-setup"
AT_LENGTH = {DRY_RUN: "nothing is changed", DEMO: "a recorded machine"}
LONG = 98
"""So many cells leave room to say what a mode means."""


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
        mode = mode_text(self._mode, self.content_size.width)
        left = f"{NAME}  {self._place}  "
        room = self.content_size.width - cell_len(left) - cell_len(mode) - 1
        middle = self._about(room)
        gap = " " * max(1, room - cell_len(middle) + 1)
        style = "bold" if self._mode == LIVE else "bold $background on $text-warning"
        return Content.assemble(
            (NAME, "bold"),
            "  ",
            (self._place, "bold $text-primary"),
            f"  {middle}{gap}",
            (mode, style),
        )

    def _about(self, room: int) -> str:
        return "" if self._machine is None else about(self._machine, room)


def about(machine: Machine, cells: int) -> str:
    """As much of the machine as has room whole; the card itself is cut before it is left out."""
    card, system = card_text(machine), system_text(machine)
    fullest = f"{card} | {system}", f"{card_text(machine, memory=False)} | {system}", card
    return next((each for each in fullest if cell_len(each) <= cells), cut(card, cells))


def mode_text(mode: str, cells: int) -> str:
    """The mode for a line of this width, in brackets where it is not the plain one."""
    if mode == LIVE:
        return " LIVE "
    meaning = f": {AT_LENGTH[mode]}" if cells >= LONG else ""
    return f"[ {mode.upper()}{meaning} ]"
