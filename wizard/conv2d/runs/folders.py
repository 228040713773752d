"""Runs on disk: one folder each, with the request, the events, and a lock while a runner lives."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from wizard.conv2d.journal import read_journal
from wizard.conv2d.requests import (
    Request,
    described,
    journal_of,
    name_of,
    request_form,
    request_of,
    sweep_in,
)
from wizard.core.lines import wrapped
from wizard.core.own_files import FOLDER_MODE, Places, open_private, private_folder, read_private
from wizard.host.host import Host
from wizard.machine.stack_facts import StackFacts, stack_form, stack_now, stack_of_form
from wizard.root.session import Process
from wizard.run.journal import new_folder

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


KEPT = 20
"""How many runs are kept that have ended."""
DRAFT = ".new"
"""The folder of a run that is being made."""
RESERVED = 256 << 10
"""Bytes kept free for the last words of a runner whose disk is full."""


class Starting(Exception):
    """Another process is just starting a run."""


@contextmanager
def starting(places: Places) -> Iterator[None]:
    """Hold what only one may do at a time. Raises ``Starting`` and ``OSError``."""
    for folder in (Path(places.state), Path(places.conv2d), runs_folder(places)):
        private_folder(folder)
    descriptor = open_private(runs_folder(places) / "lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise Starting from None
    finally:
        os.close(descriptor)


@contextmanager
def new_run(
    places: Places, request: Request, environ: Mapping[str, str], now: datetime, *, resume: bool
) -> Iterator[tuple[Run, int]]:
    """A new run and its lock, held: it lives as long as anybody has that descriptor open."""
    name, journal = name_of(request, environ), journal_of(request, environ)
    folder = new_folder(runs_folder(places), now, name)
    draft = folder.with_name(DRAFT)
    shutil.rmtree(draft, ignore_errors=True)  # left by a kill
    draft.mkdir(mode=FOLDER_MODE)
    run = Run(folder, name, began_text(now), journal, resume, request)
    _write(draft / "request.json", json.dumps(_form(run)).encode())
    _write(draft / run.events.name, b"")
    _reserve(draft / run.reserve.name)
    lock = open_private(draft / run.lock.name, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        draft.rename(folder)  # who finds it finds it alive
        yield run, lock
    finally:
        os.close(lock)


def forget_old(places: Places, kept: int = KEPT) -> None:
    """Remove the oldest runs beyond so many that have ended."""
    ended = [run for run in runs_of(places) if not run.is_alive()]
    for run in ended[kept:]:
        shutil.rmtree(run.folder, ignore_errors=True)


def _form(run: Run) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "name": run.name,
        "began": run.began,
        "journal": str(run.journal),
        "resume": run.resume,
        "request": request_form(run.request),
    }


def _write(path: Path, content: bytes) -> None:
    with os.fdopen(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(content)


def _reserve(path: Path) -> None:
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT)
    try:
        os.posix_fallocate(descriptor, 0, RESERVED)
    finally:
        os.close(descriptor)


FREE = ("hangs", "kind")
"""What may differ: more hangs continue where fewer stopped. The kind is compared apart."""
OPTIONS = {
    "device": "--device",
    "spawn": "--spawn",
    "repeats": "--repeats",
    "deadlines": "--deadline or --import-deadline",
    "environment": "--clean or --keep-databases",
    "rows": "the shapes, --work, --engine or --log",
    "axis": "--find-limit",
    "smallest": "--range",
    "largest": "--range",
}


def continued_lines(
    request: Request, places: Places, environ: Mapping[str, str], *, asked: bool
) -> Iterator[str]:
    """Why no unfinished run is continued; nothing if one is, or if there is none.

    ``asked``: whether ``--resume`` was given. If not, only the newest run counts, and that there
    is none to continue is not worth a word.
    """
    if read_journal(journal_of(request, environ)).goes_on:
        return
    runs = runs_of(places)
    run = next((r for r in (runs if asked else runs[:1]) if read_journal(r.journal).goes_on), None)
    if run is not None:
        why = "; ".join(differences(request, run, environ))
        text = (
            f"The unfinished run {run.id} ({described(run.request)}) does not match what you "
            f"asked for, so the measurement starts over. The differences are: {why}."
        )
    elif asked:
        text = "There is no unfinished run to resume, so the measurement starts over."
    else:
        return
    yield from wrapped(text)


def differences(request: Request, run: Run, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What a run asked differently, in the words of the command line; never empty."""
    if type(request) is not type(run.request):
        return ("the kind of measurement",)
    was, now = _flat(run.request), _flat(request)
    names = [name for name in now if was.get(name) != now[name]]
    words = dict.fromkeys(OPTIONS.get(name, name) for name in names if name != "python")
    before, python = sweep_in(run.request).python, sweep_in(request).python
    pythons = (f"--python, which was {before} and is {python} now",) if before != python else ()
    found = (*pythons, *words)
    if not found and run.name != name_of(request, environ):
        return ("shell variables that ROCm reads, such as those beginning with HSA_ or MIOPEN_",)
    return found or ("nothing, but its journal is missing",)


def _flat(request: Request) -> dict[str, Any]:
    """The fields of a request and of the sweep in it, as JSON types."""
    form = request_form(request)
    fields = {**form.pop("sweep", {}), **form}
    return {name: value for name, value in fields.items() if name not in FREE}


STACK_FILE = "stack.json"
LONGEST_STACK = 1 << 16


def note_stack(run: Run, host: Host) -> threading.Thread:
    """Write it down beside the run, in a thread that nobody needs to wait for."""
    thread = threading.Thread(
        target=_write_stack, args=(run, host), daemon=True, name="note the stack"
    )
    thread.start()
    return thread


def stack_of_run(run: Run) -> StackFacts:
    """What was written down; nothing known of a run of an earlier version."""
    try:
        return stack_of_form(json.loads(read_private(run.folder / STACK_FILE, LONGEST_STACK)))
    except (OSError, ValueError, RecursionError):
        return StackFacts()


def _write_stack(run: Run, host: Host) -> None:
    text = json.dumps(stack_form(stack_now(host)))
    with suppress(OSError):  # a full disk: the run itself says so
        path = run.folder / STACK_FILE
        descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
