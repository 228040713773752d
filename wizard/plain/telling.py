"""The plain road's texts: everything that is known here, and the report for an issue."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.plain.road import Road


def tell_all(road: Road) -> int:
    """Machine, advice, every road, and the first plan; changes nothing."""
    from wizard.commands.overview import run

    return run(road.arguments)


def report(road: Road) -> int:
    """The report for an issue."""
    return road.carry_out("report")
