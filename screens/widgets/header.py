"""What stands on top of every step: name, steps, machine, mode, and the conclusion."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from screens.words import STATUS_STYLES, cut
from wizard.core.lines import shown
from wizard.diagnose.finding import Status
from wizard.machine.summary import card_line, system_line
from wizard.services import LIVE

if TYPE_CHECKING:
    from screens.session import Session
    from wizard.machine.facts import Machine


class Conclusion(Static):
    """One plain sentence that answers the question of its screen, marked by how things stand."""

    DEFAULT_CSS = """
    Conclusion {
        height: auto;
        max-width: 104;
        padding: 0 2;
        margin: 1 0 0 0;
        &.-silent { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, id="conclusion", classes="-silent")
        self.says = ""
        """Both sentences, without their marks."""

    def tell(
        self,
        text: str,
        status: Status | None = None,
        second: str = "",
        second_status: Status | None = None,
    ) -> None:
        """Shows these sentences from now on; ``""`` gives the lines to the rest of the screen."""
        self.says = f"{shown(text)} {shown(second)}".strip()
        self.set_class(not self.says, "-silent")
        first = _sentence(text, status, bold=True)
        rest = (_sentence(second, second_status),) if second else ()
        self.update(Content("\n").join((first, *rest)))


def _sentence(text: str, status: Status | None, *, bold: bool = False) -> Content:
    mark = "" if status is None else f"{status.mark} "
    style = "" if status is None else STATUS_STYLES[status]
    return Content.assemble((mark, style), (shown(text), "bold" if bold else ""))


INSTALLING = {
    "detect": "Detect",
    "choose": "Choose",
    "review": "Review",
    "apply": "Install",
    "conv2d": "Measure",
}
REMOVING = {"detect": "Detect", "choose": "Choose", "review": "Review", "apply": "Remove"}
FIXING = {"diagnose": "Diagnose", "review": "Review", "apply": "Apply"}
KEEPING = {"conv2d": "Measure", "review": "Review", "apply": "Apply"}
"""A setting that was measured is kept by a plan of its own."""


WITHIN = {"ask": "choose", "compare": "choose"}
"""Screens that belong to a step of another name."""


class Standing(Enum):
    """How a step stands, by the sign that says so."""

    DONE = "✓ "
    FAILED = "✗ "
    HERE = "here"
    OPEN = ""
    """It lies ahead, or was left out."""


@dataclass(frozen=True, slots=True)
class HeaderStep:
    """One step of the way at hand."""

    name: str
    """Of ``session.STEPS``."""
    title: str
    standing: Standing


def header_steps(screen: str, session: Session) -> tuple[HeaderStep, ...]:
    """The steps of the way that a screen belongs to; none for a screen beside all ways."""
    way, screen = _way(session), WITHIN.get(screen, screen)
    if screen not in way and screen != "done":
        return ()
    names = list(way)
    here = names.index(screen) if screen in way else len(names)
    return tuple(
        HeaderStep(name, way[name], _standing(name, at - here, session, screen))
        for at, name in enumerate(names)
    )


def _way(session: Session) -> dict[str, str]:
    if session.before is not None:
        return KEEPING if session.fix is None else FIXING
    return REMOVING if session.clears else INSTALLING


def _standing(name: str, distance: int, session: Session, screen: str) -> Standing:
    if distance == 0:
        return Standing.HERE
    if distance > 0:
        return Standing.OPEN
    if name == "apply" and session.failure is not None:
        return Standing.FAILED
    return Standing.DONE if _was_done(name, session, screen) else Standing.OPEN


def _was_done(name: str, session: Session, screen: str) -> bool:
    match name:
        case "detect":
            # Welcome reads the machine too, and opens Measure without going there.
            from_welcome = screen in ("conv2d", "done") and not (session.plan or session.aside)
            return session.machine is not None and not from_welcome
        case "choose":
            # The plan of a run that stopped was chosen at an earlier start.
            chosen = session.plan is not None and session.machine is not None
            return session.choice is not None or chosen
        case "review":
            return session.plan is not None
        case "apply":
            return session.finished is not None and session.finished.ok
        case "conv2d":
            return session.measured is not None or session.found is not None
        case _:
            return True


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
    card = card_line(machine, memory=False)
    told = f"{card_line(machine)} | {system_line(machine)}", f"{card} | {system_line(machine)}"
    return next((each for each in (*told, card) if cell_len(each) <= cells), "")
