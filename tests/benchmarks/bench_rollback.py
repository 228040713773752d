"""How long the rollback of 20,000 files takes, and whether its progress moves all the while.

Run: python -m tests.benchmarks.bench_rollback [--profile]. Goals: 5 seconds for both (2 cores), and
no second without news once it has begun. Two wheels' worth of sources with their byte code, in
folders of 50, as a run notes them; nothing is faked but the plan.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.run.places import places_below
from tests.undo.many_files import FILES, run_with_many_files
from wizard.core.events import PlanFinished, Progress
from wizard.host.live import LiveHost
from wizard.run.executor import Live
from wizard.run.rollback import Rollback, find_undo

GOAL_S = 5.0
SILENT_S = 1.0


async def _taken_back(home: Path) -> tuple[float, int, bool]:
    """The longest time without news, the number of events of progress, and whether all went."""
    places = places_below(home)
    taking = Rollback(find_undo(places, LiveHost()), Live(places, {}), places)
    last, longest, told, ok = time.monotonic(), 0.0, 0, False
    async for event in taking.events():
        now = time.monotonic()
        longest, last = max(longest, now - last), now
        told += isinstance(event, Progress)
        ok = ok or (isinstance(event, PlanFinished) and event.ok)
    return longest, told, ok


def main() -> int:
    """Measure; 1 when a goal was missed."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--profile", action="store_true", help="print where the time goes")
    wanted = asked.parse_args()
    with TemporaryDirectory(prefix="rollback-") as name:
        home = Path(name)
        run_with_many_files(home)
        began = time.monotonic()
        find_undo(places_below(home), LiveHost())
        print(f"{time.monotonic() - began:6.2f} s  to show what would be removed")
        profile = cProfile.Profile()
        if wanted.profile:
            profile.enable()
        began = time.monotonic()
        longest, told, ok = asyncio.run(_taken_back(home))
        took = time.monotonic() - began
        profile.disable()
        print(f"{took:6.2f} s  to show it again and roll {FILES} files back ({told} news)")
        print(f"{longest:6.2f} s  at most without news")
        if wanted.profile:
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
        gone = ok and not (home / "venv").exists()
        return 0 if gone and took <= GOAL_S and longest <= SILENT_S else 1


if __name__ == "__main__":
    sys.exit(main())
