"""What the driver has written to the kernel log since a launch began."""

from __future__ import annotations

import re
from collections.abc import Callable

from wizard.host.watched import output
from wizard.knowledge.causes import KernelLine, known_lines
from wizard.machine.facts import Fact, Unknown

READERS = (
    ("journalctl", "--dmesg", "--boot", "--no-pager", "--output=short-monotonic", "--lines=1000"),
    ("dmesg", "--color=never"),
)
"""Both stamp each line with the seconds since the machine started; who may not read the one may
often read the other (``kernel.dmesg_restrict``, groups ``adm`` and ``systemd-journal``)."""
ANSWER_S = 3.0
STAMP = re.compile(r"^\[ *(\d+\.\d+)\]")
EARLIER_S = 0.1
"""The kernel's clock and ours differ by less."""


def driver_lines_since(
    began_s: float, read: Callable[[tuple[str, ...], float], Fact[str]] = output
) -> tuple[KernelLine, ...]:
    """Lines of the driver from that time on (``CLOCK_MONOTONIC``); none where none may be read."""
    for argv in READERS:
        text = read(argv, ANSWER_S)
        stamped = [] if isinstance(text, Unknown) else list(map(STAMP.match, text.splitlines()))
        lines = [found for found in stamped if found is not None]
        if lines:
            later = [found for found in lines if float(found[1]) + EARLIER_S >= began_s]
            return known_lines(found.string for found in later)
    return ()
