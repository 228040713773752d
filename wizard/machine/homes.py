"""Searches a home folder for venvs and known applications: not deep, and never for long."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from wizard.host.host import Host
from wizard.knowledge.traces import Trace, load_traces
from wizard.machine.facts import Unknown

DEPTH = 3
FOLDER_LIMIT = 2_000
CHILD_LIMIT = 500
"""A folder with more sub-folders than this holds data, not projects."""
MARK = "pyvenv.cfg"
SKIPPED = frozenset(
    {"node_modules", "__pycache__", "site-packages", "snap", "go", "target", "Steam", "Trash"}
)
HIDDEN = frozenset({".venv", ".venvs", ".virtualenvs", ".env", ".envs"})
"""Hidden folders that are entered all the same."""
VENV_NAMES = ("venv", ".venv", "env", ".env", "fooocus_env")
"""Where applications keep their venv, looked for beside them however deep they lie."""


class Project(NamedTuple):
    """A folder with the files of a known application."""

    trace: Trace
    path: str


class HomeFolders(NamedTuple):
    """What a search of the home folder found."""

    venvs: tuple[str, ...]
    projects: tuple[Project, ...]
    unread: tuple[Unknown, ...]


def home_folders(host: Host) -> HomeFolders:
    """Venvs and applications up to three folders deep in the home folder, and the active venv."""
    active = host.environ.get("VIRTUAL_ENV", "")
    venvs = [active] if active.startswith("/") and host.is_file(f"{active}/{MARK}") else []
    traces = tuple(trace for trace in load_traces() if trace.files)
    projects: list[Project] = []
    unread: list[Unknown] = []
    for folder, is_venv in _walk(host, unread):
        if is_venv:
            venvs.append(folder)
        elif (trace := _trace(host, folder, traces)) is not None:
            projects.append(Project(trace, folder))
            venvs += _venvs_beside(host, folder)
    return HomeFolders(tuple(dict.fromkeys(venvs)), tuple(projects), tuple(unread))


def _walk(host: Host, unread: list[Unknown]) -> Iterator[tuple[str, bool]]:
    """Each folder, nearest first, and whether it is a venv; a venv is not entered."""
    waiting = deque([(host.home, 0)])
    visited = 0
    while waiting and visited < FOLDER_LIMIT:
        folder, depth = waiting.popleft()
        visited += 1
        is_venv = host.is_file(f"{folder}/{MARK}")
        yield folder, is_venv
        if not is_venv and depth < DEPTH:
            waiting.extend((child, depth + 1) for child in _children(host, folder, unread))
    if waiting:
        unread.append(Unknown(f"{host.home} has many folders: only {FOLDER_LIMIT:,} were searched"))


def _trace(host: Host, folder: str, traces: tuple[Trace, ...]) -> Trace | None:
    for trace in traces:
        if all(host.is_file(f"{folder}/{name}") for name in trace.files):
            return trace
    return None


def _venvs_beside(host: Host, folder: str) -> list[str]:
    paths = (f"{folder}/{name}" for name in VENV_NAMES)
    return [path for path in paths if host.is_file(f"{path}/{MARK}")]


def _children(host: Host, folder: str, unread: list[Unknown]) -> list[str]:
    names = host.folders(folder)
    if isinstance(names, Unknown):
        if folder == host.home:
            unread.append(names)
        return []
    wanted = [name for name in names if _promising(name)]
    if len(wanted) > CHILD_LIMIT:
        unread.append(Unknown(f"{folder} has many folders: only {CHILD_LIMIT} were searched"))
    return [f"{folder}/{name}" for name in wanted[:CHILD_LIMIT]]


def _promising(name: str) -> bool:
    return name not in SKIPPED and (not name.startswith(".") or name in HIDDEN)
