"""The restart that a removed kernel driver needs: asked for until it has happened.

Welcome asks before its first frame, so nothing here loads a plan. Reads only.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from wizard.core.journal import UNFINISHED, Record
from wizard.core.own_files import Places
from wizard.run.records import read_records
from wizard.run.standing import stands

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
NOTE = "boot"
"""What the journal calls the boot in which a step began that takes out a driver."""
WAITS = (
    "Restart this machine, then start rdna1-setup again. Run {0} removed AMD's kernel driver, "
    "but the kernel keeps using the loaded driver until the restart."
)
RESTARTED = (
    "This machine has been restarted since run {0} removed AMD's kernel driver. Next, use "
    "Diagnose to see whether the kernel's own driver runs the card, then use Start to set up "
    "PyTorch."
)


def this_boot() -> str:
    """A digest that is another one after each restart; ``""`` where the kernel gives none."""
    try:
        return hashlib.sha256(BOOT_ID.read_bytes()).hexdigest()[:12]
    except OSError:
        return ""


def restart_waits(record: Record) -> bool:
    """True while the kernel that runs may still hold a driver that the run took out."""
    boot = this_boot()
    return bool(boot) and any(noted.get(NOTE) == boot for noted in record.intents.values())


def restart_words(places: Places) -> str:
    """That a restart waits, or that it has happened and what comes next; ``""`` for neither.

    The next step is told until another run begins.
    """
    standing = [r for r in read_records(Path(places.runs)) if stands(r) and r.state != UNFINISHED]
    for record in standing:
        if restart_waits(record):
            return WAITS.format(record.id)
    newest = standing[0] if standing else None
    if newest is not None and any(NOTE in noted for noted in newest.intents.values()):
        return RESTARTED.format(newest.id)
    return ""
