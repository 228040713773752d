"""Machine and choice in, plan out: pure, so that the same facts give the same plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from os.path import normpath
from pathlib import PurePosixPath

from wizard.advice.card import chosen_card, with_card
from wizard.advice.fit import Fit, Supply, fit
from wizard.advice.leftovers import MEASURED, left_out, reaching, reaching_text
from wizard.core.amounts import listed
from wizard.core.journal import Kind
from wizard.core.own_files import Places
from wizard.host.contents import Contents
from wizard.knowledge.applications import applications_named
from wizard.knowledge.claims import Word
from wizard.knowledge.stacks import Stack, find_stack, load_stacks
from wizard.knowledge.variables import LIBRARY_PATH
from wizard.machine.facts import Machine, Setting
from wizard.operations.resolve import AS_CONFIGURED
from wizard.plan.choice import Choice
from wizard.plan.existing import (
    beside,
    beside_notes,
    carried,
    carrying,
    existing_notes,
    existing_steps,
    obstacles_to,
    planned_conflicts,
    user_site_obstacle,
    user_torch,
    why_beside,
)
from wizard.plan.form import with_id
from wizard.plan.group_steps import group_steps
from wizard.plan.impossible import PlanImpossible
from wizard.plan.new_environment import chosen_preset, venv_steps, visible_device
from wizard.plan.room import room_notes
from wizard.plan.snapshot import as_asked
from wizard.plan.steps import Plan, Step
from wizard.plan.system import Prepared, SystemPart, system_part
from wizard.plan.usage import not_installed


def make_plan(
    machine: Machine,
    choice: Choice,
    places: Places,
    there: Contents | None = None,
    prepared: Prepared | None = None,
) -> Plan:
    """The steps that lead to the chosen stack on this machine. Raises PlanImpossible.

    ``there`` is what the chosen folder holds, where it is an environment that we did not make.
    Without what preflight has ``prepared`` a plan with system packages is shown, but not resolved.
    """
    stack = find_stack(choice.stack)
    if stack is None:
        known = ", ".join(each.id for each in load_stacks())
        raise PlanImpossible(
            f"There is no stack named {choice.stack!r}. The available stacks are: {known}."
        )
    _require_usable(choice, places.home)
    if choice.gpu and chosen_card(machine, choice.gpu) is None:
        raise PlanImpossible(f"There is no AMD card at the PCI address {choice.gpu}.")
    asked = applications_named(choice.applications)
    supply = Supply(wheelhouse=choice.wheelhouse, python_mirror=choice.python_mirror)
    held = fit(with_card(machine, choice.gpu), asked, stack, supply, choice.preset)
    choice = replace(choice, venv=there.path) if there else choice
    why = why_beside(stack, there) if there else ""
    steps: tuple[Step, ...]
    seen = ""
    if there is not None and not why:
        _require_no_conflict(choice, stack, there)
        if obstacle := user_site_obstacle(choice, there):
            raise PlanImpossible(obstacle)
        notes = existing_notes(choice, stack, there)
        steps = existing_steps(machine, choice, stack, there, places)
        held = replace(held, needs=(), obstacles=obstacles_to(steps, machine, stack, held))
        seen = user_torch(choice, there)
    else:
        choice = beside(choice, stack) if there else choice
        notes = beside_notes(why, stack, there, choice) if there else ()
        held = _with_python(machine, choice, stack, held)
        if not held.python:
            raise PlanImpossible(
                " ".join(held.obstacles) or ("No Python on this machine works with this stack.")
            )
        taken = carried(stack, there) if there else ()
        made = venv_steps(machine, choice, stack, held, places)
        steps = tuple(carrying(step, taken, choice.venv) for step in made)
    system = _system(machine, choice, stack, prepared or Prepared())
    steps = (*group_steps(machine, choice, held.missing_right), *steps)
    plan = replace(_plan(machine, choice, stack, held, system, steps, notes), user_torch=seen)
    plan = as_asked(machine, plan, choice.snapshot)
    return replace(plan, notes=(*room_notes(plan, machine), *plan.notes))


def _plan(
    machine: Machine,
    choice: Choice,
    stack: Stack,
    held: Fit,
    system: SystemPart,
    steps: tuple[Step, ...],
    notes: tuple[str, ...],
) -> Plan:
    joins = any(step.relogin_needed for step in steps)
    right = held.missing_right.text if held.missing_right else ""
    told = (*system.notes, *notes, *_notes(machine, choice, stack, held))
    return with_id(
        Plan(
            id="",
            kind=Kind.INSTALL,
            stack=stack.id,
            footprint=choice.footprint,
            venv=choice.venv,
            steps=(*system.steps, *steps),
            download_bytes=_sum(_fetched(choice, held), system.download_bytes),
            installed_bytes=_sum(_size(choice, held.installed_bytes), system.installed_bytes),
            notes=tuple(note for note in told if note != right),
            first="; ".join(filter(None, (system.first, "" if joins else right))),
        )
    )


def _fetched(choice: Choice, held: Fit) -> int | None:
    """From a folder of wheels nothing is downloaded."""
    return 0 if choice.wheelhouse else _size(choice, held.download_bytes)


def _size(choice: Choice, known: int | None) -> int | None:
    """What the data says holds for the stack's own index alone."""
    return None if choice.torch_index else known


def _sum(one: int | None, other: int | None) -> int | None:
    """Of sizes; not known where one of them is not."""
    return None if one is None or other is None else one + other


def _require_usable(choice: Choice, home: str) -> None:
    """Raise PlanImpossible for names that cannot be used, and for folders that hold everything."""
    for text in (choice.venv, choice.wheelhouse, choice.torch_index, choice.python_mirror):
        if not text.isprintable():
            raise PlanImpossible(
                f"{text!r} contains characters that cannot be displayed. Choose another name."
            )
    if not choice.venv.startswith("/"):
        raise PlanImpossible(
            f"{choice.venv!r} is not an absolute path to a folder. Use a path that starts with /."
        )
    folder = normpath(f"/{choice.venv.lstrip('/')}")  # POSIX keeps two slashes apart
    if PurePosixPath(normpath(home)).is_relative_to(folder):
        raise PlanImpossible(
            f"{choice.venv} contains files that this program must not touch. Choose a separate "
            f"folder, such as {home}/ai/{choice.stack}."
        )


def _require_no_conflict(choice: Choice, stack: Stack, there: Contents) -> None:
    """Raise PlanImpossible where a package that stays could not work with this stack."""
    if found := planned_conflicts(stack, there):
        raise PlanImpossible(
            f"{stack.id} cannot be installed in {there.path}: {'; '.join(found)}. Nothing was "
            "changed. Remove or update the conflicting package, or use a new folder: --venv "
            f"{beside(choice, stack).venv}."
        )


def _with_python(machine: Machine, choice: Choice, stack: Stack, held: Fit) -> Fit:
    """The fit with the Python that the user asked for, if one was."""
    if not choice.python:
        return held
    versions = {each.path: each.version for each in machine.interpreters if each.makes_venvs}
    if choice.python not in versions:
        found = ", ".join(versions) or "none"
        raise PlanImpossible(
            f"{choice.python} is not a Python that can create venvs. Found on this machine: "
            f"{found}."
        )
    if ".".join(versions[choice.python].split(".")[:2]) not in stack.pythons:
        wanted = ", ".join(stack.pythons)
        raise PlanImpossible(
            f"{stack.id} needs Python {wanted}, but {choice.python} is Python "
            f"{versions[choice.python]}."
        )
    return replace(held, python=choice.python)


def _system(machine: Machine, choice: Choice, stack: Stack, prepared: Prepared) -> SystemPart:
    if choice.footprint == "venv":
        return SystemPart()
    release = choice.system_release or stack.system_release
    if not release:
        raise PlanImpossible(f"{stack.id} has no system packages. Use --footprint venv.")
    part = system_part(machine, choice, release, prepared)
    if not stack.system_release or release == stack.system_release:
        return part
    note = (
        f"Reports disagree on whether system ROCm {release} works with wheels built for "
        f"{stack.system_release}. The wheels include their own libraries and use those."
    )
    return replace(part, notes=(*part.notes, note))


def _notes(machine: Machine, choice: Choice, stack: Stack, held: Fit) -> tuple[str, ...]:
    titles = {each.id: each.title for each in applications_named(choice.applications)}
    takes = [f"{titles[c.application]} needs {need}" for c in held.answers for need in c.needs]
    apart = not_installed(choice.applications, machine)
    notes = [*held.obstacles, *filter(None, (apart,)), *held.needs, *takes]
    notes += [*_verdict_notes(held, titles), *stack.cautions, *_unset_notes(machine, stack)]
    if preset := chosen_preset(choice, stack):
        notes.append(
            f"The plan uses the settings '{preset.name}' ({preset.source}). {preset.caution}"
        )
    if reached := _reached(machine, choice, stack):
        notes.append(
            "The plan does not unset these variables, which also affect this stack: "
            f"{reaching_text(reached, machine)}."
        )
    if not stack.gfx and choice.torch_index == AS_CONFIGURED:
        notes.append(
            "PyPI's own torch for Linux is the CUDA build. It works, but is several gigabytes "
            "larger than the CPU build."
        )
    if stack.gfx:
        notes.append("The authors of this program have not run this stack on an RDNA1 card.")
    card = chosen_card(machine, choice.gpu)
    if card and (masks := visible_device(machine, choice, stack)):
        mask = ", ".join(map("=".join, masks))
        notes.append(
            f"This environment uses only the {card.name} at PCI address "
            f"{card.pci_address} ({mask})."
        )
    return tuple(dict.fromkeys(notes))


def _reached(machine: Machine, choice: Choice, stack: Stack) -> list[Setting]:
    """What is set on the machine and affects the stack, whichever Python starts it."""
    if not stack.gfx:
        return []
    preset = chosen_preset(choice, stack)
    ours = (
        *stack.environment,
        *(preset.variables if preset else ()),
        *visible_device(machine, choice, stack),
    )
    names = {name for name, _ in ours}
    return reaching(machine, {*names, *stack.unset, *left_out(machine, stack)})


def _unset_notes(machine: Machine, stack: Stack) -> Iterator[str]:
    """What programs do not get of what the login sets."""
    there = {setting.name for setting in machine.settings if not setting.within}
    out = left_out(machine, stack)
    if not (names := [*(name for name in stack.unset if name in there), *out]):
        return
    it = "this variable" if len(names) == 1 else "these variables"
    kept = [name for name in names if name == LIBRARY_PATH]
    kept += ["those that begin with MIOPEN_"] if any(n.startswith(MEASURED) for n in out) else []
    keeps = f" bin/python still gets {listed(kept)}." if kept else ""
    yield (
        f"Programs started with rdna1-python do not get {it} from your login: "
        f"{', '.join(names)}.{keeps} Your files stay as they are."
    )


def _verdict_notes(held: Fit, titles: dict[str, str]) -> tuple[str, ...]:
    """What speaks against the plan: an application that will not run with this stack."""
    return tuple(
        f"{titles[each.application]} with this stack: {each.word.value}. {each.why}"
        for each in held.answers
        if held.possible and each.word in (Word.UNLIKELY, Word.NO)
    )
