"""What the user chose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """A stack, a place and the sources to take it from."""

    stack: str
    footprint: str
    """``venv`` or ``venv+system``."""
    venv: str
    """Absolute path of the folder."""
    applications: tuple[str, ...] = ()
    torch_index: str = ""
    """An index in place of the stack's own; ``pip`` means as pip is configured."""
    wheelhouse: str = ""
    """A folder of wheels to install from, without any network."""
    gpu: str = ""
    """PCI address of the card to use; ``""`` for the first RDNA1 card."""
    python: str = ""
    """Path of the Python to base the venv on; ``""`` for the best one that fits."""
    without_card: bool = False
    """True to install for another machine: the check of the device is left out, and said so."""
    user_torch_aside: bool = False
    """True to move a torch of the user's own packages away where the environment sees it."""
