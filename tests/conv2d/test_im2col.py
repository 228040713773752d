"""The buffer of the GEMM algorithm: by MIOpen's own reckoning, in the text as in the code."""

from __future__ import annotations

import re

import pytest

from assets import FOLDER
from wizard.conv2d.fits import image_bytes
from wizard.conv2d.im2col import buffer_bytes
from wizard.conv2d.words.layer_lines import parse_line
from wizard.report.im2col import buffer_lines
from wizard.sizes import size_text

TEXT = (FOLDER / "explain" / "algorithm.md").read_text("utf-8")
ROW = re.compile(r"^ {4}(\d+->\d+ \dx\d @\d+x\d+) +(\S+ [kMG]B) +(\S+ [kMG]B)$", re.MULTILINE)


@pytest.mark.parametrize(
    ("layer", "numbers"),
    [
        ("64 128 3 56x56", 64 * 9 * 56 * 56),
        ("64 128 3 56x56 batch 8", 64 * 9 * 56 * 56),
        ("64 128 3 56x56 stride 2", 64 * 9 * 28 * 28),
        ("64 128 3 56x56 padding 0", 64 * 9 * 54 * 54),
        ("64 128 3 56x56 groups 64", 64 * 9 * 56 * 56),
        ("64 128 1 56x56 stride 2", 64 * 28 * 28),
        ("64 128 1 56x56", 0),
    ],
)
def test_the_buffer_holds_every_window_of_one_image(layer: str, numbers: int) -> None:
    assert buffer_bytes(parse_line(layer).shape) == numbers * 4
    assert buffer_bytes(parse_line(f"{layer} float16").shape) == numbers * 2


def test_the_table_of_the_explanation_is_right() -> None:
    rows = ROW.findall(TEXT)
    assert len(rows) == 6
    for layer, image, buffer in rows:
        shape = parse_line(layer).shape
        assert (size_text(image_bytes(shape)), size_text(buffer_bytes(shape))) == (image, buffer)


def test_the_picture_of_the_explanation_is_right() -> None:
    image = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    places = [(y, x) for y in (0, 1) for x in (0, 1)]
    rows = [[image[y + ky][x + kx] for y, x in places] for ky, kx in places]
    for row in rows:
        assert " ".join(map(str, row)) in TEXT


def test_the_explanation_fits_its_columns() -> None:
    assert max(map(len, TEXT.splitlines())) <= 76


def test_a_layer_without_a_buffer_says_so() -> None:
    lines = list(buffer_lines(parse_line("64 128 1 56x56").shape))
    assert any("needs no buffer" in line for line in lines)
    assert not any("times one image" in line for line in lines)
