"""The helper runs under the system's own Python, which may be as old as 3.8.

Which Pythons are tried is a parameter: RDNA1_SETUP_WORKER_PYTHONS, split by colons.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from assets import FOLDER
from tests.root.test_requests import GOOD, plan_line

PYTHONS = os.environ.get("RDNA1_SETUP_WORKER_PYTHONS", sys.executable).split(":")
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
