"""Where a run stands: which steps are done, what an interrupted one left, what to note first."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

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
from wizard.run.journal import Record
from wizard.run.ownership import (
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
from wizard.run.trouble import Trouble


def run_to_resume(plan: Plan, records: tuple[Record, ...]) -> Record | None:
    """The newest run of this very plan that was not rolled back; raises Trouble on a conflict."""
    same_folder = [
        record
        for record in records
        if record.plan["venv"] == plan.venv and not record.state.endswith("rolled back")
    ]
    for record in same_folder:
        if record.plan["id"] == plan.id:
            return record
    if same_folder:
        other = same_folder[0]
        raise Trouble(
            f"{plan.venv} already holds {other.plan['stack']} (run {other.id}, {other.state}).",
            "A folder holds one stack at a time.",
            f"Take another folder, or undo that run first: rdna1-setup rollback {other.id}",
        )
    if (Path(plan.venv) / "pyvenv.cfg").exists():
        raise Trouble(
            f"{plan.venv} is a venv that this program did not make.",
            "Changing an existing environment is not built yet, and it will not be guessed at.",
            "Choose a new folder with --venv.",
        )
    return None


def done_steps(plan: Plan, record: Record) -> frozenset[int]:
    """Numbers of the steps whose outcome was noted and still holds."""
    steps = dict(enumerate(plan.steps, 1))
    done = {n for n, step in steps.items() if n in record.outcomes and _holds(step, record)}
    if any(n in record.interrupted for n, step in steps.items() if _works_on_pip(step, plan)):
        # pip replaces itself in place: cut off, it may be half of two releases.
        done -= {n for n, step in steps.items() if isinstance(step, (CreateVenv, RunProgram))}
    if any(isinstance(steps[n], InstallWheels) for n in done):
        report = next(s.report for s in plan.steps if isinstance(s, FetchWheels))
        done |= {
            n
            for n, step in steps.items()
            if isinstance(step, FetchWheels)
            or (isinstance(step, RunProgram) and report in step.creates)
        }
    return frozenset(done)


def clear_remains(step: Step, plan: Plan, record: Record) -> int:
    """Remove what the interrupted step left of its own; gives the number of files."""
    venv = Path(plan.venv)
    left: Mapping[str, Print] = {}
    if isinstance(step, CreateVenv):
        left = made_with_venv(venv, before(record, "before"))
    elif isinstance(step, InstallWheels):
        left = wheel_files(venv, Path(step.staging).glob("*.whl"))
    for path in left:
        with contextlib.suppress(FileNotFoundError):
            (venv / path).unlink()
    _drop_emptied(venv, left)
    return len(left)


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
    return noted


def _folders(plan: Plan) -> tuple[Path, ...]:
    """Folders that the plan needs, each with its parents, deepest first."""
    wanted = [Path(plan.venv)]
    wanted += [Path(step.folder).parent for step in plan.steps if isinstance(step, DropDownloads)]
    every = {folder for path in wanted for folder in (path, *path.parents)}
    return tuple(sorted(every, key=lambda folder: len(folder.parts), reverse=True))


def ours_after(step: Step, plan: Plan, record_notes: tuple[str, ...]) -> dict[str, Print]:
    """Files below the venv that are ours because this step ran."""
    venv = Path(plan.venv)
    match step:
        case CreateVenv() | RunProgram():
            return made_with_venv(venv, record_notes)
        case InstallWheels():
            return installed(venv, lock_names(Path(step.lock)))
        case WriteFile() | PinInstalled():
            return prints(venv, (Path(step.path),))
        case ClearExecutableStack():
            return prints(venv, _libraries(step))
        case _:
            return {}


def before(record: Record, what: str) -> tuple[str, ...]:
    """What the venv's folder held before the run began."""
    noted = next((n for n in record.intents.values() if n["kind"] == "CreateVenv"), {})
    return tuple(noted.get(what, ()))


def _works_on_pip(step: Step, plan: Plan) -> bool:
    return isinstance(step, RunProgram) and f"{plan.venv}/bin/pip" in step.creates


def _holds(step: Step, record: Record) -> bool:
    match step:
        case CreateVenv():
            return (Path(step.venv) / "pyvenv.cfg").is_file()
        case RunProgram():
            return all(Path(path).exists() for path in step.creates)
        case FetchWheels():
            return Path(step.lock).is_file()
        case InstallWheels():
            venv = Path(step.venv)
            return all((venv / path).exists() for path in Owned(Path(record.folder)).read())
        case WriteFile():
            return _same_text(Path(step.path), step.content)
        case PinInstalled():
            return Path(step.path).is_file()
        case ClearExecutableStack():
            return not any(
                execstack.asks_for_executable_stack(library)
                for library in _libraries(step)
                if library.is_file()
            )
        case DropDownloads():
            return not Path(step.folder).exists()
        case _:
            return False  # checks are cheap and worth repeating


def _libraries(step: ClearExecutableStack) -> tuple[Path, ...]:
    return tuple(
        packages / "torch" / "lib" / name
        for packages in site_packages(Path(step.venv))
        for name in step.libraries
    )


def _same_text(path: Path, content: str) -> bool:
    try:
        return path.read_text("utf-8") == content
    except (OSError, UnicodeDecodeError):
        return False
