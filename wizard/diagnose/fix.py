"""From a finding of diagnose to the plan that fixes it: reviewed and rolled back like any other."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from itertools import count

from wizard.apt.indexes import amd_versions
from wizard.apt.packages import Package, cut_off, reinstallation
from wizard.apt.sources import PIN
from wizard.core.amounts import counted
from wizard.core.fact import Unknown, known
from wizard.core.journal import Kind
from wizard.core.own_files import Places
from wizard.diagnose.finding import About, Finding
from wizard.diagnose.fix_settings import (
    Fix,
    has_plan,
    losing_override,
    settings_out,
    steps_by_hand,
    without_plan,
)
from wizard.host.contents import OURS, Contents, read_live_contents
from wizard.host.distributions import Distribution, conflicts
from wizard.host.host import Host, places_of
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Machine
from wizard.operations.edit_lines import sha256
from wizard.operations.packages import AptChange, FinishInterrupted, KeepDebs
from wizard.operations.resolve import AS_CONFIGURED
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.operations.system_files import WriteSystemFile
from wizard.operations.uv_project import Manifest
from wizard.plan.amd_packages import require_apt
from wizard.plan.form import with_id
from wizard.plan.group_steps import join_groups
from wizard.plan.impossible import NothingToDo, PlanImpossible
from wizard.plan.new_environment import (
    CHANGES_NOTHING_YET,
    drop_downloads,
    fetch_chosen,
    install_fetched,
    resolve_held,
    staging_of,
)
from wizard.plan.removal import system_plan
from wizard.plan.steps import Plan, Step
from wizard.plan.system import PIN_TEXT, PIN_WHY
from wizard.system.joined_groups import GPU_GROUPS


def groups_joined(machine: Machine, groups: tuple[str, ...]) -> Fix:
    """The user joins the groups of the devices."""
    if others := [name for name in groups if name not in GPU_GROUPS]:
        raise PlanImpossible(
            f"The device belongs to the {others[0]} group, and this program does not add you to "
            "that group. A udev rule from the distribution is missing. Restart the machine, or "
            "reinstall the udev package."
        )
    note = "Afterward, log out completely and log in again. The change takes effect only then."
    return Fix((join_groups(machine, groups),), (note,))


def finished(machine: Machine) -> Fix:
    """dpkg finishes what was cut off; that cannot be taken back."""
    require_apt(machine)
    if cut := cut_off(machine.package_work):
        raise PlanImpossible(
            f"dpkg cannot finish {', '.join(cut)}: it was interrupted while unpacking. "
            f"{reinstallation(cut)}"
        )
    named = known(machine.package_work.unfinished, ())
    told = f": {', '.join(named)}" if named else ""
    step = FinishInterrupted(
        f"apt refuses to work until dpkg has finished its interrupted work{told}.",
    )
    note = (
        "This cannot be undone, because it runs the packages' own scripts. Only packages that are "
        "already unpacked are installed."
    )
    return Fix((step,), (note,))


def pinned(host: Host, machine: Machine, names: tuple[str, ...]) -> Fix:
    """A pin for AMD's packages; the distribution's of the same names go, each kept as a file."""
    require_apt(machine)
    now = host.read(PIN)
    before = sha256(now) if isinstance(now, str) else None
    pin = WriteSystemFile(PIN_WHY, PIN, PIN_TEXT, before)
    going = _shadowing(host, machine, names)
    if not going:
        return Fix((pin,), _staying(names, going))
    return Fix((*_removed(going), pin), (*_staying(names, going), _THEN))


_THEN = (
    "This plan does not install AMD's packages. Afterward, install the packages you wanted, for "
    "example with rdna1-setup apply --footprint venv+system. PyTorch's wheels include everything "
    "they need."
)


def _shadowing(host: Host, machine: Machine, names: tuple[str, ...]) -> tuple[Package, ...]:
    """Packages of the distribution of which AMD's lists have one of the same name."""
    amds = {name for name, _ in amd_versions(host)[0]}
    packages = machine.rocm_packages
    known = () if isinstance(packages, Unknown) else packages
    theirs = (one for one in known if one.origin == "distribution" and one.name in names)
    return tuple(one for one in theirs if one.name in amds)


def _staying(names: tuple[str, ...], going: tuple[Package, ...]) -> tuple[str, ...]:
    left = [name for name in names if name not in {one.name for one in going}]
    if not left:
        return ()
    return (
        "These distribution packages are kept, because AMD has no packages with the same names: "
        f"{', '.join(left)}.",
    )


def _removed(going: tuple[Package, ...]) -> tuple[Step, ...]:
    names = tuple(one.name for one in going)
    return (
        KeepDebs(
            "With these files, each package can be restored, even without a network connection.",
            tuple((one.name, one.version) for one in going),
        ),
        AptChange(
            f"This removes {counted(len(names), 'package')} that came from the distribution and "
            "should be replaced by AMD's packages with the same "
            "names. The step stops if apt would remove "
            "anything else.",
            remove=names,
            purge=True,
            expect_remove=names,
        ),
    )


OLD_NUMPY = "numpy<2"
LAST_OF_1 = "1.26.4"
"""What nearly every Python that an old torch runs on gets."""


@dataclass(frozen=True, slots=True)
class Supply:
    """Where wheels come from, in the words of the command line; empty for the usual places."""

    wheelhouse: str = ""
    torch_index: str = ""


def numpy_exchanged(host: Host, machine: Machine, about: About, supply: Supply) -> Fix:
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
    return Fix(steps)


def torch_anew(host: Host, machine: Machine, about: About, supply: Supply) -> Fix:
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
    return Fix(_exchanged(host, machine, there, torch, wanted, index, supply), (note,))


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
    work = _work_folder(places_of(host), there.path, wanted, supply)
    chosen = supply.torch_index or index
    resolve = resolve_held(
        "uv chooses the version before anything is changed. All other packages keep their "
        "versions.",
        machine,
        there,
        (goes,),
        Manifest(
            (wanted,), "" if chosen == AS_CONFIGURED else chosen, wheelhouse=supply.wheelhouse
        ),
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


NEW_TERMINAL = (
    "Running programs keep the old setting, and so does this terminal. Afterward, open a new "
    "terminal, or log out and log in again."
)
ANOTHER_LIBRARY_PATH = (
    "If no other lines pointed to the system's own ROCm, programs may no "
    "longer find its libraries. AMD's packages list the library folder in /etc/ld.so.conf.d."
)


def make_fix(
    host: Host, machine: Machine, finding: Finding, *, supply: Supply | None = None
) -> Plan:
    """The plan that fixes it; raises NothingToDo or PlanImpossible with what to do by hand."""
    about = finding.about
    if about is None or not has_plan(finding):
        steps = " ".join(f"{number}. {step}" for number, step in enumerate(finding.fix, 1))
        why = without_plan(finding)
        raise PlanImpossible(f"{finding.title}. {why} {steps}".rstrip())
    fix = _fix_for(host, machine, finding.cause, about, supply or Supply())
    if not fix.steps:
        by_hand = (f"{step}." for step in steps_by_hand(machine, about.settings))
        told = " ".join((*fix.notes, *by_hand))
        raise PlanImpossible(f"rdna1-setup cannot remove only these settings. {told}".rstrip())
    return _plan(finding, about, fix)


def _fix_for(host: Host, machine: Machine, cause: str, about: About, supply: Supply) -> Fix:
    match cause:
        case "numpy2-abi":
            return numpy_exchanged(host, machine, about, supply)
        case "wheel-library-replaced":
            return torch_anew(host, machine, about, supply)
        case "kfd-permission":
            return groups_joined(machine, about.groups)
        case "dpkg-interrupted":
            return finished(machine)
        case "apt-distro-shadows-amd":
            return pinned(host, machine, about.packages)
        case _:
            return _settings(host, machine, cause, about)


def _settings(host: Host, machine: Machine, cause: str, about: About) -> Fix:
    found = settings_out(host, machine, about.settings)
    if not found.steps:
        return found
    notes = [NEW_TERMINAL]
    if cause in ("stale-override", "override-isa-mismatch"):
        notes += losing_override(machine, about.settings)
    if cause == "library-path-shadow":
        notes.append(ANOTHER_LIBRARY_PATH)
    return found + Fix((), tuple(notes))


def _plan(finding: Finding, about: About, fix: Fix) -> Plan:
    """A plan about files and the system alone, or one that exchanges packages in a folder."""
    plan = system_plan(Kind.FIX, fix.steps, fix.notes, cause=finding.cause)
    if plan.changes_existing:
        plan = replace(
            plan,
            footprint="venv",
            venv=about.environment,
            download_bytes=None,
            installed_bytes=None,
        )
    return with_id(plan)


__all__ = ["NothingToDo", "PlanImpossible", "Supply", "has_plan", "make_fix"]
