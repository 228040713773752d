"""How a result was measured: engine, variables and work, apart from its shape."""

from __future__ import annotations

from typing import NamedTuple

from wizard.conv2d.shapes import Shape
from wizard.conv2d.verdicts import Result

CONFIGURED = "configured"
"""The engine of torch as it comes, whatever library that calls: ``miopen``, ``cudnn``, ``cpu``."""


class Manner(NamedTuple):
    """Results that were measured in the same way can stand side by side."""

    engine: str
    """As a result names it: ``miopen``, ``cudnn``, ``cpu``, ``native``."""
    setting: tuple[tuple[str, str], ...]
    """Variables that the row itself asked for, on top of the environment."""
    work: str
    """``forward``, for example."""
    operation: str | None = None
    """What was measured in place of a convolution; the shape means nothing then."""

    @property
    def label(self) -> str:
        """For people; the usual is left out."""
        is_usual = self.work == "forward" or self.operation is not None
        work = [] if is_usual else [self.work]
        return " ".join([self.engine, *work, *(f"{name}={value}" for name, value in self.setting)])

    def named(self, shape: Shape) -> str:
        """What was measured, with all that is not usual about how."""
        what = shape.label if self.operation is None else self.operation
        is_usual = self.label == CONFIGURED
        return what if is_usual else f"{what} ({self.label})"


def is_configured(engine: str) -> bool:
    """True for torch as it comes: on the processor, through MIOpen or through cuDNN."""
    return engine in ("miopen", "cudnn", "cpu", "torch")


def manner_of(result: Result) -> Manner:
    """The way in which a result was measured."""
    return Manner(result.engine, tuple(result.asked), result.work, result.operation)
