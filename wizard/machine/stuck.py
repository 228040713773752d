"""Tells what a thread that does not come back was looking at, from its stack."""

from __future__ import annotations

import sys

from wizard.host.host import Host

QUESTIONS = frozenset(name for name in vars(Host) if not name.startswith("_"))
ABOUT = ("path", "folder", "query")
"""What the questions call the thing that they are about."""


def looked_at(thread: int | None) -> str:
    """The path, or the program, of the question that a thread asks a host; ``""`` for none.

    Nobody has to note each path for it: it costs nothing before something is late.
    """
    frame = sys._current_frames().get(thread or 0)
    while frame is not None:
        if frame.f_code.co_name in QUESTIONS:
            known = frame.f_locals
            about = next((known[name] for name in ABOUT if name in known), None)
            if about is not None:
                return about if isinstance(about, str) else str(about.value[0])
        frame = frame.f_back
    return ""
