"""The plain road's texts: this machine on one page, and the report for an issue."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.plain.road import Road


def tell_all(road: Road) -> int:
    """Verdict, recommendation and problems of this machine; changes nothing."""
    from wizard.commands.overview import run

    return run(road.arguments, road.applications)


def report(road: Road) -> int:
    """The report for an issue."""
    return road.carry_out("report")
