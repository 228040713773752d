"""Reads which folders below ``/opt`` dpkg says that a package has: the heads of its lists only."""

from __future__ import annotations

import re

from wizard.host.host import Host

INFO = "/var/lib/dpkg/info"
HEAD_BYTES = 4096
"""Enough: a list begins with folders, and that of rocm-llvm alone holds thousands of files."""
FOLDER = re.compile(r"^/opt/(?:rocm|amdgpu)[^/\n]*(?=[/\n])", re.MULTILINE)


def info_files(package: str, kind: str) -> tuple[str, ...]:
    """Where dpkg may have its ``list``, ``md5sums`` or the like of a package."""
    base, _, architecture = package.partition(":")
    return (f"{INFO}/{base}:{architecture or 'amd64'}.{kind}", f"{INFO}/{base}.{kind}")


def opt_folders(host: Host, package: str) -> frozenset[str]:
    """Folders of ROCm and AMD's driver directly below ``/opt`` that hold a package's files."""
    for path in info_files(package, "list"):
        head = host.head(path, HEAD_BYTES)
        if isinstance(head, bytes):
            return frozenset(FOLDER.findall(head.decode("utf-8", "replace")))
    return frozenset()
