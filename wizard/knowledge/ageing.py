"""How long ago the sources of what this program knows were last read."""

from __future__ import annotations

from datetime import date, datetime, timedelta

TOO_LONG = timedelta(days=365)


def today() -> date:
    """The local date."""
    return datetime.now().astimezone().date()


def overdue(checked: str, day: date) -> bool:
    """True when a check of this ISO date is more than a year old on a day."""
    return day - date.fromisoformat(checked) > TOO_LONG
