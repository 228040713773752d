"""A mixed log of many megabytes with texts hidden in it: the same seed, the same bytes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1_000_000
BLOCK_LINES = 600
BLOCKS = 60

HARMLESS = tuple((Path(__file__).parent / "harmless_lines.txt").read_text("utf-8").splitlines())
"""Lines of many programs, none of which is a fault, with gaps for numbers and words."""
WORDS = ("sndio", "harfbuzz", "proj", "yajl", "zimg", "quuz", "orc", "tiff", "vorbis", "webp")


@dataclass(frozen=True, slots=True)
class Hidden:
    """Where one of the texts begins, in bytes."""

    text: str
    offset: int


def write_large_log(
    path: Path, megabytes: int, hidden: Sequence[str] = (), seed: int = 0
) -> tuple[Hidden, ...]:
    """Writes the log and tells where the texts lie: at even distances, each on lines of its own."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    blocks = [_block(chance) for _ in range(BLOCKS)]
    size, waiting, written = megabytes * MEGABYTE, list(hidden), 0
    places: list[Hidden] = []
    with path.open("wb") as log:
        while written < size:
            written += log.write(chance.choice(blocks))
            while waiting and written >= size * (len(places) + 1) // (len(hidden) + 1):
                places.append(Hidden(waiting[0], written))
                written += log.write(_own_lines(waiting.pop(0)))
        for text in waiting:
            places.append(Hidden(text, written))
            written += log.write(_own_lines(text))
    return tuple(places)


def _own_lines(text: str) -> bytes:
    return text.encode() if text.endswith("\n") else f"{text}\n".encode()


def _block(chance: random.Random) -> bytes:
    return "".join(f"{_line(chance)}\n" for _ in range(BLOCK_LINES)).encode()


def _line(chance: random.Random) -> str:
    return chance.choice(HARMLESS).format(
        day=f"Sep {chance.randint(1, 30):02} 12:{chance.randint(10, 59)}:07",
        host=chance.choice(("esche", "linde", "ulme")),
        bus=f"{chance.randint(1, 60):02x}",
        hex=f"{chance.getrandbits(40):012x}",
        digit=chance.randint(1, 5),
        small=chance.randint(10, 999),
        big=chance.randint(10_000, 9_999_999),
        pid=chance.randint(1000, 99_999),
        word=chance.choice(WORDS),
    )
