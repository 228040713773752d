"""How often a card may hang: what a hang would disturb, and what follows for the hang budget."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.host.host import Host
from wizard.machine.facts import Gpu, Unknown
from wizard.machine.gpus import read_gpus
from wizard.machine.surroundings import seat_in_use

CAREFUL = 1
USUAL = 3


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Who would notice a hang."""

    screen: bool | None
    """True when the card drives a screen; None when nobody can say."""
    in_use: bool | None
    """True when somebody is logged in at the screen of this machine; None as before."""

    @property
    def hangs(self) -> int:
        """How many hangs are allowed when nobody says."""
        return USUAL if self.screen is False and self.in_use is not True else CAREFUL

    @property
    def is_someones_desktop(self) -> bool:
        """True when a hang would hit somebody who works at this very card."""
        return self.in_use is True and self.screen is not False

    @property
    def text(self) -> str:
        """What a hang would disturb, in words."""
        if self.is_someones_desktop:
            return (
                "Someone is logged in on a screen that this card drives or may drive. A hang can "
                "freeze that person's desktop."
            )
        match self.screen:
            case True:
                return "The card drives a screen, but no one seems to be logged in there."
            case False:
                return "The card does not drive a screen."
            case None:
                return "It is not known whether the card drives a screen."


def circumstances_of(host: Host) -> Circumstances:
    """What is known of the card that is measured: an RDNA1 card where there is one."""
    gpus = read_gpus(host).value
    measured = [gpu for gpu in gpus if gpu.rdna1] or list(gpus)
    seat = seat_in_use(host)
    return Circumstances(_screen(measured), None if isinstance(seat, Unknown) else seat)


def _screen(gpus: list[Gpu]) -> bool | None:
    """Of several cards one is enough: which of them torch takes is not known before."""
    states = [gpu.drives_screen for gpu in gpus]
    if True in states:
        return True
    return None if not states or any(isinstance(state, Unknown) for state in states) else False
