"""Events of a sweep as JSON lines, and back."""

from __future__ import annotations

import json
from typing import get_args

from wizard.conv2d.sweep import SweepEvent
from wizard.core.typed import typed
from wizard.jsonform import to_json

KINDS = {kind.__name__: kind for kind in get_args(SweepEvent)}
"""Every event by the name that its line bears."""
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What a damaged line may come to."""


def event_line(event: SweepEvent) -> bytes:
    """One event as one whole line."""
    form = {"event": type(event).__name__, **to_json(event)}
    return json.dumps(form).encode() + b"\n"


def event_of(line: bytes) -> SweepEvent | None:
    """The event of a line; None for a torn one, and for one that only a later version knows."""
    try:
        form = json.loads(line)
        kind = KINDS[form.pop("event")]
        event: SweepEvent = typed(form, kind)
    except UNREADABLE:
        return None
    return event
