"""Events of a worker in our own terms."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import Any

from wizard.conv2d.verdicts import Loaded

Event = dict[str, Any]
"""One JSON object from a worker."""


def loaded_from(loaded: Loaded, event: Event) -> Loaded:
    """What was loaded, with what an ``imported`` or ``ready`` event adds."""
    if event["event"] == "imported":
        setting = tuple((name, value) for name, value in event["setting"].items())
        return replace(loaded, torch=event["torch"], hip=event["hip"], setting=setting)
    libraries = tuple(event["libraries"])
    return replace(loaded, device=event["device"], gfx=event["gfx"], libraries=libraries)


def how_it_died(code: int | None, printed: str) -> str:
    """The end of a process in words, with the last that it printed."""
    end = f"ended with status {code}" if code is not None else "closed its pipe"
    if code is not None and code < 0:
        known = -code in {number.value for number in signal.Signals}
        end = f"was killed by {signal.Signals(-code).name if known else f'signal {-code}'}"
    return f"the process {end}" + (f"; it last printed: {printed}" if printed else "")
