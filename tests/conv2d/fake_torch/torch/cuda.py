"""A GPU that is there when ``FAKE_TORCH_HIP`` is set."""

# mypy: disable-error-code="import-not-found"
# These files find each other only where this folder is on the path.
from __future__ import annotations

import os

from torch import faults
from torch.faults import OutOfMemoryError, at_card

__all__ = ["OutOfMemoryError"]


class Properties:
    """What a card says of itself."""

    gcnArchName = "gfx1030"


def is_available() -> bool:
    """True when a card was asked for."""
    at_card()
    faults.at_driver()
    return "FAKE_TORCH_HIP" in os.environ


def get_device_name(_: int) -> str:
    """The name of the card."""
    at_card()
    return "Fake RX 5600 XT"


def get_device_properties(_: int) -> Properties:
    """More of the card."""
    return Properties()


def synchronize() -> None:
    """Nothing is under way."""
    at_card()


def reset_peak_memory_stats() -> None:
    """Nothing is counted."""


def memory_stats_as_nested_dict() -> dict[str, dict[str, dict[str, int]]]:
    """As torch gives it, without all that nobody here asks for."""
    return {"allocated_bytes": {"all": {"peak": 4096}}}
