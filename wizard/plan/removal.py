"""Plans that take ROCm off a system: by exact list, reversible, and nothing that is not named."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from wizard.advice.leftovers import short_path
from wizard.apt.packages import Package, Versions
from wizard.apt.sources import OURS
from wizard.core.amounts import counted
from wizard.core.fact import known
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
    Leftover,
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
    if gone.amd and not gone.rocm_stays:
        why = (
            "This program wrote the file for a system-wide ROCm, and no such ROCm will remain "
            "after the removal."
        )
        order = reversed(OURS)  # the source before its key: without that one apt would complain
        ours = (SetSystemPathAside(why, path) for path in order if path in files.texts)
        steps = (*steps, *ours)
    if not steps:
        whose = "ROCm package" if DISTRIBUTION in scopes else "package from AMD's repository"
        nothing = f"There is nothing to remove: no {whose} is installed."
        raise NothingToDo(" ".join((nothing, *gone.notes)))
    notes = (*notes, *strangers(machine, steps), *_settings_stay(machine))
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
    sources, left = list[Leftover](), list[Leftover]()
    if gone.amd:
        sources += source_leftovers(machine, files, driver_stays=gone.driver_stays)
    if gone.amd and not gone.rocm_stays:
        left += file_leftovers(machine, driver_stays=gone.driver_stays)
        left += () if gone.packages else alternative_leftovers(machine)
    if of_amd := [one for one in gone.packages if one.origin == "amd"]:
        releases = frozenset(map(release_of, of_amd)) - {""}
        left += tree_leftovers(machine, releases, frozenset(gone.names), files.belongings)
    before, after = _not_owned(sources, gone, files), _not_owned(left, gone, files)
    steps: list[Step] = []
    work = machine.package_work
    if work.interrupted and not work.lock_holder:
        why = "dpkg was interrupted, and apt refuses to work until this step has run."
        steps.append(FinishInterrupted(why))
    pairs = tuple((one.name, one.version) for one in gone.packages)
    lost = tuple(pair for pair in pairs if pair in for_good)
    if kept := tuple(pair for pair in pairs if pair not in for_good):
        why = "With these files, each package can be restored, even without a network connection."
        steps.append(KeepDebs(why, kept))
    if coming:  # before ours is written: apt refuses two keys for one source
        steps += (*before, *coming)
    else:
        after = [*before, *after]
    if pairs:
        steps.append(_purge(gone, files, lost))
        after = list(map(_may_be_gone, after))
    steps += after
    unfinished = (one.split(" ")[0] for one in known(work.unfinished, ()))
    if rest := [name for name in unfinished if name not in gone.names]:
        why = f"dpkg tries again to finish what is not fully installed: {', '.join(rest)}."
        steps.append(FinishInterrupted(why))
    told = (each for each in (*sources, *left) if isinstance(each, str))
    notes = [*gone.notes, *told, *((NEVER,) if pairs else ())]
    if lost:
        notes.insert(
            0,
            f"These packages will be removed permanently: {', '.join(map(' '.join, lost))}. No "
            "archive has them or their dependencies, so rollback cannot restore them.",
        )
    return tuple(steps), tuple(notes)


def _not_owned(left: list[Leftover], gone: Going, files: FilesNow) -> list[Edit]:
    """The steps of it, but for what belongs to a package: it goes and comes back with that."""
    owners = files.belongings.owners if files.belongings else {}
    steps = (each for each in left if not isinstance(each, str))
    return [step for step in steps if owners.get(step.path) not in gone.names]


def _purge(gone: Going, files: FilesNow, lost: Versions) -> AptChange:
    changed = sorted(path for path, owner in files.changed.items() if owner in gone.names)
    return AptChange(
        f"This removes {counted(len(gone.names), 'installed package')}. The step stops if apt "
        "would remove anything else.",
        remove=gone.names,
        purge=True,
        expect_remove=gone.names,
        changed=tuple(changed),
        for_good=lost,
    )


def _may_be_gone(step: Edit) -> Edit:
    """What dpkg does not list, the scripts of packages may still take away."""
    return replace(step, may_be_gone=True) if isinstance(step, SetSystemPathAside) else step


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
