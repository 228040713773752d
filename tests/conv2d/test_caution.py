"""How often a card may hang when nobody says: it depends on whom a hang would hit."""

from __future__ import annotations

from pathlib import Path

import pytest

from wizard.conv2d.caution import Circumstances, circumstances_of
from wizard.machine.recorded import RecordedHost

MACHINES = Path(__file__).parents[1] / "machines"


@pytest.mark.parametrize(
    ("screen", "in_use", "hangs", "someones"),
    [
        (True, True, 1, True),
        (True, False, 1, False),
        (True, None, 1, False),
        (None, True, 1, True),
        (None, None, 1, False),
        (False, True, 1, False),
        (False, False, 3, False),
        (False, None, 3, False),
    ],
)
def test_three_hangs_only_where_no_screen_and_nobody_is_hit(
    screen: bool | None, in_use: bool | None, hangs: int, someones: bool
) -> None:
    around = Circumstances(screen, in_use)
    assert (around.hangs, around.is_someones_desktop) == (hangs, someones)
    assert around.text.endswith(".")


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ("rx5600xt-noble-rocm52-mix", Circumstances(screen=True, in_use=True)),
        ("prov520-jammy-cloud", Circumstances(screen=False, in_use=False)),
        ("docker-no-kfd", Circumstances(screen=True, in_use=None)),
    ],
)
def test_it_is_read_where_the_machine_tells_it(machine: str, expected: Circumstances) -> None:
    assert circumstances_of(RecordedHost(MACHINES / machine)) == expected
