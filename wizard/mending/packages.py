"""Steps that exchange one package of an environment: its numpy, or its torch for the same anew."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import count

from wizard.core.own_files import Places, places
from wizard.diagnose.finding import About
from wizard.host.contents import OURS, Contents, read_live_contents
from wizard.host.distributions import Distribution, conflicts
from wizard.host.host import Host
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Machine
from wizard.mending.settings import Mending
from wizard.operations.resolve import AS_CONFIGURED
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.operations.uv_project import Wishes
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Step
from wizard.plan.venv import drop_downloads
from wizard.plan.wheel_steps import (
    CHANGES_NOTHING_YET,
    fetch_chosen,
    install_fetched,
    resolve_held,
    staging_of,
)

OLD_NUMPY = "numpy<2"
LAST_OF_1 = "1.26.4"
"""What nearly every Python that an old torch runs on gets."""


@dataclass(frozen=True, slots=True)
class Supply:
    """Where wheels come from, in the words of the command line; empty for the usual places."""

    wheelhouse: str = ""
    torch_index: str = ""


def numpy_exchanged(host: Host, machine: Machine, about: About, supply: Supply) -> Mending:
    """An older numpy in the place of the one that is there; every other package is held."""
    there = _contents(host, about.environment)
    (numpy,) = _found(there, "numpy")
    if "numpy" in there.conda:
        raise PlanImpossible(
            f"conda installed numpy in {there.path}, so only conda should replace it. Run conda "
            "install 'numpy<2' in that environment."
        )
    stay = [each for each in there.distributions if each != numpy]
    if broken := conflicts(stay, (numpy,), {"numpy": LAST_OF_1}, there.python):
        raise PlanImpossible(
            f"numpy 1 cannot be installed in {there.path}: {'; '.join(broken)}. Nothing was "
            "changed. Update or remove the package that needs it, or use a newer torch in a "
            "separate folder."
        )
    steps = _exchanged(host, machine, there, numpy, OLD_NUMPY, AS_CONFIGURED, supply)
    return Mending(steps)


def torch_anew(host: Host, machine: Machine, about: About, supply: Supply) -> Mending:
    """The same torch installed once more, because a library of it is not the wheel's own."""
    there = _contents(host, about.environment)
    (torch,) = _found(there, "torch")
    if "torch" in there.conda or "pytorch" in there.conda:
        raise PlanImpossible(
            f"conda installed torch in {there.path}, so only conda should install it again. Use "
            "conda install --force-reinstall with the channel it came from."
        )
    index = _index_of(torch.version)
    wanted = f"torch=={torch.version}"
    note = f"torch {torch.version} is installed again, from its own wheel."
    return Mending(_exchanged(host, machine, there, torch, wanted, index, supply), (note,))


def _contents(host: Host, folder: str) -> Contents:
    there = read_live_contents(host, folder)
    if there is None or not there.site:
        raise PlanImpossible(
            f"{folder} is neither a venv nor a conda environment, so rdna1-setup does not replace "
            "packages there. Use its own pip: pip install --force-reinstall --no-deps "
            "NAME==VERSION"
        )
    if there.closed:
        raise PlanImpossible(
            f"{folder} is closed to pip (EXTERNALLY-MANAGED), so rdna1-setup does not replace "
            "packages there. Use the program that manages this environment, such as conda."
        )
    return there


def _found(there: Contents, name: str) -> tuple[Distribution]:
    """The one distribution of that name which can be moved whole."""
    found = [each for each in there.distributions if each.name == name]
    if len(found) == 1 and found[0].recorded and not found[0].twice:
        if there.starts:
            return (found[0],)
        raise PlanImpossible(
            f"The Python in {there.path} does not start. Delete that environment and create it "
            "again."
        )
    raise PlanImpossible(
        f"{name} in {there.path} cannot be moved safely: it lies outside the environment, is "
        "installed twice, or has no list of its files (RECORD). Remove it with the environment's "
        f"own pip (pip uninstall {name} until none is left), then install the right version."
    )


def _index_of(version: str) -> str:
    """The index that has this torch; raises PlanImpossible where none of ours does."""
    known = next((stack.index for stack in load_stacks() if stack.torch == version), "")
    if not known:
        raise PlanImpossible(
            f"This program does not know which index has torch {version}. Use the environment's "
            f"own pip: pip install --force-reinstall --no-deps torch=={version} --index-url INDEX"
        )
    return known


def _exchanged(
    host: Host,
    machine: Machine,
    there: Contents,
    goes: Distribution,
    wanted: str,
    index: str,
    supply: Supply,
) -> tuple[Step, ...]:
    """One distribution set aside and another one of its name installed, all others held."""
    work = _work_folder(places(host.environ, host.home), there.path, wanted, supply)
    chosen = supply.torch_index or index
    resolve = resolve_held(
        "uv chooses the version before anything is changed. All other packages keep their "
        "versions.",
        machine,
        there,
        (goes,),
        Wishes((wanted,), "" if chosen == AS_CONFIGURED else chosen, wheelhouse=supply.wheelhouse),
        work,
    )
    return (
        resolve,
        fetch_chosen(CHANGES_NOTHING_YET, resolve, _hashes(goes.version)),
        SetAsidePackages(
            "Replaced files are kept in a backup on the same file system, with a list of their "
            "hashes.",
            there.path,
            there.site,
            ((goes.name, goes.version),),
            (),
            staging_of(work),
            _backup(host, there.path),
        ),
        install_fetched(resolve, there.path, there.site),
        drop_downloads(work),
    )


def _work_folder(where: Places, venv: str, wanted: str, supply: Supply) -> str:
    source = "\0".join((venv, wanted, supply.wheelhouse, supply.torch_index))
    return f"{where.cache}/fix-{hashlib.sha256(source.encode()).hexdigest()[:12]}"


def _backup(host: Host, venv: str) -> str:
    """A folder of its own: the usual one may hold what a run that stands has set aside."""
    names = (f"{venv}/{OURS}-fix{'' if n == 1 else f'-{n}'}" for n in count(1))
    return next(name for name in names if not host.exists(name))


def _hashes(version: str) -> tuple[tuple[str, str], ...]:
    return next((stack.hashes for stack in load_stacks() if stack.torch == version), ())
