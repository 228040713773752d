"""Sizes: one unit for downloads and disks, one for memory, on every screen and in every text."""

import re
from pathlib import Path

import pytest

from wizard.core.amounts import memory_size_text, size_text

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (1, "1 kB"),
        (999_499, "999 kB"),
        (24_000_000, "24 MB"),
        (205_000_000, "0.2 GB"),
        (6 * 2**30, "6.4 GB"),
    ],
)
def test_a_size_is_told_in_powers_of_ten(count: int, text: str) -> None:
    assert size_text(count) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(8 * 2**30, "8 GiB"), (6_425_673_728, "6 GiB"), (33_567_000_000, "31.3 GiB")],
)
def test_memory_is_told_as_cards_and_modules_are_sold(count: int, text: str) -> None:
    assert memory_size_text(count) == text


def test_binary_units_are_written_in_one_place() -> None:
    sources = [p for name in ("wizard", "screens") for p in (ROOT / name).rglob("*.py")]
    told = [p.name for p in sources if re.search(r"\bGiB\b", p.read_text("utf-8"))]
    assert told == ["amounts.py"]
