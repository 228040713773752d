"""The one line on top of every step: name, steps, machine, mode."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from screens.steps import HeaderStep, Standing
from screens.words import cut, system_text
from wizard.diagnose.outcomes import card_text
from wizard.machine.facts import Machine
from wizard.services import LIVE

NAME = "rdna1-setup"
GAPS = (" > ", " ")
"""Between two steps: the first one that fits is taken."""
STYLES = {
    Standing.DONE: "$text-success",
    Standing.FAILED: "bold $text-error",
    Standing.HERE: "bold $text-primary",
    Standing.OPEN: "$text-muted",
}


class HeaderLine(Static):
    """Where one is, the card and the system where there is room, and the mode at the right end."""

    DEFAULT_CSS = """
    HeaderLine {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $foreground;
    }
    """

    def __init__(self, steps: tuple[HeaderStep, ...], title: str, mode: str) -> None:
        super().__init__(markup=False)
        self.steps = steps
        self._title = title
        self._mode = mode
        self._machine: Machine | None = None

    def show_machine(self, machine: Machine | None) -> None:
        """Shows this machine from now on."""
        self._machine = machine
        self.refresh(layout=False)

    def render(self) -> Content:
        """The line in exactly the width that there is."""
        cells = self.content_size.width
        mode = "" if self._mode == LIVE else f"[ {self._mode.upper()} ]"
        room = cells - cell_len(NAME) - 2 - cell_len(mode)
        place = self._place(room - 1)
        room -= place.cell_length
        machine = "" if self._machine is None else about(self._machine, room - 4)
        left = Content.assemble((NAME, "bold"), "  ", place)
        right = Content.assemble((machine, "$text-muted"), "  " if machine else "")
        gap = " " * max(1, room - right.cell_length)
        return Content.assemble(left, gap, right, (mode, "bold $background on $text-warning"))

    def _place(self, cells: int) -> Content:
        """The steps with the one that is shown in brackets; the title of a screen beside them."""
        if not self.steps:
            return Content.styled(cut(self._title, cells), STYLES[Standing.HERE])
        lines = (_line(self.steps, gap) for gap in GAPS)
        return next((line for line in lines if line.cell_length <= cells), _line(self.steps, " "))


def _line(steps: tuple[HeaderStep, ...], gap: str) -> Content:
    texts = (Content.styled(step_text(step), STYLES[step.standing]) for step in steps)
    return Content.styled(gap, "$text-muted").join(texts)


def step_text(step: HeaderStep) -> str:
    """A step with its sign; the one that is shown stands in brackets."""
    here = step.standing is Standing.HERE
    return f"[{step.title}]" if here else f"{step.standing.value}{step.title}"


def about(machine: Machine, cells: int) -> str:
    """As much of the machine as has room whole; nothing where not even the card has."""
    card = card_text(machine, memory=False)
    told = f"{card_text(machine)} | {system_text(machine)}", f"{card} | {system_text(machine)}"
    return next((each for each in (*told, card) if cell_len(each) <= cells), "")
