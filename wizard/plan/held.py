"""Steps that bring other packages into an environment that exists, while all its others are held.

A pip of our own lies beside it, with the wheels that it chose, in one folder of work.
"""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

from wizard.machine.facts import Machine, Unknown
from wizard.machine.facts.contents import Contents, Distribution
from wizard.plan.choice import Choice
from wizard.plan.existing_steps import ResolveHeld
from wizard.plan.python_steps import PIP_QUIET, pip_from, uv_of
from wizard.plan.resolve import second_try
from wizard.plan.steps import FetchWheels, InstallWheels, RunProgram, Step
from wizard.system.uv import bring_pip as bring_pip_by_uv

QUIET = (*PIP_QUIET, ("PYTHONDONTWRITEBYTECODE", "1"))
"""No file of the environment changes because its Python was started."""


def report_in(work: str) -> str:
    """Where pip writes what it chose."""
    return f"{work}/report.json"


def bring_pip(machine: Machine, choice: Choice, there: Contents, work: str) -> Step:
    """A pip that resolves and installs for the environment, and lies beside it."""
    python, folder = f"{choice.venv}/bin/python", f"{work}/tool"
    sources = pip_from(choice)
    into = ("--upgrade", "--target", folder, *sources, "pip")
    argv = (python, "-m", "pip", "install", "--no-input", *into)
    if not there.has_pip and not isinstance(machine.uv, Unknown):
        argv = bring_pip_by_uv(machine.uv, python, into)
    return RunProgram(
        "A separate pip does the work, so the environment's own pip is not changed.",
        argv,
        f"remove {folder}",
        creates=(f"{folder}/pip/__main__.py",),
        folder=work,
        environment=QUIET,
        title="Install a separate pip",
    )


def resolve_held(
    reason: str,
    resolving: tuple[str, ...],
    there: Contents,
    goes: tuple[Distribution, ...],
    work: str,
) -> ResolveHeld:
    """What ``resolve_argv`` asks for, by our pip, with every package held that does not go."""
    # -S hides the environment's packages: pip sees those that stay, by links to their metadata.
    rest = (word for word in resolving[4:] if word != "--ignore-installed")
    constraints = f"{work}/held.txt"
    held = ("--constraint", constraints)
    argv = (resolving[0], "-S", f"{work}/tool/pip", resolving[3], *held, *rest)
    own = (("PIP_CONFIG_FILE", f"{there.path}/pip.conf"),) if there.pip_conf else ()
    stay = (each for each in there.distributions if each not in goes)
    return ResolveHeld(
        reason,
        argv,
        second_try(argv),
        there.path,
        there.site,
        tuple(f"{each.name}=={each.version}" for each in stay if is_version(each.version)),
        tuple(each.name for each in goes),
        constraints,
        f"{work}/seen",
        report_in(work),
        "nothing to undo",
        environment=(*QUIET, ("PYTHONPATH", f"{work}/seen"), *own),
    )


def fetch_beside(work: str, hashes: tuple[tuple[str, str], ...]) -> FetchWheels:
    """Download what was chosen, into the folder of work."""
    return FetchWheels(
        "An interrupted download can be resumed. Nothing in the environment changes yet.",
        report_in(work),
        f"{work}/wheels",
        f"{work}/lock.txt",
        f"remove {work}/wheels",
        hashes=hashes,
    )


def install_beside(machine: Machine, there: Contents, work: str) -> InstallWheels:
    """Install what was downloaded."""
    return InstallWheels(
        "Only the downloaded and checked files are installed.",
        uv_of(machine),
        there.path,
        f"{work}/wheels",
        f"{work}/lock.txt",
        site=there.site,
    )


def is_version(text: str) -> bool:
    """True for what pip takes for a version."""
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
