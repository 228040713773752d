"""How soon the program is there: its first frame, ``--help`` and ``detect --json``.

Run: python -m tests.benchmarks.bench_start [--only frame|help|detect]. Bytecode is there before the
clock starts, as after an installation. Goals:

* First frame: at most 0.15 s more than a bare Textual app (``bare_app.py``), which shows what was
  recorded of our first screen just before: the same tree of Textual's widgets, our style sheet, the
  same texts. Both are whole programs on terminals of 80x24, from the start of the process until
  the whole list can be read. The clock stands while a program waits for a processor. ``live`` is
  the wizard in an empty home, ``again`` in one with earlier runs of which one waits, ``demo`` on a
  recorded machine.
* ``--help``: within 0.15 s.
* ``detect --json``: at most 0.25 s more than an import of psutil and packaging, on a home with 20
  venvs and a libMIOpen of 450 MB in each.

What a module stands on is imported at its top: that costs some of this, and is worth it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Footer, OptionList, Static

from assets import FOLDER
from screens.app import SetupApp
from screens.start import services_for
from tests.e2e.terminal import Terminal, waited_s
from tests.layout.emulator import Emulator
from tests.run.earlier_runs import leave_runs
from tests.screens.driving import reach, resolved, screen_text
from wizard.cli.options import parser

ROOT = Path(__file__).parents[2]
COLUMNS, LINES = 80, 24
WAYS: Mapping[str, tuple[str, ...]] = {"live": (), "again": (), "demo": ("--demo",)}
ROUNDS = 15
FRAME_GOAL_S, DETECT_GOAL_S, HELP_GOAL_S = 0.15, 0.25, 0.15
"""The first two: more than the floor that was measured in the same run."""
PATIENCE_S = 30
VENVS = 20
MIOPEN_BYTES = 450 * 1024 * 1024
OTHER_PACKAGES = 150

Recorded = dict[str, Any]
Text = tuple[str, list[tuple[int, int, str]]]
"""A text, and which parts of it have which style."""


def python(*words: str) -> tuple[str, ...]:
    """A command line of this Python."""
    return (sys.executable, *words)


def in_home(home: str) -> dict[str, str]:
    """The environment of a home, and nothing else."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": home, "PYTHONPATH": str(ROOT)}


def seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Wall time of one whole process."""
    began = time.perf_counter()
    subprocess.run(
        command, env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True
    )
    return time.perf_counter() - began


def is_within(name: str, goal_s: float, pairs: Sequence[tuple[float, float]]) -> bool:
    """Print medians of times taken in turn, ours first, and by how much ours is longer; True within
    the goal."""
    ours, floor = (1000 * statistics.median(side) for side in zip(*pairs, strict=True))
    more_s = statistics.median(a - b for a, b in pairs)
    verdict = "within" if more_s <= goal_s else "OVER"
    print(
        f"{name}: {ours:.1f} ms against {floor:.1f} ms, median {1000 * more_s:.1f} ms more "
        f"({verdict} the goal of {1000 * goal_s:.0f} ms; {len(pairs)} pairs)",
        flush=True,
    )
    return more_s <= goal_s


def measure_help() -> bool:
    """Print how long ``--help`` takes; True within the goal."""
    with tempfile.TemporaryDirectory() as home:
        help_, environment = python("-m", "wizard", "--help"), in_home(home)
        median = statistics.median([seconds(help_, environment) for _ in range(ROUNDS + 1)][1:])
    verdict = "within" if median <= HELP_GOAL_S else "OVER"
    print(f"--help: median {median:.3f} s ({verdict} the goal of {HELP_GOAL_S} s)", flush=True)
    return median <= HELP_GOAL_S


def measure_detect() -> bool:
    """Print how long detection takes beside its imports; True within the goal."""
    ours = python("-m", "wizard", "detect", "--json")
    floor = python("-c", "import psutil, packaging.version")
    with tempfile.TemporaryDirectory() as home:
        fill_home(Path(home))
        environment = in_home(home)
        pairs = [
            (seconds(ours, environment), seconds(floor, environment)) for _ in range(ROUNDS + 1)
        ]
    return is_within("detect --json", DETECT_GOAL_S, pairs[1:])


def fill_home(home: Path) -> None:
    """20 venvs with torch, and a libMIOpen of 450 MB (sparse) in each."""
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


def measure_frame() -> bool:
    """Print how long the first frame takes on each way in; True within the goal on all."""
    within = [_measure_way(way) for way in WAYS]
    return all(within)


def _measure_way(way: str) -> bool:
    with tempfile.TemporaryDirectory() as home:
        if way == "again":
            leave_runs(Path(home))
        environment, record = in_home(home), Path(home) / ".recorded.json"
        recording = python("-m", "tests.benchmarks.bench_start", "record", str(record), *WAYS[way])
        subprocess.run(recording, env=environment, cwd=ROOT, check=True)
        rows = json.loads(record.read_text("utf-8"))["rows"]
        ours = python("-m", "wizard", *WAYS[way])
        bare = python("-m", "tests.benchmarks.bare_app", str(record), str(FOLDER / "screens.tcss"))
        pairs = [
            (frame_s(ours, environment, rows), frame_s(bare, environment, rows))
            for _ in range(ROUNDS + 1)
        ]
    return is_within(f"first frame, {way}", FRAME_GOAL_S, pairs[1:])


def frame_s(command: tuple[str, ...], environment: Mapping[str, str], rows: Sequence[str]) -> float:
    """How long a program took until these rows stood, less its waiting for a processor."""
    began, screen = time.perf_counter() - waited_s(os.getpid()), Emulator(COLUMNS, LINES)
    limit = time.monotonic() + PATIENCE_S
    with Terminal(command, environment) as terminal:
        while _choices(screen.rows) != _choices(rows):
            shown = "\n".join(screen.rows)
            assert time.monotonic() < limit, f"awaited:\n{rows}\n\nbut there is:\n{shown}"
            before = len(terminal.drawn)
            terminal.read_some()
            screen.feed(terminal.drawn[before:])
        return time.perf_counter() - waited_s(terminal.pid, os.getpid()) - began


def _choices(rows: Sequence[str]) -> list[list[str]]:
    """The words in each row of the list, without the mark of our lists, which is none of Textual's.
    What stands above them is told when the machine has been read, and is no part of a first frame.
    """
    return [row.replace("> ", "").split() for row in rows if "│" in row]


async def recorded(options: list[str]) -> Recorded:
    """The first screen as data that ``bare_app.py`` can show, to the letter."""
    app = SetupApp(services_for(parser().parse_args(options)))
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        bindings = (active.binding for active in app.screen.active_bindings.values())
        keys = {b.action: (b.key, b.description, b.key_display) for b in bindings if b.show}
        return {
            "name": type(app.screen).__name__,
            "css": _own_css(app.screen),
            "rows": screen_text(app).splitlines(),
            "focus": app.screen.AUTO_FOCUS,
            "keys": list(keys.values()),
            "widgets": [_widget(each) for each in app.screen.children if each.id != "_toastrack"],
        }


def _widget(widget: Widget) -> Recorded:
    kinds = [kind for kind in type(widget).__mro__ if kind.__module__.startswith("textual.")]
    # What has decided itself that there is no room for it.
    gone = widget.display and not widget.size.height
    found: Recorded = {
        "name": type(widget).__name__,
        "base": kinds[0].__name__,
        "css": _own_css(widget) + (f"{type(widget).__name__} {{ height: 0; }}" if gone else ""),
        "id": widget.id,
        "classes": sorted(c for c in widget.classes if not c.startswith("-textual")),
        "title": widget.border_title,
        "display": widget.display,
        "children": [],
    }
    match widget:
        case OptionList():
            found["options"] = [_text(option.prompt) for option in widget.options]
            found["enter"] = widget._bindings.get_bindings_for_key("enter")[0].description
        case Static():
            found["text"] = _text(widget.render())
        case Footer():
            pass
        case _:
            found["children"] = [_widget(child) for child in widget.children]
    return found


def _text(shown: object) -> Text:
    """No markup: brackets in a text would be lost in it."""
    content = shown if isinstance(shown, Content) else Content(str(shown))
    styles = [(s.start, s.end, s.style) for s in content.spans if isinstance(s.style, str)]
    return content.plain, styles


def _own_css(widget: Widget) -> str:
    own = [kind for kind in type(widget).__mro__ if not kind.__module__.startswith("textual.")]
    return "".join(vars(kind).get("DEFAULT_CSS", "") for kind in own)


MEASURES = {"frame": measure_frame, "help": measure_help, "detect": measure_detect}


def main(words: list[str]) -> int:
    """Print all that is asked for; 0 within the goals."""
    if words[:1] == ["record"]:
        Path(words[1]).write_text(json.dumps(asyncio.run(recorded(words[2:]))), "utf-8")
        return 0
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", choices=MEASURES)
    only = options.parse_args(words).only
    compiled = python("-m", "compileall", "-q", "wizard", "screens", "assets/__init__.py", "tests")
    subprocess.run(compiled, cwd=ROOT, check=True)
    print(f"load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
    within = [MEASURES[what]() for what in ([only] if only else MEASURES)]
    return 0 if all(within) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
