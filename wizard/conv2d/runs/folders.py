"""Runs on disk: one folder each, with the request, the events, and a lock while a runner lives."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wizard.conv2d.asked import Request, request_of
from wizard.core.own_files import Places, open_private, read_private
from wizard.root.session import Process

SCHEMA = 1
LOCK = "lock"
LONGEST_REQUEST = 16 << 20


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a request by a runner of its own."""

    folder: Path
    name: str
    """Of its request: the same request has the same."""
    began: str
    """ISO time."""
    journal: Path
    resume: bool
    request: Request

    @property
    def id(self) -> str:
        """Its name for people; the newest run has the greatest."""
        return self.folder.name

    @property
    def since(self) -> str:
        """When it began, to the minute, on the clock of its time."""
        return self.began[:16]

    @property
    def since_second(self) -> str:
        """When it began, to the second where that is known."""
        return self.began[:19] if self.began[16:17] == ":" else self.since

    @property
    def events(self) -> Path:
        """One JSON line an event."""
        return self.folder / "events.jsonl"

    @property
    def lock(self) -> Path:
        """Held by the runner as long as it lives; holds its number."""
        return self.folder / LOCK

    @property
    def log(self) -> Path:
        """What the runner printed: nothing, unless it failed."""
        return self.folder / "log.txt"

    @property
    def reserve(self) -> Path:
        """Room for last words on a full disk."""
        return self.folder / "reserve"

    def free_reserve(self) -> None:
        """Give the room for last words back."""
        self.reserve.unlink(missing_ok=True)

    def is_alive(self) -> bool:
        """True while its runner lives, or is about to be started."""
        return _is_held(self.lock)

    def process(self) -> Process | None:
        """The runner by number and beginning; None before it has told them."""
        try:
            form = json.loads(read_private(self.lock, 200))
            return Process(int(form["pid"]), int(form["begun"]))
        except (OSError, ValueError, TypeError, LookupError):
            return None


def tell_process(lock: int) -> None:
    """Write number and beginning of this process into the lock that it holds."""
    stat = Path("/proc/self/stat").read_text("ascii", "replace")
    begun = int(stat.rpartition(") ")[2].split()[19])
    os.pwrite(lock, json.dumps({"pid": os.getpid(), "begun": begun}).encode(), 0)


@dataclass(frozen=True, slots=True)
class KeptRuns:
    """What lies where runs are kept."""

    runs: tuple[Run, ...] = ()
    """Newest first."""
    unreadable: tuple[str, ...] = ()
    """Paths of damaged runs, of others' and of a later version's; or of all, where none opens."""


def runs_folder(places: Places) -> Path:
    """Where runs lie."""
    return Path(places.conv2d) / "runs"


def runs_of(places: Places) -> tuple[Run, ...]:
    """Every run that can be read, newest first; reads only."""
    return kept_runs(places).runs


def kept_runs(places: Places) -> KeptRuns:
    """Every run, and what is none and lies among them; reads only."""
    try:
        folders = _entries(places)
    except FileNotFoundError:
        return KeptRuns()
    except OSError:
        return KeptRuns(unreadable=(str(runs_folder(places)),))
    found = {folder: read_run(folder) for folder in folders}
    return KeptRuns(
        tuple(run for run in found.values() if run is not None),
        tuple(str(folder) for folder, run in found.items() if run is None),
    )


def live_run(places: Places) -> Run | None:
    """The run that is under way; quick, however many there are."""
    held = (folder for folder in _folders(places) if _is_held(folder / LOCK))
    return next((run for run in map(read_run, held) if run is not None), None)


def _folders(places: Places) -> list[Path]:
    try:
        return _entries(places)
    except OSError:
        return []


def _entries(places: Places) -> list[Path]:
    entries = sorted(runs_folder(places).iterdir(), reverse=True)
    return [entry for entry in entries if entry.name[:1].isdigit()]


def _is_held(lock: Path) -> bool:
    try:
        descriptor = open_private(lock, os.O_RDONLY)
    except OSError:
        return False
    try:
        # Shared: those who look do not disturb each other. The kernel drops the runner's lock with
        # the runner, however that ends.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def read_run(folder: Path) -> Run | None:
    """The run in a folder; None for a damaged one, one of others, one of a later version."""
    try:
        form = json.loads(read_private(folder / "request.json", LONGEST_REQUEST))
        if form["schema"] != SCHEMA:
            return None
        journal, request = Path(form["journal"]), request_of(form["request"])
        began = began_text(datetime.fromisoformat(form["began"]))
        return Run(folder, form["name"], began, journal, bool(form["resume"]), request)
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None


def began_text(time: datetime) -> str:
    """The beginning of a run; earlier versions wrote down no seconds."""
    return time.isoformat(" ", "seconds" if time.second else "minutes")
