"""How fast this machine's line is: as the journal of an earlier run tells it, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wizard.advice.comparison import LineSpeed
from wizard.journalform import Record

ENOUGH_BYTES = 20_000_000
"""Less tells of the start of a connection rather than of the line."""
TOLD = re.compile(r", (\d{1,15}) of them came in (\d{1,9}\.\d) s\Z")


@dataclass(slots=True)
class Received:
    """What came over the line in one step, and how long that took, waits for it included."""

    count: int = 0
    seconds: float = 0.0

    def add(self, count: int, seconds: float) -> None:
        """Counts one file."""
        self.count += max(0, count)
        self.seconds += max(0.0, seconds)

    @property
    def words(self) -> str:
        """The end of a step's outcome, as ``line_speed`` reads it; ``""`` where nothing came."""
        return f", {self.count} of them came in {self.seconds:.1f} s" if self.count else ""


def line_speed(records: Iterable[Record]) -> LineSpeed | None:
    """The speed of the newest run that fetched enough to tell; None where there is none."""
    for record in records:
        for outcome in record.outcomes.values():
            found = TOLD.search(outcome)
            if found and int(found[1]) >= ENOUGH_BYTES and float(found[2]) > 0:
                return LineSpeed(int(found[1]) / float(found[2]), record.began[:10])
    return None
