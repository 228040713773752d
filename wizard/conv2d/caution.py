"""What is said before a card is measured: whether it can be, and what a hang would disturb."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.conv2d.requests import Request, sweep_in
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Deadlines
from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.facts import Gpu, Machine
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


WARNING = (
    "This runs {0} on the GPU. A hang may freeze the desktop or reset the screen, and you may "
    "have to restart. Save your work first. Each verdict is saved before the next launch."
)
IN_USE = (
    "Someone is logged in at the screen that this card drives, and a hang may freeze that "
    "desktop. Log out there, then start the measurement over SSH or on a text console. Or save "
    "and close everything, and then {0}."
)
OTHER = "change this with --hangs N"
NAMED = 3
"""So many operations are named; of more, their number is told."""


def caution_texts(
    request: Request, around: Circumstances, hangs: int, other: str = OTHER
) -> tuple[str, ...]:
    """What is run, whom a hang would hit, how many are allowed and what each costs.

    ``other`` says how another number of hangs is allowed.
    """
    return (WARNING.format(what_runs(request)), *budget_texts(request, around, hangs, other))


def budget_texts(
    request: Request, around: Circumstances, hangs: int, other: str = OTHER
) -> tuple[str, ...]:
    """What a hang would disturb, how many are allowed, and what each costs."""
    times = "the first hang" if hangs == 1 else f"{hangs} hangs"
    return (
        around.text,
        f"The measurement stops after {times} and keeps its results ({other}).",
        _cost_of_a_hang(sweep_in(request).deadlines),
    )


def what_runs(request: Request) -> str:
    """What is run on the card, as a plural."""
    rows = sweep_in(request).rows
    operations = tuple(row for row in rows if row.operation is not None)
    if operations:
        return _operations(operations, len(rows))
    works = {row.work for row in rows}
    gradients = "convolutions and their gradients" if works & {"backward"} else "convolutions"
    if "train" not in works:
        return gradients
    return "training steps" if works == {"train"} else f"{gradients}, and training steps"


def _operations(rows: tuple[Row, ...], count: int) -> str:
    if count > NAMED or count > len(rows):
        return f"{count} torch operations, each in its own process,"
    titles = [row.operation.title for row in rows if row.operation is not None]
    return f"torch operations ({'; '.join(titles)})"


def _cost_of_a_hang(deadlines: Deadlines) -> str:
    first, later = f"{deadlines.first:g} s", f"{deadlines.later:g} s"
    seconds = later if first == later else f"{later}, or {first} for the first shape of a process"
    rest = deadlines.killed + deadlines.health
    return (
        f"Each hang lasts until its deadline ({seconds}), and then it takes up to {rest:g} s to "
        "end its process and check the card. In the worst case, you have to restart the machine."
    )


CPU_BUILD = "This PyTorch was built for the CPU only."
NO_KFD = "WSL has no AMD GPU: there is no /dev/kfd."


def why_cpu_alone(machine: Machine | None, build: str) -> str:
    """Why a torch of this build can be measured on the processor alone, in one sentence.

    ``""`` where a card may be reached, or nobody knows.
    """
    if build == "cpu":
        return CPU_BUILD
    if machine is None or build == "cuda":  # which needs no kfd, below Windows either
        return ""
    return NO_KFD if machine.surroundings.wsl and not machine.access.kfd.present else ""
