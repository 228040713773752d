"""What a rehearsal found changed: one value for each file, read from the list in root's folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.core.amounts import size_text
from wizard.core.lines import clean
from wizard.overlay.expected import why_expected

CREATED, CHANGED, GONE = "created", "changed", "gone"
SIGNS = {CREATED: "+", CHANGED: "~", GONE: "-"}


@dataclass(frozen=True, slots=True)
class Change:
    """One file, folder or link that is not as it was."""

    path: str
    how: str
    """``created``, ``changed`` or ``gone``."""
    what: str
    """Its kind and, of a file, its size; of a change what differs."""
    size: int
    """Bytes of a file, as it is now or was before it went."""

    def __str__(self) -> str:
        """Such as ``+ /opt/rocm-5.2.0/bin/rocminfo (file, 56 kB)``."""
        return f"{SIGNS[self.how]} {self.path} ({self.what})"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each kind, and where the whole list of them is."""

    created: int
    changed: int
    gone: int
    file: str

    @property
    def all(self) -> int:
        """All together."""
        return self.created + self.changed + self.gone

    def __str__(self) -> str:
        return f"{self.created:,} new, {self.changed:,} changed, {self.gone:,} gone"


def read_changes(file: str) -> tuple[Change, ...]:
    """The whole list; raises OSError where it cannot be read."""
    with Path(file).open(encoding="ascii") as lines:
        return tuple(_changes(lines))


def _changes(lines: Iterable[str]) -> Iterator[Change]:
    for line in lines:
        try:
            record = json.loads(line)
            yield _change(record)
        except (ValueError, LookupError, TypeError):  # a line that a full disk cut off
            continue


def _change(record: dict[str, Any]) -> Change:
    how, now = record["how"], record.get("after") or record["before"]
    what = _differs(record["before"], record["after"]) if how == CHANGED else _kind(now)
    return Change(clean(record["path"]).replace("\n", "?"), how, what, int(now["size"]))


def _kind(seen: dict[str, Any]) -> str:
    match seen["kind"]:
        case "file":
            return f"file, {size_text(seen['size'])}"
        case "link":
            return f"link to {clean(seen['target'])}"
        case kind:
            return str(kind)


def _differs(before: dict[str, Any], after: dict[str, Any]) -> str:
    if before["kind"] != after["kind"]:
        return f"{_kind(before)} before, {_kind(after)} now"
    if before["target"] != after["target"]:
        return f"link to {clean(after['target'])}, to {clean(before['target'])} before"
    rights = _rights(before, after)
    if before["kind"] != "file" or (rights and _same_content(before, after)):
        return rights
    sizes = f"{size_text(before['size'])} before, {size_text(after['size'])} now"
    return f"content: {sizes}{f'; {rights}' if rights else ''}"


def _same_content(before: dict[str, Any], after: dict[str, Any]) -> bool:
    return before["size"] == after["size"] and before.get("sha256") == after.get("sha256")


def _rights(before: dict[str, Any], after: dict[str, Any]) -> str:
    told = []
    if before["mode"] != after["mode"]:
        told.append(f"mode {before['mode']:04o} before, {after['mode']:04o} now")
    owners = [f"{seen['owner']}:{seen['group']}" for seen in (before, after)]
    if owners[0] != owners[1]:
        told.append(f"owner {owners[0]} before, {owners[1]} now")
    return ", ".join(told)


def unexpected(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Those after the way back for which there is no good reason."""
    return tuple(change for change in changes if not why_expected(change.path))
