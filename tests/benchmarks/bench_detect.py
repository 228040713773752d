"""Measures detection as a whole process against importing psutil and packaging.

Run: python tests/benchmarks/bench_detect.py. Goal: at most 3 times, on a home with 20 venvs
and a libMIOpen of 450 MB. Bytecode is there before the clock starts, as after an installation.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.ratio import print_ratio  # noqa: E402 - found only now, as a script

GOAL = 3.0
VENVS = 20
MIOPEN_BYTES = 450 * 1024 * 1024
OTHER_PACKAGES = 150
FLOOR = (sys.executable, "-c", "import psutil, packaging.version")
DETECT = (sys.executable, "-m", "wizard", "detect", "--json")
CORE = (
    sys.executable,
    "-c",
    "import json;"
    "from wizard.jsonform import to_json;"
    "from wizard.machine.detect import detect;"
    "from wizard.machine.live import LiveHost;"
    "print(json.dumps(to_json(detect(LiveHost()))))",
)


def make_home(home: Path) -> None:
    """A home of 20 venvs with torch, and a libMIOpen of 450 MB (sparse)."""
    for number in range(VENVS):
        site = home / f"project{number}" / "venv" / "lib" / "python3.10" / "site-packages"
        lib = site / "torch" / "lib"
        lib.mkdir(parents=True)
        (site.parents[2] / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.10.12\n")
        (site / "torch" / "version.py").write_text(
            "__version__ = '2.2.2+rocm5.7'\ncuda = None\nhip = '5.7.31921-d1770ee1b'\n"
        )
        for name in ("torch-2.2.2+rocm5.7", "numpy-1.26.4"):
            (site / f"{name}.dist-info").mkdir()
        for other in range(OTHER_PACKAGES):
            (site / f"package_{other}-1.0.dist-info").mkdir()
        with (lib / "libMIOpen.so").open("wb") as file:
            file.truncate(MIOPEN_BYTES)


def main() -> int:
    """Print both ratios; 1 when the whole command misses the goal."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        make_home(home)
        environment = {**os.environ, "HOME": folder, "PYTHONPATH": str(ROOT)}
        compile_all = (sys.executable, "-m", "compileall", "-q", "wizard", "assets/__init__.py")
        subprocess.run(compile_all, cwd=ROOT, check=True)
        print_ratio("detection alone", GOAL, CORE, FLOOR, environment=environment)
        met = print_ratio("detect --json", GOAL, DETECT, FLOOR, environment=environment)
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
