"""SIGKILL along the whole road: gone on with, taken back or undone, the ends are the same."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.killed_road import ENDS, Road, images, killed, undisturbed
from tests.e2e.system.test_road import wheels  # noqa: F401 - a fixture
from tests.e2e.system.walking import Stop, Victims, instants_of

pytestmark = pytest.mark.e2e
KILLS = os.environ.get("RDNA1_SETUP_KILLS", "6")
"""How many kills: a number, or ``all`` for every record and 20 instants a step, and all victims."""
SEED = os.environ.get("RDNA1_SETUP_KILLS_SEED", "1")
INSTANTS = 20
AT_ONCE = 12
"""So many packed roots lie on the disk at once."""
VICTIMS: tuple[Victims, ...] = ("everything", "wizard", "helper", "both")


@dataclass(frozen=True, slots=True)
class Kill:
    """Who is killed where, and what is done then."""

    stop: Stop
    victims: Victims
    ends: tuple[str, ...]

    @property
    def kind(self) -> str:
        """For counting."""
        if self.stop.unpacked:
            return f"{self.victims}, between unpacking and configuring"
        return f"{self.victims}, at {'a record' if self.stop.after_s is None else 'an instant'}"


def test_a_road_killed_anywhere_has_the_same_ends(
    served: ArchiveServer, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    road = undisturbed(served, request.getfixturevalue("wheels"), tmp_path)
    kills = chosen(road)
    print(f"\n{len(kills)} kills, seed {SEED}", flush=True)
    walked: Counter[str] = Counter()
    wrong: list[str] = []
    for kill, image in left_by(road, kills, tmp_path):
        for end in kill.ends:
            with road.copied(image) as root:
                left = ENDS[end](road, root)
            walked[f"{kill.kind}: {end}"] += 1
            told = f"{kill.victims} killed at {kill.stop}, {end}"
            print(f"{told}: {'WRONG' if left else 'ok'}", flush=True)
            wrong += [f"{told}:\n{left}"] if left else []
    print(*(f"{count:4} {kind}" for kind, count in sorted(walked.items())), sep="\n")
    print(f"{len(kills)} kills, {walked.total()} ends, {len(wrong)} wrong", flush=True)
    assert not wrong, "\n\n".join(wrong)


def chosen(road: Road) -> tuple[Kill, ...]:
    """All kills, or a seeded sample: of each kind in turn, with one end each in turn."""
    instants = instants_of(road.lasts_s, INSTANTS, SEED)
    openings = sorted({road.opening_of(stop) for stop in road.stops[1:]}, key=lambda s: s.number)
    records = list(road.stops)
    inside = [replace(s, after_s=at) for s in openings for at in instants[s.record.step]]
    unpacked = [replace(s, unpacked=True) for s in road.stops if s.record.installs]
    kinds = [_killed_at(stops) for stops in (unpacked, records, inside)]
    if KILLS == "all":
        return tuple(replace(kill, ends=tuple(ENDS)) for kills in kinds for kill in kills)
    chance = random.Random(SEED)  # noqa: S311 - the same sample each time
    shuffled = [chance.sample(kills, len(kills)) for kills in kinds]
    in_turn = [kill for row in zip_longest(*shuffled) for kill in row if kill is not None]
    names = tuple(ENDS)
    return tuple(
        replace(kill, ends=(names[(place + place // 3) % len(names)],))
        for place, kill in enumerate(in_turn[: int(KILLS)])
    )


def _killed_at(stops: list[Stop]) -> list[Kill]:
    # At the first record there is nobody yet but the wizard.
    return [
        Kill(stop, victims, ())
        for stop in stops
        for victims in (VICTIMS if stop.number > 1 else VICTIMS[:1])
    ]


def left_by(road: Road, kills: tuple[Kill, ...], folder: Path) -> Iterator[tuple[Kill, Path]]:
    """Each kill with a packed root as it leaves it."""
    for first in range(0, len(kills), AT_ONCE):
        some = kills[first : first + AT_ONCE]
        whole = {k.stop for k in some if k.victims == "everything"}
        openings = {road.opening_of(k.stop) for k in some if k.victims != "everything"}
        found = images(road, tuple(whole | openings), folder)
        for kill in some:
            if kill.victims == "everything":
                yield kill, found[kill.stop]
                continue
            image = folder / "killed.tar"
            opening = found[road.opening_of(kill.stop)]
            assert killed(road, kill.stop, kill.victims, opening, image), kill
            yield kill, image
        for path in found.values():
            if path != road.begin:
                path.unlink()
