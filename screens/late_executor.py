"""An executor that is made when it is first needed: what acts takes long to load."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.plan.steps import Plan
    from wizard.run.events import Event
    from wizard.run.executor import Executor


class LateExecutor:
    """Stands for one executor, from before it is loaded."""

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self._made: Executor | None = None

    def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """What happens while the plan is gone through."""
        if self._made is None:
            self._made = self._make()
        return self._made.carry_out(plan)

    def cancel(self) -> None:
        """Asks it to stop; what was never begun need not."""
        if self._made is not None:
            self._made.cancel()
