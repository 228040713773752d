"""The wizard on a terminal of 80x24 against a bare Textual app with the same widgets and texts.

Run: python -m tests.benchmarks.bench_screens [--rounds N]; seven rounds take some three minutes.
Both are whole programs on terminals of their own, at the same time, and are asked in turn. The bare
app (``bare_app.py``) shows what was recorded of the wizard just before: the same tree of Textual's
widgets, our style sheet, the same texts, and on each key the same new texts; it has no logic and
loads nothing of ours. What stands on both terminals is read back and compared: with another text on
one of them, there are no figures. Bytecode is there before the clock starts, as after an
installation.

* First frame: from the start of the process until the first screen stands whole.
* Key to screen: from a key until the text stands that the key leads to, to the last letter. What
  comes after it, such as Textual's second painting of the same, does not count on either side.
  Opened first: with all that is loaded for it. The clock stands while a program waits for a
  processor.
* Memory: in a walk straight to each screen, without a key more, for repeated keys fill Textual's
  caches on both sides, and the larger both are, the better we look. ``resident`` is what ``top``
  shows (RSS), and what the goal is for; ``its own`` leaves out what is shared with other programs
  (USS), with a limit of its own, for it is to be watched. The share in between (PSS) is no measure
  here: it depends on how many Pythons run beside it.

``live`` is the wizard as a user starts it, in an empty home; ``again`` the same in a home with
earlier runs, of which one waits; ``demo`` looks at a machine with a card, where Choose has more to
say.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assets import FOLDER
from tests.benchmarks.ratio import print_pairs
from tests.e2e.terminal import Terminal, waited_s
from tests.layout.emulator import Emulator
from tests.run.earlier_runs import leave_runs

ROOT = Path(__file__).parents[2]
COLUMNS, LINES = 80, 24
FIRST_FRAME, KEY_TO_SCREEN, MEMORY, ITS_OWN = 1.5, 1.2, 1.3, 1.35
LIVE, AGAIN, DEMO = "live", "again", "demo"
WAYS: Mapping[str, tuple[str, ...]] = {LIVE: (), AGAIN: (), DEMO: ("--demo",)}
COMPILED = ("wizard", "screens", "assets/__init__.py", "tests")
MEMORY_KINDS: Mapping[str, tuple[str, ...]] = {
    "resident": ("Rss",),
    "its own": ("Private_Clean", "Private_Dirty"),
}
STILL_S = 0.08
"""A pause in the output that ends a change."""
SETTLED_S = 0.25
"""The same after a new screen, which may still be told something by a thread."""
PATIENCE_S = 30
DETECTED = "Choose a stack"
"""A key that Detect offers once it knows the machine."""
EVERY = 100
UP, DOWN, TAB, ESCAPE = "\x1b[A", "\x1b[B", "\t", "\x1b"
LETTERS = "abcdefghijklmnopqrstuvwxyz"

Recorded = dict[str, Any]
Figures = defaultdict[str, list[tuple[float, float]]]
"""What was measured, ours first, by the name of it."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two programs."""

    command: tuple[str, ...]
    environment: Mapping[str, str]

    def started(self) -> Seen:
        """The program on a terminal of its own."""
        return Seen(Terminal(self.command, self.environment))


@dataclass(slots=True)
class Seen:
    """A program, and what stands on its terminal."""

    terminal: Terminal
    _screen: Emulator = field(default_factory=lambda: Emulator(COLUMNS, LINES))

    @property
    def rows(self) -> tuple[str, ...]:
        """The lines as they stand."""
        return self._screen.rows

    @property
    def words(self) -> tuple[str, ...]:
        """What they say."""
        return _words(self.rows)

    def typed(self, key: str, still_s: float = STILL_S) -> float:
        """How long it took until the text stood that a key leads to."""
        began = self._own_s()
        self.terminal.send(key)
        stood, before = began, self.rows
        for at, piece in self.terminal.pieces(still_s, self._own_s):
            self._screen.feed(piece)
            if self.rows != before:
                stood, before = at, self.rows
        return stood - began

    def wait_until(self, rows: Sequence[str]) -> float:
        """When these stood, by the clock of the program."""
        return self._wait(lambda: self.words == _words(rows), "\n".join(rows))

    def wait_for(self, text: str) -> None:
        """Reads until a text stands, and then until nothing more comes."""
        self._wait(lambda: any(text in row for row in self.rows), text)
        self.settle()

    def settle(self) -> None:
        """Reads until nothing more is to come."""
        before = len(self.terminal.drawn)
        self.terminal.read_on(SETTLED_S)
        self._screen.feed(self.terminal.drawn[before:])

    def memory_mb(self, kinds: Sequence[str]) -> float:
        """What it holds of the machine's memory."""
        text = Path(f"/proc/{self.terminal.pid}/smaps_rollup").read_text("utf-8")
        return sum(int(text.partition(f"\n{kind}:")[2].split()[0]) for kind in kinds) / 1024

    def leave(self) -> None:
        """Ends the program."""
        self.terminal.send("q")
        self.terminal.exit_code()

    def _wait(self, holds: Callable[[], bool], what: str) -> float:
        limit = time.monotonic() + PATIENCE_S
        while not holds():
            shown = "\n".join(self.rows)
            assert time.monotonic() < limit, f"awaited:\n{what}\n\nbut there is:\n{shown}"
            before = len(self.terminal.drawn)
            self.terminal.read_some()
            self._screen.feed(self.terminal.drawn[before:])
        return self._own_s()

    def _own_s(self) -> float:
        """A clock that stands while the program or this process waits for a processor."""
        return time.perf_counter() - waited_s(self.terminal.pid, os.getpid())


@dataclass(frozen=True, slots=True)
class Pair:
    """Both programs at the same screen, ours first."""

    ours: Seen
    bare: Seen

    def typed(self, key: str, still_s: float = STILL_S) -> tuple[float, float]:
        """How long each took to show what a key changes."""
        times = self.ours.typed(key, still_s), self.bare.typed(key, still_s)
        self.require_the_same()
        return times

    def memory(self, screen: str, figures: Figures) -> None:
        """Notes what each holds, in MB."""
        for kind, fields in MEMORY_KINDS.items():
            both = self.ours.memory_mb(fields), self.bare.memory_mb(fields)
            figures[f"memory at {screen} ({kind})"].append(both)

    def require_the_same(self) -> None:
        """Figures of two programs that show different things would compare nothing."""
        told = "\n\nand not\n\n".join("\n".join(seen.rows) for seen in (self.ours, self.bare))
        assert self.ours.words == self.bare.words, told


def _words(rows: Sequence[str]) -> tuple[str, ...]:
    """Without the mark of our lists, which is none of Textual's, and without numbers: the free
    room on a disk is another one a minute later."""
    return tuple(" ".join(re.sub(r"\d+", "0", row).lstrip("> ").split()) for row in rows)


@contextmanager
def both(ours: Side, bare: Side, rows: Sequence[str], figures: Figures) -> Iterator[Pair]:
    """Both at their first screen, with how long each took to it."""
    with ExitStack() as stack:
        found: list[tuple[Seen, float]] = []
        for side in (ours, bare):
            since = time.perf_counter() - waited_s(os.getpid())
            seen = side.started()
            stack.enter_context(seen.terminal)
            found.append((seen, seen.wait_until(rows) - since))
            seen.settle()
        (one, one_s), (other, other_s) = found
        figures["first frame"].append((one_s, other_s))
        yield Pair(one, other)
        for seen in (one, other):
            seen.leave()


def walk(pair: Pair, screens: Sequence[Recorded], presses: int, figures: Figures) -> None:
    """Straight from Welcome to Review, then back, with many keys on the way."""
    pair.memory("Welcome", figures)
    for seen in (pair.ours, pair.bare):
        seen.terminal.send("\r")
        seen.wait_for(DETECTED)
    pair.require_the_same()
    pair.memory("Detect", figures)
    figures["Choose opened first"].append(pair.typed("n", SETTLED_S))
    pair.memory("Choose", figures)
    figures["Review opened first"].append(pair.typed("\r", SETTLED_S))
    pair.memory("Review", figures)
    for _ in range(max(1, presses // 4)):
        figures["Choose opened again"].append(pair.typed(ESCAPE, SETTLED_S))
        figures["Review opened again"].append(pair.typed("\r", SETTLED_S))
    pair.typed(ESCAPE, SETTLED_S)
    figures["row of Choose"] += _up_and_down(pair, screens[2], EVERY)
    pair.typed(TAB)
    figures["letter into the folder"] += [pair.typed(LETTERS[n % 26]) for n in range(presses)]
    pair.typed(ESCAPE)
    pair.typed(ESCAPE, SETTLED_S)
    figures["row in the list of Detect"] += _up_and_down(pair, screens[1], presses)


def _up_and_down(pair: Pair, screen: Recorded, most: int) -> list[tuple[float, float]]:
    """Down and up again, by so many keys or all that were recorded."""
    down = min((len(screen["states"]) - 1) // 2, most // 2)
    return [pair.typed(key) for key in (*[DOWN] * down, *[UP] * down)]


@contextmanager
def sides(way: str) -> Iterator[tuple[Side, Side, list[Recorded]]]:
    """The wizard, the bare app, and the screens that both show; in a home of their own."""
    with tempfile.TemporaryDirectory() as home:
        if way == AGAIN:
            leave_runs(Path(home))
        environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": home,
            "PYTHONPATH": str(ROOT),
        }
        record = Path(home) / ".recorded.json"
        last = "welcome" if way == AGAIN else "review"
        program = (sys.executable, "-m", "tests.benchmarks.recorded_screens", last, *WAYS[way])
        with record.open("wb") as file:
            subprocess.run(program, env=environment, cwd=ROOT, stdout=file, check=True)
        shown = (str(record), str(FOLDER / "screens.tcss"))
        yield (
            Side((sys.executable, "-m", "wizard", *WAYS[way]), environment),
            Side((sys.executable, "-m", "tests.benchmarks.bare_app", *shown), environment),
            json.loads(record.read_text("utf-8")),
        )


def measured(way: str, rounds: int, presses: int) -> Figures:
    """All figures of one way into the wizard."""
    figures: Figures = defaultdict(list)
    with sides(way) as (ours, bare, screens):
        rows = screens[0]["rows"]
        with both(ours, bare, rows, defaultdict(list)):
            pass  # warms the disk's cache
        for _ in range(rounds):
            with both(ours, bare, rows, figures) as pair:
                if len(screens) > 1:
                    walk(pair, screens, presses, figures)
                else:
                    pair.memory("Welcome", figures)
    return figures


def goal_of(name: str) -> float:
    """The highest ratio that is allowed."""
    if name == "first frame":
        return FIRST_FRAME
    if name.startswith("memory"):
        return MEMORY if "resident" in name else ITS_OWN
    return KEY_TO_SCREEN


def main() -> int:
    """Print medians and ratios; 0 within the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--presses", type=int, default=4)
    parser.add_argument("--way", choices=WAYS)
    arguments = parser.parse_args()
    compiled = (sys.executable, "-m", "compileall", "-q", *COMPILED)
    subprocess.run(compiled, cwd=ROOT, check=True)
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
    within = True
    for way in [arguments.way] if arguments.way else WAYS:
        for name, pairs in measured(way, arguments.rounds, arguments.presses).items():
            unit = "MB" if name.startswith("memory") else "ms"
            within = print_pairs(f"{way}: {name}", goal_of(name), pairs, unit) and within
    print(f"load after: {os.getloadavg()[0]:.1f}")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
