"""Damages recorded machines at random, in memory: what is read, listed, linked and answered.

Run as a program it detects one machine many times, each time damaged anew, and says how it went:
``python -m tests.machine.corrupting NAME COUNT SEED``.
"""

from __future__ import annotations

import json
import random
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.machine.records import MACHINES
from wizard.core.fact import Fact, Unknown
from wizard.core.json_form import to_json
from wizard.host.host import Disk, Query, SilentFileSystem
from wizard.machine.detect import detect
from wizard.machine.part import PartDone
from wizard.machine.recorded import RecordedHost, RecordError, unstored

MOST = 6
"""Damages at once."""
READ_LIMIT = 4 * 1024 * 1024
"""What a host gives of a file at most; the files are said to be larger."""
HUGE = 100_000_000
MANY = 10_000
"""What a host lists of a folder at most."""
FILES, FOLDERS = ("content", "huge"), ("folder", "crowd")
RECORD_EVERY = 10
"""How often the record itself is damaged too."""
SHAPES = (
    b"\xff\xfe\x00", b"\x00" * 40, b"9" * 5000, "٣".encode(), b"'\"\\", b"\r\n\t", b"[" * 3000,
    b"{" * 3000, b"HSA_XNACK=", b"\nexport LD_LIBRARY_PATH=:", b"../" * 300, b"%s%n", b"\x1b[2J",
    b"-1", b"0x", b": : :", b",,,,", b"= =", b"\xe2\x80\xae", b"a\n" * 20_000, b"\n" * 20_000,
    b"x" * 300_000, b"A=B " * 50_000,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Damage:
    """How one path answers instead."""

    kind: str
    """``content``, ``huge``, ``pipe``, ``loop``, ``denied``, ``gone``, ``folder`` or ``crowd``; and
    ``below`` for what lies below a damaged place."""
    content: bytes = b""
    names: tuple[str, ...] = ()


def spoiled(chance: random.Random, raw: bytes) -> bytes:
    """The bytes cut, exchanged, encoded otherwise, or with something put in between."""
    at = chance.randint(0, len(raw))
    text = raw.decode("utf-8", "replace")
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: raw[:at],
        lambda: chance.randbytes(chance.randint(0, 400)),
        lambda: raw[:at] + chance.randbytes(8) + raw[at + 4 :],
        lambda: raw[:at] + chance.choice(SHAPES) + raw[at:],
        lambda: text.encode("utf-16"),
        lambda: raw.replace(b"e", b"\xe9"),
        lambda: raw * chance.randint(2, 60),
        lambda: raw[::-1],
        lambda: raw.replace(b"\n", b" "),
        lambda: raw.replace(b" ", b"\n"),
        lambda: b"",
    )
    return chance.choice(ways)()


def huge(chance: random.Random, raw: bytes) -> bytes:
    """As much as a host gives of a file that is far larger: a hole, or the same again and again."""
    filling = chance.choice((b"\0", b"\n", b"a\n", b"x", raw or b"\0", raw[:60] + b"\n"))
    return (raw + filling * (READ_LIMIT // len(filling) + 1))[:READ_LIMIT]


def damage(chance: random.Random, raw: bytes) -> Damage:
    """One damage for a file with this content."""
    kind = chance.choices(
        ("content", "huge", "pipe", "loop", "denied", "gone", "folder"), (20, 1, 2, 2, 2, 3, 2)
    )[0]
    if kind == "huge":
        return Damage(kind, huge(chance, raw))
    return Damage(kind, spoiled(chance, raw) if kind == "content" else b"")


def crowd(chance: random.Random) -> Damage:
    """A folder with other names in it, and perhaps with very many."""
    many = chance.choice((0, 3, 50, MANY))
    forms = (
        *("rocm-{}", "python3.{}", "{}", "card{}", "torch-{}.dist-info", "{}\n\x1b[0m", "é{}"),
        *("0000:{:02x}:00.0", "renderD{}", "lib{}.so", "x{}.service", ".{}", "gfx{}.db"),
    )
    form = chance.choice(forms)
    return Damage("crowd", names=tuple(sorted(form.format(number) for number in range(many))))


class CorruptHost:
    """A recorded machine of which some paths answer otherwise."""

    def __init__(self, inner: RecordedHost, damages: dict[str, Damage]) -> None:
        """The machine inside, damaged at these paths and below them."""
        self._inner = inner
        self._damages = damages
        self.name = inner.name
        self.environ = inner.environ
        self.user, self.uid, self.home = inner.user, inner.uid, inner.home
        self.prefix, self.architecture = inner.prefix, inner.architecture
        self.answers: dict[Query, Fact[str]] = {}

    def read(self, path: str) -> Fact[str]:
        """The text of a file."""
        raw = self._bytes(path)
        if raw is None:
            return self._inner.read(path)
        return raw if isinstance(raw, Unknown) else raw.decode("utf-8", "replace")

    def head(self, path: str, count: int) -> Fact[bytes]:
        """The first bytes of a file."""
        raw = self._bytes(path)
        if raw is None:
            return self._inner.head(path, count)
        return raw if isinstance(raw, Unknown) else raw[:count]

    def size(self, path: str) -> Fact[int]:
        """The size of a file."""
        raw = self._bytes(path)
        if raw is None:
            return self._inner.size(path)
        if isinstance(raw, Unknown):
            return raw
        return HUGE if len(raw) >= READ_LIMIT else len(raw)

    def inode(self, path: str) -> Fact[int]:
        """The number of a file."""
        return self._inner.inode(path)

    def names(self, folder: str) -> Fact[tuple[str, ...]]:
        """The names in a folder."""
        return self._listed(folder, self._inner.names)

    def folders(self, folder: str) -> Fact[tuple[str, ...]]:
        """The names of the real sub-folders."""
        return self._listed(folder, self._inner.folders)

    def link(self, path: str) -> Fact[str]:
        """Where a link points: a loop to itself."""
        if path not in self._damages:
            return self._inner.link(path)
        is_loop = self._damages[path].kind == "loop"
        return path if is_loop else Unknown(f"{path} is not a link")

    def resolve(self, path: str) -> str:
        """The path with every link followed."""
        return path if self._at(path) else self._inner.resolve(path)

    def is_file(self, path: str) -> bool:
        """True for a file."""
        found = self._at(path)
        if found is None:
            return self._inner.is_file(path)
        return found.kind in (*FILES, "denied")

    def is_folder(self, path: str) -> bool:
        """True for a folder."""
        found = self._at(path)
        return self._inner.is_folder(path) if found is None else found.kind in FOLDERS

    def exists(self, path: str) -> bool:
        """True for anything."""
        found = self._at(path)
        if found is None:
            return self._inner.exists(path)
        return found.kind not in ("gone", "loop", "below")

    def usable(self, path: str) -> bool:
        """True when it can be opened."""
        return self._at(path) is None and self._inner.usable(path)

    def group_of(self, path: str) -> Fact[str]:
        """The group of a path."""
        return self._inner.group_of(path)

    def groups_in_force(self) -> Fact[tuple[str, ...]]:
        """The groups of this process."""
        return self._inner.groups_in_force()

    def glibc(self) -> Fact[str]:
        """The C library."""
        return self._inner.glibc()

    def memory_bytes(self) -> Fact[int]:
        """Physical memory."""
        return self._inner.memory_bytes()

    def disk(self, path: str) -> Fact[Disk]:
        """A file system."""
        return self._inner.disk(path)

    def silent(self) -> tuple[SilentFileSystem, ...]:
        """File systems that do not answer."""
        return self._inner.silent()

    def ask(self, query: Query) -> Fact[str]:
        """What a program printed."""
        return self.answers[query] if query in self.answers else self._inner.ask(query)

    def _at(self, path: str) -> Damage | None:
        """The damage of a path, by its name or where its links lead, or of what it lies below."""
        for way in (path, _real(self._inner, path)):
            if way in self._damages:
                return self._damages[way]
            while way := way.rpartition("/")[0]:
                if way in self._damages:
                    kind = self._damages[way].kind
                    return Damage("denied" if kind == "denied" else "below")
        return None

    def _bytes(self, path: str) -> bytes | Unknown | None:
        """What a damaged file gives; None for a sound one."""
        found = self._at(path)
        if found is None:
            return None
        return found.content if found.kind in FILES else _failure(found.kind, path)

    def _listed(
        self, folder: str, sound: Callable[[str], Fact[tuple[str, ...]]]
    ) -> Fact[tuple[str, ...]]:
        found = self._at(folder)
        if found is None:
            return sound(folder)
        if found.kind in FOLDERS:
            return found.names
        return _failure(found.kind, folder)


@cache
def _real(inner: RecordedHost, path: str) -> str:
    return inner.resolve(path)


def _failure(kind: str, path: str) -> Unknown:
    reasons = {
        "denied": f"no permission to read {path}",
        "loop": f"{path} could not be read: too many links in {path}",
        "pipe": f"{path} is not a regular file",
        "folder": f"{path} is not a regular file",
    }
    return Unknown(reasons.get(kind, f"there is no {path}"))


@cache
def paths_of(name: str) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Every file of a machine with its content, and every folder, links among both."""
    root = MACHINES / name / "files"
    found = {f"/{unstored(str(path.relative_to(root)))}": path for path in sorted(root.rglob("*"))}
    files = {path: place.read_bytes() for path, place in found.items() if place.is_file()}
    record = json.loads((MACHINES / name / "record.json").read_text(encoding="utf-8"))
    links = [path for path in record["links"] if path not in files]
    folders = [path for path, place in found.items() if place.is_dir()]
    return {**files, **dict.fromkeys(links, b"")}, (*folders, *links)


def corrupted(name: str, inner: RecordedHost, seed: int) -> CorruptHost:
    """The machine, damaged as this seed says."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    files, folders = paths_of(name)
    damages: dict[str, Damage] = {}
    for _ in range(chance.randint(1, MOST)):
        if chance.random() < 0.8:
            path = chance.choice(list(files))
            damages[path] = damage(chance, files[path])
        else:
            damages[chance.choice(folders)] = crowd(chance) if seed % 2 else damage(chance, b"")
    host = CorruptHost(inner, damages)
    if chance.random() < 0.3:
        for query in Query:
            listing = inner.ask(query)
            raw = listing.encode() if isinstance(listing, str) else b"a\t1\n"
            host.answers[query] = spoiled(chance, raw).decode("utf-8", "replace")
    if chance.random() < 0.1:
        wrong = {name: spoiled(chance, value.encode()) for name, value in inner.environ.items()}
        host.environ = {name: value.decode("utf-8", "replace") for name, value in wrong.items()}
    return host


def look(host: CorruptHost | RecordedHost) -> None:
    """Detect, tell every part, and write it as JSON."""
    told: list[PartDone] = []
    json.dumps(to_json(detect(host, told.append)))
    assert all(part.title and part.summary for part in told)


def look_at_spoiled_record(name: str, seed: int) -> None:
    """Look at the machine with a spoiled record: one clear sentence, or facts."""
    raw = (MACHINES / name / "record.json").read_bytes()
    with TemporaryDirectory() as folder:
        (Path(folder) / "files").symlink_to((MACHINES / name / "files").resolve())
        chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
        (Path(folder) / "record.json").write_bytes(spoiled(chance, raw))
        try:
            host = RecordedHost(Path(folder))
        except RecordError:
            return  # one clear sentence, as tests/machine/test_recorded.py holds it to
        look(host)


def run(name: str, count: int, seed: int) -> dict[str, Any]:
    """Damage and detect so many times; gives the slowest, the peak memory and the first failure."""
    inner = RecordedHost(MACHINES / name)
    slowest, worst = 0.0, seed
    for number in range(seed, seed + count):
        began = time.monotonic()
        try:
            look(corrupted(name, inner, number))
            if number % RECORD_EVERY == 0:
                look_at_spoiled_record(name, number)
        except Exception:
            return {"failed": number, "traceback": traceback.format_exc()}
        if (took := time.monotonic() - began) > slowest:
            slowest, worst = took, number
    return {"slowest_s": slowest, "slowest": worst, "peak_bytes": _peak_bytes()}


def _peak_bytes() -> int:
    """Not by getrusage: what it gives begins with the memory of the process that started us."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
