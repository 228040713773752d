"""A page on each screen of the wizard: what it is for, its keys and help, and how it looks."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from textual.binding import Binding
from textual.screen import ModalScreen

import screens
from screens.session import STEPS
from screens.step import StepScreen

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "screens"
SCREENSHOTS = ROOT / "assets" / "screenshots"
LOOKS = {"history": "history-demo"}
"""Golden screens that show more than those which are called like the screen."""
PICTURES = {"run-screen": "install", "conv2d": "measure"}
"""Pictures that are called otherwise than their screen."""
INTRO = """# Screens

The wizard has seven steps and a few other screens. On every screen, the arrow keys and Tab move,
Enter selects, Esc goes back, `?` explains the screen, and `q` quits. You can also use a mouse. Keys
that do nothing at the moment are not shown. The pictures show example machines. Screens without a
picture are shown as text (80 columns, 24 lines), with recorded or invented machines.
"""


def pages() -> Iterator[str]:
    """The lines of the whole document."""
    yield INTRO
    for screen in in_order(all_screens()):
        yield from page(screen)


def all_screens() -> tuple[type[StepScreen], ...]:
    """Every screen that can be shown, those that only others are made of left out."""
    load_all()
    found = [one for one in dict.fromkeys(_below(StepScreen)) if _is_ours(one)]  # type: ignore[type-abstract]
    return tuple(one for one in found if not any(map(_is_ours, one.__subclasses__())))


def all_windows() -> tuple[type[ModalScreen[Any]], ...]:
    """Every window of ours that opens over a screen."""
    load_all()
    found = dict.fromkeys(_below(ModalScreen))
    return tuple(one for one in found if _is_ours(one) and not _is_base(one))


def _is_base(one: type) -> bool:
    """True for what other windows are made from."""
    return any(map(_is_ours, one.__subclasses__()))


def _is_ours(one: type) -> bool:
    """False for what Textual brings, and for what a test makes up."""
    return one.__module__.startswith("screens.")


def load_all() -> None:
    """Loads each module of the screens: a class that nobody has loaded is known to nobody."""
    for module in pkgutil.walk_packages(screens.__path__, "screens."):
        importlib.import_module(module.name)


def in_order(found: tuple[type[StepScreen], ...]) -> list[type[StepScreen]]:
    """The steps as they come, then the others by name."""

    def rank(one: type[StepScreen]) -> tuple[int, str]:
        is_step = one.NAME in STEPS and one.__name__.lower() in (one.NAME, "runscreen")
        return (STEPS.index(one.NAME) if is_step else len(STEPS), one.__name__)

    return sorted(found, key=rank)


def page(screen: type[StepScreen]) -> Iterator[str]:
    """One screen."""
    number = in_order(all_screens()).index(screen)
    step = f"{number + 1}. " if number < len(STEPS) else ""
    yield f"## {step}{screen.TITLE_WORD}\n"
    about = (importlib.import_module(screen.__module__).__doc__ or "").strip().split("\n\n")[0]
    yield about.replace("\n", " ") + "\n"
    for paragraph in screen.HELP_TEXT.split("\n\n"):
        yield paragraph.replace("\n", "\\\n") + "\n"  # a line of its own stays one
    yield "| key | |\n|---|---|"
    yield from (f"| `{_key(key)}` | {key.description} |" for key in _bindings(screen))
    yield ""
    name = re.sub("(?<=[a-z])(?=[A-Z])", "-", screen.__name__).lower()
    picture = SCREENSHOTS / f"{PICTURES.get(name, name)}.svg"
    look = GOLDEN / f"{LOOKS.get(name, name)}-80x24.txt"
    if picture.is_file():
        yield f"![{screen.TITLE_WORD} on an example machine]({picture.relative_to(ROOT)})\n"
    elif look.is_file():
        yield f"```\n{look.read_text('utf-8').rstrip()}\n```\n"


def _below(screen: type[T]) -> Iterator[type[T]]:
    for one in screen.__subclasses__():
        yield one
        yield from _below(one)


def _bindings(screen: type[StepScreen]) -> Iterator[Binding]:
    """The keys that the footer can show, the screen's own first."""
    seen: set[str] = set()
    for base in screen.__mro__:
        for key in base.__dict__.get("BINDINGS", ()):
            if isinstance(key, Binding) and key.show and key.description and key.key not in seen:
                seen.add(key.key)
                yield key


def _key(binding: Binding) -> str:
    return binding.key_display or binding.key.split(",")[0]
