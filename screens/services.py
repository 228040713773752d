"""What the screens are given: every road to the outside, as plain functions in one value."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from wizard.knowledge.ageing import today

if TYPE_CHECKING:
    from datetime import date

    from screens.diagnose.services import Diagnosing
    from screens.history.services import Past
    from screens.report.services import ReportDraft
    from wizard.advice.comparison import LineSpeed
    from wizard.advice.recommend import Recommendation
    from wizard.conv2d.asked import Request
    from wizard.conv2d.presets import Preset
    from wizard.conv2d.search.setting_answer import Found
    from wizard.conv2d.sweep import SweepEvent
    from wizard.conv2d.words.caution import Circumstances
    from wizard.journalform import Kind
    from wizard.knowledge.applications import Application
    from wizard.knowledge.claims import Claim
    from wizard.knowledge.roads import OtherRoad
    from wizard.knowledge.stacks import Stack
    from wizard.machine.facts import Machine
    from wizard.overlay.rehearsed import Rehearsed
    from wizard.plan.choice import Choice
    from wizard.plan.steps import Plan
    from wizard.preflight.wheels import WheelsSought
    from wizard.run.events import Event
    from wizard.run.trouble import Trouble
    from wizard.run.watching import AtWork
    from wizard.run.wheels_size import WheelsSize

LIVE = "live"
DRY_RUN = "dry run"
DEMO = "demo"


class DetectedPart(Protocol):
    """One answered question of detection, as the checklist shows it."""

    @property
    def title(self) -> str:
        """What was looked at, for example ``Graphics cards``."""

    @property
    def source(self) -> str:
        """Where the answer comes from."""

    @property
    def summary(self) -> str:
        """The answer in one line."""

    @property
    def details(self) -> tuple[str, ...]:
        """Everything that was found, a line each."""


@dataclass(frozen=True, slots=True)
class WayBack:
    """How a run would be taken back, and the act itself."""

    text: str
    """What would be removed from its folder and what kept."""
    plan: Plan | None
    """What root takes back before; None where the run changed nothing in the system."""
    take: Callable[[], AsyncGenerator[Event, None]]
    """Goes back as shown; what happens, as of one plan whose last step is the folder."""
    stop: Callable[[], None]
    """Asks it to stop between two steps."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run that waits to be gone on with or to be undone."""

    run: str
    name: str
    """What its plan is called."""
    stack: str
    """What it installs; ``""`` for a plan that installs nothing."""
    folder: str
    footprint: str
    plan: Callable[[], Plan] | None = None
    """Gives its plan, where it installs nothing: half done, the machine would give
    another. Raises ValueError, with a text fit to show, for one of another version, or where a
    login is missing."""
    elsewhere: bool = False
    """True when this start was asked for another folder: then it is not the first thing offered."""


@dataclass(frozen=True, slots=True)
class SweepUnderWay:
    """A Conv2d experiment that runs by itself, begun by an earlier start or by another one."""

    text: str
    """What it is and since when."""
    request: Request
    follow: Callable[[], AsyncGenerator[SweepEvent, None]]
    """What it did and does, to its end; to close it ends nothing but the looking."""
    begun: int = 0
    """How many shapes it had begun when it was found: nobody saw when."""


class Rehearsing(Protocol):
    """A rehearsal by root, in an overlay of the system."""

    @property
    def outcome(self) -> Rehearsed | None:
        """What came of it, once it has ended."""

    def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """Its events."""

    def cancel(self) -> None:
        """Stops it at once."""


@dataclass(frozen=True, slots=True)
class Services:
    """All collaborators of the screens; nothing in ``screens`` reaches further than these."""

    mode: str
    """``live``, ``dry run`` or ``demo``."""
    detect: Callable[[Callable[[DetectedPart], None]], Machine]
    """Blocks; it runs in a thread of its own."""
    recommend: Callable[[Machine, tuple[str, ...], str], Recommendation]
    """For what is to run, and the published variables that were chosen."""
    stacks: Callable[[], tuple[Stack, ...]]
    claims: Callable[[], tuple[Claim, ...]]
    applications: Callable[[], tuple[Application, ...]]
    suggest_folder: Callable[[Machine, str], str]
    """Absolute path of a new folder for a stack."""
    make_plan: Callable[[Machine, Choice], Plan]
    """Raises ValueError, with a text fit to show, when no plan can be made."""
    make_clearing: Callable[[Machine, Kind, tuple[str, ...], bool], Plan]
    """A plan of this kind that only takes away these scopes, at last also what nothing could put
    back; may take a while. Raises ValueError, with a text fit to show, where there is nothing to
    take away, and Refused where apt cannot be asked."""
    make_keep: Callable[[Found], Plan]
    """The plan that keeps a setting for its environment; reads files. Raises ValueError, with a
    text fit to show, where it cannot be kept or is already."""
    settle: Callable[[Machine, Choice], Plan] | None
    """The plan, exact to each package: asks the archive, which takes a while. Raises Trouble,
    Refused or ValueError. None where nothing is asked: in a dry run and a demo."""
    obstacle: Callable[[Plan], Trouble | None]
    """May take a while and changes nothing; why Apply would refuse the plan."""
    undoable: Callable[[], bool]
    """Quick: is there a run that can be taken back."""
    unfinished: Callable[[], Unfinished | None]
    """Quick: the newest run that stopped before its end."""
    half_back: Callable[[], str]
    """Quick: the run that Roll back has begun to take back, ``""`` for none."""
    way_back: Callable[[], WayBack]
    """Blocks; how the last run would be taken back. Raises Trouble."""
    carry_out: Callable[[Plan], AsyncGenerator[Event, None]]
    ask_to_stop: Callable[[], None]
    """Asks the running plan to stop at its next safe point."""
    presets: Callable[[], tuple[Preset, ...]]
    layers_in: Callable[[str], Preset]
    """The layers that a file lists, its path as id. Raises WrongRequest."""
    circumstances: Callable[[], Circumstances]
    """Whom a hang of the card would hit; it may take a moment."""
    run_sweep: Callable[[Request], AsyncGenerator[SweepEvent, None]]
    sweep_command: Callable[[Request, str], str]
    """The shell line that asks the same: from the request and the id of its preset."""
    save_text: Callable[[str, str], str] | None
    """Writes a text under a name and gives its path; None where nothing may be written."""
    log_of: Callable[[Plan], str]
    """Path of the whole log of the newest run of a plan; ``""`` where none is saved."""
    at_work: Callable[[], AtWork | None]
    """Quick: root's part of an earlier start, if it still works."""
    diagnosing: Diagnosing
    restart: Callable[[], str] = lambda: ""
    """Quick: that a restart waits, or that it has happened and what comes next."""
    rehearsal: Callable[[], Rehearsing] | None = None
    """None where nothing may be started: in a dry run and a demo."""
    rehearsed: Callable[[Plan], Rehearsed | None] = lambda _: None
    """Quick: the newest rehearsal of a plan."""
    seek_wheels: Callable[[Plan, Machine], Awaitable[WheelsSought]] | None = None
    """Whether the wheels of a plan are still to be had: asks the index. None where nobody is
    asked: in a dry run and a demo."""
    wheels_size: Callable[[Plan], Awaitable[WheelsSize | None]] | None = None
    """How much pip would fetch for a plan: asks pip, which takes a while; gives None for a plan
    that fetches nothing from afar. None where nobody is asked."""
    stop_sweep: Callable[[], Awaitable[str]] | None = None
    """Ends the sweep under way and says what became of it. None where a sweep ends as soon as its
    events are no longer read; elsewhere it then goes on by itself."""
    sweep_under_way: Callable[[], SweepUnderWay | None] = lambda: None
    """Quick: the experiment that is under way."""
    replayed: str = ""
    """What ``run_sweep`` plays in place of a real run, such as "recorded on an RX 5600 XT": then
    nothing is started, and nobody is asked first. ``""`` where runs are real."""
    past: Past | None = None
    """Roads to runs that are over; None where there can be none: on a recorded machine."""
    roads: Callable[[], tuple[OtherRoad, ...]] = tuple
    """Every road, also those that no stack of ours installs."""
    line_speed: Callable[[], LineSpeed | None] = lambda: None
    """Quick: how fast an earlier run fetched here; None where none did."""
    report: Callable[[], ReportDraft] | None = None
    """Blocks; a report for others, redacted and not yet written."""
    clock: Callable[[], float] = time.monotonic
    """Seconds, for what tells since when it works."""
    pause_s: float = 1.0
    """For so long Review takes no key to carry a plan out: it may have been typed ahead."""
    today: Callable[[], date] = today
    unicode: bool = True
    """False when the terminal's locale cannot show more than ASCII."""
    console: bool = False
    """True on the kernel's own console, whose fonts lack most glyphs."""
    theme: str = ""
    """The colours that the terminal can show; ``""`` for the usual ones."""

    @property
    def rehearses(self) -> bool:
        """True when nothing will be changed, whatever the user chooses."""
        return self.mode != LIVE
