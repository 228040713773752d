"""Where a run stands: which steps are done, what an interrupted one left, what to note first."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from wizard.plan.existing_steps import ResolveCarried, ResolveHeld, SetAsidePackages
from wizard.plan.steps import (
    ClearExecutableStack,
    CreateVenv,
    DropDownloads,
    FetchWheels,
    InstallWheels,
    PinInstalled,
    Plan,
    RunProgram,
    Step,
    WriteFile,
)
from wizard.run import execstack
from wizard.run.backup import FILES, MANIFEST, Backup
from wizard.run.journal import PARTLY_ROLLED_BACK, ROLLED_BACK, Record
from wizard.run.ownership import (
    LAYOUT,
    Owned,
    Print,
    installed,
    listing,
    lock_names,
    made_with_venv,
    prints,
    site_packages,
    wheel_files,
)
from wizard.run.remains import OF_PIP, files_before, holds, remains
from wizard.run.trouble import Trouble


def run_to_resume(plan: Plan, records: tuple[Record, ...]) -> Record | None:
    """The newest run of this very plan that was not rolled back; raises Trouble on a conflict."""
    here = os.path.realpath(plan.venv)
    standing = [r for r in records if r.state != ROLLED_BACK]
    same_folder = [r for r in standing if os.path.realpath(r.plan["venv"]) == here]
    for record in same_folder:
        if record.plan["id"] == plan.id and record.state != PARTLY_ROLLED_BACK:
            return record
    if same_folder:
        other = same_folder[0]
        raise Trouble(
            f"{plan.venv} already holds {other.plan['stack']} (run {other.id}, {other.state}).",
            "A folder holds one stack at a time.",
            f"Take another folder, or undo that run first: rdna1-setup rollback {other.id}",
        )
    if changes_existing(plan):
        _refuse_orphans(plan)
        return None
    if (Path(plan.venv) / "pyvenv.cfg").exists():
        raise Trouble(
            f"{plan.venv} is a venv that this program did not make.",
            "This plan is for a new folder; nothing in that one was changed.",
            "Choose a new folder with --venv, or name that one with --venv to have its torch "
            "replaced.",
        )
    if taken := _in_the_way(plan):
        raise Trouble(
            f"{_some(taken)} is there already, and is not ours.",
            "Making the venv would write over it, and nothing could bring it back.",
            "Choose a new folder with --venv, or move that away.",
        )
    return None


def changes_existing(plan: Plan) -> bool:
    """True for a plan that replaces the torch of an environment that is there."""
    return any(isinstance(step, SetAsidePackages) for step in plan.steps)


def _refuse_orphans(plan: Plan) -> None:
    """Raise Trouble for a backup whose run nobody knows: moving more into it would mix two."""
    backups = [step.backup for step in plan.steps if isinstance(step, SetAsidePackages)]
    if orphans := [backup for backup in backups if os.path.lexists(f"{backup}/{MANIFEST}")]:
        raise Trouble(
            f"{orphans[0]} holds packages that a run set aside, and its journal is gone.",
            "What is in there is the first state of this environment; a second run would mix it.",
            f"Move the files below {orphans[0]}/{FILES} back by hand, or move that folder away.",
        )


def _in_the_way(plan: Plan) -> list[str]:
    """What lies where the plan would write."""
    venv = Path(plan.venv)
    if os.path.lexists(venv) and not venv.is_dir():
        return [plan.venv]
    written = (s.path for s in plan.steps if isinstance(s, (WriteFile, PinInstalled)))
    taken = [
        str(venv / name)
        for name in LAYOUT
        if os.path.lexists(venv / name)
        and (not (venv / name).is_dir() or (venv / name).is_symlink())
    ]
    taken += [str(venv / path) for path in sorted(made_with_venv(venv, ()))]
    return taken + [path for path in written if os.path.lexists(path)]


def _some(paths: Sequence[str]) -> str:
    more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"


def refuse_to_overwrite(step: Step, plan: Plan, record: Record) -> None:
    """Raise Trouble when installing would write over files that were there before the run."""
    if not isinstance(step, InstallWheels):
        return
    wheels = tuple(Path(step.staging).glob("*.whl"))
    taken = sorted(wheel_files(Path(plan.venv), wheels).keys() & set(files_before(record)))
    if taken:
        raise Trouble(
            f"{plan.venv}/{_some(taken)} is there already, and is not ours.",
            "A wheel holds a file of that name and would write over it.",
            "Move it away, or undo this run and choose a new folder with --venv.",
        )


def done_steps(plan: Plan, record: Record) -> frozenset[int]:
    """Numbers of the steps whose outcome was noted and still holds."""
    steps = dict(enumerate(plan.steps, 1))
    done = {n for n, step in steps.items() if n in record.outcomes and _holds(step, record)}
    if any(n in record.interrupted for n, step in steps.items() if _works_on_pip(step, plan)):
        # pip replaces itself in place: cut off, it may be half of two releases.
        done -= {n for n, step in steps.items() if isinstance(step, (CreateVenv, RunProgram))}
    if any(isinstance(steps[n], InstallWheels) for n in done):
        report = next(s.report for s in plan.steps if isinstance(s, FetchWheels))
        work = os.path.dirname(report)  # noqa: PTH120 - a text of the plan
        done |= {
            n
            for n, step in steps.items()
            if isinstance(step, (FetchWheels, ResolveHeld, ResolveCarried))
            or (isinstance(step, RunProgram) and any(p.startswith(work) for p in step.creates))
        }
    return frozenset(done)


def clear_remains(step: Step, plan: Plan, record: Record) -> int:
    """Remove what was left half done and the step would stumble over; gives the number of files."""
    venv = Path(plan.venv)
    left: dict[str, Print] = {}
    for number in record.interrupted:
        if _must_go_first(plan.steps[number - 1], step, plan):
            left |= remains(record, number)
    for path in left:
        with contextlib.suppress(FileNotFoundError):
            (venv / path).unlink()
    _drop_emptied(venv, left)
    return len(left)


def _must_go_first(left_by: Step, step: Step, plan: Plan) -> bool:
    if isinstance(step, CreateVenv) and _works_on_pip(left_by, plan):
        return True  # half a pip looks installed: neither ensurepip nor pip would mend it
    return left_by == step and isinstance(step, (CreateVenv, InstallWheels))


def _drop_emptied(venv: Path, files: Iterable[str]) -> None:
    # An empty dist-info folder would make pip believe that the package is installed.
    folders = {folder for path in files for folder in (venv / path).parents if folder != venv}
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        if venv in folder.parents:
            with contextlib.suppress(OSError):
                folder.rmdir()


def notes_before(step: Step, plan: Plan) -> dict[str, Any]:
    """What the journal must know before the step acts, so that undo can tell ours from theirs."""
    noted: dict[str, Any] = {"kind": type(step).__name__}
    if isinstance(step, CreateVenv):
        there = listing(Path(plan.venv))
        noted["before"] = sorted(there.files)
        noted["folders_before"] = sorted(there.folders)
        noted["made_folders"] = [str(path) for path in _folders(plan) if not path.exists()]
    if changes_existing(plan) and step == plan.steps[0]:
        noted["made_folders"] = [str(path) for path in _folders(plan) if not path.exists()]
    if isinstance(step, SetAsidePackages) and step.root == plan.venv:
        noted["folders_before"] = sorted(listing(Path(plan.venv)).folders)
    return noted


def _folders(plan: Plan) -> tuple[Path, ...]:
    """Folders that the plan needs, each with its parents, deepest first."""
    wanted = [Path(plan.venv)]
    wanted += [Path(step.folder).parent for step in plan.steps if isinstance(step, DropDownloads)]
    every = {folder for path in wanted for folder in (path, *path.parents)}
    return tuple(sorted(every, key=lambda folder: len(folder.parts), reverse=True))


def ours_after(step: Step, plan: Plan, before: Iterable[str]) -> dict[str, Print]:
    """Files below the venv that are ours because this step ran; never one that was there before."""
    theirs = frozenset(before)
    return {path: seen for path, seen in _made_by(step, plan).items() if path not in theirs}


def _made_by(step: Step, plan: Plan) -> dict[str, Print]:
    venv = Path(plan.venv)
    match step:
        case CreateVenv() | RunProgram():
            return {} if changes_existing(plan) else made_with_venv(venv, ())
        case ResolveCarried():
            return prints(venv, (Path(step.told),))
        case InstallWheels():
            return installed(venv, lock_names(Path(step.lock)))
        case WriteFile() | PinInstalled():
            return prints(venv, (Path(step.path),))
        case ClearExecutableStack():
            return prints(venv, _libraries(step))
        case _:
            return {}


def _works_on_pip(step: Step, plan: Plan) -> bool:
    return isinstance(step, RunProgram) and f"{plan.venv}/bin/pip" in step.creates


def _holds(step: Step, record: Record) -> bool:
    match step:
        case CreateVenv():
            # Both: an undo that was cut off may have left one of them.
            return all((Path(step.venv) / name).exists() for name in ("pyvenv.cfg", "bin/python"))
        case RunProgram():
            return all(Path(path).exists() for path in step.creates)
        case ResolveHeld() | ResolveCarried():
            return Path(step.report).is_file()
        case FetchWheels():
            return Path(step.lock).is_file()
        case InstallWheels():
            venv, noted = Path(step.venv), Owned(Path(record.folder)).read()
            # The pip that came with the venv went when a newer one was installed.
            return all((venv / p).exists() for p in noted if not OF_PIP.fullmatch(p))
        case WriteFile():
            return holds(Path(step.path), step.content)
        case PinInstalled():
            return Path(step.path).is_file()
        case ClearExecutableStack():
            return not any(_may_ask(lib) for lib in _libraries(step) if lib.is_file())
        case DropDownloads():
            return not Path(step.folder).exists()
        case _:
            # Checks are cheap and worth repeating.
            return isinstance(step, SetAsidePackages) and _is_aside(step)


def _is_aside(step: SetAsidePackages) -> bool:
    aside = Backup(Path(step.root), Path(step.backup))
    return aside.manifest.exists() and all(map(aside.is_kept, aside.things()))


def _may_ask(library: Path) -> bool:
    try:
        return execstack.asks_for_executable_stack(library)
    except (OSError, ValueError):
        return True  # the step itself will look again, and say what is wrong


def _libraries(step: ClearExecutableStack) -> tuple[Path, ...]:
    return tuple(
        packages / "torch" / "lib" / name
        for packages in site_packages(Path(step.venv))
        for name in step.libraries
    )
