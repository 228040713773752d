"""What tests in worlds share: the archive, served for the whole session, and roots in states."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.system.archive_server import ArchiveServer, archive_server
from tests.e2e.system.bases import require_root
from tests.e2e.system.rocm_archive import rocm_archive
from tests.e2e.system.states import Enter, worlds


@pytest.fixture(scope="session")
def served() -> Iterator[ArchiveServer]:
    """The stand-in archive on the network; tests use ``archive``, which is put right for each."""
    require_root()
    with archive_server(rocm_archive()) as server:
        yield server


@pytest.fixture
def archive(served: ArchiveServer) -> ArchiveServer:
    """The stand-in archive as it should be, whatever the test before did to it."""
    served.restore()
    return served


@pytest.fixture
def enter(archive: ArchiveServer) -> Iterator[Enter]:
    """``enter(ROCM_57)`` is a root in that state, until the test ends."""
    with worlds(archive) as entering:
        yield entering
