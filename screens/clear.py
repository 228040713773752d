"""Asks what to remove from the system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from screens.session import Session
from screens.step import COMMON_KEYS, StepScreen
from screens.widgets.lists import MarkedList
from wizard.advice.leftovers import may_freeze, torch_there
from wizard.core.amounts import counted
from wizard.core.fact import Unknown
from wizard.core.journal import Kind
from wizard.machine.facts import Machine
from wizard.plan.amd_packages import AMD, DISTRIBUTION, DRIVER, broken_driver, drivers_of
from wizard.services import Services

INTRO = (
    "You review every removal before anything happens, and you can undo it. Package files are "
    "kept, and other files are moved to a backup. Packages that could not be restored stay "
    "installed unless you choose otherwise."
)
BROKEN = (
    "{0} is half installed, and apt will fail until it is gone, so it is removed together with "
    "AMD's ROCm. The kernel's own driver stays installed."
)
NEVER = (
    "The removal never touches Mesa, libdrm, linux-firmware, kernels, Xorg drivers, or your Python "
    "environments."
)
MEASURE_FIRST = (
    "Your torch {0} includes its own ROCm. Press c to measure it before you remove anything."
)
MAY_FREEZE = "Your torch {0} includes its own ROCm. Measuring it (c) may freeze the desktop."
UNCHANGED = "Nothing was changed. Fix the problem, then choose again."
TITLE_CELLS = 23
READING = "Reading the files that would change ..."


@dataclass(frozen=True, slots=True)
class Way:
    """One thing that can be taken away."""

    kind: Kind
    scopes: tuple[str, ...]
    title: str
    what: str


def ways_of(machine: Machine) -> Iterator[Way]:
    """What can be taken off this machine; a driver is a row of its own where it may stay."""
    drivers, broken = ", ".join(drivers_of(machine)), broken_driver(machine)
    what = (
        f"packages, sources, folders, {drivers}"
        if broken
        else "its packages, apt sources and folders"
    )
    yield Way(Kind.REMOVE, (AMD,), "AMD's ROCm", what)
    if drivers and not broken:
        what = f"also {drivers}"
        yield Way(Kind.REMOVE, (AMD, DRIVER), "AMD's ROCm and driver", what)
    what = "AMD's and your distribution's"
    yield Way(Kind.REMOVE, (AMD, DISTRIBUTION), "All ROCm packages", what)
    yield Way(Kind.CLEAN_UP, (), "Other leftovers", "settings, folders and broken packages")


class Clear(StepScreen):
    """Leads to a plan that only takes away."""

    NAME = "choose"
    TITLE_WORD = "Remove"
    HELP_TEXT = (
        "The up and down arrow keys move the selection. Enter makes the plan and shows it; "
        "nothing is changed yet.\n\nAMD's ROCm: every package from AMD's repository, with its apt "
        "sources, keys and pins, and the folders left behind in /opt. A half-installed driver "
        "package is removed too, because apt will fail until it is removed. The row then shows the "
        "package's name.\nAMD's ROCm and driver: the same, plus amdgpu-dkms, which builds a "
        "kernel module. The kernel's own driver stays installed and is all you need. This row "
        "appears only if amdgpu-dkms is fully installed.\nAll ROCm packages: AMD's ROCm, "
        "plus your distribution's own packages. Blender, hashcat and other programs may use "
        "them.\nOther leftovers: ROCm settings in files that are read at every login, folders "
        "that belong to no package, and packages whose files were deleted. Your shell files are "
        "edited line by line.\nc measures Conv2d with your ROCm build of torch, if you have one, "
        "before you remove anything."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "measure", "Measure first"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#menu"

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.machine is None:
            raise ValueError("Clear needs a machine")
        self._machine = session.machine
        self._there = torch_there(session.machine)
        self._ways = tuple(ways_of(session.machine))
        self.session = replace(session, aside=False, clears=True)

    def body(self) -> Iterable[Widget]:
        """What it is about, then the ways."""
        with Vertical(id="about") as about:
            about.border_title = "Before you remove anything"
            broken = broken_driver(self._machine)
            told = [INTRO, *([BROKEN.format(broken[0])] if broken else ()), NEVER]
            yield Static("\n\n".join(told), id="aim", markup=False)
        options = (Option(f"{way.title:<{TITLE_CELLS}}{way.what}") for way in self._ways)
        title = "What do you want to remove?"
        yield MarkedList(*options, enter="Review", title=title, id="menu")

    def on_mount(self) -> None:
        """Says what there is to remove."""
        first = ""
        if self._there is not None:
            risky = may_freeze(self._there, self._machine, self.session.applications)
            first = (MAY_FREEZE if risky else MEASURE_FIRST).format(self._there.torch)
        self.conclude(_there(self._machine), None, first)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides Measure first without a torch for ROCm."""
        if action == "measure":
            return self._there is not None
        return super().check_action(action, parameters)

    def action_measure(self) -> None:
        """Opens the Conv2d panel on the torch that is there; Back leads here again."""
        self.post_message(self.Go("conv2d", replace(self.session, plan=None, aside=True)))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Makes the plan of what was selected."""
        self.wait(READING)
        self._make(self._ways[event.option_index])

    @work(group="make", exclusive=True)
    async def _make(self, way: Way) -> None:
        make = partial(
            self.services.plans.make_clearing, self._machine, way.kind, way.scopes, False
        )
        plan = await self.made(make, "No plan can be made", "The plan was not made", UNCHANGED)
        if plan is None:
            return
        chosen = replace(
            self.session,
            plan=plan,
            choice=None,
            clearing=(way.kind, way.scopes),
            finished=None,
            failure=None,
        )
        self.post_message(self.Next(chosen))


def _there(machine: Machine) -> str:
    packages = machine.rocm_packages
    if isinstance(packages, Unknown):
        return f"The installed packages cannot be read ({packages.because})."
    amd = counted(sum(one.origin == "amd" for one in packages), "ROCm package")
    others = sum(one.origin == "distribution" for one in packages)
    if not packages:
        return "No ROCm packages are installed."
    return f"{amd} from AMD and {others} from your distribution are installed."
