"""What a step that was begun and never finished left below the venv; reads only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wizard.host.environment import site_packages
from wizard.host.files import Print, has_text, prints
from wizard.journalform import Record
from wizard.operations.operation import After, Before
from wizard.operations.remove import Remove
from wizard.plan.form import operation_of
from wizard.run.records import last_written_ns
from wizard.system.whole_file import draft_of

GRACE_S = 60
"""Time that a step may outlast its deadline before it is ended."""


def notes_of_the_venv(record: Record) -> Mapping[str, Any]:
    """What was noted before the venv was made or changed; empty while that was not begun."""
    merged: dict[str, Any] = {}
    for noted in record.intents.values():
        merged |= {name: noted[name] for name in _OF_THE_VENV if name in noted}
    return merged


_OF_THE_VENV = ("before", "folders_before", "made_folders")


def files_before(record: Record) -> tuple[str, ...]:
    """Files that were in the venv's folder before the run: never ours."""
    return tuple(notes_of_the_venv(record).get("before", ()))


def remains(record: Record, number: int) -> dict[str, Print]:
    """Files that the interrupted step left, told by what it would write.

    What was written after the step must have ended is somebody else's, whatever its name.
    """
    step = record.plan["steps"][number - 1]
    before = frozenset(files_before(record))
    deadline_s = float(step.get("deadline_s", 0)) + GRACE_S
    latest = last_written_ns(Path(record.folder)) + int(deadline_s * 10**9)
    found = _left(step, Path(record.plan["venv"]), record)
    for removal in removals(step, record.intents[number], None):
        found |= removal.files
    return {p: seen for p, seen in found.items() if p not in before and seen[1] <= latest}


def _left(step: Mapping[str, Any], venv: Path, record: Record) -> dict[str, Print]:
    match step:
        case {"kind": "WriteFile", "path": str(path), "content": str(content)}:
            return prints(venv, _written(Path(path), content))
        case {"kind": "ClearExecutableStack", "libraries": list(names)}:
            folders = [each / "torch/lib" for each in site_packages(venv, step.get("site", ""))]
            return prints(venv, (draft_of(at / name) for at in folders for name in names))
        case {"kind": "PinInstalled", "path": str(path)}:
            return prints(venv, (Path(path), draft_of(Path(path))))
        case _:
            return {}


def removals(form: Mapping[str, Any], before: Before, after: After | None) -> Iterator[Remove]:
    """What is removed to undo an operation, as a plan's JSON form names it; nothing for the older
    kinds of step."""
    operation = operation_of(form)
    for each in operation.inverse(before, after) if operation else ():
        if isinstance(each, Remove):
            yield each


def _written(path: Path, content: str) -> Iterable[Path]:
    yield draft_of(path)
    if has_text(path, content):
        yield path
