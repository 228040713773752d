"""The plain road to a stack: what for, which one, where; then ``apply`` with those answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from wizard.commands.choosing import absolute, app_words, folder_of, with_sources
from wizard.commands.looking import acts, places_of, speed_of_line
from wizard.core.lines import clean
from wizard.plain.asking import HOW_TO_ANSWER, Option, WentBack, in_turn
from wizard.plain.away import ask_for_good

if TYPE_CHECKING:
    from wizard.host.host import Host
    from wizard.knowledge.applications import Application
    from wizard.machine.facts import Gpu, Machine
    from wizard.plain.road import Road
    from wizard.report.recommendation import Compared

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
    """The questions of this road, over the machine as it was found."""

    road: Road
    host: Host
    machine: Machine

    def wishes(self, wanted: Wanted) -> Wanted:
        """What is to be run."""
        from wizard.advice.recommend import found_applications
        from wizard.knowledge.applications import PLAIN_TORCH, load_applications

        offered = load_applications()
        there = found_applications(self.machine)
        before = self.road.applications or there
        options = [
            Option(f"{each.title}{', found here' if each.id in there else ''}", each.id)
            for each in offered
        ]
        usual = [place for place, each in enumerate(offered) if each.id in before]
        ticked = self.road.ask.tick(
            WISHES, options, usual, explain=_programs(self.road.say, offered)
        )
        # Named even where it is none of the offered: else a command takes what was found here.
        self.road.applications = ticked or (PLAIN_TORCH,)
        return replace(wanted, applications=self.road.applications)

    def card(self, wanted: Wanted) -> Wanted | None:
        """The card, where there is a choice."""
        from wizard.advice.card import chosen_card
        from wizard.knowledge.cards import AMD

        cards = [g for g in self.machine.gpus if g.pci_id.lower().startswith(f"{AMD}:")]
        usual = chosen_card(self.machine)
        if len(cards) < 2 or usual is None:
            return None
        options = [Option(_card_text(gpu), gpu.pci_address) for gpu in cards]
        chosen = self.road.ask.choose(CARDS, options, cards.index(usual), explain=CARDS_MORE)
        return replace(wanted, gpu=chosen)

    def stack(self, wanted: Wanted) -> Wanted:
        """The stack, with the advice before it."""
        from wizard.advice.recommend import recommend
        from wizard.knowledge.stacks import load_stacks
        from wizard.report.recommendation import compared, recommendation_lines

        speed = speed_of_line(self.host, places_of(self.host))
        recommended = recommend(self.machine, wanted.applications, wanted.gpu)
        found = compared(self.machine, recommended, gpu=wanted.gpu, speed=speed)
        self.road.say()
        for line in recommendation_lines(recommended):
            self.road.say(line)
        self.road.say(UNDO)
        titles = {stack.id: stack.title for stack in load_stacks()}
        options: list[Option[str]] = []
        for fit in recommended.fits:
            mark = ", recommended" if fit is recommended.fits[0] else ""
            state = mark if fit.possible else ", not possible here"
            options.append(Option(f"{fit.stack}: {titles[fit.stack]}{state}", fit.stack))
        explain = _explaining(self.road.say, found, [option.value for option in options])
        return replace(wanted, stack=self.road.ask.choose(STACKS, options, explain=explain))

    def sure(self, wanted: Wanted) -> Wanted | None:
        """A yes to a stack that cannot run what is wanted; a no leads back to the stacks."""
        from wizard.advice.recommend import recommend
        from wizard.report.recommendation import cannot_run

        found = recommend(self.machine, wanted.applications, wanted.gpu)
        fit = found.fits[found.rank(wanted.stack) - 1]
        warning = cannot_run(found, fit) if fit.possible else ""
        if not warning:
            return None
        self.road.say()
        self.road.say(clean(warning))
        options = [Option("no, choose another stack", False), Option("yes, continue with it", True)]
        if not self.road.ask.choose(SURE, options, explain=SURE_MORE):
            raise WentBack
        return wanted

    def preset(self, wanted: Wanted) -> Wanted | None:
        """Published variables, where the stack has any on offer."""
        from wizard.knowledge.stacks import find_stack

        stack = find_stack(wanted.stack)
        if stack is None or not stack.presets:
            return None
        options = [Option("none: the stack's own settings", "")]
        options += [
            Option(f"{each.name}, from {each.source}. {each.caution}", each.name)
            for each in stack.presets
        ]
        preset = self.road.ask.choose(PRESETS, options, explain=PRESETS_MORE)
        return replace(wanted, preset=preset)

    def footprint(self, wanted: Wanted) -> Wanted | None:
        """The folder alone, or system packages too where the stack has any."""
        from wizard.knowledge.stacks import find_stack

        stack = find_stack(wanted.stack)
        if stack is None or not stack.system_release:
            return None
        system = (
            f"one folder in your home, and ROCm {stack.system_release} system packages (needs root)"
        )
        options = [
            Option("one folder in your home", "venv"),
            Option(system, "venv+system"),
        ]
        footprint = self.road.ask.choose(FOOTPRINTS, options, explain=FOOTPRINTS_MORE)
        return replace(wanted, footprint=footprint)

    def groups(self, wanted: Wanted) -> Wanted | None:
        """Permission to use the GPU, where it is missing and the plan can give it."""
        from wizard.advice.recommend import recommend
        from wizard.plan.group_steps import joinable

        found = recommend(self.machine, wanted.applications, wanted.gpu)
        groups = joinable(found.fits[found.rank(wanted.stack) - 1].missing_right)
        if not groups:
            return None
        options = [
            Option(f"yes: it adds you to {' and '.join(groups)}, as root", False),
            Option("no: do not change my groups", True),
        ]
        declined = self.road.ask.choose(GROUPS, options, explain=GROUPS_MORE)
        return replace(wanted, without_groups=declined)

    def folder(self, wanted: Wanted) -> Wanted:
        """Where it goes."""
        usual = folder_of(self.road.arguments, wanted.stack, self.host.home)
        typed = self.road.ask.text(FOLDER, usual, explain=FOLDER_MORE)
        return replace(wanted, folder=absolute(typed))

    def for_good(self, wanted: Wanted) -> tuple[str, ...] | None:
        """The option to remove what nothing could put back, if anything is; None for no."""
        from wizard.commands.making import plan_here
        from wizard.plan.choice import Choice
        from wizard.plan.impossible import PlanImpossible
        from wizard.run.exact_plan import waiting_plan

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
        choice = with_sources(choice, self.road.arguments)
        try:
            if waiting_plan(choice, places_of(self.host)) is not None:
                return ()
            plan = plan_here(self.machine, choice, self.host)
        except PlanImpossible:
            return ()  # the command says why
        return ask_for_good(self.road, self.host, plan)


def walk(road: Road) -> int:
    """Ask, show the plan, carry it out if that is agreed to; gives the exit code."""
    setup = Setup(road, *road.look())
    questions = (
        setup.wishes,
        setup.card,
        setup.stack,
        setup.sure,
        setup.preset,
        setup.footprint,
        setup.groups,
        setup.folder,
    )
    wanted = in_turn(questions, Wanted())
    more = setup.for_good(wanted) if acts(road.arguments) else ()
    if more is None:
        return 0
    code = road.carry_out(*wanted.words, *more)
    if code == 0 and acts(road.arguments):
        return _measure(road, wanted)
    return code


def _measure(road: Road, wanted: Wanted) -> int:
    """Offers to go on where the screens go on: with Conv2d."""
    from wizard.plain import measuring

    options = [Option("yes, measure Conv2d", True), Option("no, back to the beginning", False)]
    if road.ask.choose("Installed. Measure it now?", options, explain=MEASURE_MORE):
        measuring.measure(
            road,
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
        for line in (WISHES_MORE, HOW_TO_ANSWER) if place is None else _told(offered[place]):
            say(line)

    return explain


def _told(application: Application) -> Iterator[str]:
    from wizard.knowledge.claims import load_purposes

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
    from wizard.report.recommendation import fit_lines, stack_lines
    from wizard.report.stacks import sheet_lines

    def explain(place: int | None) -> None:
        say("")
        if place is None:
            lines = sheet_lines(found.columns)
        else:
            (fit,) = (one for one in found.recommendation.fits if one.stack == stacks[place])
            lines = chain(fit_lines(found, fit), ("",), stack_lines(found, fit.stack))
        for line in lines:
            say(line)

    return explain
