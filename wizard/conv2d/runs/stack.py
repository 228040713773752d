"""The stack below torch while a run was measured, kept beside its events."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress

from wizard.conv2d.runs.folders import Run
from wizard.core.own_files import open_private, read_private
from wizard.host.host import Host
from wizard.machine.stack_facts import StackFacts, stack_form, stack_now, stack_of_form

FILE = "stack.json"
LONGEST = 1 << 16


def note_stack(run: Run, host: Host) -> threading.Thread:
    """Write it down beside the run, in a thread that nobody needs to wait for."""
    thread = threading.Thread(target=_write, args=(run, host), daemon=True, name="note the stack")
    thread.start()
    return thread


def stack_of_run(run: Run) -> StackFacts:
    """What was written down; nothing known of a run of an earlier version."""
    try:
        return stack_of_form(json.loads(read_private(run.folder / FILE, LONGEST)))
    except (OSError, ValueError, RecursionError):
        return StackFacts()


def _write(run: Run, host: Host) -> None:
    text = json.dumps(stack_form(stack_now(host)))
    with suppress(OSError):  # a full disk: the run itself says so
        path = run.folder / FILE
        descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
