"""The line on top: what of the machine stands in it where there is little room."""

from __future__ import annotations

import pytest

from screens.widgets.header_line import about
from tests.screens.examples import MACHINE
from tests.screens.failing import LONG_MACHINE, LONG_NAME

WHOLE = "RX 5600 XT gfx1010 6 GiB | Ubuntu 24.04.3"


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (len(WHOLE), WHOLE),
        (len(WHOLE) - 1, "RX 5600 XT gfx1010 | Ubuntu 24.04.3"),
        (30, "RX 5600 XT gfx1010 6 GiB"),
        (12, "RX 5600 XT…"),
        (0, ""),
    ],
)
def test_what_has_no_room_whole_is_left_out_the_least_needed_first(cells: int, text: str) -> None:
    assert about(MACHINE, cells) == text


def test_a_name_without_end_is_cut_with_a_mark() -> None:
    told = about(LONG_MACHINE, 40)
    assert told.endswith("…")
    assert told.removesuffix("…") in LONG_NAME
