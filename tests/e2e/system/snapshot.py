"""Everything about a root that a way back must restore, in a form that can be compared.

before = take(root.folder)
...
assert differences(before, take(root.folder)) == ()
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

BOOKS = ("alternatives", "info", "diversions", "statoverride", "triggers", "updates")
"""What dpkg knows beside its status: whose each file is, and what it is to do with them."""
TREES = ("etc", "opt", "home", "root", "usr", *(f"var/lib/dpkg/{name}" for name in BOOKS))
"""Sources, pins, keys, groups, profile files, shell files, caches and programs lie in these."""
STATUS = "var/lib/dpkg/status"
MARKS = "var/lib/apt/extended_states"
WIZARD = "opt/rdna1-setup"
"""The wizard itself, as the tests put it there."""
TEXT_BYTES = 64 * 1024
SHOWN_LINES = 12


@dataclass(frozen=True, slots=True)
class Seen:
    """What one thing was like."""

    kind: str
    """``file``, ``link``, ``folder``, ``device``, ``package`` or ``mark``."""
    mode: str = ""
    owner: str = ""
    content: str = ""
    """A hash, or the target of a link."""
    text: str = field(default="", compare=False)
    """For showing what changed; ``""`` when it is long or no text."""


Snapshot = dict[str, Seen]
"""Absolute names of a root's files, and ``package NAME:ARCHITECTURE`` and ``automatic NAME``."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was."""

    name: str
    before: Seen | None
    after: Seen | None

    def __str__(self) -> str:
        """Such as ``changed /etc/group: content`` with the lines that differ."""
        if self.before is None or self.after is None:
            seen = self.after or self.before
            assert seen is not None
            return f"{'added' if self.after else 'removed'} {self.name} ({seen.kind})"
        fields = ("kind", "mode", "owner", "content")
        pairs = ((name, getattr(self.before, name), getattr(self.after, name)) for name in fields)
        changed = [(name, old, new) for name, old, new in pairs if old != new]
        words = ", ".join(_change(name, old, new) for name, old, new in changed)
        return "\n".join((f"changed {self.name}: {words}", *self._lines()))

    def _lines(self) -> list[str]:
        assert self.before is not None
        assert self.after is not None
        texts = (self.before.text.splitlines(), self.after.text.splitlines())
        lines = list(difflib.unified_diff(*texts, lineterm="", n=0))[2:]
        hidden = len(lines) - SHOWN_LINES
        shown = [*lines[:SHOWN_LINES], *([f"... {hidden} lines more"] if hidden > 0 else [])]
        return [f"    {line}" for line in shown]


def _change(name: str, old: str, new: str) -> str:
    return f"{name} {old[:12]} -> {new[:12]}" if name == "content" else f"{name} {old} -> {new}"


def take(root: Path) -> Snapshot:
    """The state of a root folder, seen from outside; nothing in it is run or followed."""
    return {
        **dict(_packages(root)),
        **dict(_marks(root)),
        **{name: seen for tree in TREES for name, seen in _tree(root, root / tree)},
    }


def differences(before: Snapshot, after: Snapshot) -> tuple[Difference, ...]:
    """What is not as it was, by name."""
    names = sorted({*before, *after})
    pairs = ((name, before.get(name), after.get(name)) for name in names)
    return tuple(Difference(name, old, new) for name, old, new in pairs if old != new)


def told(found: tuple[Difference, ...]) -> str:
    """All of them, for a test's message."""
    return "\n".join(map(str, found)) or "no difference"


def _packages(root: Path) -> Iterator[tuple[str, Seen]]:
    """One for each paragraph of dpkg's status; their order in the file means nothing."""
    for paragraph in _paragraphs(root / STATUS):
        fields = _fields(paragraph)
        name = f"package {fields['Package']}:{fields.get('Architecture', '')}"
        yield name, Seen("package", content=_hash(paragraph.encode()), text=paragraph)


def _marks(root: Path) -> Iterator[tuple[str, Seen]]:
    """One for each package that apt holds for installed on its own; apt drops and keeps zeros."""
    for paragraph in _paragraphs(root / MARKS):
        fields = _fields(paragraph)
        if fields.get("Auto-Installed") == "1":
            yield f"automatic {fields['Package']}:{fields['Architecture']}", Seen("mark")


def _paragraphs(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [paragraph for paragraph in text.split("\n\n") if paragraph.strip()]


def _fields(paragraph: str) -> dict[str, str]:
    lines = (line for line in paragraph.splitlines() if not line.startswith((" ", "\t")))
    pairs = (line.partition(":") for line in lines)
    return {name: value.strip() for name, _, value in pairs}


def _tree(root: Path, path: Path) -> Iterator[tuple[str, Seen]]:
    try:
        entry = path.lstat()
    except FileNotFoundError:
        return
    name = f"/{path.relative_to(root)}"
    if name == f"/{WIZARD}":
        return
    yield name, _seen(path, entry)
    if stat.S_ISDIR(entry.st_mode):
        for below in sorted(path.iterdir()):
            yield from _tree(root, below)


def _seen(path: Path, entry: os.stat_result) -> Seen:
    mode, owner = f"{stat.S_IMODE(entry.st_mode):04o}", f"{entry.st_uid}:{entry.st_gid}"
    if stat.S_ISLNK(entry.st_mode):
        target = os.readlink(path)  # noqa: PTH115 - Path would smooth it
        return Seen("link", "", owner, target)
    if stat.S_ISDIR(entry.st_mode):
        return Seen("folder", mode, owner)
    if not stat.S_ISREG(entry.st_mode):
        return Seen("device", mode, owner, f"{entry.st_rdev:x}")
    content = _untimed(path, path.read_bytes())
    text = content.decode("utf-8", "replace") if _is_text(content) else ""
    return Seen("file", mode, owner, _hash(content), text)


def _untimed(path: Path, content: bytes) -> bytes:
    """Without the time at which uv installed a package: it is another one each time."""
    if path.name == "uv_cache.json":
        return b""
    if path.name == "RECORD" and path.parent.suffix == ".dist-info":
        return b"".join(row for row in content.splitlines(True) if b"/uv_cache.json," not in row)
    return content


def _is_text(content: bytes) -> bool:
    return len(content) <= TEXT_BYTES and b"\0" not in content


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()
