"""File systems as a host tells of them."""

from __future__ import annotations

from typing import NamedTuple


class Disk(NamedTuple):
    """A folder of interest and the file system that it is on."""

    path: str
    filesystem: str
    """Mount point, for example ``/home``."""
    total_bytes: int
    free_bytes: int


class SilentFileSystem(NamedTuple):
    """A mounted file system that does not answer; nothing below it was looked at."""

    path: str
    """Where it is mounted."""
    kind: str
    """For example ``nfs4`` or ``fuse.sshfs``."""
