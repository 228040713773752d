"""The helper runs under the system's own Python, which may be as old as 3.8.

Which Pythons are tried is a parameter: RDNA1_SETUP_WORKER_PYTHONS, split by colons.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assets import FOLDER
from tests.root.test_requests import GOOD, plan_line

PYTHONS = os.environ.get("RDNA1_SETUP_WORKER_PYTHONS", sys.executable).split(":")
CACHES = shutil.ignore_patterns("__pycache__")
READS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from assets.root.requests import Person, read_plan
from assets.root.terminal import shown
from assets.root.undo import undo_script
plan = read_plan(sys.stdin.buffer.read(), Person("owner", 1000, 1000, True))
print(shown(plan))
print(undo_script("/run", [{"undo": [["loader"]]}]))
print(len(plan.steps))
"""


@pytest.mark.parametrize("python", PYTHONS)
def test_every_verb_is_read_and_shown_alike_under_each_python(python: str) -> None:
    outputs = [_output(one) for one in (sys.executable, python)]
    assert outputs[0] == outputs[1]
    assert outputs[1].endswith(f"{len(GOOD)}\n")


@pytest.mark.parametrize("python", PYTHONS)
def test_it_starts_as_a_folder_under_each_python_and_leaves_nothing_there(
    python: str, tmp_path: Path
) -> None:
    folder = shutil.copytree(FOLDER / "root", tmp_path / "assets" / "root", ignore=CACHES)
    before = sorted(folder.rglob("*"))
    argv = (python, "-I", "-B", str(folder))
    done = subprocess.run(argv, input=b"", capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (2, b"")
    assert json.loads(done.stdout)["event"] == "refused"
    assert sorted(folder.rglob("*")) == before


def _output(python: str) -> str:
    done = subprocess.run(
        (python, "-I", "-B", "-c", READS, str(FOLDER.parent)),
        input=plan_line(steps=json.loads(json.dumps(GOOD))),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()
