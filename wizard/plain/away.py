"""The plain road back: what is to be taken away, or which run is to be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wizard.commands.looking import acts, host_of, places_of
from wizard.core.journal import OLDER, Kind
from wizard.core.lines import clean
from wizard.plain.asking import Option

if TYPE_CHECKING:
    from wizard.host.host import Host
    from wizard.machine.facts import Machine
    from wizard.plain.road import Road
    from wizard.plan.rollback_packages import Sources
    from wizard.plan.steps import Plan

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


def clear(road: Road) -> int:
    """Take ROCm off, or clear away what others left; gives the exit code."""
    from wizard.plan.amd_packages import broken_driver

    host, machine = road.look()
    broken = broken_driver(machine)
    driver = f", and the half-installed {', '.join(broken)}" if broken else ""
    options: list[Option[tuple[str, ...]]] = [
        Option("leftovers from other scripts: settings, orphans, broken packages", ("clean-up",)),
        Option(f"AMD's ROCm packages{driver}", ("remove",)),
        Option(f"AMD's and the distribution's ROCm{driver}", ("remove", "--distribution-rocm")),
    ]
    words = road.ask.choose(AWAY, options, explain=AWAY_MORE)
    more = _for_good(road, host, machine, words) if acts(road.arguments) else ()
    return 0 if more is None else road.carry_out(*words, *more)


def _for_good(
    road: Road, host: Host, machine: Machine, words: Sequence[str]
) -> tuple[str, ...] | None:
    from wizard.plan.impossible import PlanImpossible
    from wizard.run.exact_plan import clearing_plan, removal_scopes
    from wizard.run.resume import stopped_plan

    kind = Kind.CLEAN_UP if "clean-up" in words else Kind.REMOVE
    scopes = removal_scopes(distribution="--distribution-rocm" in words, driver=False)
    if stopped_plan(kind, places_of(host)) is not None:
        return ()
    try:
        plan = clearing_plan(kind, scopes, machine, host)
    except PlanImpossible:
        return ()  # the command says why
    return ask_for_good(road, host, plan)


def ask_for_good(road: Road, host: Host, plan: Plan) -> tuple[str, ...] | None:
    """The option to remove what nothing could put back, if anything is; None where it is to stay.

    All of it is named, and it stays unless the answer is yes.
    """
    from wizard.core.trouble import Trouble
    from wizard.run.exact_plan import asked_sources, asking_of

    try:
        sources = asked_sources(plan, asking_of(host))
    except Trouble:
        return ()  # the command says why
    return chosen_for_good(road, sources) if sources.lost else ()


def chosen_for_good(road: Road, sources: Sources) -> tuple[str, ...] | None:
    """The same, once it is known that something would be lost."""
    from wizard.plan.rollback_packages import no_way_back

    refusal = no_way_back(sources)
    road.say()
    for text in (refusal.happened, refusal.meaning):
        road.say(clean(text))
    options = [
        Option("no: nothing is removed", False),
        Option("yes, remove them permanently", True),
    ]
    if road.ask.choose(FOR_GOOD, options, explain=FOR_GOOD_MORE):
        return ("--without-rollback",)
    road.say(clean(f"Nothing was changed. {refusal.next_step}"))
    return None


def roll_back(road: Road) -> int:
    """Take one run back; gives the exit code."""
    from pathlib import Path

    from wizard.run.runs import older_runs, read_records, stands

    if road.arguments.machine or road.arguments.demo:
        road.say(NOT_HERE)
        return 0
    folder = Path(places_of(host_of(road.arguments)).runs)
    runs = list(filter(stands, read_records(folder)))
    older = [run for run in older_runs(folder) if not run.rolled_back]
    if not runs and not older:
        road.say(NO_RUN)
        return 0
    options: list[Option[str]] = []
    for run in runs:
        where = f" in {run.plan['venv']}" if run.plan["venv"] else ""
        options.append(Option(clean(f"{run.id}: {run.name}{where}, {run.state}"), run.id))
    options += [Option(clean(f"{run.id}: {OLDER}"), run.id) for run in older]
    chosen = road.ask.choose(RUNS, options, explain=RUNS_MORE)
    return road.carry_out("rollback", chosen)
