"""Reads the journals of runs: which there were, and how each stands."""

from __future__ import annotations

from pathlib import Path

from wizard.core.journal import FILE, UNFINISHED, OlderRun, Record, older_run_of, record_of


def read_record(folder: Path) -> Record | None:
    """The run in a folder, or None when there is no usable journal in it."""
    return record_of(folder.name, str(folder), _complete_lines(folder))


def last_written_ns(folder: Path) -> int:
    """When the journal of a run was last added to, as the file system tells it."""
    return (folder / FILE).stat().st_mtime_ns


def read_records(runs: Path) -> tuple[Record, ...]:
    """Every run of ours, newest first."""
    found = map(read_record, _newest_first(runs))
    return tuple(record for record in found if record is not None)


def waits(plan: str, runs: Path) -> bool:
    """True when a run of the plan of that id stopped before its end: it is to be gone on with."""
    return any(r.plan["id"] == plan and r.state == UNFINISHED for r in read_records(runs))


def older_runs(runs: Path) -> tuple[OlderRun, ...]:
    """Every run that an older version of this program recorded, newest first."""
    folders = _newest_first(runs)
    found = (older_run_of(each.name, str(each), _complete_lines(each)) for each in folders)
    return tuple(run for run in found if run is not None)


def unreadable_runs(runs: Path) -> tuple[str, ...]:
    """Names of runs that began and whose journal is damaged or of a newer version, newest first."""
    older = {run.id for run in older_runs(runs)}
    return tuple(
        folder.name
        for folder in _newest_first(runs)
        if folder.name not in older and read_record(folder) is None and _complete_lines(folder)
    )


def _newest_first(runs: Path) -> list[Path]:
    try:
        return sorted((entry for entry in runs.iterdir() if entry.is_dir()), reverse=True)
    except OSError:
        return []


def _complete_lines(folder: Path) -> list[bytes]:
    """Whole lines only: while the first one is not, no step has acted."""
    try:
        return (folder / FILE).read_bytes().split(b"\n")[:-1]
    except OSError:
        return []
