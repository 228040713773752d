"""How fast this machine's line is: as the journal of an earlier run tells it, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wizard.advice.comparison import LineSpeed
from wizard.core.journal import Record

ENOUGH_BYTES = 20_000_000
"""Less tells of the start of a connection rather than of the line."""
TOLD = re.compile(r", (\d{1,15}) of them came in (\d{1,9}\.\d) s\Z")
"""As ``Received.words`` of the downloads ends an outcome."""


def line_speed(records: Iterable[Record]) -> LineSpeed | None:
    """The speed of the newest run that fetched enough to tell; None where there is none."""
    for record in records:
        for outcome in record.outcomes.values():
            found = TOLD.search(outcome)
            if found and int(found[1]) >= ENOUGH_BYTES and float(found[2]) > 0:
                return LineSpeed(int(found[1]) / float(found[2]), record.began[:10])
    return None
