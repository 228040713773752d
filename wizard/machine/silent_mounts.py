"""Mounted file systems that do not answer: nothing below them is looked at."""

from __future__ import annotations

from wizard.core.fact import Unknown
from wizard.host.host import Host, SilentFileSystem
from wizard.host.mounts import MOUNTS
from wizard.machine.part import Found, Part


def _read(host: Host) -> Found[tuple[SilentFileSystem, ...]]:
    silent = host.silent()
    return Found(silent, tuple(Unknown(f"{one.path} does not respond") for one in silent))


def _tell(silent: tuple[SilentFileSystem, ...]) -> tuple[str, tuple[str, ...]]:
    lines = tuple(f"{one.path} ({one.kind}): nothing in it was checked" for one in silent)
    if not silent:
        return "all respond", lines
    return f"no response from {', '.join(one.path for one in silent)}", lines


MOUNTED: Part[tuple[SilentFileSystem, ...]] = Part(
    title="File systems",
    source=f"{MOUNTS}, statfs(2)",
    read=_read,
    without=lambda _: (),
    tell=_tell,
)
"""Mounted file systems that do not answer."""
