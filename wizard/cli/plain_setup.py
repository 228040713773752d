"""Ways of the plain wizard that change this machine: install, remove, undo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from wizard.advice.card import chosen_card
from wizard.advice.comparison import line_speed
from wizard.advice.recommend import found_applications, recommend
from wizard.cli.plain_measuring import measure_installed
from wizard.cli.questions import HOW_TO_ANSWER, Guide, Option, WentBack, in_turn
from wizard.core.journal import OLDER, Kind
from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.host.host import Host, places_of
from wizard.knowledge.applications import PLAIN_TORCH, Application, load_applications
from wizard.knowledge.cards import AMD
from wizard.knowledge.claims import load_purposes
from wizard.knowledge.stacks import find_stack, load_stacks
from wizard.machine.facts import Gpu, Machine
from wizard.plan.amd_packages import broken_driver, scopes_of
from wizard.plan.choice import Choice
from wizard.plan.clean_up import make_clearing
from wizard.plan.group_steps import joinable
from wizard.plan.impossible import PlanImpossible
from wizard.plan.rollback_packages import RollbackFiles, no_rollback
from wizard.plan.steps import Plan
from wizard.report.recommendation import (
    Compared,
    cannot_run,
    compared,
    fit_lines,
    recommendation_lines,
    stack_lines,
)
from wizard.report.stacks import sheet_lines
from wizard.run.preflight import rollback_files, unfinished_plan
from wizard.run.resume import stopped_plan
from wizard.run.runs import older_runs, read_records, records_of, undoable
from wizard.services.command_line import absolute, acts, host_of
from wizard.services.plan_request import app_words, folder_of, plan_here, with_sources

AWAY = "What do you want to remove? You will see the plan first, and you can undo it."
RUNS = (
    "Which run do you want to undo? You are shown what it did and asked before anything is changed."
)
AWAY_MORE = """\
You see the full plan before anything is changed.
1 removes what other scripts left behind: ROCm settings, folders that belong to no package, and \
broken packages.
2 removes AMD's ROCm packages, with their apt sources and folders.
3 removes those and your distribution's ROCm packages. Blender and other programs may use them."""
RUNS_MORE = """\
Each choice is one run of this program: what it did, where, and how it ended. Before \
anything is changed, you see what would be undone and are asked to confirm. Files you \
added are kept."""
FOR_GOOD_MORE = """\
1 removes nothing and leaves the machine as it is.
2 removes all of them. Rollback cannot restore the packages that are named above."""
NOT_HERE = "There is nothing to undo in a machine recording."
FOR_GOOD = "Remove these packages anyway, without rollback?"
NO_RUN = "There is no run of this program to undo."
WISHES = "What do you want to run? The recommendation depends on it."
STACKS = "Which stack? The recommended one comes first; native is AMD's own build."
SURE = "Use it anyway?"
CARDS = "There is more than one AMD card. Which one?"
PRESETS = "Which published Conv2d settings do you want?"
FOOTPRINTS = "What may it change?"
GROUPS = "You do not have permission to use the GPU yet. Should the plan give you that permission?"
UNDO = "You can undo any of them after installing: rdna1-setup rollback"
WISHES_MORE = """\
Type the numbers of the programs that you want to run, such as 1, 3. They determine which stack is \
recommended. Nothing is installed yet.
Type 0 to get a recommendation for PyTorch in general."""
CARDS_MORE = """\
The stack is chosen for the card you select here. Enter selects the card that suits PyTorch best.
The text after "at" is the card's address on the PCI bus, as shown by lspci."""
SURE_MORE = """\
1 goes back to the list of stacks.
2 continues with this one. It cannot run what is named above, but may run other programs."""
PRESETS_MORE = """\
These are environment variables that other people published for convolutions on these cards.
1 sets only the variables that the stack itself needs. Each of the other choices also sets \
the variables from one source, for this environment only."""
FOOTPRINTS_MORE = """\
1 puts everything into one folder. PyTorch needs no more: its wheels include their own ROCm.
2 also installs ROCm packages with apt, for programs that use ROCm without PyTorch.
Rollback undoes either."""
GROUPS_MORE = """\
Linux lets only members of certain groups use the GPU.
1 adds you to them when the plan is carried out. This takes effect the next time you log in.
2 leaves your groups as they are, but PyTorch cannot use the GPU until you have that permission."""
FOLDER_MORE = """\
Press Enter to use the folder shown. If you name a folder that does not exist, it is created.
For an existing environment, the plan shows whether PyTorch will be replaced there."""
MEASURE_MORE = """\
1 measures convolutions with what was just installed. You choose which, and are asked to \
confirm before anything runs on the GPU.
2 goes back to the first menu. Its second choice measures later."""
FOLDER = "Which folder? Type the path to a new folder, or to an existing venv or conda environment."


def clear(guide: Guide) -> int:
    """Take ROCm off, or clear away what others left; gives the exit code."""
    host, machine = guide.look()
    broken = broken_driver(machine)
    driver = f", and the half-installed {', '.join(broken)}" if broken else ""
    options: list[Option[tuple[str, ...]]] = [
        Option("leftovers from other scripts: settings, orphans, broken packages", ("clean-up",)),
        Option(f"AMD's ROCm packages{driver}", ("remove",)),
        Option(f"AMD's and the distribution's ROCm{driver}", ("remove", "--distribution-rocm")),
    ]
    words = guide.ask.choose(AWAY, options, explain=AWAY_MORE)
    more = _for_good(guide, host, machine, words) if acts(guide.arguments) else ()
    return 0 if more is None else guide.carry_out(*words, *more)


def _for_good(
    guide: Guide, host: Host, machine: Machine, words: Sequence[str]
) -> tuple[str, ...] | None:
    kind = Kind.CLEAN_UP if "clean-up" in words else Kind.REMOVE
    scopes = scopes_of(distribution="--distribution-rocm" in words, driver=False)
    if stopped_plan(kind, places_of(host)) is not None:
        return ()
    try:
        plan = make_clearing(kind, scopes, machine, host)
    except PlanImpossible:
        return ()  # the command says why
    return ask_for_good(guide, host, plan)


def ask_for_good(guide: Guide, host: Host, plan: Plan) -> tuple[str, ...] | None:
    """The option to remove what nothing could put back, if anything is; None where it is to stay.

    All of it is named, and it stays unless the answer is yes.
    """
    try:
        files = rollback_files(plan, host)
    except Trouble:
        return ()  # the command says why
    return chosen_for_good(guide, files) if files.lost else ()


def chosen_for_good(guide: Guide, files: RollbackFiles) -> tuple[str, ...] | None:
    """The same, once it is known that something would be lost."""
    refusal = no_rollback(files)
    guide.say("", *map(clean, (refusal.happened, refusal.meaning)))
    options = [
        Option("no: nothing is removed", False),
        Option("yes, remove them permanently", True),
    ]
    if guide.ask.choose(FOR_GOOD, options, explain=FOR_GOOD_MORE):
        return ("--without-rollback",)
    guide.say(clean(f"Nothing was changed. {refusal.next_step}"))
    return None


def roll_back(guide: Guide) -> int:
    """Take one run back; gives the exit code."""
    if guide.arguments.machine or guide.arguments.demo:
        guide.say(NOT_HERE)
        return 0
    folder = Path(places_of(host_of(guide.arguments)).runs)
    runs = list(filter(undoable, read_records(folder)))
    older = [run for run in older_runs(folder) if not run.rolled_back]
    if not runs and not older:
        guide.say(NO_RUN)
        return 0
    options: list[Option[str]] = []
    for run in runs:
        where = f" in {run.plan['venv']}" if run.plan["venv"] else ""
        options.append(Option(clean(f"{run.id}: {run.name}{where}, {run.state}"), run.id))
    options += [Option(clean(f"{run.id}: {OLDER}"), run.id) for run in older]
    chosen = guide.ask.choose(RUNS, options, explain=RUNS_MORE)
    return guide.carry_out("rollback", chosen)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was answered so far."""

    applications: tuple[str, ...] = ()
    gpu: str = ""
    stack: str = ""
    preset: str = ""
    footprint: str = "venv"
    without_groups: bool = False
    folder: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The command line that they make."""
        card = ("--gpu", self.gpu) if self.gpu else ()
        system = ("--footprint", self.footprint) if self.footprint != "venv" else ()
        preset = ("--preset", self.preset) if self.preset else ()
        start = ("apply", "--stack", self.stack, *app_words(self.applications), *preset)
        groups = ("--without-groups",) if self.without_groups else ()
        return (*start, *card, *system, *groups, "--venv", self.folder)


@dataclass(frozen=True, slots=True)
class Setup:
    """The questions of this way, over the machine as it was found."""

    guide: Guide
    host: Host
    machine: Machine

    def manifest(self, wanted: Wanted) -> Wanted:
        """What is to be run."""
        offered = load_applications()
        there = found_applications(self.machine)
        before = self.guide.applications or there
        options = [
            Option(f"{each.title}{', found here' if each.id in there else ''}", each.id)
            for each in offered
        ]
        usual = [place for place, each in enumerate(offered) if each.id in before]
        ticked = self.guide.ask.tick(
            WISHES, options, usual, explain=_programs(self.guide.say, offered)
        )
        # Named even where it is none of the offered: else a command takes what was found here.
        self.guide.applications = ticked or (PLAIN_TORCH,)
        return replace(wanted, applications=self.guide.applications)

    def card(self, wanted: Wanted) -> Wanted | None:
        """The card, where there is a choice."""
        cards = [g for g in self.machine.gpus if g.pci_id.lower().startswith(f"{AMD}:")]
        usual = chosen_card(self.machine)
        if len(cards) < 2 or usual is None:
            return None
        options = [Option(_card_text(gpu), gpu.pci_address) for gpu in cards]
        chosen = self.guide.ask.choose(CARDS, options, cards.index(usual), explain=CARDS_MORE)
        return replace(wanted, gpu=chosen)

    def stack(self, wanted: Wanted) -> Wanted:
        """The stack, with the advice before it."""
        speed = line_speed(records_of(self.host))
        recommended = recommend(self.machine, wanted.applications, wanted.gpu)
        found = compared(self.machine, recommended, gpu=wanted.gpu, speed=speed)
        self.guide.say("", *recommendation_lines(recommended), UNDO)
        titles = {stack.id: stack.title for stack in load_stacks()}
        options: list[Option[str]] = []
        for fit in recommended.fits:
            mark = ", recommended" if fit is recommended.fits[0] else ""
            state = mark if fit.possible else ", not possible here"
            options.append(Option(f"{fit.stack}: {titles[fit.stack]}{state}", fit.stack))
        explain = _explaining(self.guide.say, found, [option.value for option in options])
        return replace(wanted, stack=self.guide.ask.choose(STACKS, options, explain=explain))

    def sure(self, wanted: Wanted) -> Wanted | None:
        """A yes to a stack that cannot run what is wanted; a no leads back to the stacks."""
        found = recommend(self.machine, wanted.applications, wanted.gpu)
        fit = found.fits[found.rank(wanted.stack) - 1]
        warning = cannot_run(found, fit) if fit.possible else ""
        if not warning:
            return None
        self.guide.say("", clean(warning))
        options = [Option("no, choose another stack", False), Option("yes, continue with it", True)]
        if not self.guide.ask.choose(SURE, options, explain=SURE_MORE):
            raise WentBack
        return wanted

    def preset(self, wanted: Wanted) -> Wanted | None:
        """Published variables, where the stack has any on offer."""
        stack = find_stack(wanted.stack)
        if stack is None or not stack.presets:
            return None
        options = [Option("none: the stack's own settings", "")]
        options += [
            Option(f"{each.name}, from {each.source}. {each.caution}", each.name)
            for each in stack.presets
        ]
        preset = self.guide.ask.choose(PRESETS, options, explain=PRESETS_MORE)
        return replace(wanted, preset=preset)

    def footprint(self, wanted: Wanted) -> Wanted | None:
        """The folder alone, or system packages too where the stack has any."""
        stack = find_stack(wanted.stack)
        if stack is None or not stack.system_release:
            return None
        system = (
            f"one folder in your home, and ROCm {stack.system_release} system packages (needs root)"
        )
        options = [Option("one folder in your home", "venv"), Option(system, "venv+system")]
        footprint = self.guide.ask.choose(FOOTPRINTS, options, explain=FOOTPRINTS_MORE)
        return replace(wanted, footprint=footprint)

    def groups(self, wanted: Wanted) -> Wanted | None:
        """Permission to use the GPU, where it is missing and the plan can give it."""
        found = recommend(self.machine, wanted.applications, wanted.gpu)
        groups = joinable(found.fits[found.rank(wanted.stack) - 1].missing_right)
        if not groups:
            return None
        options = [
            Option(f"yes: it adds you to {' and '.join(groups)}, as root", False),
            Option("no: do not change my groups", True),
        ]
        declined = self.guide.ask.choose(GROUPS, options, explain=GROUPS_MORE)
        return replace(wanted, without_groups=declined)

    def folder(self, wanted: Wanted) -> Wanted:
        """Where it goes."""
        usual = folder_of(self.guide.arguments, wanted.stack, self.host.home)
        typed = self.guide.ask.text(FOLDER, usual, explain=FOLDER_MORE)
        return replace(wanted, folder=absolute(typed))

    def for_good(self, wanted: Wanted) -> tuple[str, ...] | None:
        """The option to remove what nothing could put back, if anything is; None for no."""
        if wanted.footprint == "venv":
            return ()
        choice = Choice(
            wanted.stack,
            wanted.footprint,
            wanted.folder,
            wanted.applications,
            preset=wanted.preset,
            gpu=wanted.gpu,
            without_groups=wanted.without_groups,
        )
        choice = with_sources(choice, self.guide.arguments)
        try:
            if unfinished_plan(choice, places_of(self.host)) is not None:
                return ()
            plan = plan_here(self.machine, choice, self.host)
        except PlanImpossible:
            return ()  # the command says why
        return ask_for_good(self.guide, self.host, plan)


def set_up(guide: Guide) -> int:
    """Ask, show the plan, carry it out if that is agreed to; gives the exit code."""
    setup = Setup(guide, *guide.look())
    questions = (
        setup.manifest,
        setup.card,
        setup.stack,
        setup.sure,
        setup.preset,
        setup.footprint,
        setup.groups,
        setup.folder,
    )
    wanted = in_turn(questions, Wanted())
    more = setup.for_good(wanted) if acts(guide.arguments) else ()
    if more is None:
        return 0
    code = guide.carry_out(*wanted.words, *more)
    if code == 0 and acts(guide.arguments):
        return _measure(guide, wanted)
    return code


def _measure(guide: Guide, wanted: Wanted) -> int:
    """Offers to go on where the screens go on: with Conv2d."""
    options = [Option("yes, measure Conv2d", True), Option("no, back to the beginning", False)]
    if guide.ask.choose("Installed. Measure it now?", options, explain=MEASURE_MORE):
        measure_installed(
            guide,
            f"{wanted.folder}/bin/python",
            on_processor=wanted.stack == "cpu",
            applications=wanted.applications,
        )
    return 0


def _card_text(gpu: Gpu) -> str:
    kind = "" if gpu.rdna1 else ", not RDNA1"
    return clean(f"{gpu.name} at {gpu.pci_address}{kind}")


def _programs(
    say: Callable[[str], None], offered: Sequence[Application]
) -> Callable[[int | None], None]:
    """Tells what the question is for, or what is known of one program."""

    def explain(place: int | None) -> None:
        say(*((WISHES_MORE, HOW_TO_ANSWER) if place is None else _program_told(offered[place])))

    return explain


def _program_told(application: Application) -> Iterator[str]:
    meaning = next(each.meaning for each in load_purposes() if each.id == application.purpose)
    yield f"{application.title}: {meaning}"
    if application.torch_floor:
        yield f"Its newest release needs torch {application.torch_floor} or newer."
    if application.spoils:
        told = application.spoils.replace("this folder", "the folder of the new environment")
        yield f"{told}."


def _explaining(
    say: Callable[[str], None], found: Compared, stacks: Sequence[str]
) -> Callable[[int | None], None]:
    """Tells all stacks beside each other, or all that is said of one of them."""

    def explain(place: int | None) -> None:
        say("")
        if place is None:
            lines = sheet_lines(found.columns)
        else:
            (fit,) = (one for one in found.recommendation.fits if one.stack == stacks[place])
            lines = chain(fit_lines(found, fit), ("",), stack_lines(found, fit.stack))
        say(*lines)

    return explain
