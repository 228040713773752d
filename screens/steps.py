"""The steps in the header: which are done, which one is shown, which lie ahead."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.session import Session

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
        return KEEPING if session.mending is None else FIXING
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
