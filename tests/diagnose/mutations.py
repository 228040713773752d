"""Damage to texts as mail, terminals, editors and ill will do it: the same seed, the same bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from tests.diagnose.reading import load_corpus, read_bytes

Mutation = Callable[[random.Random, bytes], bytes]

LARGEST = 64 * 1024
"""No mutated text is longer, so that a hundred thousand of them stay a matter of minutes."""
STRANGE = bytes([*range(9), 11, 12, *range(14, 32), 127, 128, 255])
STRETCHED = (b"a", b" ", b"0", b"(", b"[ 1.5]", b"../", b"0x7f", b"> ", b"amdgpu: ", b"-- ", b"\\")


def mutated_corpus(count: int, seed: int = 0) -> Iterator[bytes]:
    """So many mutated texts of the corpus, each with one to three kinds of damage."""
    originals = [read_bytes(case) for case in load_corpus()]
    return (_mutated(originals, seed, number) for number in range(count))


def _mutated(originals: Sequence[bytes], seed: int, number: int) -> bytes:
    chance = random.Random(f"{seed}-{number}")  # noqa: S311 - to be repeated, not to be secret
    data = chance.choice(originals)
    for mutation in chance.choices(MUTATIONS, k=chance.randint(1, 3)):
        data = mutation(chance, data)[:LARGEST]
    return data


def cut(chance: random.Random, data: bytes) -> bytes:
    """A part of the text, begun and ended anywhere."""
    start, end = sorted((_place(chance, data), _place(chance, data)))
    return data[start:end] if chance.random() < 0.5 else data[start:]


def doubled(chance: random.Random, data: bytes) -> bytes:
    """The text, or some of its lines, several times over."""
    if chance.random() < 0.5:
        return data * chance.randint(2, 5)
    return b"".join(line * chance.choice((1, 1, 2, 9)) for line in _lines(data))


def reordered(chance: random.Random, data: bytes) -> bytes:
    """The lines in another order, the newest first or none at all."""
    lines = _lines(data)
    if chance.random() < 0.5:
        return b"".join(reversed(lines))
    return b"".join(chance.sample(lines, len(lines)))


def thinned(chance: random.Random, data: bytes) -> bytes:
    """Some lines are gone."""
    return b"".join(line for line in _lines(data) if chance.random() < 0.7)


def flipped(chance: random.Random, data: bytes) -> bytes:
    """Single bytes are others."""
    spoiled = bytearray(data)
    for _ in range(chance.randint(1, 20)):
        if spoiled:
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
    return bytes(spoiled)


def with_controls(chance: random.Random, data: bytes) -> bytes:
    """Control characters, halves of escape sequences and colours stand in between."""
    spoiled = data
    for _ in range(chance.randint(1, 12)):
        at = _place(chance, spoiled)
        grain = chance.choice(
            (bytes([chance.choice(STRANGE)]), b"\x1b[", b"\x1b[1;31m", b"\x1b]0;")
        )
        spoiled = spoiled[:at] + grain + spoiled[at:]
    return spoiled


def recoded(chance: random.Random, data: bytes) -> bytes:
    """Another encoding, or one read as another."""
    text = data.decode("utf-8", "replace")
    codec = chance.choice(
        ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "cp1252", "cp437")
    )
    if chance.random() < 0.3:
        return data.decode("latin-1").encode("utf-8")
    return text.encode(codec, "replace")


def stretched(chance: random.Random, data: bytes) -> bytes:
    """A line of thousands of the same characters, which a greedy pattern may choke on."""
    at = _place(chance, data)
    return data[:at] + chance.choice(STRETCHED) * chance.choice((300, 3000, 9000)) + data[at:]


def joined(chance: random.Random, data: bytes) -> bytes:
    """All lines in one."""
    return data.replace(b"\n", chance.choice((b"", b" ", b"\r", b"\\n", b"\x00")))


def wrapped(chance: random.Random, data: bytes) -> bytes:
    """Lines broken at a width, wherever that falls."""
    width = chance.choice((1, 20, 40, 72, 80))
    return b"\n".join(
        line[start : start + width]
        for line in data.splitlines()
        for start in range(0, max(len(line), 1), width)
    )


def quoted(chance: random.Random, data: bytes) -> bytes:
    """Quoted as mail does, to any depth."""
    mark = chance.choice((b"> ", b">", b"| ", b"    ", b"\t", b"* ")) * chance.choice((1, 2, 5, 60))
    return b"".join(mark + line for line in _lines(data))


def line_ends(chance: random.Random, data: bytes) -> bytes:
    """Other line ends."""
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b"\x0b", "\u2028".encode())))


def interleaved(chance: random.Random, data: bytes) -> bytes:
    """Two programs that wrote into one terminal at a time."""
    other = iter(_lines(read_bytes(chance.choice(load_corpus()))))
    return b"".join(line + next(other, b"") for line in _lines(data))


def other_case(chance: random.Random, data: bytes) -> bytes:
    """Capitals, or none, or blanks where there was one."""
    return chance.choice((data.upper(), data.lower(), data.replace(b" ", b"  "), data.swapcase()))


def empty(chance: random.Random, data: bytes) -> bytes:
    """Nothing, or nothing but blanks."""
    return chance.choice((b"", b"\n", b" " * 50, b"\x00" * 50, data[:1]))


MUTATIONS: tuple[Mutation, ...] = (
    cut, doubled, reordered, thinned, flipped, with_controls, recoded, stretched,
    joined, wrapped, quoted, line_ends, interleaved, other_case, empty,
)  # fmt: skip


def _place(chance: random.Random, data: bytes) -> int:
    return chance.randint(0, len(data))


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)
