"""Mutated texts: repeatable, bounded, and really damaged."""

from __future__ import annotations

import random
from itertools import islice

from tests.diagnose.mutations import LARGEST, MUTATIONS, Mutation, mutated_corpus
from tests.diagnose.reading import load_corpus, read_bytes

SAMPLE = read_bytes(load_corpus()[0])


def _damaged(mutation: Mutation, seed: int) -> bytes:
    return mutation(random.Random(seed), SAMPLE)  # noqa: S311 - to be repeated


def test_a_mutation_changes_a_text_and_is_repeatable() -> None:
    for mutation in MUTATIONS:
        results = [_damaged(mutation, seed) for seed in range(20)]
        assert results == [_damaged(mutation, seed) for seed in range(20)], mutation.__name__
        assert any(result != SAMPLE for result in results), mutation.__name__


def test_a_mutation_takes_any_bytes() -> None:
    for mutation in MUTATIONS:
        for data in (b"", b"\n", b"\xff\xfe", b"one"):
            made = mutation(random.Random(3), data)  # noqa: S311 - to be repeated
            assert isinstance(made, bytes), (mutation.__name__, data)


def test_the_same_seed_gives_the_same_texts_and_another_gives_others() -> None:
    assert list(mutated_corpus(300, seed=5)) == list(mutated_corpus(300, seed=5))
    assert list(mutated_corpus(300, seed=5)) != list(mutated_corpus(300, seed=6))


def test_a_longer_run_begins_like_a_shorter_one() -> None:
    assert list(islice(mutated_corpus(100_000, seed=1), 50)) == list(mutated_corpus(50, seed=1))


def test_no_mutated_text_is_longer_than_promised() -> None:
    assert max(len(data) for data in mutated_corpus(1000)) <= LARGEST
