"""SIGKILL all along a command: gone on with, taken back or undone, the ends are the same."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from pathlib import Path

import pytest

from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.killed_road import (
    WAYS,
    NeverCame,
    Road,
    killed,
    opens_step,
    undisturbed,
    way_back_of,
)
from tests.e2e.system.road_ends import ENDS
from tests.e2e.system.walking import Stop, Victims

pytestmark = pytest.mark.e2e
KILLS = os.environ.get("RDNA1_SETUP_KILLS", "6")
"""How many kills: a number; ``places`` for every record and 20 instants a step, each once, with a
victim and an end by lot; or ``all`` for each of these with every victim and every end."""
SAMPLE = None if KILLS in ("all", "places") else int(KILLS)
SHARE = tuple(map(int, os.environ.get("RDNA1_SETUP_KILLS_SHARE", "1/1").split("/")))
"""Which part of these, of how many: for several machines or processors side by side."""
SEED = os.environ.get("RDNA1_SETUP_KILLS_SEED", "1")
INSTANTS = 20
VICTIMS: tuple[Victims, ...] = ("everything", "wizard", "helper", "both")


@dataclass(frozen=True, slots=True)
class Kill:
    """Who is killed where, and what is done then."""

    stop: Stop
    victims: Victims
    end: str

    def __str__(self) -> str:
        return f"{self.victims} killed at {self.stop}, {self.end}"

    @property
    def kind(self) -> str:
        """For counting."""
        if self.stop.amid:
            return f"{self.victims}, with packages {self.stop.record.amid}"
        return f"{self.victims}, at {'a record' if self.stop.after_s is None else 'an instant'}"


@pytest.fixture(scope="module", params=WAYS, ids=str)
def road(
    request: pytest.FixtureRequest,
    served: ArchiveServer,
    wheels: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Road:
    """The road of each command, walked once."""
    return undisturbed(request.param, served, wheels, tmp_path_factory.mktemp("images"))


def test_a_road_killed_anywhere_has_the_same_ends(road: Road) -> None:
    check(road, tuple(ENDS), SAMPLE)


def test_a_way_back_killed_anywhere_leads_to_where_the_road_began(
    road: Road, tmp_path: Path
) -> None:
    check(way_back_of(road, tmp_path), ("gone on with", "UNDO.sh alone"), SAMPLE and SAMPLE // 2)


def check(road: Road, ends: tuple[str, ...], sample: int | None) -> None:
    """Kill, look at an end, and tell what was walked."""
    every = chosen(road, ends, sample)
    part, parts = SHARE
    kills = every[part - 1 :: parts]
    print(f"\n{len(kills)} of {len(every)} kills, seed {SEED}", flush=True)
    walked: Counter[str] = Counter()
    wrong: list[str] = []
    for kill in kills:
        left = left_by(road, kill)
        walked[f"{kill.kind}: {kill.end}"] += 1
        print(f"{kill}: {f'WRONG: {left}' if left else 'ok'}", flush=True)
        wrong += [f"{kill}:\n{left}"] if left else []
    print(*(f"{count:4} {kind}" for kind, count in sorted(walked.items())), sep="\n")
    print(f"{len(kills)} kills, {len(wrong)} wrong", flush=True)
    assert not wrong, "\n\n".join(wrong)


def left_by(road: Road, kill: Kill, looks: int = 5) -> str:
    """What the kill leaves different in the end; empty for nothing."""
    try:
        with killed(road, kill.stop, kill.victims) as root:
            return ENDS[kill.end](road, root)
    except NeverCame as error:  # on a machine with more to do
        return left_by(road, kill, looks - 1) if looks > 1 else str(error)
    except AssertionError as error:  # the others are still worth walking
        return str(error)


def chosen(road: Road, ends: tuple[str, ...], sample: int | None) -> tuple[Kill, ...]:
    """All kills, or a seeded sample with some of each kind."""
    chance = random.Random(SEED)  # noqa: S311 - the same instants and sample each time
    instants = {
        step: [chance.uniform(0, lasts_s) for _ in range(INSTANTS)]
        for step, lasts_s in road.lasts_s.items()
    }
    records = list(road.stops)
    openings = [stop for stop in road.stops if opens_step(stop.record)]
    inside = [replace(s, after_s=at) for s in openings for at in instants[s.record.step]]
    amid = [replace(s, amid=True) for s in road.stops if s.record.amid]
    kinds = [_killed_at(stops, ends) for stops in (amid, records, inside)]
    if KILLS == "all":
        return tuple(kill for kills in kinds for kill in kills)
    shuffled = [chance.sample(kills, len(kills)) for kills in kinds]
    if KILLS == "places":
        return tuple(kill for kills in shuffled for kill in {k.stop: k for k in kills}.values())
    in_turn = (kill for row in zip_longest(*shuffled) for kill in row if kill is not None)
    return tuple(islice(in_turn, sample))


def _killed_at(stops: list[Stop], ends: tuple[str, ...]) -> list[Kill]:
    # At the first record there is nobody yet but the wizard.
    return [
        Kill(stop, victims, end)
        for stop in stops
        for victims in (VICTIMS if stop.number > 1 else VICTIMS[:1])
        for end in ends
    ]
