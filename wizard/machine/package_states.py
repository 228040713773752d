"""Rows of dpkg's or rpm's listing, and what dpkg says of the state of each package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wizard.core.fact import Fact, Unknown
from wizard.host.host import Host, Query

INSTALLED = "installed"
NATIVE = ":amd64"
"""The only architecture that ROCm is made for, beside libraries of i386."""
STATES = {
    "i": INSTALLED,
    "U": "unpacked",
    "F": "half-configured",
    "H": "half-installed",
    "W": "triggers awaited",
    "t": "triggers pending",
}
"""Second letter of dpkg's short state; ``n`` and ``c`` (only settings left) are not installed."""


@dataclass(frozen=True, slots=True)
class Row:
    """One package of the system, ROCm or not."""

    name: str
    """With its architecture where that is not the system's own: ``rocm-ocl-icd:i386``."""
    version: str
    maintainer: str
    """Or rpm's vendor."""
    state: str
    held: bool


def installed_rows(host: Host) -> Fact[list[Row]]:
    """Every package that dpkg, or else rpm, holds for installed, at least in part."""
    listing = host.ask(Query.DPKG_PACKAGES)
    if isinstance(listing, str):
        return list(_rows(listing))
    rpm = host.ask(Query.RPM_PACKAGES)
    if isinstance(rpm, str):
        return list(_rows(rpm))
    return Unknown(f"{listing.because}, and {rpm.because}")


def _rows(listing: str) -> Iterator[Row]:
    for line in listing.splitlines():
        cells = line.split("\t")
        if len(cells) < 2 or not cells[0] or not cells[1]:
            continue
        short = cells[2] if len(cells) > 2 else "ii "  # rpm knows no half-installed packages
        if state := _state(short):
            maintainer = cells[3] if len(cells) > 3 else ""
            name = cells[0].removesuffix(NATIVE)
            yield Row(name, cells[1], maintainer, state, held=short.startswith("h"))


def _state(short: str) -> str:
    """The words for wanted, actual and broken, such as ``iFR``; ``""`` when not installed."""
    word = STATES.get(short[1:2], "")
    return f"{word}, must be reinstalled" if word and short[2:3] == "R" else word
