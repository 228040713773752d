"""Searches a home folder for venvs: not deep, and never for long."""

from __future__ import annotations

from collections import deque

from wizard.machine.facts import Unknown
from wizard.machine.host import Host
from wizard.machine.part import Found

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


def venv_folders(host: Host) -> Found[tuple[str, ...]]:
    """Venvs up to three folders deep in the home folder, and the active one."""
    active = host.environ.get("VIRTUAL_ENV", "")
    found = [active] if active.startswith("/") and host.is_file(f"{active}/{MARK}") else []
    waiting = deque([(host.home, 0)])
    unread: list[Unknown] = []
    visited = 0
    while waiting and visited < FOLDER_LIMIT:
        folder, depth = waiting.popleft()
        visited += 1
        if host.is_file(f"{folder}/{MARK}"):
            found.append(folder)
        elif depth < DEPTH:
            waiting.extend((child, depth + 1) for child in _children(host, folder, unread))
    if waiting:
        unread.append(Unknown(f"{host.home} has many folders: only {FOLDER_LIMIT:,} were searched"))
    return Found(tuple(dict.fromkeys(found)), tuple(unread))


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
