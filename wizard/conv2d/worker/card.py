"""How busy the card is, as its driver says, asked in a way that a stuck driver cannot hold up."""

from __future__ import annotations

import re
from pathlib import Path

from wizard.host.watched import output
from wizard.machine.facts import Unknown

DRIVER = Path("/sys/bus/pci/drivers/amdgpu")
ANSWER_S = 1.0


def busy_percent(driver: Path = DRIVER) -> int | None:
    """Of the one card of amdgpu; None with several of them, for which of them works is not known.

    ``gpu_busy_percent`` is there for every card that RDNA1 drivers know (Linux: amdgpu_pm.c).
    """
    files = sorted(driver.glob("*/gpu_busy_percent"))
    if len(files) != 1:
        return None
    # By another program: reading it asks the card, and a card that is stuck may never answer.
    said = output(("cat", str(files[0])), ANSWER_S)
    if isinstance(said, Unknown) or not re.fullmatch(r"\s*[0-9]{1,9}\s*", said):
        return None
    return int(said)
