"""The whole wizard walked through in a real terminal of three sizes, with a look after each key.

Keys go through the terminal; at each stop the laid-out screen is held against the rules (see
``tests/layout``), and what the terminal shows against what the program believes to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.documents.screen_pages import all_screens, all_windows
from tests.e2e.homes import SOURCE
from tests.e2e.walking import Walk, walk

pytestmark = pytest.mark.e2e

FINDING = "MIOpen Error: /root/driver/MLOpen/src/hipoc/hipoc_program.cpp:300: Code object build"
RUNS = ("run",)
"""Workers that may go on: what they follow does not end."""
OPTIONS = 13


def demo(here: Walk) -> None:
    """Every step of the road, and every window that opens over it."""
    here.look()
    here.to("Notice", "?")
    here.to("Welcome", "end", "escape")
    here.to("ReportPreview", "p")
    here.to("Welcome", "pagedown", "end", "escape")
    here.to("Palette", "ctrl+p")
    here.to("Welcome", "escape")
    here.to("Detect", "enter")
    here.to("Notice", "?")
    here.to("Detect", "escape")
    here.to("Ask", "n")
    here.to("Notice", "?")
    here.to("Ask", "escape", "space", "down", "space")
    here.to("Choose", "enter")
    choose(here)
    here.to("Review", "enter")
    here.to("Notice", "?")
    here.to("Review", "escape", "space", "pagedown", "end", "a")
    here.to("RunScreen", "enter")
    here.to("Notice", "?")
    here.to("RunScreen", "escape", "/")
    here.type("torch")
    here.to("Conv2d", "enter", "enter")
    panel(here)
    here.to("Done", "n")
    here.to("Notice", "?")
    here.to("ReportPreview", "escape", "p")
    here.to("Done", "escape", "end")
    diagnose(here)


def choose(here: Walk) -> None:
    here.to("Notice", "?")
    here.to("Choose", "escape")
    for _ in range(2):
        here.to("LinesView", "d")
        here.to("Choose", "escape", "down")
    here.to("Evidence", "e")
    here.to("Choose", "right", "m", "escape")
    here.to("Compare", "c")
    here.to("Notice", "?")
    here.to("Evidence", "escape", "down", "right", "e")
    here.to("Compare", "escape")
    here.to("Choose", "enter")
    here.to("ApproachList", "o")
    here.to("Choose", "down", "pagedown", "escape")
    here.to("Explain", "i")
    here.to("LinesView", "enter")
    here.to("Choose", "escape", "escape")
    here.to("PathQuestion", "1", "u", "f")
    here.type("/a/folder/with/a/name/that/is/longer/than/the/field/that/it/is/typed/into/here")
    here.to("Choose", "enter")


def panel(here: Walk) -> None:
    here.to("Notice", "?")
    here.to("Conv2d", "escape", "v", "v", "v", "end")
    options(here)
    here.to("Conv2d", "home", "enter", goes_on=("sweep",))
    here.to("Conv2d", "s")


def options(here: Walk) -> None:
    here.to("OptionsDialog", "o")
    for _ in range(OPTIONS):
        here.to("OptionsDialog", "down")
    here.to("Conv2d", "escape")


def diagnose(here: Walk) -> None:
    here.to("Diagnose", "d")
    here.to("Notice", "?")
    here.to("Diagnose", "escape", "end", "space", "tab", "tab")
    here.to("TextQuestion", "t")
    here.paste(f"{FINDING}\n" * 3)
    here.to("Diagnose", "ctrl+r")


def recorded(here: Walk) -> None:
    """A recorded machine: what was found on it, what is advised for it, and what is wrong."""
    here.to("Detect", "enter")
    here.to("Notice", "space")
    here.to("Detect", "escape", "end", "space", "end")
    if here.press("n").name == "Ask":  # where nothing that could run was found
        here.to("Choose", "enter")
    here.press("down")
    here.to("LinesView", "d")
    here.to("Ask", "escape", "escape")
    here.to("Detect", "escape")
    here.to("Diagnose", "d", "down", "down", "down")


def installed(here: Walk) -> None:
    """With made-up services: applied, measured, kept, fixed, cleared, taken back."""
    here.to("Welcome", "?", "escape")
    here.to("Ask", "enter", "n")
    here.to("Choose", "enter")
    here.to("Review", "enter")
    here.to("Review", "s")
    here.to("RunScreen", "enter")
    here.to("Conv2d", "y", "enter")
    measured(here)
    here.to("Done", "n")
    here.to("Welcome", "w")
    here.to("Clear", "x", "n")
    here.to("Notice", "?")
    here.to("Review", "escape", "enter")
    here.to("Welcome", "escape", "escape", "escape")
    here.to("RollBack", "r")
    here.to("Notice", "?")
    here.to("RollBack", "escape", "end")
    here.to("RunScreen", "y")
    here.to("Notice", "?")
    here.to("RollBack", "escape", "enter")
    here.to("Welcome", "escape")
    fixed(here)


def measured(here: Walk) -> None:
    here.to("Question", "enter")
    here.to("Conv2d", "y", "end", "v", "v", "v")
    here.to("Details", "space")
    here.to("Answer", "escape", "a")
    here.to("OptionsDialog", "escape", "o")
    here.to("Conv2d", "escape")
    here.to("History", "h")
    here.to("Notice", "?")
    here.to("LinesView", "escape", "enter")
    here.to("History", "end", "escape", "space", "down", "c", "escape")
    here.to("PathQuestion", "x")
    here.to("History", "escape", "i", "escape", "home")
    here.to("ResultChoice", "r")
    here.to("Conv2d", "escape", "escape")


def fixed(here: Walk) -> None:
    here.to("Diagnose", "d")
    here.to("Review", "enter")
    here.to("Diagnose", "escape")


def waiting(here: Walk) -> None:
    """An earlier start left something: root at work, a run that waits; and a step that fails."""
    here.look()
    here.to("RunScreen", "w", goes_on=RUNS)
    here.to("Notice", "?", goes_on=RUNS)
    here.to("RunScreen", "escape", "y", "/", goes_on=RUNS)
    here.type("apt", goes_on=RUNS)
    here.to("Welcome", "enter", "escape", "escape", "escape", goes_on=RUNS)
    here.to("RunScreen", "o", "n", "enter", "enter")
    here.to("Diagnose", "d")
    here.to("Review", "escape")


def partly_undone(here: Walk) -> None:
    """Half taken back, and a plan under way that is to be stopped."""
    here.look()
    here.to("RollBack", "enter")
    here.to("Detect", "escape", "down", "enter")
    here.to("Review", "n", "enter", "enter")
    here.to("RunScreen", "enter", goes_on=RUNS)
    here.to("RunScreen", "q", "escape", "end", goes_on=RUNS)
    here.to("Question", "c", goes_on=RUNS)


WALKS = {
    "demo": (demo, ("--demo",)),
    "installed": (installed, ("--examples", "live")),
    "waiting": (waiting, ("--examples", "at-work")),
    "half back": (partly_undone, ("--examples", "under-way")),
}
NARROW, MIDDLE, WIDE = (80, 24), (120, 40), (200, 60)
MACHINES = {
    NARROW: ("docker-no-kfd", "no-amd-gpu"),
    MIDDLE: ("rx5700-rx5500xt-noble",),
    WIDE: (),
}
"""Recorded machines beside the demo's, the most where the least room is."""


@pytest.mark.parametrize("size", MACHINES, ids=lambda size: "{}x{}".format(*size))
def test_everywhere_all_is_in_sight_and_nothing_is_cut(size: tuple[int, int]) -> None:
    found: dict[str, None] = {}
    visited: set[str] = set()
    for name, way, arguments in walks(size):
        with walk(size, *arguments) as here:
            way(here)
        found |= dict.fromkeys(f"{name}, {each}" for each in here.found)
        visited |= here.visited
    assert not found, "\n".join(found)
    left_out = every_screen() - visited
    assert not left_out, "these were not walked through"


def walks(size: tuple[int, int]) -> Iterator[tuple[str, Callable[[Walk], None], tuple[str, ...]]]:
    """All ways of a size, by name, with the command line of each."""
    for name, (way, arguments) in WALKS.items():
        yield name, way, arguments
    for machine in MACHINES[size]:
        folder = SOURCE / "tests" / "machines" / machine
        yield machine, recorded, ("--dry-run", "--machine", str(folder))


def every_screen() -> set[str]:
    """The names of all screens and dialogs that there are."""
    return {one.__name__ for one in (*all_screens(), *all_windows())}
