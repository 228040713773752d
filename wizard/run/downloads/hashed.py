"""The requirements file that the installation reads: exact versions, each with its hash."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wizard.run.downloads.resolution import Wheel
from wizard.system.whole_file import write_whole


def lock_text(wheels: Iterable[tuple[Wheel, str]]) -> str:
    """The file's text for wheels with the SHA-256 that each was checked to have."""
    lines = sorted(
        f"{wheel.name}=={wheel.version} --hash=sha256:{sha256}" for wheel, sha256 in wheels
    )
    return "\n".join(
        ("# Written by rdna1-setup: exactly the wheels that were downloaded.", *lines, "")
    )


def write_lock(path: Path, wheels: Iterable[tuple[Wheel, str]]) -> None:
    """Write it whole, so that a kill leaves the old file or the new one."""
    write_whole(path, lock_text(wheels))
