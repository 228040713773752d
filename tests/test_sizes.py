"""Sizes: one unit for download, disk and memory, on every screen and in every text."""

import re
from pathlib import Path

import pytest

from wizard.sizes import size_text

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


def test_no_text_of_ours_tells_a_size_in_powers_of_two() -> None:
    sources = [p for name in ("wizard", "screens") for p in (ROOT / name).rglob("*.py")]
    assert not [p for p in sources if re.search(r"\bGiB\b", p.read_text("utf-8"))]
