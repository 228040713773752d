"""The road to a stack's system footprint, cut off: roots as a kill leaves them, and their ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.e2e.homes import python_310
from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import of_amd
from tests.e2e.system.bases import BOOKWORM
from tests.e2e.system.cache import pack
from tests.e2e.system.roots import Root, fresh_root
from tests.e2e.system.snapshot import Snapshot, differences, take, told
from tests.e2e.system.states import ROCM_57, worlds
from tests.e2e.system.test_road import PYTHONS, WHEELS, at_a_terminal, justified, prepared
from tests.e2e.system.turnstile import Record, put_turnstile
from tests.e2e.system.walking import Stop, Victims, Walk, walk
from tests.root.conversation import RUNS, undo

FETCHED_LATE = 3
"""So many packages are not in apt's cache; the others are, which saves a try some seconds."""
Instants = Mapping[int, list[float]]


@dataclass(frozen=True, slots=True)
class Road:
    """The undisturbed road, and what is needed to walk it again."""

    server: ArchiveServer
    words: tuple[str, ...]
    wheels: Path
    begin: Path
    """The packed root right behind the first record: what was asked until then is the plan's."""
    before: Snapshot
    after: Snapshot
    stops: tuple[Stop, ...]
    """Every record."""
    lasts_s: Mapping[int, float]
    """How long each step of the wizard's plan takes."""

    @contextmanager
    def copied(self, image: Path) -> Iterator[Root]:
        """A root of its own out of a packed one, with a Python and wheels in reach."""
        with fresh_root(BOOKWORM, image, self.server.address) as root:
            for source, name in ((python_310().parents[1], PYTHONS), (self.wheels, WHEELS)):
                root.space.mount("--bind", str(source), str(root.path(name)))
            yield root

    def apply(self, root: Root, *, held: bool = True) -> AbstractContextManager[Walk]:
        """On the road, from wherever the root stands."""
        return walk(root, at_a_terminal(root, "apply", *self.words, "--yes"), held=held)

    def opening_of(self, stop: Stop) -> Stop:
        """Where the step began that a stop lies in; the first record of all for what is before."""
        opening = [s for s in self.stops[: stop.number] if _opens_step(s.record)]
        return opening[-1] if opening else self.stops[0]


def undisturbed(server: ArchiveServer, wheels: Path, folder: Path) -> Road:
    """The road walked once, to know its records, its two ends and how long it takes."""
    server.restore()
    with worlds(server) as enter:
        root = enter(ROCM_57)
        words = prepared(root, server, wheels)
        root.give_sudo("without password")
        names = sorted(of_amd(root))[FETCHED_LATE:]
        root.run("apt-get", "-y", "--reinstall", "--download-only", "install", *names)
        put_turnstile(root)
        before, begin = take(root.folder), folder / "begin.tar"
        stops: list[tuple[float, Stop]] = []
        with walk(root, at_a_terminal(root, "apply", *words, "--yes")) as walked:
            for stop in walked.stops():
                if not stops:
                    pack(root.folder, begin)
                stops.append((time.monotonic(), stop))
            assert walked.to_the_end() == 0, walked.terminal.text()
        after = take(root.folder)
    seen = tuple(stop for _, stop in stops)
    return Road(server, words, wheels, begin, before, after, seen, _lasts_s(stops))


def _lasts_s(stops: list[tuple[float, Stop]]) -> dict[int, float]:
    began = {s.record.step: at for at, s in stops if _opens_step(s.record)}
    ended = {s.record.step: at for at, s in stops if _is(s.record, "wizard", "outcome")}
    return {step: ended[step] - at for step, at in began.items()}


def _opens_step(record: Record) -> bool:
    return _is(record, "wizard", "intent")


def _is(record: Record, who: str, event: str) -> bool:
    return (record.who, record.event) == (who, event)


def images(road: Road, wanted: tuple[Stop, ...], folder: Path) -> dict[Stop, Path]:
    """The road gone on with: packed roots as a power failure would leave them at these stops.

    What is killed with everything else is as good as frozen: its files are what is left of it.
    """
    found = {road.stops[0]: road.begin}
    unpacked = any(stop.unpacked for stop in wanted)
    with (
        road.copied(road.begin) as root,
        road.apply(root) as walked,
        closing(walked.stops(_instants(wanted), unpacked=unpacked)) as stops,
    ):
        for stop in stops:
            if stop in wanted:
                found[stop] = folder / f"{len(list(folder.iterdir()))}.tar"
                pack(root.folder, found[stop])
            if found.keys() >= set(wanted):
                break
    return found


def killed(road: Road, stop: Stop, victims: Victims, opening: Path, image: Path) -> bool:
    """Pack a root in which these were killed at a stop, and the others came to their end.

    It was cut off once before, where the step of that stop began. False when the stop never came.
    """
    with road.copied(opening) as root, road.apply(root) as walked:
        met = False
        with closing(walked.stops(_instants((stop,)), unpacked=stop.unpacked)) as stops:
            for each in stops:
                if each == stop:
                    walked.kill(victims)
                    met = True
                    break
        walked.settle()
        pack(root.folder, image)
    return met


def _instants(stops: tuple[Stop, ...]) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for stop in stops:
        if stop.after_s is not None:
            found.setdefault(stop.record.step, []).append(stop.after_s)
    return found


def gone_on_with(road: Road, root: Root) -> str:
    """What the same command leaves different from the undisturbed road; empty for nothing."""
    with road.apply(root, held=False) as walked:
        code = walked.to_the_end()
        said = walked.terminal.text()
    left = _left(road.after, take(root.folder))
    return left if code == 0 else f"exit code {code}: {said[-1500:]}\n{left}"


def taken_back(road: Road, root: Root) -> str:
    """What ``rollback`` leaves different from the beginning; empty for nothing."""
    with walk(root, at_a_terminal(root, "rollback", "--yes"), held=False) as walked:
        code = walked.to_the_end()
        said = walked.terminal.text()
    left = _left(road.before, take(root.folder))
    good = code == 0 or "There is no run to undo" in said
    return left if good else f"exit code {code}: {said[-1500:]}\n{left}"


def undone_alone(road: Road, root: Root) -> str:
    """What ``UNDO.sh`` leaves different from the beginning, but for homes; empty for nothing."""
    said = ""
    runs = root.path(RUNS)
    for run in sorted(runs.iterdir()) if runs.exists() else ():
        if (run / "UNDO.sh").exists():
            done = undo(root, run.name)
            if done.returncode:
                said += f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    return said + _left(_system(road.before), _system(take(root.folder)))


ENDS: dict[str, Callable[[Road, Root], str]] = {
    "gone on with": gone_on_with,
    "taken back": taken_back,
    "UNDO.sh alone": undone_alone,
}


def _left(before: Snapshot, after: Snapshot) -> str:
    found = differences(_settled(before), _settled(after))
    left = tuple(each for each in found if not justified(each.name))
    return told(left) if left else ""


def _settled(seen: Snapshot) -> Snapshot:
    """Without the content of bytecode, which holds the time of its source."""
    return {n: replace(s, content="") if "/__pycache__/" in n else s for n, s in seen.items()}


def _system(seen: Snapshot) -> Snapshot:
    return {name: one for name, one in seen.items() if not name.startswith("/home/")}
