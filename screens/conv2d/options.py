"""The options of the Conv2d panel as rows: a label, a value in words, and how it changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from screens.conv2d.aims import Aim
from screens.conv2d.setting import SweepSetting
from screens.words import shown
from wizard.conv2d.presets import Preset
from wizard.conv2d.search.find_limit import AXES
from wizard.conv2d.words.request import MOST_HANGS, WrongRequest
from wizard.conv2d.works import WORKS

T = TypeVar("T")
ENGINES = ("configured", "native", "unfold")
REPEATS = (1, 2, 3, 5, 10, 20, 50, 100)
HANGS = (None, *range(1, MOST_HANGS + 1))
ALL_WORKS = (
    *((work,) for work in WORKS),
    *((first, second) for first, second in pairwise(WORKS)),
    (WORKS[0], WORKS[2]),
    WORKS,
)
"""Every combination, the single ones first."""
CONTROL = "the control, without risk"
RANGE = re.compile(r" *([1-9][0-9]{0,3}) *- *([1-9][0-9]{0,3}) *")
WRONG_RANGE = "Write the range as 1-256: the smallest and the largest value, below 10000."


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be set, by arrows or by typing."""

    label: str
    value: Callable[[SweepSetting], str]
    """In words."""
    hint: str
    turn: Callable[[SweepSetting, int], SweepSetting] | None = None
    """The next or the previous value; None for what is typed."""
    take: Callable[[SweepSetting, str], SweepSetting] | None = None
    """The setting with what was typed. Raises WrongRequest."""
    typed: Callable[[SweepSetting], str] = lambda _: ""
    """What stands in the line to type in at first."""


def options(layers_in: Callable[[str], Preset]) -> tuple[Option, ...]:
    """Every option, in the order in which they are shown."""
    return (*_what(layers_in), *_how(), *_where())


def _what(layers_in: Callable[[str], Preset]) -> tuple[Option, ...]:
    return (
        Option(
            "Question",
            lambda s: s.aim.value,
            "'this shape' is the row that is highlighted when you press s.",
            lambda s, by: replace(s, aim=_turned(tuple(Aim), s.aim, by)),
        ),
        Option(
            "Shapes",
            lambda s: f"{s.preset_place + 1}/{len(s.presets)} {shown(s.preset.title)}",
            "Tables that others published, and the layers of whole models.",
            lambda s, by: replace(s.next_preset(by), operations=False),
        ),
        Option(
            "Own layers",
            lambda s: shown(_own_path(s)) or "none",
            "Enter: the path of a text file, a layer a line, as 64 128 3 56x56 stride 2.",
            take=lambda s, text: s.with_own(layers_in(text)),
            typed=lambda s: _own_path(s) or "~/",
        ),
        Option(
            "Limit of",
            lambda s: s.axis,
            "What grows where the question is a limit; all else is as in the highlighted row.",
            lambda s, by: replace(s, axis=_turned(tuple(AXES), s.axis, by)),
        ),
        Option(
            "in the range",
            lambda s: f"{s.span[0]}-{s.span[1]}",
            "Enter: where that limit may be, as 1-256.",
            take=lambda s, text: replace(s, span=_span(text)),
            typed=lambda s: f"{s.span[0]}-{s.span[1]}",
        ),
    )


def _how() -> tuple[Option, ...]:
    return (
        Option(
            "Work",
            lambda s: ", ".join(s.works),
            "The forward pass; its gradients; a training step with batch norm, SiLU and SGD.",
            lambda s, by: replace(s, works=_turned(ALL_WORKS, s.works, by)),
        ),
        Option(
            "Engine",
            lambda s: s.engine,
            "native: torch's own, past MIOpen. unfold: copies and a matrix product.",
            lambda s, by: replace(s, engine=_turned(ENGINES, s.engine, by)),
        ),
        Option(
            "Repeats",
            lambda s: f"{s.repeats} launch{'' if s.repeats == 1 else 'es'} of each shape",
            "What fails only some of the time is flaky.",
            lambda s, by: replace(s, repeats=_turned(REPEATS, s.repeats, by)),
        ),
        Option(
            "Hangs",
            lambda s: "as many as your screen and seat allow" if s.hangs is None else str(s.hangs),
            "So often the card may hang before it stops: 1 where it drives a screen, else 3.",
            lambda s, by: replace(s, hangs=_turned(HANGS, s.hangs, by)),
        ),
        Option(
            "MIOpen's log",
            lambda s: "on" if s.log else "off",
            "It names what hangs, and makes every call longer.",
            lambda s, _: replace(s, log=not s.log),
        ),
    )


def _where() -> tuple[Option, ...]:
    return (
        Option(
            "Environment",
            lambda s: "without what the shell sets for ROCm" if s.clean else "as the shell has it",
            "Variables such as HSA_OVERRIDE_GFX_VERSION or MIOPEN_FIND_MODE change the result.",
            lambda s, _: replace(s, clean=not s.clean),
        ),
        Option(
            "Device",
            lambda s: "GPU" if s.device == "cuda" else f"CPU: {s.cpu_alone or CONTROL}",
            "The GPU is named cuda, also with ROCm.",
            lambda s, by: s.next_device(by),
        ),
        Option(
            "Deadline",
            lambda s: f"{s.deadline_s:.0f} s for each shape",
            "A first call may have to compile: what shows that it does is given more time.",
            lambda s, by: s.next_deadline(by),
        ),
    )


def _turned(values: Sequence[T], now: T, by: int) -> T:
    place = values.index(now) if now in values else 0
    return values[(place + by) % len(values)]


def _own_path(setting: SweepSetting) -> str:
    """The path of the user's list, where there is one."""
    last = setting.presets[-1].id
    return last if "/" in last else ""


def _span(text: str) -> tuple[int, int]:
    found = RANGE.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise WrongRequest(WRONG_RANGE)
    return int(found[1]), int(found[2])
