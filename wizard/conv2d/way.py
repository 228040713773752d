"""How a result was measured: engine, variables and work, apart from its shape."""

from __future__ import annotations

from typing import NamedTuple

from wizard.conv2d.verdicts import Result


class Way(NamedTuple):
    """Results that were measured in the same way can stand side by side."""

    engine: str
    """As a result names it: ``miopen``, ``cudnn``, ``cpu``, ``native``."""
    setting: tuple[tuple[str, str], ...]
    """Variables that the row itself asked for, on top of the environment."""
    work: str
    """``forward``, for example."""

    @property
    def label(self) -> str:
        """For people; the usual is left out."""
        work = [self.work] if self.work != "forward" else []
        return " ".join([self.engine, *work, *(f"{name}={value}" for name, value in self.setting)])


def way_of(result: Result) -> Way:
    """The way in which a result was measured."""
    return Way(result.engine, tuple(result.asked), result.work)
