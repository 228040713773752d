"""The Python that runs the worker is a parameter: RDNA1_SETUP_WORKER_PYTHONS, split by colons."""

from __future__ import annotations

import os
import sys

import pytest

PYTHONS = os.environ.get("RDNA1_SETUP_WORKER_PYTHONS", sys.executable).split(":")


@pytest.fixture(scope="session", params=PYTHONS)
def worker_python(request: pytest.FixtureRequest) -> str:
    """An interpreter that the worker runs under."""
    return str(request.param)
