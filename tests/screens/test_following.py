"""The next screen opens at once: what it needs was loaded while the one before was read."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

from screens.machine_reading import load

ROOT = Path(__file__).parents[2]
WALK = """
import asyncio, sys
from screens.app import SetupApp
from screens.start import services_for
from tests.screens.driving import press, reach, resolved
from wizard.cli.options import parser
async def walk():
    app = SetupApp(services_for(parser().parse_args(["--demo"])))
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "enter")
        await reach(pilot, "detect")
        await resolved(pilot)
        before = set(sys.modules)
        await press(pilot, "n")
        await reach(pilot, "ask")
        await press(pilot, "enter")
        await reach(pilot, "choose")
        print(*(set(sys.modules) - before))
asyncio.run(walk())
"""


def test_choose_loads_nothing_when_it_is_opened() -> None:
    done = subprocess.run(
        (sys.executable, "-c", WALK), cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [""]


def test_where_all_is_loaded_already_what_was_made_meanwhile_is_still_looked_through() -> None:
    load(__name__)
    before = gc.get_freeze_count()
    made = [[number] for number in range(9)]
    load(__name__, "screens.machine_reading")
    assert gc.get_freeze_count() <= before, f"{len(made)} lists would stay for good"
