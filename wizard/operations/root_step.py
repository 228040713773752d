"""What only root can do: a request to root's part, which checks it, acts and keeps a journal."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import aclosing
from typing import Any, ClassVar

from wizard.core.trouble import Trouble
from wizard.operations.operation import Before, Operation
from wizard.system.system import Done, News, System


class RootStep(Operation):
    """One request; what was cut off, root's part finds out and goes on with by itself.

    So there is nothing to probe or to clear: doing it again is always right.
    """

    __slots__ = ()
    needs_root: ClassVar[bool] = True

    @abstractmethod
    def request(self) -> dict[str, Any]:
        """As root's part reads it: the very thing that ``shown`` says."""

    async def do(self, system: System, before: Before) -> News:
        """Have root's part do it."""
        if system.as_root is None:
            raise Trouble(
                f"This step can only be done as root: {self}",
                "Nothing here can be done as root.",
                "Run the command again in a terminal, where sudo can ask for your password.",
            )
        async with aclosing(system.as_root()) as news:
            async for each in news:
                if not isinstance(each, Done):
                    yield each
