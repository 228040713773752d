"""What the Conv2d panel asks for and what it is told, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True, slots=True)
class SweepShape:
    """One convolution of a preset, as the table shows it."""

    key: str
    """Tells the shape from every other of its preset."""
    size: str
    """For example ``224x224``."""
    channels: str
    """For example ``16->32``."""
    published: str
    """What a source says of this shape, ``""`` when it says nothing."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A named list of shapes."""

    id: str
    title: str
    source: str
    shapes: tuple[SweepShape, ...]


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """What to measure, with which Python, on which device."""

    python: str
    device: str
    """``cuda`` or ``cpu``."""
    preset: str
    deadline_s: float


@dataclass(frozen=True, slots=True)
class ShapeStarted:
    """A shape is being measured."""

    key: str


@dataclass(frozen=True, slots=True)
class ShapeMeasured:
    """The verdict on one shape."""

    key: str
    verdict: str
    """``pass``, ``wrong``, ``error``, ``slow``, ``hung``, ``crashed``, ``out of memory``, ..."""
    cold_s: float | None
    warm_s: float | None
    error: str
    """Largest error as text, or the first line of what went wrong."""


@dataclass(frozen=True, slots=True)
class SweepNote:
    """Something to tell about the whole sweep, such as a worker that had to be restarted."""

    text: str


SweepUpdate = Union[ShapeStarted, ShapeMeasured, SweepNote]  # noqa: UP007 - read as one closed union
