"""Compares ROCm libraries of installed wheels with the hashes in their RECORD, when asked to.

This reads gigabytes, and the files of this very machine: no part of detection, and not for records.
"""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.host.files import why
from wizard.host.host import Host
from wizard.machine.facts import Unknown
from wizard.machine.pythons import survey
from wizard.machine.torch import FOLDER, dist_info, recorded_hashes

CHUNK = 4 * 1024 * 1024
OnProgress = Callable[[str, int, int], None]
"""Hears of the path, the bytes that were read and the bytes that it has."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A library of a wheel held against the wheel's RECORD."""

    path: str
    outcome: str
    """``as installed``, ``changed``, or why it could not be read."""


def verify(host: Host, on_progress: OnProgress) -> Iterator[Verified]:
    """Every ROCm library of every torch on this machine; seconds for each gigabyte."""
    for place in survey(host).places:
        for site in place.sites:
            record = host.read(f"{site.path}/{dist_info(site.names)}/RECORD")
            for name, recorded in recorded_hashes(record) if isinstance(record, str) else ():
                path = f"{site.path}/{FOLDER}/{name}"
                found = _hash(path, on_progress)
                yield Verified(path, _outcome(found, recorded))


def _outcome(found: str | Unknown, recorded: str) -> str:
    if isinstance(found, Unknown):
        return found.because
    return "as installed" if found == recorded else "changed"


def _hash(path: str, on_progress: OnProgress) -> str | Unknown:
    """SHA-256 in the form that RECORD has it."""
    digest, done = hashlib.sha256(), 0
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return Unknown(f"{path} is not a regular file")
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            total = os.fstat(descriptor).st_size
            while chunk := os.read(descriptor, CHUNK):
                digest.update(chunk)
                done += len(chunk)
                on_progress(path, done, total)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        return Unknown(why(path, error))
    return base64.urlsafe_b64encode(digest.digest()).decode().rstrip("=")
