"""A new run on disk, and the old ones that make room for it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from wizard.conv2d.asked import Request, journal_of, name_of, request_form
from wizard.conv2d.runs.folders import SCHEMA, Run, began_text, runs_folder, runs_of
from wizard.places import Places
from wizard.private_files import FOLDER_MODE, open_private, private_folder
from wizard.run.journal import new_folder

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
