"""The rollback of a plan's root steps and edits of the user's files: a plan like any other.

What a plan put below its venv is no part of it: the run's own list of files undoes that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import cast

from wizard.apt.packages import LocalDeb, Versions
from wizard.core.amounts import counted
from wizard.core.journal import Kind
from wizard.host.accounts import Account, groups_of
from wizard.host.host import Host
from wizard.operations.groups import TakeFromGroups
from wizard.operations.operation import Before
from wizard.operations.packages import (
    KERNEL_DRIVERS,
    AptChange,
    FinishInterrupted,
    KeepDebs,
    MarkPackages,
    RestoreSettings,
)
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.impossible import NothingToDo
from wizard.plan.removal import system_plan
from wizard.plan.steps import Plan, Step

NOTHING_NOTED: Mapping[int, Before] = {}
FOLDER_TITLE = "Restore the run's folder"
FOLDER_REASON = (
    "This removes the files that the run wrote in its folder, and restores the files "
    "that it replaced."
)
"""What follows such a plan: the run's own list of files undoes the venv."""


def make_rollback(
    plan: Plan,
    begun: Collection[int],
    kept: tuple[LocalDeb, ...],
    installed: Mapping[str, str],
    *,
    run: str,
    noted: Mapping[int, Before] = NOTHING_NOTED,
    interrupted: bool = False,
    half: Collection[str] = (),
    changed: Collection[str] = (),
) -> Plan:
    """Undoes what the steps of these numbers did; raises NothingToDo where that is nothing.

    ``begun`` leaves out steps that found nothing to do, ``noted`` is what steps saw before them.
    ``kept`` are the package files in the backup of that ``run``, ``installed`` is what dpkg holds
    for installed now, and ``half`` what of it is not whole: a transaction that was cut off is
    undone as far as it came. Paths and packages that are ``changed`` since are somebody else's.
    """
    versions = {name: version for step in plan.steps for name, version in _kept_by(step)}
    numbered = [(n, step) for n, step in enumerate(plan.steps, 1) if n in begun]
    done = [step for _, step in numbered]
    steps: list[Step] = []
    for number, step in reversed(numbered):
        if isinstance(step, AptChange):
            steps += _change_back(step, versions, kept, installed, half, changed)
        else:
            steps += _inverse(step, noted.get(number, {}), changed)
    changes = _changes(plan, begun)
    modules = [name for step in changes for name in _modules(step) if name not in installed]
    # Also where no package went: apt drops its marks before dpkg removes anything.
    if any(isinstance(step, (AptChange, MarkPackages, WriteSystemFile)) for step in done):
        why = "Package files do not contain these settings."
        steps.append(RestoreSettings(why, run))
    if not steps:
        raise NothingToDo(f"Plan {plan.id} did not change the system, so there is nothing to undo.")
    first = (
        FinishInterrupted("dpkg was interrupted, and apt refuses to work until this step has run."),
    )
    notes = [f"This undoes what plan {plan.id} changed on the system, starting with the last step."]
    if modules:
        notes.append(
            f"Configuring {', '.join(modules)} builds a kernel module, which this program never "
            "does. If the build failed before the run, the package's files are restored, but the "
            "package is not configured. If the build succeeded, the package is not restored, but "
            "the run's UNDO.sh can restore it."
        )
    steps = [*(first if interrupted else ()), *steps]
    return system_plan(Kind.ROLLBACK, tuple(steps), tuple(notes), takes_back=plan.id)


def _kept_by(step: Step) -> tuple[tuple[str, str], ...]:
    return step.packages if isinstance(step, KeepDebs) and not step.coming else ()


def _inverse(step: Step, noted: Before, changed: Collection[str]) -> Iterator[Step]:
    """The inverse of one step; what is below the venv is undone by the run's own list of files."""
    for other in step.inverse(noted) if step.reaches_out else ():
        if not (isinstance(other, SetSystemPathAside) and other.path in changed):
            yield cast("Step", other)


def _change_back(
    step: AptChange,
    versions: Mapping[str, str],
    kept: tuple[LocalDeb, ...],
    installed: Mapping[str, str],
    half: Collection[str],
    changed: Collection[str],
) -> Iterator[Step]:
    """First what came goes, then what went comes: together they could not be told apart."""
    came = tuple(name for name, version in step.expect_install if installed.get(name) == version)
    if came:
        yield AptChange(
            f"This removes {counted(len(came), 'package')} that the plan installed.",
            remove=came,
            purge=True,
            expect_remove=came,
            for_good=tuple((name, installed[name]) for name in came),
        )
    went = tuple(
        (name, versions[name])
        for name in step.expect_remove
        if name in versions
        and (installed.get(name) != versions[name] or name in half)
        and name not in KERNEL_DRIVERS
        and name not in changed
    )
    if went:
        yield _bring_back(went, kept)


def changed_since(
    plan: Plan, begun: Collection[int], installed: Mapping[str, str], host: Host
) -> dict[str, str]:
    """Files and packages that these steps changed and that somebody else has changed since, and
    what is said of each."""
    found = {
        name: f"{name} {version} was installed since the run"
        for name, version in _other_versions(plan, begun, installed)
    }
    for step in (plan.steps[number - 1] for number in begun):
        if isinstance(step, WriteSystemFile) and step.before is None:
            now = host.read(step.path)
            is_another = isinstance(now, str) and now != step.content
            if is_another or isinstance(host.link(step.path), str):
                found[step.path] = f"{step.path} was changed after the run wrote it"
    return found


def _other_versions(
    plan: Plan, begun: Collection[int], installed: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Packages that are there in a version that is neither that of before nor one that the plan
    brought."""
    known: dict[str, list[str]] = {}
    for step in plan.steps:
        brought = step.expect_install if isinstance(step, AptChange) else ()
        for name, version in (*_kept_by(step), *brought):
            known.setdefault(name, []).append(version)
    changes = _changes(plan, begun)
    names = {n for c in changes for n in (*dict(c.expect_install), *c.expect_remove)}
    for name in sorted(names & installed.keys() & known.keys()):
        if installed[name] not in known[name]:
            yield name, installed[name]


def lost(plan: Plan, begun: Collection[int], installed: Mapping[str, str]) -> Versions:
    """Packages that these steps removed for good, and that are not there again by now."""
    return tuple(
        (name, version)
        for step in _changes(plan, begun)
        for name, version in step.for_good
        if installed.get(name) != version
    )


def done_by_hand(rollback: Plan, host: Host) -> bool:
    """True where a rollback has something to undo although root's part never began."""
    return not all(_is_nothing(step, host) for step in rollback.steps)


def _is_nothing(step: Step, host: Host) -> bool:
    if isinstance(step, TakeFromGroups):
        now = groups_of(host.read("/etc/group"), Account(step.user))
        return not set(step.groups) & set(now)
    return isinstance(step, (RestoreSettings, SetSystemPathAside))


def _changes(plan: Plan, begun: Collection[int]) -> list[AptChange]:
    done = (step for number, step in enumerate(plan.steps, 1) if number in begun)
    return [step for step in done if isinstance(step, AptChange)]


def _modules(step: AptChange) -> list[str]:
    gone = {name for name, _ in step.for_good}
    return [name for name in step.expect_remove if name in KERNEL_DRIVERS and name not in gone]


def _bring_back(went: tuple[tuple[str, str], ...], kept: tuple[LocalDeb, ...]) -> AptChange:
    files = tuple(deb for deb in kept if (deb.name, deb.version) in went)
    there = {(deb.name, deb.version) for deb in files}
    return AptChange(
        (f"This uses the backup to restore {counted(len(went), 'package')} that the plan removed."),
        install=tuple(pair for pair in went if pair not in there),
        debs=files,
        expect_install=went,
    )
