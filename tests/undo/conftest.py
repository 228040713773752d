"""What the tests of the way back share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.undo.replacing import make_environment


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """An environment in which somebody works already."""
    return make_environment(tmp_path / "venv")
