"""What is wrong, as Diagnose is given it: every road to an answer as plain functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.diagnose.explain import Explanation
    from wizard.diagnose.finding import Finding
    from wizard.diagnose.looking import Progress
    from wizard.diagnose.machine import Diagnosis
    from wizard.machine.facts import Machine
    from wizard.plan.steps import Plan


@dataclass(frozen=True, slots=True)
class Diagnosing:
    """Roads to findings and to their fixes. Each of them may take a while, and runs in a thread."""

    look: Callable[[Machine, Callable[[Progress], None]], Diagnosis]
    """Every check, each told as it is waited for and as it ends."""
    explain: Callable[[str], Explanation]
    """What a text proves. Raises ValueError, with a text fit to show."""
    explain_file: Callable[[str], Explanation]
    """The same of the text in a file."""
    has_plan: Callable[[Finding], bool]
    """True where a plan mends it."""
    make_fix: Callable[[Machine, Finding], Plan]
    """The plan that mends it. Raises ValueError, with a text fit to show, where there is none."""
