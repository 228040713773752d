"""What may fit into a card: formulas, largest batches, and what measured peaks add."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conv2d.made import made
from wizard.conv2d.fits import (
    CARDS,
    image_bytes,
    largest_batch,
    need,
    tensor_bytes,
    weight_bytes,
    workspace_seen,
)
from wizard.conv2d.models import load_models
from wizard.conv2d.presets import Preset
from wizard.conv2d.shapes import Shape, square
from wizard.conv2d.words.layer_list import read_layer_list
from wizard.report.conv2d_fits import fits_lines, fits_notes

MODELS = load_models()


def listed(text: str) -> Preset:
    return read_layer_list(text, "mine.txt")


def test_tensors_are_counted_to_the_byte() -> None:
    shape = Shape(6, 8, 10, 12, 3, 1, n=2, stride=2, groups=2, dtype="float16", bias=True)
    assert image_bytes(shape) == 2 * 6 * 10 * 12 * 2
    assert weight_bytes(shape) == (8 * 3 * 3 * 3 + 8) * 2
    assert tensor_bytes(shape) == image_bytes(shape) + weight_bytes(shape) + 2 * 8 * 5 * 6 * 2


def test_one_layer_after_another_needs_all_weights_and_the_largest_pair_of_images() -> None:
    asked = need(listed("3 8 3 10x10\n8 4 3 10x10 times 2\n"), 2)
    weights = (8 * 27 + 2 * 4 * 72) * 4
    assert asked.weights == weights
    assert asked.forward == weights + (8 + 4) * 100 * 2 * 4
    assert asked.kept == weights + (3 + 8 + 8) * 100 * 2 * 4 + 8 * 100 * 2 * 4


def test_half_the_format_is_half_the_need() -> None:
    table = listed("3 8 3 10x10\n")
    assert 2 * need(table, 4, "float16").kept == need(table, 4).kept


@pytest.mark.parametrize("preset", MODELS, ids=lambda preset: preset.id)
@pytest.mark.parametrize("kept", [False, True])
def test_the_largest_batch_is_the_last_that_is_not_too_large(preset: Preset, *, kept: bool) -> None:
    for card in CARDS:
        batch = largest_batch(preset, card, kept=kept)
        sizes = {n: need(preset, n) for n in (batch, batch + 1) if n}
        bytes_of = {n: size.kept if kept else size.forward for n, size in sizes.items()}
        assert bytes_of.get(batch, 0) <= card < bytes_of[batch + 1]


def test_what_never_fits_has_no_batch() -> None:
    assert largest_batch(listed("64 64 3 5000x5000\n"), 1 << 30, kept=False) == 0


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        ("1 1 1 1x1", "Forward: more than 4096 may fit into 4 GB already."),
        ("16 32 3 76x76", "fits, forward; in 6 GB and 8 GB more than 4096 may."),
        ("64 64 3 999x999", "No batch above 8 in 4 GB, 12 in 6 GB, 16 in 8 GB fits, forward."),
    ],
)
def test_no_batch_is_told_that_nobody_would_ask_for(layer: str, said: str) -> None:
    lines = list(fits_lines(listed(f"{layer}\n")))
    assert max(map(len, lines)) < 80
    assert said in " ".join(lines)
    assert all(int(number) <= 4096 for number in re.findall(r"above (\d+)", " ".join(lines)))


@given(st.integers(0, 10**9))
def test_a_measured_peak_tells_the_workspace(above: int) -> None:
    shape = square(16, 32, 64)
    peak = tensor_bytes(shape) + shape.out_bytes + above
    seen = workspace_seen([made(shape, memory_bytes=peak), made(square(1, 1, 1), memory_bytes=0)])
    assert seen is not None
    assert (seen.largest, seen.rows) == (above, 2)


def test_other_engines_and_works_say_nothing_of_miopens_workspace() -> None:
    others = [
        made(memory_bytes=9**9, engine="native"),
        made(memory_bytes=9**9, engine="unfold"),
        made(memory_bytes=9**9, work="backward"),
    ]
    assert workspace_seen(others) is None


def test_without_a_measured_peak_the_workspace_is_not_known() -> None:
    assert workspace_seen([made()]) is None
    told = " ".join(fits_lines(MODELS[0]))
    assert "No peak was measured" in told
    assert "MIOpen's workspace" in " ".join(fits_notes())


@pytest.mark.parametrize("preset", MODELS, ids=lambda preset: preset.id)
def test_its_lines_fit_80_columns_and_tell_what_was_measured(preset: Preset) -> None:
    peak = 3 * 10**9
    results = [made(row.shape, memory_bytes=peak) for row in preset.rows]
    lines = [*fits_lines(preset, results), *fits_notes()]
    assert max(map(len, lines)) < 80
    told = " ".join(lines)
    assert f"Measured for {len(preset.rows)} of its shapes" in told
    assert "may" in told
