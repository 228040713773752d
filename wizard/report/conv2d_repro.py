"""What a stand-alone script measures, and the same for other hands, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.conv2d.equivalents import driver_lines, shell_line
from wizard.conv2d.presets import Row


def repro_lines(row: Row, python: str, device: str) -> Iterator[str]:
    """Which row it is, and the lines for the shell and for MIOpen's driver."""
    yield f"It measures {row.label}. Run it with the Python whose torch is meant."
    yield f"The same with this program:\n  {shell_line(row, python, device)}"
    if lines := driver_lines(row):
        yield "and with MIOpen's own driver (ROCm's package miopen-hip):"
        yield from (f"  {line}" for line in lines)
