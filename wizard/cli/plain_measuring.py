"""Ways of the plain wizard to verdicts: which Python, which device, what; then ``conv2d`` so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wizard.cli.conv2d import newest_python
from wizard.cli.questions import Guide, Option, WentBack, in_turn
from wizard.conv2d.caution import circumstances_of
from wizard.conv2d.requests import sweep_in
from wizard.conv2d.runs.folders import runs_of
from wizard.conv2d.runs.history import read_status
from wizard.conv2d.shapes import load_presets
from wizard.conv2d.sweep import found_by
from wizard.core.lines import clean
from wizard.host.host import places_of
from wizard.knowledge.claims import trains
from wizard.machine.facts import Machine
from wizard.services.command_line import absolute, acts, host_of

PYTHONS = "Which Python do you want to measure with? Its torch will be measured."
TYPED = "another one: I will type it"
NAME = "Path to the Python in an environment that has torch, such as ~/ai/rocm52/bin/python:"
DEVICES = "On which device?"
QUESTIONS = "What do you want to know?"
PRESETS = "Which table of shapes?"
LIMITS = "For which channel counts do you want to find the largest size that works?"
SETTINGS = "Which shape do you want to get working?"
OWN_SHAPE = "Channels and size, such as 16-32 64:"
IN_USE = "Someone is logged in on a screen that this card drives or may drive."
PYTHONS_MORE = """\
Each path leads to a Python on this machine that has PyTorch. Nothing in its folder is changed.
The last choice lets you enter the path to another Python."""
NAME_MORE = """\
Type the path to a Python that has PyTorch. Look in the bin folder of the environment."""
DEVICES_MORE = """\
1 measures on the graphics card. A shape that hangs is ended at its time limit; until then the \
desktop may stand still.
2 computes on the processor. Nothing can hang, but it says nothing about your card."""
QUESTIONS_MORE = """\
1 measures a table of shapes, one by one, and says of each whether it is right, wrong or hangs.
2 measures a single small shape.
3 asks which table: the layers of a model, or shapes that others published.
4 measures larger and larger images, and says the largest that finishes.
5 measures one shape with different environment variables, and says the fewest that it needs.
6 measures what models need besides Conv2d, such as matrix products and batch norm."""
PRESETS_MORE = """\
Each choice is a list of shapes to measure. A longer list takes more time."""
LIMITS_MORE = """\
The numbers are the convolution's input and output channels, as in your model.
Square images up to 256 x 256 are tested."""
SETTINGS_MORE = """\
Choose the shape that hangs or gives wrong results on your card. The first two numbers are the \
input and output channels; the other two are the height and width of the image. The last choice \
lets you type your own."""
OWN_SHAPE_MORE = """\
16-32 64 means: 16 channels go in, 32 come out, and the image is 64 x 64."""
IN_USE_MORE = """\
1 measures nothing, and goes back to the question before.
2 measures although a hang may freeze that screen. Unsaved work on it may be lost."""
KEEP_MORE = """\
1 shows the plan that sets these variables for this environment. Nothing is changed before you \
agree to it.
2 keeps nothing: programs start without these variables, as before."""
WORK = ("--work", "forward,backward")
QUICK = ("--sizes", "32", "--channels", "16-32")
CHANNELS = ("16-32", "32-64", "64-128")
SHAPES = (("16-32", "64"), ("16-32", "224"), ("32-64", "64"), ("64-128", "64"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was answered so far."""

    python: str = ""
    device: str = ""
    question: str = "table"
    shapes: tuple[str, ...] = ()
    agreed: tuple[str, ...] = ()
    trains: bool = False
    """True where what was wanted trains models: then the gradients are measured too."""

    @property
    def words(self) -> tuple[str, ...]:
        """The command line that they make."""
        python = ("--python", self.python) if self.python else ()
        work = WORK if self.trains and self.question in ("table", "quick", "preset") else ()
        return ("conv2d", *python, "--device", self.device, *self.shapes, *work, *self.agreed)


@dataclass(frozen=True, slots=True)
class Measuring:
    """The questions of this guide."""

    guide: Guide
    pythons: tuple[str, ...]
    with_card: bool

    def python(self, wanted: Wanted) -> Wanted | None:
        """Whose torch is measured."""
        if wanted.python:
            return None
        options = [Option(clean(path), path) for path in self.pythons]
        taken = self.guide.ask.choose(PYTHONS, [*options, Option(TYPED, "")], explain=PYTHONS_MORE)
        if not taken:
            typed = self.guide.ask.text(NAME, explain=NAME_MORE)
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
        device = self.guide.ask.choose(DEVICES, options, usual, explain=DEVICES_MORE)
        return replace(wanted, device=device)

    def question(self, wanted: Wanted) -> Wanted:
        """What is to be found out."""
        options = [
            Option("which shapes pass: the table on which the public notes disagree", "table"),
            Option("a first look: one small shape", "quick"),
            Option("the layers of a whole model, or another table", "preset"),
            Option("the largest size that finishes", "limit"),
            Option("the fewest variables that make one shape work", "setting"),
            Option("other operations than Conv2d", "operations"),
        ]
        return replace(
            wanted, question=self.guide.ask.choose(QUESTIONS, options, explain=QUESTIONS_MORE)
        )

    def shapes(self, wanted: Wanted) -> Wanted | None:
        """The options of ``conv2d`` that ask for that."""
        match wanted.question:
            case "quick":
                shapes: tuple[str, ...] = QUICK
            case "preset":
                shapes = ("--preset", self._preset())
            case "limit":
                channels = [Option(text, text) for text in CHANNELS]
                chosen = self.guide.ask.choose(LIMITS, channels, explain=LIMITS_MORE)
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
        if wanted.device != "cuda" or not acts(self.guide.arguments):
            return None
        around = circumstances_of(host_of(self.guide.arguments))
        if not around.is_someones_desktop:
            return None
        self.guide.say("", IN_USE, around.text)
        even = [Option("do not measure now", False), Option("measure anyway", True)]
        if not self.guide.ask.choose("What now?", even, explain=IN_USE_MORE):
            raise WentBack
        return replace(wanted, agreed=("--even-if-in-use",))

    def _preset(self) -> str:
        options = [Option(p.title, p.id) for p in load_presets()]
        return self.guide.ask.choose(PRESETS, options, explain=PRESETS_MORE)

    def _shape(self) -> tuple[str, str]:
        known = [Option(f"channels {c}, {s} x {s}", (c, s)) for c, s in SHAPES]
        none = Option("another one: I will type it", ("", ""))
        chosen = self.guide.ask.choose(SETTINGS, [*known, none], explain=SETTINGS_MORE)
        if chosen[0]:
            return chosen
        typed = self.guide.ask.text(OWN_SHAPE, explain=OWN_SHAPE_MORE)
        channels, _, size = typed.partition(" ")
        return channels, size.strip()


def measure(guide: Guide) -> int:
    """Ask, then measure; gives the exit code."""
    _, machine = guide.look()
    return _ask_and_measure(guide, machine, Wanted(trains=trains(guide.applications)))


def measure_installed(
    guide: Guide, python: str, *, on_processor: bool, applications: Sequence[str] = ()
) -> int:
    """Measure what was just installed, as these programs use it."""
    device = "cpu" if on_processor else "cuda"
    return _ask_and_measure(guide, None, Wanted(python, device, trains=trains(applications)))


def _ask_and_measure(guide: Guide, machine: Machine | None, known: Wanted) -> int:
    pythons = tuple(_pythons(guide, machine)) if machine else ()
    asking = Measuring(guide, pythons, with_card=machine is not None and bool(machine.gpus))
    steps = (asking.python, asking.device, asking.question, asking.shapes, asking.desktop)
    wanted = in_turn(steps, known)
    code = guide.carry_out(*wanted.words)
    if wanted.question == "setting" and acts(guide.arguments):
        _keep(guide, wanted.python)
    return code


def _pythons(guide: Guide, machine: Machine) -> Iterable[str]:
    """Those with torch: the newest venv of ours first."""
    ours = newest_python(guide.arguments) if not machine.recorded else None
    found = [f"{e.path}/bin/python" for e in machine.environments
             if e.torch is not None and e.kind in ("venv", "conda")]  # fmt: skip
    return dict.fromkeys([*([ours] if ours else []), *found])


def _keep(guide: Guide, python: str) -> None:
    """Offers to keep the setting that the search has found, by a plan that is shown first."""
    newest = next(iter(runs_of(places_of(host_of(guide.arguments)))), None)
    if newest is None or sweep_in(newest.request).python != python:
        return
    found = found_by(read_status(newest).done.setting, python)
    if found is None:
        return
    keep = [Option("show me the plan for this", True), Option("no", False)]
    if guide.ask.choose(f"Keep this setting for {found.venv}?", keep, explain=KEEP_MORE):
        pairs = [f"{name}={value}" for name, value in found.setting]
        guide.carry_out("keep", "--venv", found.venv, *pairs)
