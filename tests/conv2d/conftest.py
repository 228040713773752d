"""The Python that runs the worker is a parameter: RDNA1_SETUP_WORKER_PYTHONS, split by colons."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

PYTHONS = os.environ.get("RDNA1_SETUP_WORKER_PYTHONS", sys.executable).split(":")


@pytest.fixture(scope="session", params=PYTHONS)
def worker_python(request: pytest.FixtureRequest) -> str:
    """An interpreter that the worker runs under."""
    return str(request.param)


@pytest.fixture
def short_home() -> Iterator[Path]:
    """A home whose paths a worker tells in full: it cuts the values of variables off."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def nothing_is_left_running() -> Iterator[None]:
    """No worker outlives its sweep."""
    yield
    assert psutil.Process().children(recursive=True) == []
