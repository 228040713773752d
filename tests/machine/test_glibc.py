"""Which releases of glibc refuse libraries that ask for an executable stack."""

from __future__ import annotations

import pytest

from wizard.core.fact import Unknown
from wizard.machine.system import refuses_executable_stacks


@pytest.mark.parametrize(
    ("glibc", "refuses"),
    [("2.39", False), ("2.40.9000", False), ("2.41", True), ("2.41.1", True), ("3.0", True)],
)
def test_from_2_41_on_it_refuses_them(glibc: str, refuses: bool) -> None:
    assert refuses_executable_stacks(glibc) is refuses


@pytest.mark.parametrize("glibc", [None, Unknown("no such file"), "", "musl 1.2", "2.x"])
def test_of_one_that_is_not_known_nothing_is_said(glibc: str | Unknown | None) -> None:
    assert refuses_executable_stacks(glibc) is None
