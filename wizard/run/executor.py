"""What an executor is: something that turns a plan into events."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wizard.core.events import Event
    from wizard.plan.steps import Plan


class Executor(Protocol):
    """Carries a plan out, or tells what carrying it out would do."""

    def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """Events until PlanFinished; close the iterator to stop at once."""

    def cancel(self) -> None:
        """Stop at the next safe point: between two steps, or inside a download."""
