"""What a front end is given: its only way to the outside, as a few values in one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wizard.core.amounts import today

if TYPE_CHECKING:
    from datetime import date

    from wizard.services.experiments import Experiments, Past
    from wizard.services.machine import Diagnostics, Knowledge, Reports
    from wizard.services.plans import Plans
    from wizard.services.runs import Runs

LIVE = "live"
DRY_RUN = "dry run"
DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Services:
    """All collaborators of the screens; nothing there reaches further than these."""

    mode: str
    """``live``, ``dry run`` or ``demo``."""
    knowledge: Knowledge
    plans: Plans
    runs: Runs
    experiments: Experiments
    diagnostics: Diagnostics
    reports: Reports
    past: Past
    clock: Callable[[], float] = time.monotonic
    """Seconds, for what tells since when it works."""
    pause_s: float = 1.0
    """For so long Review takes no key to carry a plan out: it may have been typed ahead."""
    today: Callable[[], date] = today
    unicode: bool = True
    """False when the terminal's locale cannot show more than ASCII."""
    console: bool = False
    """True on the kernel's own console, whose fonts lack most glyphs."""
    theme: str = ""
    """The colours that the terminal can show; ``""`` for the usual ones."""

    @property
    def rehearses(self) -> bool:
        """True when nothing will be changed, whatever the user chooses."""
        return self.mode != LIVE
