"""The plain road to verdicts: which Python, which device, what; then ``conv2d`` so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wizard.commands.looking import acts, host_of, places_of
from wizard.plain.asking import Option, WentBack, in_turn
from wizard.run.lines import clean

if TYPE_CHECKING:
    from wizard.machine.facts import Machine
    from wizard.plain.road import Road

PYTHONS = "Which Python? Its torch will be measured."
TYPED = "another one: I will type it"
NAME = "The Python of an environment that has torch, such as ~/ai/rocm52/bin/python:"
DEVICES = "On which device?"
AIMS = "What do you want to know?"
PRESETS = "Which table of shapes?"
LIMITS = "For which channels do you want to find the largest size that finishes?"
SETTINGS = "Which shape do you want to make work?"
OWN_SHAPE = "Channels and size, such as 16-32 64:"
IN_USE = "Someone is logged in at a screen that this card drives, or may drive."
QUICK = ("--sizes", "32", "--channels", "16-32")
CHANNELS = ("16-32", "32-64", "64-128")
SHAPES = (("16-32", "64"), ("16-32", "224"), ("32-64", "64"), ("64-128", "64"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was answered so far."""

    python: str = ""
    device: str = ""
    aim: str = "table"
    shapes: tuple[str, ...] = ()
    agreed: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The command line that they make."""
        python = ("--python", self.python) if self.python else ()
        return ("conv2d", *python, "--device", self.device, *self.shapes, *self.agreed)


@dataclass(frozen=True, slots=True)
class Measuring:
    """The questions of this road."""

    road: Road
    pythons: tuple[str, ...]
    with_card: bool

    def python(self, wanted: Wanted) -> Wanted | None:
        """Whose torch is measured."""
        if wanted.python:
            return None
        options = [Option(clean(path), path) for path in self.pythons]
        taken = self.road.ask.choose(PYTHONS, [*options, Option(TYPED, "")])
        if not taken:
            from wizard.commands.choosing import absolute

            typed = self.road.ask.text(NAME)
            taken = absolute(typed) if "/" in typed else typed
        return replace(wanted, python=taken)

    def device(self, wanted: Wanted) -> Wanted | None:
        """The card, or the processor."""
        if wanted.device:
            return None
        options = [
            Option("the GPU: a hang may freeze the desktop; you are asked first", "cuda"),
            Option("the processor: no risk; its results are the reference", "cpu"),
        ]
        usual = 0 if self.with_card else 1
        return replace(wanted, device=self.road.ask.choose(DEVICES, options, usual))

    def aim(self, wanted: Wanted) -> Wanted:
        """What is to be found out."""
        options = [
            Option("which shapes pass: the table on which the public notes disagree", "table"),
            Option("a first look: one small shape", "quick"),
            Option("the layers of a whole model, or another table", "preset"),
            Option("the largest size that finishes", "limit"),
            Option("the fewest variables that make one shape work", "setting"),
            Option("other operations than Conv2d", "operations"),
        ]
        return replace(wanted, aim=self.road.ask.choose(AIMS, options))

    def shapes(self, wanted: Wanted) -> Wanted | None:
        """The options of ``conv2d`` that ask for that."""
        match wanted.aim:
            case "quick":
                shapes: tuple[str, ...] = QUICK
            case "preset":
                shapes = ("--preset", self._preset())
            case "limit":
                channels = [Option(text, text) for text in CHANNELS]
                chosen = self.road.ask.choose(LIMITS, channels)
                shapes = ("--find-limit", "size", "--channels", chosen)
            case "setting":
                channels_, size = self._shape()
                shapes = ("--find-setting", "--channels", channels_, "--sizes", size)
            case "operations":
                shapes = ("--operations",)
            case _:
                return replace(wanted, shapes=()) if wanted.shapes else None
        return replace(wanted, shapes=shapes)

    def desktop(self, wanted: Wanted) -> Wanted | None:
        """Whether the desktop of somebody may be risked, where there is one."""
        from wizard.conv2d.words.caution import circumstances_of

        if wanted.device != "cuda" or not acts(self.road.arguments):
            return None
        around = circumstances_of(host_of(self.road.arguments))
        if not around.is_someones_desktop:
            return None
        self.road.say()
        self.road.say(IN_USE)
        self.road.say(around.text)
        even = [Option("do not measure now", False), Option("measure anyway", True)]
        if not self.road.ask.choose("What now?", even):
            raise WentBack
        return replace(wanted, agreed=("--even-if-in-use",))

    def _preset(self) -> str:
        from wizard.conv2d.presets import load_presets

        return self.road.ask.choose(PRESETS, [Option(p.title, p.id) for p in load_presets()])

    def _shape(self) -> tuple[str, str]:
        known = [Option(f"channels {c}, {s} x {s}", (c, s)) for c, s in SHAPES]
        none = Option("another one: I will type it", ("", ""))
        chosen = self.road.ask.choose(SETTINGS, [*known, none])
        if chosen[0]:
            return chosen
        channels, _, size = self.road.ask.text(OWN_SHAPE).partition(" ")
        return channels, size.strip()


def walk(road: Road) -> int:
    """Ask, then measure; gives the exit code."""
    _, machine = road.look()
    return _measure(road, machine, Wanted())


def measure(road: Road, python: str, *, on_processor: bool) -> int:
    """Measure what was just installed."""
    return _measure(road, None, Wanted(python, "cpu" if on_processor else "cuda"))


def _measure(road: Road, machine: Machine | None, known: Wanted) -> int:
    pythons = tuple(_pythons(road, machine)) if machine else ()
    asking = Measuring(road, pythons, with_card=machine is not None and bool(machine.gpus))
    steps = (asking.python, asking.device, asking.aim, asking.shapes, asking.desktop)
    wanted = in_turn(steps, known)
    code = road.carry_out(*wanted.words)
    if wanted.aim == "setting" and acts(road.arguments):
        _keep(road, wanted.python)
    return code


def _pythons(road: Road, machine: Machine) -> Iterable[str]:
    """Those with torch: the newest venv of ours first."""
    from wizard.commands.conv2d import newest_python

    ours = newest_python(road.arguments) if not machine.recorded else None
    found = [f"{e.path}/bin/python" for e in machine.environments
             if e.torch is not None and e.kind in ("venv", "conda")]  # fmt: skip
    return dict.fromkeys([*([ours] if ours else []), *found])


def _keep(road: Road, python: str) -> None:
    """Offers to keep the setting that the search has found, by a plan that is shown first."""
    from wizard.conv2d.asked import sweep_in
    from wizard.conv2d.runs.folders import runs_of
    from wizard.conv2d.runs.history import told_by
    from wizard.conv2d.search.setting_answer import found_by

    newest = next(iter(runs_of(places_of(host_of(road.arguments)))), None)
    if newest is None or sweep_in(newest.request).python != python:
        return
    found = found_by(told_by(newest).done.setting, python)
    if found is None:
        return
    keep = [Option("show me the plan for this", True), Option("no", False)]
    if road.ask.choose(f"Keep this setting for {found.venv}?", keep):
        pairs = [f"{name}={value}" for name, value in found.setting]
        road.carry_out("keep", "--venv", found.venv, *pairs)
