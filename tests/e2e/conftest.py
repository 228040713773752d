"""What roads in a real terminal share: a home that the screens can show, and a small torch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.e2e.homes import Home
from tests.e2e.small_torch import SIZE, make_small_torch


@pytest.fixture
def home() -> Iterator[Home]:
    """A home with a short path, so that what is shown of it is neither cut nor too long."""
    with TemporaryDirectory(prefix="home-") as folder:
        (Path(folder) / "photo.txt").write_text("mine")
        yield Home(Path(folder))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """The wheels of the small torch."""
    return make_small_torch(tmp_path_factory.mktemp("wheels"), SIZE)
