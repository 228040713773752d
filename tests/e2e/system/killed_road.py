"""The road of a command, cut off: roots with somebody killed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.e2e.homes import python_310
from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import of_amd
from tests.e2e.system.bases import BOOKWORM
from tests.e2e.system.cache import pack
from tests.e2e.system.roots import Root, fresh_root
from tests.e2e.system.snapshot import Snapshot, take
from tests.e2e.system.states import LITTERED, ROCM_57, State, worlds
from tests.e2e.system.test_road import PYTHONS, WHEELS, at_a_terminal, prepared
from tests.e2e.system.turnstile import Record, put_turnstile
from tests.e2e.system.walking import Stop, Victims, Walk, walk

ROLLBACK = ("rollback", "--yes")
APART_S = 4.0
"""So long a way lies between two images at least."""
FETCHED_LATE = 3
"""So many packages are not in apt's cache; the others are, which saves a try some seconds."""


@dataclass(frozen=True, slots=True)
class Way:
    """A command, and the state in which it finds the machine."""

    command: str
    state: State
    deleted: str = ""
    """How names begin that somebody had deleted of packages."""

    def __str__(self) -> str:
        return self.command


WAYS = (Way("apply", ROCM_57), Way("remove", ROCM_57), Way("clean-up", LITTERED, "/opt/rocm"))


@dataclass(frozen=True, slots=True)
class Road:
    """The undisturbed road, and what is needed to walk it again."""

    server: ArchiveServer
    wheels: Path
    way: Way
    words: tuple[str, ...]
    """The command that walks it, and goes on with it."""
    last: str
    """How the run stands when it is at its end."""
    images: Mapping[int, Path]
    """Packed roots as everything killed at a record leaves them, by the record's number."""
    before: Snapshot
    after: Snapshot
    stops: tuple[Stop, ...]
    """Every record."""
    lasts_s: Mapping[int, float]
    """How long each step of the wizard's plan takes."""
    whole: str = ""
    """How names begin that UNDO.sh may leave: what a way back had brought before it was cut off it
    cannot tell from what somebody put back by hand."""

    @contextmanager
    def copied(self, image: Path) -> Iterator[Root]:
        """A root of its own out of a packed one, with a Python and wheels in reach."""
        with fresh_root(BOOKWORM, image, self.server.address) as root:
            for source, name in ((python_310().parents[1], PYTHONS), (self.wheels, WHEELS)):
                root.space.mount("--bind", str(source), str(root.path(name)))
            yield root

    def walk(self, root: Root, *, held: bool = True) -> AbstractContextManager[Walk]:
        """On the road, from wherever the root stands."""
        return walk(root, at_a_terminal(root, *self.words), held=held)

    def image_before(self, stop: Stop) -> Path:
        """The packed root from which it is nearest to a stop."""
        return self.images[max(number for number in self.images if number <= stop.number)]


def undisturbed(way: Way, server: ArchiveServer, wheels: Path, folder: Path) -> Road:
    """The road walked once, to know its records, its two ends and how long it takes."""
    server.restore()
    with worlds(server) as enter:
        root = enter(way.state)
        asked = prepared(root, server, wheels)
        words = (way.command, *(asked if way.command == "apply" else ()), "--yes")
        root.give_sudo("without password")
        names = sorted(of_amd(root))[FETCHED_LATE:]
        root.run("apt-get", "-y", "--reinstall", "--download-only", "install", *names)
        put_turnstile(root)
        before = take(root.folder)
        with walk(root, at_a_terminal(root, *words)) as walked:
            stops, images = _walked(walked, folder)
            assert walked.to_the_end() == 0, walked.terminal.text()
        after = take(root.folder)
    seen = tuple(stop for _, stop in stops)
    lasts_s = _lasts_s(stops)
    return Road(server, wheels, way, words, "finished", images, before, after, seen, lasts_s)


def way_back_of(road: Road, folder: Path) -> Road:
    """The way back from the end of a road, as a road of its own that leads to where it began."""
    with road.copied(road.image_before(road.stops[-1])) as root:
        with road.walk(root, held=False) as walked:
            assert walked.to_the_end() == 0, walked.terminal.text()
        with walk(root, at_a_terminal(root, *ROLLBACK)) as walked:
            stops, images = _walked(walked, folder)
            assert walked.to_the_end() == 0, walked.terminal.text()
    seen, lasts_s = tuple(stop for _, stop in stops), _lasts_s(stops)
    back = replace(road, words=ROLLBACK, last="rolled back", images=images, after=road.before)
    return replace(back, stops=seen, lasts_s=lasts_s, whole=road.way.deleted)


def _walked(walked: Walk, folder: Path) -> tuple[list[tuple[float, Stop]], dict[int, Path]]:
    """Every record and when it was left, and the images taken on the way."""
    stops: list[tuple[float, Stop]] = []
    images: dict[int, Path] = {}
    due = 0.0
    for stop in walked.stops():
        if not images or (opens_step(stop.record) and time.monotonic() > due):
            images[stop.number] = folder / f"{stop.number}.tar"
            pack(walked.root.folder, images[stop.number])
            due = time.monotonic() + APART_S
        stops.append((time.monotonic(), stop))
    return stops, images


def _lasts_s(stops: list[tuple[float, Stop]]) -> dict[int, float]:
    began = {s.record.step: at for at, s in stops if opens_step(s.record)}
    ended = {s.record.step: at for at, s in stops if _is(s.record, "wizard", "outcome")}
    return {step: ended[step] - at for step, at in began.items()}


def opens_step(record: Record) -> bool:
    """True where the wizard begins a step of its plan."""
    return _is(record, "wizard", "intent")


def _is(record: Record, who: str, event: str) -> bool:
    return (record.who, record.event) == (who, event)


class NeverCame(AssertionError):
    """The moment was over before it was seen: packages are half removed for milliseconds."""


@contextmanager
def killed(road: Road, stop: Stop, victims: Victims) -> Iterator[Root]:
    """A root in which these were killed at a stop, and all others came to their end.

    What the road had come to before was cut off once already, at the image that is nearest.
    """
    with road.copied(road.image_before(stop)) as root:
        if stop.number > 1:  # else the image is what was left
            _kill(road, root, stop, victims)
        yield root


def _kill(road: Road, root: Root, stop: Stop, victims: Victims) -> None:
    instants = {stop.record.step: [stop.after_s]} if stop.after_s is not None else {}
    with road.walk(root) as walked:
        with closing(walked.stops(instants, amid=stop.amid)) as stops:
            if not any(each == stop for each in stops):
                raise NeverCame(f"{stop} never came")
            walked.kill(victims)
        walked.resolve()
