"""Where the wheels and the Python of a stack come from, where it is not the internet."""

from __future__ import annotations

from typing import NamedTuple


class Supply(NamedTuple):
    """Places that the user named."""

    wheelhouse: str = ""
    """A folder of wheels to install from, ``""`` without one."""
    python_mirror: str = ""
    """Where uv takes a Python from in place of its own place on the internet."""


def network_need(supply: Supply, python: str) -> str:
    """What still needs a network although there is a folder of wheels; ``""`` for nothing."""
    if supply.wheelhouse and python.startswith("uv:") and not supply.python_mirror:
        return (
            "a network for uv to fetch Python, or the one that `rdna1-setup fetch` brought "
            "(--python-mirror URL): the folder of wheels has none"
        )
    return ""
