"""The data beside the files of a recorded machine, checked when it is read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
KIND_NAMES: dict[type[object], tuple[str, str]] = {
    str: ("a text", "texts"),
    int: ("a whole number", "whole numbers"),
    list: ("a list", "lists"),
    dict: ("an object", "objects"),
}


class RecordError(ValueError):
    """A recorded machine that cannot be used; its text is fit to show."""


@dataclass(frozen=True, slots=True)
class Record:
    """What files cannot hold: who looked, links, rights, sizes, answers of programs."""

    name: str
    user: str
    uid: int
    home: str
    prefix: str
    architecture: str
    glibc: str
    environ: dict[str, str]
    groups_in_force: tuple[str, ...]
    links: dict[str, str]
    """Path to target: wheels cannot hold links, so they are data."""
    access: tuple[str, ...]
    """Paths that the user could open for reading and writing."""
    unreadable: tuple[str, ...]
    """Paths that the user could not read."""
    failures: dict[str, str]
    """Path, or name of a query, to the reason for which there was no answer."""
    silent: dict[str, str]
    """Mount point to the kind of a file system that did not answer."""
    groups: dict[str, str]
    """Path to the name of its group."""
    memory_bytes: int
    sizes: dict[str, int]
    """Path to the size of a file of which only the beginning, or nothing, is recorded."""
    inodes: dict[str, int]
    """Path to the number of a file on its file system."""
    disks: tuple[dict[str, Any], ...]
    answers: dict[str, str]
    """Name of a query to what the program printed."""


def stored(path: str) -> str:
    """How a path is spelled in a record's folder: uv unpacks no archive with a colon in a name."""
    return path.replace("%", "%25").replace(":", "%3A")


def unstored(path: str) -> str:
    """The path that is spelled so in a record's folder."""
    return path.replace("%3A", ":").replace("%25", "%")


def read_record(folder: Path) -> Record:
    """The record of a folder; raises RecordError with one clear reason."""
    path = folder / "record.json"
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{folder} is not a machine recording: {_reason(path, error)}.") from None
    if not isinstance(values, dict):
        raise RecordError(f"{path} is damaged: it must contain one JSON object.")
    field = _Fields(path, values)
    return Record(
        name=field.one("name", str, folder.name),
        user=field.one("user", str, ""),
        uid=field.one("uid", int, 1000),
        home=field.one("home", str, "/"),
        prefix=field.one("prefix", str, ""),
        architecture=field.one("architecture", str, "x86_64"),
        glibc=field.one("glibc", str, ""),
        environ=field.mapping("environ"),
        groups_in_force=field.many("groups_in_force", str),
        links=field.mapping("links"),
        access=field.many("access", str),
        unreadable=field.many("unreadable", str),
        failures=field.mapping("failures"),
        silent=field.mapping("silent"),
        groups=field.mapping("groups"),
        memory_bytes=field.one("memory_bytes", int, 0),
        sizes=field.sizes("sizes"),
        inodes=field.sizes("inodes"),
        disks=tuple(_disk(path, disk) for disk in field.many("disks", dict)),
        answers={
            name: _joined(path, text) for name, text in field.one("answers", dict, {}).items()
        },
    )


class _Fields:
    """Typed access to the values of one record."""

    def __init__(self, path: Path, values: dict[str, Any]) -> None:
        self._path = path
        self._values = values

    def one(self, key: str, kind: type[T], otherwise: T) -> T:
        value = self._values.get(key, otherwise)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise RecordError(f"{self._path} is damaged: {key} must be {_kind_name(kind)}.")
        return value

    def many(self, key: str, kind: type[T]) -> tuple[T, ...]:
        values = self.one(key, list, [])
        if not all(isinstance(value, kind) for value in values):
            raise RecordError(
                f"{self._path} is damaged: {key} must list only {_kind_name(kind, many=True)}."
            )
        return tuple(values)

    def mapping(self, key: str) -> dict[str, str]:
        values = self.one(key, dict, {})
        if not all(isinstance(value, str) for value in values.values()):
            raise RecordError(f"{self._path} is damaged: {key} must map strings to strings.")
        return values

    def sizes(self, key: str) -> dict[str, int]:
        values = self.one(key, dict, {})
        if not all(type(value) is int and value >= 0 for value in values.values()):
            raise RecordError(f"{self._path} is damaged: {key} must map strings to sizes.")
        return values


def _disk(path: Path, disk: dict[str, Any]) -> dict[str, Any]:
    field = _Fields(path, disk)
    return {
        "path": field.one("path", str, ""),
        "filesystem": field.one("filesystem", str, "/"),
        "total_bytes": field.one("total_bytes", int, 0),
        "free_bytes": field.one("free_bytes", int, 0),
    }


def _joined(path: Path, text: object) -> str:
    """An answer is one text, or a list of lines, which is easier to review."""
    if isinstance(text, str):
        return text
    if isinstance(text, list) and all(isinstance(line, str) for line in text):
        return "".join(f"{line}\n" for line in text)
    raise RecordError(
        f"{path} is damaged: each entry in 'answers' must be text or a list of lines."
    )


def _kind_name(kind: type[object], *, many: bool = False) -> str:
    one, several = KIND_NAMES[kind]
    return several if many else one


def _reason(path: Path, error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{path.name} could not be read ({error.strerror or error})"
    return f"{path.name} is not valid JSON"
