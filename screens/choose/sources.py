"""Where wheels and packages are to be had, as the screens are given it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.available.session import Known
    from wizard.machine.facts import Machine


@dataclass(frozen=True, slots=True)
class Sources:
    """What is known of indexes and repositories, and the road to ask them."""

    known: Callable[[Machine], Known]
    """Without any connection; it may take a moment."""
    ask: Callable[[Known], AsyncGenerator[Known, None]] | None
    """What is known after each answer, to the last, within a time. None where nobody is asked."""
    silent: str = ""
    """Why nobody is asked."""
