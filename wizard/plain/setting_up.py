"""The plain road to a stack: what for, which one, where; then ``apply`` with those answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from wizard.commands.choosing import absolute, folder_of, with_sources
from wizard.commands.looking import acts, places_of, speed_of_line
from wizard.plain.asking import Option, in_turn
from wizard.plain.away import ask_for_good
from wizard.run.lines import clean

if TYPE_CHECKING:
    from wizard.machine.facts import Gpu, Machine
    from wizard.machine.host import Host
    from wizard.plain.road import Road
    from wizard.report.weighed import Weighed

WISHES = "What do you want to run? Stacks are weighed for it."
STACKS = "Which stack? The suggested one comes first."
CARDS = "There is more than one card of AMD's. Which one?"
FOOTPRINTS = "How much of the system?"
FOLDER = "Which folder? A new one, or a venv or conda environment that you have."


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was answered so far."""

    applications: tuple[str, ...] = ()
    gpu: str = ""
    stack: str = ""
    footprint: str = "venv"
    folder: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The command line that they make."""
        card = ("--gpu", self.gpu) if self.gpu else ()
        system = ("--footprint", self.footprint) if self.footprint != "venv" else ()
        return ("apply", "--stack", self.stack, *card, *system, "--venv", self.folder)


@dataclass(frozen=True, slots=True)
class Setup:
    """The questions of this road, over the machine as it was found."""

    road: Road
    host: Host
    machine: Machine

    def wishes(self, wanted: Wanted) -> Wanted:
        """What is to be run."""
        from wizard.knowledge.applications import load_applications
        from wizard.plan.wishes import wishes_of

        offered = load_applications()
        there = wishes_of(self.machine)
        options = [
            Option(f"{each.title}{', found here' if each.id in there else ''}", each.id)
            for each in offered
        ]
        usual = [place for place, each in enumerate(offered) if each.id in there]
        return replace(wanted, applications=self.road.ask.tick(WISHES, options, usual))

    def card(self, wanted: Wanted) -> Wanted | None:
        """The card, where there is a choice."""
        from wizard.plan.card import AMD, chosen_card

        cards = [gpu for gpu in self.machine.gpus if gpu.pci_id.lower().startswith(AMD)]
        usual = chosen_card(self.machine)
        if len(cards) < 2 or usual is None:
            return None
        options = [Option(_card_text(gpu), gpu.pci_address) for gpu in cards]
        return replace(wanted, gpu=self.road.ask.choose(CARDS, options, cards.index(usual)))

    def stack(self, wanted: Wanted) -> Wanted:
        """The stack, with the advice before it."""
        from wizard.plan.card import with_card
        from wizard.report.advice import suggestion_lines
        from wizard.report.weighed import weighed

        speed = speed_of_line(self.host, places_of(self.host))
        found = weighed(with_card(self.machine, wanted.gpu), wanted.applications, speed=speed)
        self.road.say()
        for line in suggestion_lines(found.advice):
            self.road.say(line)
        titles = {stack.id: stack.title for stack in found.stacks}
        options: list[Option[str]] = []
        for road in sorted(found.advice.roads, key=lambda road: road.rank):
            name = road.fit.stack
            mark = ", suggested" if road.rank == 1 else ""
            state = mark if road.fit.possible else ", not possible here"
            options.append(Option(f"{name}: {titles[name]}{state}", name))
        explain = _explaining(self.road.say, found, [option.value for option in options])
        return replace(wanted, stack=self.road.ask.choose(STACKS, options, explain=explain))

    def footprint(self, wanted: Wanted) -> Wanted | None:
        """The folder alone, or system packages too where the stack has any."""
        from wizard.knowledge.stacks import find_stack

        stack = find_stack(wanted.stack)
        if stack is None or not stack.system_release:
            return None
        system = f"that, and the system's packages of ROCm {stack.system_release} (needs root)"
        options = [
            Option("one folder of yours, without root", "venv"),
            Option(system, "venv+system"),
        ]
        return replace(wanted, footprint=self.road.ask.choose(FOOTPRINTS, options))

    def folder(self, wanted: Wanted) -> Wanted:
        """Where it goes."""
        usual = folder_of(self.road.arguments, wanted.stack, self.host.home)
        return replace(wanted, folder=absolute(self.road.ask.text(FOLDER, usual)))

    def for_good(self, wanted: Wanted) -> tuple[str, ...] | None:
        """The option to remove what nothing could put back, if anything is; None for no."""
        from wizard.commands.making import plan_here
        from wizard.plan.choice import Choice
        from wizard.plan.impossible import PlanImpossible
        from wizard.run.settling import waiting_plan

        if wanted.footprint == "venv":
            return ()
        choice = Choice(wanted.stack, wanted.footprint, wanted.folder, gpu=wanted.gpu)
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
    questions = (setup.wishes, setup.card, setup.stack, setup.footprint, setup.folder)
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

    options = [Option("yes, go on to Conv2d", True), Option("no, back to the beginning", False)]
    if road.ask.choose("Installed. Measure it now?", options):
        measuring.measure(road, f"{wanted.folder}/bin/python", on_processor=wanted.stack == "cpu")
    return 0


def _card_text(gpu: Gpu) -> str:
    kind = "" if gpu.rdna1 else ", not RDNA1"
    return clean(f"{gpu.name} at {gpu.pci_address}{kind}")


def _explaining(
    say: Callable[[str], None], found: Weighed, stacks: Sequence[str]
) -> Callable[[int | None], None]:
    """Tells all stacks beside each other, or all that is said of one of them."""
    from wizard.report.advice import stack_road_lines
    from wizard.report.weighed import sheet, stack_lines

    def explain(place: int | None) -> None:
        say("")
        if place is None:
            lines = sheet(found)
        else:
            (road,) = (one for one in found.advice.roads if one.fit.stack == stacks[place])
            lines = chain(stack_road_lines(road), ("",), stack_lines(found, stacks[place]))
        for line in lines:
            say(line)

    return explain
