"""What a standalone script measures, and the same for other hands, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.conv2d.presets import Row
from wizard.report.conv2d_details import Place, equivalents


def repro_lines(row: Row, python: str, device: str) -> Iterator[str]:
    """Which row it is, and the lines for the shell and for MIOpen's driver."""
    yield f"This script measures {row.label}. Run it with the Python whose torch you want to test."
    for each in equivalents(row, Place(python, device)):
        yield f"{each.title}:"
        yield from (f"  {line}" for line in each.lines)
