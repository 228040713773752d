"""What a search for the smallest setting has come to."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.conv2d.presets import Setting
from wizard.conv2d.shapes import Shape


@dataclass(frozen=True, slots=True)
class SetTried:
    """A set of variables, and what became of the shape under it."""

    changes: Setting
    verdict: str
    why: str = ""
    """The family of algorithms that it was in, where MIOpen's log says so; or that it was not
    right again."""


@dataclass(frozen=True, slots=True)
class EngineTried:
    """A way past MIOpen, and what became of the shape on it."""

    engine: str
    verdict: str
    warm_s: float | None


@dataclass(frozen=True, slots=True)
class Found:
    """A setting that makes a shape right, and the folder of the environment it was found in."""

    setting: Setting
    venv: str


@dataclass(frozen=True, slots=True)
class SettingAnswer:
    """The smallest set that was found, how surely, and what it costs."""

    shape: Shape
    changes: Setting | None
    """Empty when nothing needs to change, None when no set was found."""
    is_smallest: bool
    """True when each set with one variable less was measured and failed."""
    is_complete: bool
    """False when the search was stopped before all was known."""
    hangs: int
    """How many hangs it took."""
    allowed: int
    passes: int
    """How often the shape came back right under the set, each time in a new process and with new
    databases; the measurement that found it does not count."""
    repeats: int
    cold_s: float | None
    """Of the first repeat, as a program has it: without MIOpen's log."""
    warm_s: float | None
    unchanged_s: float | None
    """A later call with nothing changed, where that came back at all."""
    engines: tuple[EngineTried, ...]
    tried: tuple[SetTried, ...]
    """In the order in which they were measured."""
    possible: int
    """How many sets there are to try."""
    stopped: str = ""
    """Why it could not go on, in words; ``""`` when it ended by itself or the hangs were spent."""
    refused: tuple[Setting, ...] = ()
    """Sets that leave MIOpen no solver at all, as it says itself: none of them was launched."""
    skipped: int = 0
    """How many sets were left out because they leave MIOpen the same solvers as one that was
    tried."""

    @property
    def goes_on(self) -> bool:
        """True when the same request finds out more once more hangs are allowed."""
        return not self.is_complete and not self.stopped


def found_by(answer: SettingAnswer | None, python: str) -> Found | None:
    """What can be kept of an answer; None where nothing was found, or for no environment."""
    if answer is None or not answer.changes or not (venv := venv_of(python)):
        return None
    return Found(answer.changes, venv)


def venv_of(python: str) -> str:
    """The environment of a Python; ``""`` for one that is named otherwise."""
    folder, _, name = python.rpartition("/bin/")
    return folder if folder.startswith("/") and name.startswith("python") else ""


def setting_text(setting: Setting) -> str:
    """A set of variables in one line."""
    return " ".join(f"{name}={value}" for name, value in setting) or "nothing changed"
