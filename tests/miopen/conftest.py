"""A libMIOpen in C that stands in for the real one, and a torch that loads it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conv2d.conftest import worker_python

__all__ = ["worker_python"]

TORCH = """\
import ctypes
__version__ = "2.4.1+rocm6.2"
class version:
    hip = "6.2.41133"
    cuda = None
ctypes.CDLL({library!r})
print("torch says something on standard output", flush=True)
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fake library, compiled here."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here, and the fake libMIOpen is in C")
    made = tmp_path_factory.mktemp("miopen") / "libMIOpen.so.1"
    source = Path(__file__).with_name("fake_miopen.c")
    flags = ("-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror")
    subprocess.run((compiler, *flags, "-o", made, source), check=True)
    return made


@pytest.fixture
def torch_folder(library: Path, tmp_path: Path) -> Path:
    """For PYTHONPATH: a torch that has loaded the library."""
    package = tmp_path / "with_torch" / "torch"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(TORCH.format(library=str(library)), "utf-8")
    return package.parent
