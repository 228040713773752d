"""What tests in worlds share: the archive, served for the whole session, and roots in states."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.system.archive_server import ArchiveServer, archive_server
from tests.e2e.system.bases import require_root
from tests.e2e.system.card import make_torch
from tests.e2e.system.owner import Owner
from tests.e2e.system.rocm_archive import rocm_archive
from tests.e2e.system.snapshot import take
from tests.e2e.system.states import NOTHING, Enter, State, worlds
from tests.e2e.system.test_road import prepared
from tests.run.wheels import make_stand_ins


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


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stand-ins of every wheel that a stack needs, and the real pip."""
    folder = tmp_path_factory.mktemp("wheels")
    make_stand_ins(folder)
    pip = (
        "python3",
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        folder,
        "pip",
        "setuptools",
    )
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def card_wheels(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with a torch that counts on the card."""
    folder = tmp_path_factory.mktemp("wheels")
    shutil.copytree(wheels, folder, dirs_exist_ok=True)
    make_torch(folder)
    return folder


@pytest.fixture
def owner_in(enter: Enter, archive: ArchiveServer, wheels: Path) -> Callable[[State], Owner]:
    """``owner_in(ROCM_57)`` is somebody who wants ROCm 5.2 in such a root."""

    def find(state: State) -> Owner:
        root = enter(state)
        words = prepared(root, archive, wheels)
        return Owner(root, words, take(root.folder))

    return find


@pytest.fixture
def owner(owner_in: Callable[[State], Owner]) -> Owner:
    """Somebody who wants ROCm 5.2 on a fresh installation."""
    return owner_in(NOTHING)
