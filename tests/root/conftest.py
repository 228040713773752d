"""Throwaway roots with a small archive of stand-in packages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system.bases import BOOKWORM, base_tar
from tests.e2e.system.roots import Root, fresh_root
from tests.root.archive import StandIn, add_source, publish

CORE = StandIn("stand-core", "1.0", {"/opt/rocm-1.0/lib/core.txt": "core 1.0\n"})
CORE_2 = StandIn("stand-core", "2.0", {"/opt/rocm-2.0/lib/core.txt": "core 2.0\n"})
TOOL = StandIn(
    "stand-tool",
    "1.0",
    {"/opt/rocm-1.0/bin/tool": "tool\n", "/etc/stand-tool.conf": "as delivered\n"},
    ("Depends: stand-core",),
    settings=("/etc/stand-tool.conf",),
)
SPARE = StandIn("stand-spare", "1.0", {"/opt/rocm-1.0/spare.txt": "spare\n"})
BROKEN = StandIn("stand-broken", "1.0", scripts={"postinst": "echo trying; exit 10"})
DKMS = StandIn("amdgpu-dkms", "1.0")
DRIVER = StandIn("stand-driver", "1.0", fields=("Depends: amdgpu-dkms",))
FIRMWARE = StandIn("linux-firmware", "1.0")
RIVAL = StandIn("stand-rival", "1.0", fields=("Conflicts: linux-firmware, stand-spare",))
STOCK = (CORE, CORE_2, TOOL, SPARE, BROKEN, DKMS, DRIVER, FIRMWARE, RIVAL)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where packages are built, and the key of the archive is kept."""
    return tmp_path_factory.mktemp("archive")


@pytest.fixture(scope="module")
def empty_root() -> Iterator[Root]:
    """A fresh Debian 12."""
    with fresh_root(BOOKWORM, base_tar(BOOKWORM)) as root:
        yield root


@pytest.fixture(scope="module")
def root(empty_root: Root, scratch: Path) -> Root:
    """A fresh Debian 12 whose apt knows our archive."""
    publish(empty_root, *STOCK, scratch=scratch)
    add_source(empty_root, scratch)
    return empty_root
