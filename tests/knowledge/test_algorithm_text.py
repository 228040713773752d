"""The explanation of GEMM's buffer: its table and its picture are right."""

from __future__ import annotations

import re

from assets import FOLDER
from wizard.conv2d.layers import parse_line
from wizard.core.amounts import size_text

TEXT = (FOLDER / "explain" / "algorithm.md").read_text("utf-8")
ROW = re.compile(r"^ {4}(\d+->\d+ \dx\d @\d+x\d+) +(\S+ [kMG]B) +(\S+ [kMG]B)$", re.MULTILINE)


def test_the_table_of_the_explanation_is_right() -> None:
    rows = ROW.findall(TEXT)
    assert len(rows) == 6
    for layer, image, buffer in rows:
        shape = parse_line(layer).shape
        numbers = shape.c_in * shape.h * shape.w
        copied = shape.c_in * shape.kernel * shape.kernel * shape.out_h * shape.out_w
        assert (size_text(numbers * 4), size_text(copied * 4)) == (image, buffer)


def test_the_picture_of_the_explanation_is_right() -> None:
    image = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    places = [(y, x) for y in (0, 1) for x in (0, 1)]
    rows = [[image[y + ky][x + kx] for y, x in places] for ky, kx in places]
    for row in rows:
        assert " ".join(map(str, row)) in TEXT


def test_the_explanation_fits_its_columns() -> None:
    assert max(map(len, TEXT.splitlines())) <= 76
