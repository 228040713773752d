"""The line on top: what of the machine stands in it where there is little room."""

from __future__ import annotations

import pytest

from screens.widgets.header import about
from tests.screens.examples import MACHINE

WHOLE = "RX 5600 XT (gfx1010, 6 GiB) | Ubuntu 24.04.3"


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (len(WHOLE), WHOLE),
        (len(WHOLE) - 1, "RX 5600 XT (gfx1010) | Ubuntu 24.04.3"),
        (30, "RX 5600 XT (gfx1010)"),
        (12, ""),
        (0, ""),
    ],
)
def test_what_has_no_room_whole_is_left_out_the_least_needed_first(cells: int, text: str) -> None:
    assert about(MACHINE, cells) == text
