"""The wheel holds everything that the program reads while it runs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.e2e


def files(folder: str) -> set[str]:
    """All of ours below a folder."""
    found = (ROOT / folder).rglob("*")
    return {
        str(path.relative_to(ROOT))
        for path in found
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_all_assets(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(tmp_path))
    subprocess.run((*command, str(ROOT)), check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    assert files("assets") | files("wizard") | files("screens") <= held
    assert sum(name.startswith("assets/explain/") for name in held) >= 9
