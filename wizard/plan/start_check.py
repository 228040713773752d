"""All that is looked at once more before a plan with root steps is begun, or held for done."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.apt.packages import (
    PackageWork,
    cut_off,
    installed_rows,
    package_work,
    reinstallation,
)
from wizard.apt.programs import explained
from wizard.apt.view import Asking, Transaction, transaction
from wizard.core.fact import Unknown, known
from wizard.core.journal import Kind
from wizard.core.trouble import Trouble
from wizard.host.accounts import Account, groups_of
from wizard.host.host import Host
from wizard.operations.edit_lines import PutLinesBack, TakeLinesOut, sha256
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import (
    AptChange,
    AptUpdate,
    FinishInterrupted,
    KeepDebs,
    MarkPackages,
)
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.package_resolution import view_after
from wizard.plan.rollback_packages import RollbackFiles, find_rollback_files, no_rollback
from wizard.plan.room import BACKUP, Need, needs_of, shortage
from wizard.plan.steps import Plan, Step

APT_STEPS = (AptChange, KeepDebs, FinishInterrupted, MarkPackages)
UNREADABLE = "unreadable"


async def check(plan: Plan, asking: Asking) -> tuple[Trouble, ...]:
    """Why the plan is not begun: locks, states, files, room, apt's own word, the rollback."""
    if not plan.resolved:
        return (
            Trouble(
                "The repository has not been queried yet.",
                "The exact packages to install are not known yet. Nothing was changed.",
                "Make the plan again on this machine while it is online.",
            ),
        )
    refusals = [*_packages(plan, asking.host), *_files(plan, asking.host)]
    try:
        files = await find_rollback_files(plan.steps, asking)
        if files.lost:
            refusals.append(no_rollback(files, waivable=plan.kind is not Kind.FIX))
        if full := shortage(_needs(plan, files, asking.host), asking.host.disk):
            refusals.append(full)
        if not refusals:  # apt's own words would only repeat them
            await _simulate(plan, asking)
    except Trouble as trouble:
        refusals.append(trouble)
    return tuple(refusals)


def _needs(plan: Plan, files: RollbackFiles, host: Host) -> Iterator[Need]:
    yield Need(BACKUP, files.backup_bytes, "for the rollback")
    yield from needs_of(plan)
    sizes = (host.size(deb.path) for step in plan.apt_changes for deb in step.debs)
    copied = sum(size for size in sizes if isinstance(size, int))
    yield Need(BACKUP, copied, "for copies of package files")


def _packages(plan: Plan, host: Host) -> Iterator[Trouble]:
    """Why packages cannot be changed now."""
    if not any(isinstance(step, APT_STEPS) for step in plan.steps):
        return
    rows = installed_rows(host)
    if isinstance(rows, Unknown):
        yield Trouble(
            f"The list of installed packages cannot be read: {rows.because}.",
            "Without this list, nothing can be removed safely. Nothing was changed.",
            "Make sure that `dpkg-query --show` works, then run the same command again.",
        )
        return
    work = package_work(host, rows)
    if isinstance(work.lock_holder, str) and work.lock_holder:
        yield Trouble(
            f"{work.lock_holder} is installing or removing packages right now.",
            "Only one program can install or remove packages at a time. Nothing was changed.",
            "Wait until the other program has finished, then run the same command again. Never "
            "delete the lock: it protects the package database.",
        )
    changes = plan.apt_changes
    yield from _unfinished(plan, work, {name for step in changes for name in step.remove})
    coming = {name for step in changes for name, _ in step.expect_install}
    touched = coming.union(*(step.expect_remove for step in changes))
    if held := sorted(row.name for row in rows if row.held and row.name in touched):
        yield Trouble(
            f"apt was told to keep {', '.join(held)} unchanged.",
            "The plan would change these packages, so it was not started. Nothing was changed.",
            f"If you want to change them, run this first: sudo apt-mark unhold {' '.join(held)}",
        )
    there = {(row.name, row.version) for row in rows}
    going = [pair for step in plan.steps for pair in _going(step)]
    if lost := [f"{name} {version}" for name, version in going if (name, version) not in there]:
        yield Trouble(
            f"These packages in the plan are no longer installed: {', '.join(lost[:5])}.",
            "Packages changed after the plan was made. This run changed nothing.",
            "Make the plan again and review it.",
        )


def _unfinished(plan: Plan, work: PackageWork, gone: set[str]) -> Iterator[Trouble]:
    """What dpkg left half done, unless the plan finishes or removes it itself."""
    finishes = any(isinstance(step, FinishInterrupted) for step in plan.steps)
    if work.interrupted and not finishes and not work.lock_holder:
        yield Trouble(
            "dpkg was interrupted and has not finished its work.",
            "apt refuses everything else until this work is finished. Nothing was changed.",
            "Run `sudo dpkg --configure -a`, then run the same command again.",
        )
    left = [one for one in known(work.unfinished, ()) if one.split(" ")[0] not in gone]
    if cut := [one for one in cut_off(work) if one in left]:
        yield _not_fully(cut, f"{reinstallation(cut)} Then run the same command again.")
    elif left and not finishes:
        yield _not_fully(
            left,
            "Run `sudo dpkg --configure -a` and read its output. If amdgpu-dkms failed, "
            "`rdna1-setup clean-up` removes it.",
        )


def _not_fully(left: list[str], remedy: str) -> Trouble:
    return Trouble(
        f"These packages are not fully installed: {', '.join(left[:5])}.",
        "Every apt command tries to finish installing these packages, and fails. Nothing was "
        "changed.",
        remedy,
    )


def _going(step: Step) -> tuple[tuple[str, str], ...]:
    """Packages that a step takes to be installed in these versions."""
    match step:
        case KeepDebs(packages=packages, coming=False) | AptChange(for_good=packages):
            return packages
        case _:
            return ()


def _files(plan: Plan, host: Host) -> Iterator[Trouble]:
    """That files which the plan replaces or moves are others by now."""
    changed = [path for step in plan.steps for path in _changed(step, host)]
    if changed:
        yield Trouble(
            "These files have changed since the plan was made: "
            f"{', '.join(dict.fromkeys(changed))}.",
            "The plan would replace content you have not reviewed. Nothing was changed.",
            "Make the plan again and review it.",
        )


def _changed(step: Step, host: Host) -> Iterator[str]:
    match step:
        case WriteSystemFile(path=path, before=before, content=content):
            if _hash(host, path) not in (before, sha256(content)):
                yield path
        case TakeLinesOut(path=path) | PutLinesBack(path=path):
            if _hash(host, path) not in (step.before, step.after):
                yield path
        case SetSystemPathAside(path=path, may_be_gone=False) if not _is_there(host, path):
            yield path
        case _:
            return


async def _simulate(plan: Plan, asking: Asking) -> None:
    """Let apt simulate every transaction, each as the steps before it leave the system.

    Raises Trouble for the first that would not be the reviewed one.
    """
    for number, step in enumerate(plan.steps):
        if not isinstance(step, AptChange):
            continue
        debs = [deb.path for deb in step.debs]
        if not all(map(asking.host.is_file, debs)):
            continue  # what lies in root's backup is simulated by the helper alone
        before = plan.steps[:number]
        view = view_after(before, asking)
        if any(isinstance(each, AptUpdate) for each in before):
            await view.update()
        answer = await view.simulate(step.install, debs, step.remove, purge=step.purge)
        if answer.code != 0:
            raise explained(answer)
        if trouble := _difference(step, transaction(answer.lines)):
            raise trouble


def _difference(step: AptChange, found: Transaction) -> Trouble | None:
    """How a transaction differs from the reviewed one; None when it is that very one."""
    wanted, gone = set(step.expect_install), set(step.expect_remove)
    told = (
        ("would also install {}", [f"{n} {v}" for n, v in found.brings if (n, v) not in wanted]),
        ("would also remove {}", [n for n, _ in found.leaving if n not in gone]),
        ("would not install {}", [f"{n} {v}" for n, v in sorted(wanted - set(found.brings))]),
        ("would not remove {}", sorted(gone - {n for n, _ in found.leaving})),
        ("printed something unknown: {}", list(found.unread)),
    )
    said = [words.format(", ".join(names[:8])) for words, names in told if names]
    if not said:
        return None
    return Trouble(
        f"apt {'; it '.join(said)}.",
        "What apt would do differs from the plan you reviewed. Another package depends on a "
        "package in that plan, or packages have changed since "
        "then. Nothing was changed.",
        "If one of your own packages is listed above, remove it yourself, or keep the ROCm it "
        "needs. Then make the plan again.",
    )


def no_longer_so(plan: Plan, host: Host) -> tuple[str, ...]:
    """What a finished plan did to the system and to the user's files and is otherwise by now.

    In words; looks, and believes no journal.
    """
    rows = installed_rows(host)
    if isinstance(rows, Unknown):
        return (f"the list of installed packages cannot be read: {rows.because}",)
    there = {row.name: row.version for row in rows}
    # After the last transaction; what one of them removed, a later one may have brought.
    wanted: dict[str, str] = {}
    for step in plan.apt_changes:
        wanted |= dict.fromkeys(step.expect_remove, "")
        wanted |= dict(step.expect_install)
    others = ((name, version, there.get(name, "")) for name, version in wanted.items())
    return (
        *(
            f"{name} {now} is installed" if now else f"{name} {version} is not installed"
            for name, version, now in others
            if now != version
        ),
        *(text for step in plan.steps for text in _undone(step, plan, host)),
    )


def _undone(step: Step, plan: Plan, host: Host) -> Iterator[str]:
    match step:
        case SetSystemPathAside(path=path) if not _is_written(path, plan) and _is_there(host, path):
            yield f"{path} exists"
        case WriteSystemFile(path=path, content=content) if _hash(host, path) != sha256(content):
            yield f"{path} has changed"
        case TakeLinesOut(path=path, after=after) if _hash(host, path) != after:
            yield f"{path} has changed"
        case AddToGroups(user=user, groups=groups):
            now = groups_of(host.read("/etc/group"), Account(user))
            yield from (f"{user} is not in the group {name}" for name in groups if name not in now)
        case _:
            return


def _is_written(path: str, plan: Plan) -> bool:
    """True for a path that the plan itself, or a package that it installs, puts there anew."""
    installs = any(step.expect_install for step in plan.apt_changes)
    return (installs and path.startswith("/opt/")) or any(
        isinstance(step, WriteSystemFile) and step.path == path for step in plan.steps
    )


def _is_there(host: Host, path: str) -> bool:
    return host.exists(path) or isinstance(host.link(path), str)


def _hash(host: Host, path: str) -> str | None:
    """None where nothing is."""
    text = host.read(path)
    if isinstance(text, str):
        return sha256(text)
    return UNREADABLE if _is_there(host, path) else None
