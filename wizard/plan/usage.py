"""How to use what a plan installed, and what is left to do: commands as a shell takes them."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from wizard.advice.floors import older_release
from wizard.advice.leftovers import left_out
from wizard.core.amounts import capitalized, listed
from wizard.knowledge.applications import Application, Trace, applications_named, load_traces
from wizard.knowledge.claims import convolves, load_claims, trains
from wizard.knowledge.stacks import find_stack
from wizard.machine.facts import Machine
from wizard.plan.steps import Plan

SCRIPT = "your_script.py"
RIGHT = "permission to open"
"""How a right that is missing begins, among what a plan asks the user for."""
REQUIREMENTS = {"comfyui": "requirements.txt", "fooocus": "requirements_versions.txt"}
"""The file of a program's folder that names its packages, by the program's readme."""
NOT_OURS = "This program does not install {0}."
IN_FOLDER = "cd {folder} && "


def still_missing(plan: Plan) -> str:
    """The right to use the card that no step of the plan gave; ``""`` where none is missing."""
    return next((each for each in plan.first.split("; ") if each.startswith(RIGHT)), "")


def starts(
    plan: Plan, applications: Sequence[str], machine: Machine | None = None
) -> tuple[tuple[str, ...], ...]:
    """How each thing to run is started: what to know of it, then lines to copy."""
    asked = applications_named(tuple(applications))
    traces = {trace.id: trace for trace in reversed(load_traces())}
    scripts = [each for each in asked if each.id not in traces and not each.spoils]
    programs = [each for each in asked if each not in scripts]
    found = [
        (*_start(plan, each, traces.get(each.id), machine), *_if_fails(plan, each))
        for each in programs
    ]
    if scripts or not asked:
        titles = ", ".join(each.title for each in scripts) or "your own code"
        found.append((f"{capitalized(titles)}:", _script(plan, machine)))
    return tuple(found)


def not_installed(applications: Sequence[str], machine: Machine) -> str:
    """That the programs to run are no part of a plan; ``""`` where all are there, or none is one.

    A package may be there in another environment, which is no help in this one.
    """
    packaged = {trace.id for trace in load_traces() if trace.packages}
    titles = [
        each.title
        for each in applications_named(tuple(applications))
        if each.id in packaged or (each.clone and not _folder(each, machine))
    ]
    if not titles:
        return ""
    return (
        f"This plan prepares PyTorch but does not install {listed(titles)}. Installation "
        "instructions are shown at the "
        "end."
    )


def python_lines(plan: Plan, machine: Machine | None = None) -> tuple[str, ...]:
    """Which Python is for what."""
    if on_processor(plan):
        return (_program(plan, "python", machine),)
    return (
        f"Two commands in {_word(f'{plan.venv}/bin', machine)} start the same Python:",
        "rdna1-python is for programs. It sets the stack's variables before Python starts.",
        "python is for pip, editors and Jupyter. It sets them while it starts.",
    )


def measure_command(plan: Plan, applications: Collection[str] = ()) -> str:
    """Measures what these programs use, on the device that the stack is for."""
    device = " --device cpu" if on_processor(plan) else ""
    work = " --work forward,backward" if trains(applications) else ""
    what = "" if convolves(applications) else " --operations"
    return f"rdna1-setup conv2d --python {_program(plan, 'python')}{device}{what}{work}"


def login_too(plan: Plan, names: Sequence[str], machine: Machine) -> Iterator[str]:
    """Why a setting was to be found that the login sets already, where it does."""
    stack = find_stack(plan.stack)
    out = left_out(machine, stack) if stack is not None else ()
    if same := [name for name in names if name in out]:
        it = "it" if len(same) == 1 else "them"
        yield (
            f"Your login sets {listed(same)} too, but rdna1-python starts programs without {it}. "
            "A kept setting applies in this environment."
        )


def on_processor(plan: Plan) -> bool:
    """True for a stack that leaves the card unused."""
    return plan.stack == "cpu"


def _start(
    plan: Plan, asked: Application, trace: Trace | None, machine: Machine | None
) -> tuple[str, ...]:
    """One program: from its own folder, or from a package in the environment."""
    if trace is not None and trace.packages:
        return _by_package(plan, asked, trace, machine)
    folder = _folder(asked, machine)
    line = trace.start if trace is not None else ""
    clone = f"git clone {asked.clone} && cd {PurePosixPath(asked.clone).name}"
    got = (clone,) if asked.clone and not folder else ()
    get = f"{NOT_OURS.format(asked.title)} Get it unless you have it"
    file = REQUIREMENTS.get(asked.id)
    if not file:
        told = f"{_told(asked, plan, machine)}."
        return (
            f"{asked.title}: {told}" if folder else f"{get}, then start it. {told}",
            *got,
            *_in(folder, line, plan, machine),
        )
    packages = f"{IN_FOLDER}{{pip}} -m pip install -r {file}"
    here = f"To run {asked.title}, install its packages once, then start it."
    return (
        here if folder else f"{get}, install its packages once, then start it:",
        *got,
        *_in(folder, packages, plan, machine),
        *_in(folder, line, plan, machine),
    )


def _if_fails(plan: Plan, asked: Application) -> Iterator[str]:
    """What somebody had to add with this stack, and on which card."""
    claims = {claim.id: claim for claim in load_claims()}
    for each in asked.if_fails:
        claim = claims[each.claim]
        if plan.stack in claim.stacks:
            who = f"{claim.grade.value} with an {claim.card}"
            yield f"If {asked.title} {each.sign}, add {each.add}. {capitalized(who)} needed it."


def _by_package(
    plan: Plan, asked: Application, trace: Trace, machine: Machine | None
) -> tuple[str, ...]:
    stack = find_stack(plan.stack)
    older = older_release(asked, stack) if stack is not None else None
    packages = shlex.join(older.ask if older else trace.packages[:1])
    python = _program(plan, "python", machine)
    begin = trace.start.partition(" --root")[0]  # where its own folder is, it knows by itself
    program = begin.format(program=_program(plan, trace.program, machine))
    return (
        f"{NOT_OURS.format(asked.title)} Install it once, then start it:",
        f"{python} -m pip install {packages}",
        program or _script(plan, machine),
    )


def _in(folder: str, line: str, plan: Plan, machine: Machine | None) -> tuple[str, ...]:
    """A line of a program with its folder, or to be typed there where that is not known."""
    if not line:
        return ()
    text = line if folder else line.removeprefix(IN_FOLDER)
    return (
        text.format(
            folder=_word(folder, machine),
            python=_starter(plan, machine),
            pip=_program(plan, "python", machine),
        ),
    )


def _told(asked: Application, plan: Plan, machine: Machine | None) -> str:
    """What to set, where a program brings a Python of its own."""
    return asked.spoils.replace("this folder", _word(plan.venv, machine))


def _folder(asked: Application, machine: Machine | None) -> str:
    found = machine.applications if machine is not None else ()
    return next((each.path for each in found if each.id == asked.id), "")


def _script(plan: Plan, machine: Machine | None) -> str:
    return f"{_starter(plan, machine)} {SCRIPT}"


def _starter(plan: Plan, machine: Machine | None) -> str:
    """The Python that programs are started with."""
    return _program(plan, "python" if on_processor(plan) else "rdna1-python", machine)


def _program(plan: Plan, name: str, machine: Machine | None = None) -> str:
    return _word(f"{plan.venv}/bin/{name}", machine)


def _word(path: str, machine: Machine | None) -> str:
    """A path as one word of a shell's, short below the home of the machine's user."""
    home = machine.access.home if machine is not None else ""
    if home and path.startswith(f"{home}/"):
        return f"~/{shlex.quote(path.removeprefix(f'{home}/'))}"
    return shlex.quote(path)
