"""Plans that take ROCm off a system: by exact list, reversible, and nothing that is not named."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from wizard.advice.leftovers import short_path
from wizard.apt.packages import Package, Versions
from wizard.apt.sources import OURS
from wizard.core.amounts import counted
from wizard.core.fact import Unknown
from wizard.core.journal import Kind
from wizard.machine.facts import Machine
from wizard.operations.packages import AptChange, FinishInterrupted, KeepDebs
from wizard.operations.system_files import SetSystemPathAside
from wizard.plan.amd_packages import AMD, DISTRIBUTION, Going, going, release_of, require_apt
from wizard.plan.form import with_id
from wizard.plan.impossible import NothingToDo
from wizard.plan.leftover_files import (
    Edit,
    FilesNow,
    Leftovers,
    alternative_leftovers,
    file_leftovers,
    source_leftovers,
    strangers,
    tree_leftovers,
)
from wizard.plan.steps import Plan, Step

NEVER = (
    "Mesa, libdrm, linux-firmware, kernels and Xorg drivers are never removed: your desktop "
    "needs them, and they are not part of ROCm."
)


def make_removal(
    machine: Machine,
    scopes: tuple[str, ...] = (AMD,),
    files: FilesNow | None = None,
    for_good: Versions = (),
) -> Plan:
    """Takes ROCm off the system; raises NothingToDo where there is none, or PlanImpossible.

    Of packages that go ``for_good`` no file is kept: the user has chosen that.
    """
    require_apt(machine)
    files = files or FilesNow()
    gone = going(machine, scopes)
    steps, notes = removal_steps(machine, gone, files, for_good)
    steps = (*steps, *_ours(gone, files))
    notes = (*notes, *strangers(machine, steps), *_settings_stay(machine))
    if not steps:
        raise NothingToDo(" ".join((_nothing(machine, scopes), *gone.notes)))
    return system_plan(Kind.REMOVE, steps, notes, held(gone.packages))


def removal_steps(
    machine: Machine,
    gone: Going,
    files: FilesNow,
    for_good: Versions = (),
    coming: tuple[Step, ...] = (),
) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """Steps that remove these packages and what they leave, and what to know of it.

    ``coming`` fetches what is installed afterwards: while the network may fail, nothing has gone.
    """
    sources = left = Leftovers()
    if gone.amd:
        sources = source_leftovers(machine, files, driver_stays=gone.driver_stays)
    if gone.amd and not gone.rocm_stays:
        left += file_leftovers(machine, driver_stays=gone.driver_stays)
        left += Leftovers() if gone.packages else alternative_leftovers(machine)
    if of_amd := [one for one in gone.packages if one.origin == "amd"]:
        releases = frozenset(map(release_of, of_amd)) - {""}
        left += tree_leftovers(machine, releases, frozenset(gone.names), files.belongings)
    steps = (
        *_finish_first(machine),
        *_keep(gone, for_good),
        # Before ours is written: apt refuses two keys for one source.
        *(_not_owned(gone, sources, files) if coming else ()),
        *coming,
        *_purge(gone, files, for_good),
        # Afterwards: settings that belong to the packages go with them, and come back with them.
        *_left_by(gone, left if coming else sources + left, files),
        *_finish_after(machine, gone),
    )
    never = (NEVER,) if gone.packages else ()
    notes = (*gone.notes, *sources.notes, *left.notes)
    return steps, (*_lost(gone, for_good), *notes, *never)


def system_plan(
    kind: Kind,
    steps: tuple[Step, ...],
    notes: tuple[str, ...],
    first: str = "",
    *,
    cause: str = "",
    takes_back: str = "",
) -> Plan:
    """A plan about the system alone, without a stack or a venv."""
    return with_id(
        Plan(
            id="",
            kind=kind,
            stack="",
            footprint="system",
            venv="",
            steps=steps,
            download_bytes=0,
            installed_bytes=0,
            relogin_needed=False,
            notes=tuple(dict.fromkeys(notes)),
            first=first,
            cause=cause,
            takes_back=takes_back,
        )
    )


def held(packages: tuple[Package, ...]) -> str:
    """What to do first about packages that somebody told apt to keep; ``""`` where none is."""
    names = [package.name for package in packages if package.held]
    if not names:
        return ""
    return f"to release held packages: sudo apt-mark unhold {' '.join(names)}"


def _ours(gone: Going, files: FilesNow) -> Iterator[Step]:
    """What this program wrote into the system's folders for a ROCm that goes."""
    if gone.amd and not gone.rocm_stays:
        why = (
            "This program wrote the file for a system-wide ROCm, and no such ROCm will remain "
            "after the removal."
        )
        order = reversed(OURS)  # the source before its key: without that one apt would complain
        yield from (SetSystemPathAside(why, path) for path in order if path in files.texts)


def _settings_stay(machine: Machine) -> Iterator[str]:
    """Where settings for ROCm stand in files that every login reads: they are not removed here."""
    lines: dict[str, list[int]] = {}
    for one in machine.settings:
        if one.file and not one.within and one.file not in OURS:
            lines.setdefault(one.file, []).append(one.line)
    if lines:
        places = (f"{short_path(path, machine)} ({_lines(each)})" for path, each in lines.items())
        yield (
            f"Settings for ROCm remain in {', '.join(places)}. To remove them, run rdna1-setup "
            "clean-up."
        )


def _lines(numbers: Collection[int]) -> str:
    """Such as ``line 3`` and ``lines 2, 4-18``."""
    spans: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if spans and number == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    text = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
    return f"line{'s' * (len(set(numbers)) > 1)} {text}"


def _left_by(gone: Going, left: Leftovers, files: FilesNow) -> Iterator[Edit]:
    """The steps for what the packages leave, but for what is known to go with them.

    What dpkg does not list, their scripts may still take away.
    """
    for step in _not_owned(gone, left, files):
        if gone.packages and isinstance(step, SetSystemPathAside):
            step = replace(step, may_be_gone=True)
        yield step


def _not_owned(gone: Going, left: Leftovers, files: FilesNow) -> Iterator[Edit]:
    owners = files.belongings.owners if files.belongings else {}
    return (step for step in left.steps if owners.get(step.path) not in gone.names)


def versions_of(gone: Going) -> Versions:
    """What goes, each in the version that is installed."""
    return tuple((one.name, one.version) for one in gone.packages)


def _lost(gone: Going, for_good: Versions) -> Iterator[str]:
    if lost := [pair for pair in versions_of(gone) if pair in for_good]:
        yield (
            f"These packages will be removed permanently: {', '.join(map(' '.join, lost))}. No "
            "archive has them or their dependencies, so rollback cannot restore them."
        )


def _keep(gone: Going, for_good: Versions) -> Iterator[Step]:
    if pairs := tuple(pair for pair in versions_of(gone) if pair not in for_good):
        yield KeepDebs(
            "With these files, each package can be restored, even without a network connection.",
            pairs,
        )


def _purge(gone: Going, files: FilesNow, for_good: Versions) -> Iterator[Step]:
    if not gone.packages:
        return
    lost = tuple(pair for pair in versions_of(gone) if pair in for_good)
    yield AptChange(
        f"This removes {counted(len(gone.names), 'installed package')}. The step stops if apt "
        "would remove anything else.",
        remove=gone.names,
        purge=True,
        expect_remove=gone.names,
        changed=tuple(sorted(p for p, owner in files.changed.items() if owner in gone.names)),
        for_good=lost,
    )


def _back(going: int, lost: int) -> str:
    """How packages come back of which so many are lost."""
    if not lost:
        return "install the packages again from the backup"
    if lost == going:
        return "not possible: the packages are removed permanently"
    return (
        f"install {counted(going - lost, 'package')} again from the backup; {lost} cannot be "
        "restored"
    )


def _finish_first(machine: Machine) -> Iterator[Step]:
    if machine.package_work.interrupted and not machine.package_work.lock_holder:
        yield FinishInterrupted(
            "dpkg was interrupted, and apt refuses to work until this step has run."
        )


def _finish_after(machine: Machine, gone: Going) -> Iterator[Step]:
    unfinished = machine.package_work.unfinished
    names = () if isinstance(unfinished, Unknown) else (one.split(" ")[0] for one in unfinished)
    if rest := [name for name in names if name not in gone.names]:
        yield FinishInterrupted(
            f"dpkg tries again to finish what is not fully installed: {', '.join(rest)}."
        )


def _nothing(machine: Machine, scopes: tuple[str, ...]) -> str:
    if DISTRIBUTION in scopes:
        return "There is nothing to remove: no ROCm package is installed."
    return "There is nothing to remove: no package from AMD's repository is installed."
