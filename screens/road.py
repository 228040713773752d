"""Where a screen stands on the way through the wizard: which steps are done, which lie ahead."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.session import Session

TITLES = {
    "welcome": "Welcome",
    "detect": "Detect",
    "choose": "Choose",
    "review": "Review",
    "apply": "Apply",
    "conv2d": "Conv2d",
    "done": "Done",
    "diagnose": "Diagnose",
}
INSTALLING = ("welcome", "detect", "choose", "review", "apply", "conv2d", "done")
CLEARING = ("welcome", "detect", "choose", "review", "apply", "done")
MENDING = ("diagnose", "review", "apply")
KEEPING = ("conv2d", "review", "apply", "done")
"""Keeping a setting that the panel found is a plan too."""
OPENED_AT = {
    "watch": "welcome",
    "roll_back": "welcome",
    "take_back": "welcome",
    "history": "conv2d",
    "diagnose": "welcome",
}
"""Screens beside the road, and the step that they belong to."""


class Standing(Enum):
    """How a step of the road stands."""

    DONE = "done"
    FAILED = "failed"
    HERE = "here"
    LEFT_OUT = "left out"
    AHEAD = "ahead"


@dataclass(frozen=True, slots=True)
class Stop:
    """One step of the road."""

    number: int
    title: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Road:
    """The steps of this way, and the screen that is shown at one of them."""

    stops: tuple[Stop, ...]
    beside: str = ""
    """The title of a screen that was opened at the step; ``""`` for the step's own."""

    @property
    def here(self) -> Stop:
        """The step that the user is at."""
        return next(stop for stop in self.stops if stop.standing is Standing.HERE)

    @property
    def place(self) -> str:
        """Number and name, such as ``3/7 CHOOSE`` or ``6/7 > HISTORY``."""
        number = f"{self.here.number}/{len(self.stops)}"
        return f"{number} {f'> {self.beside}' if self.beside else self.here.title}".upper()


def road_to(screen: str, title: str, session: Session) -> Road:
    """The road as a screen of this name and title shows it; a screen beside it, as it was left."""
    step = _step_of(screen, session)
    if screen == "diagnose" and session.behind is not None:
        session = session.behind[1]
    way = _way(step, session)
    stops = tuple(
        Stop(number, _title(name, session), _standing(name, step, way, session))
        for number, name in enumerate(way, 1)
    )
    own = next(stop.title for stop in stops if stop.standing is Standing.HERE)
    return Road(stops, "" if title == own else title)


def _step_of(screen: str, session: Session) -> str:
    if screen == "diagnose" and session.behind is not None:
        return session.behind[0]
    return OPENED_AT.get(screen, screen)


def _way(step: str, session: Session) -> tuple[str, ...]:
    if session.before is not None:
        way: tuple[str, ...] = KEEPING if session.mending is None else MENDING
    else:
        way = CLEARING if session.clears else INSTALLING
    return way if step in way else INSTALLING


def _title(step: str, session: Session) -> str:
    return "Remove" if step == "choose" and session.clears else TITLES[step]


def _standing(name: str, here: str, way: tuple[str, ...], session: Session) -> Standing:
    if name == here:
        return Standing.HERE
    if way.index(name) > way.index(here):
        return Standing.AHEAD
    if name == "apply" and session.failure is not None:
        return Standing.FAILED
    return Standing.DONE if _was_done(name, session) else Standing.LEFT_OUT


def _was_done(name: str, session: Session) -> bool:
    match name:
        case "detect":
            return session.machine is not None
        case "choose":
            return session.choice is not None or (session.plan is not None and _known(session))
        case "review":
            return session.plan is not None
        case "apply":
            return session.finished is not None and session.finished.ok
        case "conv2d":
            return session.answer is not None or session.found is not None
        case _:
            return True


def _known(session: Session) -> bool:
    """False for the plan of a run that stopped: it was chosen at an earlier start."""
    return session.machine is not None
