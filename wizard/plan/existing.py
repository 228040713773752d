"""Steps for an environment that exists: its torch is replaced, all else in it stays."""

from __future__ import annotations

from collections.abc import Mapping

from packaging.specifiers import SpecifierSet

from wizard.advice.fit import Fit
from wizard.advice.floors import python_obstacle
from wizard.core.own_files import Places
from wizard.host.contents import OURS, Contents
from wizard.host.distributions import conflicts
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.operations.write_file import PinInstalled, WriteFile
from wizard.plan.choice import Choice
from wizard.plan.family import pinned, replaced, stack_specifiers, without_successor
from wizard.plan.settings import setting_steps
from wizard.plan.steps import Step
from wizard.plan.user_site import user_site_steps
from wizard.plan.venv import check_torch, drop_downloads, execstack_steps, wishes_of, work_folder
from wizard.plan.wheel_steps import (
    CHANGES_NOTHING_YET,
    fetch_chosen,
    install_fetched,
    resolve_held,
    staging_of,
)


def existing_steps(
    machine: Machine, choice: Choice, stack: Stack, there: Contents, places: Places
) -> tuple[Step, ...]:
    """Everything that replaces the torch of the environment; nothing in it needs root."""
    work = work_folder(choice, stack, places)
    settings = setting_steps(machine, choice, stack, there.python, there.pip_conf, there.site)
    resolve = resolve_held(
        "uv chooses every version before anything is changed. All other packages keep their "
        "versions.",
        machine,
        there,
        replaced(there, stack),
        wishes_of(machine, choice, stack, tuple(each.name for each in pinned(there, stack))),
        work,
    )
    return (
        resolve,
        fetch_chosen(CHANGES_NOTHING_YET, resolve, stack.hashes),
        _set_aside(choice, stack, there, settings, work),
        *user_site_steps(choice, there, places),
        install_fetched(resolve, there.path, there.site),
        *execstack_steps(machine, choice, stack, there.site),
        *settings,
        check_torch(choice, stack),
        drop_downloads(work),
    )


def planned_conflicts(stack: Stack, there: Contents) -> tuple[str, ...]:
    """Who asks for another torch or numpy, as far as the stack names its versions exactly."""
    goes, come = replaced(there, stack), _known_versions(stack_specifiers(stack))
    stay = [each for each in there.distributions if each not in goes]
    # Of the rest it is known only after the resolver's run whether it comes back.
    known = {*come, *(each.name for each in without_successor(stack, goes))}
    return conflicts(stay, [each for each in goes if each.name in known], come, there.python)


def _known_versions(specifiers: Mapping[str, SpecifierSet]) -> dict[str, str]:
    """The versions that a stack names exactly."""
    found = {}
    for name, specifier in specifiers.items():
        exact = [each.version for each in specifier if each.operator == "=="]
        if len(exact) == 1:
            found[name] = exact[0]
    return found


def obstacles_to(
    steps: tuple[Step, ...], machine: Machine, stack: Stack, held: Fit
) -> tuple[str, ...]:
    """What rules the stack out here; an environment that exists brings its own Python."""
    own = any(isinstance(step, SetAsidePackages) for step in steps)
    missing = python_obstacle(machine, stack, held.python)
    mended = missing.text if own and missing else ""
    return tuple(each for each in held.obstacles if each != mended)


def _set_aside(
    choice: Choice, stack: Stack, there: Contents, settings: tuple[Step, ...], work: str
) -> SetAsidePackages:
    return SetAsidePackages(
        "Replaced files are kept in a backup on the same file system, with a list of their hashes.",
        choice.venv,
        there.site,
        tuple((each.name, each.version) for each in replaced(there, stack)),
        tuple(step.path for step in settings if isinstance(step, (WriteFile, PinInstalled))),
        staging_of(work),
        f"{choice.venv}/{OURS}",
    )
