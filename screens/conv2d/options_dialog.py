"""The options of Measure in a window: arrows choose and change, Enter types."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

from rich.text import Text
from textual import getters
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from screens.dialogs import Notice
from screens.keys import key_line
from screens.widgets.lists import MarkedList, PathInput
from screens.words import cut
from wizard.conv2d.measure_options import DEADLINES_S, DEVICES, MeasureOptions, Question
from wizard.conv2d.requests import MOST_HANGS, WrongRequest
from wizard.conv2d.search.find_limit import AXES
from wizard.conv2d.shapes import WORKS, Preset
from wizard.core.lines import shown

LABEL_CELLS = 14
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
OPERATIONS = "operations that models need in addition to convolutions"
RANGE = re.compile(r" *([1-9][0-9]{0,3}) *- *([1-9][0-9]{0,3}) *")
WRONG_RANGE = (
    "Type a range, such as 1-256: the smallest value, a hyphen, and the largest. "
    "Both must be below 10000."
)
KEYS = key_line(
    ("↑ ↓ Row", ""),
    ("← → Space Change", ""),
    ("Enter Change or type", ""),
    ("Esc Done", "screen.close"),
)
TYPING = key_line(("Enter Accept", "screen.take"), ("Esc Cancel", "screen.close"))


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be set, by arrows or by typing."""

    label: str
    value: Callable[[MeasureOptions], str]
    """In words."""
    hint: str
    turn: Callable[[MeasureOptions, int], MeasureOptions] | None = None
    """The next or the previous value; None for what is typed."""
    take: Callable[[MeasureOptions, str], MeasureOptions] | None = None
    """The setting with what was typed. Raises WrongRequest."""
    typed: Callable[[MeasureOptions], str] = lambda _: ""
    """What stands in the line to type in at first."""
    matters: Callable[[MeasureOptions], bool] = lambda _: True
    """False where it has no part in what is asked."""


def options(layers_in: Callable[[str], Preset]) -> tuple[Option, ...]:
    """Every option, in the order in which they are shown."""
    return (
        _choice(
            "Question",
            "The marked shape is the one under the cursor in the grid.",
            *("question", tuple(Question), lambda question: question.value),
        ),
        Option(
            "Shapes",
            _shapes,
            "Choose published tables, the layers of a whole model, or individual operations.",
            _next_shapes,
        ),
        Option(
            "Your layers",
            lambda s: shown(_own_path(s)) or "none",
            "Press Enter to type the path to a text file. It must have one layer per line, such as "
            "64 128 3 56x56 stride 2.",
            take=lambda s, text: s.with_own(layers_in(text)),
            typed=lambda s: _own_path(s) or "~/",
        ),
        _choice(
            "Limit of",
            "The value to increase. Everything else stays the same as in the marked shape.",
            *("axis", tuple(AXES), str),
            matters=lambda s: s.question is Question.LIMIT,
        ),
        Option(
            "in the range",
            lambda s: f"{s.span[0]}-{s.span[1]}",
            "Press Enter to type the range to search, such as 1-256.",
            take=lambda s, text: replace(s, span=_span(text)),
            typed=lambda s: f"{s.span[0]}-{s.span[1]}",
            matters=lambda s: s.question is Question.LIMIT,
        ),
        Option(
            "Device",
            _device,
            "The CPU computes the reference results. Measuring on it cannot hang the GPU.",
            _next_device,
        ),
        _choice(
            "Deadline",
            "The first call may include compilation. If compilation is detected, the call gets "
            "more time.",
            *("deadline_place", tuple(range(len(DEADLINES_S)))),
            lambda place: f"{DEADLINES_S[place]:.0f} s for each shape",
        ),
        _choice(
            "Hangs",
            "How many times the GPU may hang before the run stops. Automatic means 1 if the GPU "
            "drives a screen, otherwise 3.",
            *("hangs", HANGS, lambda hangs: "automatic" if hangs is None else str(hangs)),
        ),
        _choice(
            "Work",
            "What to compute: the forward pass, its gradients, or a training step with batch "
            "norm, SiLU and SGD.",
            *("works", ALL_WORKS, ", ".join),
            matters=lambda s: not s.operations,
        ),
        _choice(
            "Engine",
            "native: PyTorch's own code, without MIOpen. unfold: copies and a matrix product.",
            *("engine", ENGINES, str),
        ),
        _choice(
            "Repeats",
            "Repeats catch shapes that fail only some of the time.",
            *("repeats", REPEATS, lambda n: f"{n} launch{'' if n == 1 else 'es'} of each shape"),
        ),
        _choice(
            "MIOpen's log",
            "The log shows what hangs, but logging slows down every call.",
            *("log", (False, True), lambda log: "on" if log else "off"),
            matters=lambda s: s.device == "cuda" or s.log,
        ),
        _choice(
            "Environment",
            "Variables such as HSA_OVERRIDE_GFX_VERSION or MIOPEN_FIND_MODE can change the result.",
            *("clean", (False, True)),
            lambda clean: "without the shell's ROCm variables" if clean else "same as the shell",
        ),
    )


def _choice(
    label: str,
    hint: str,
    name: str,
    values: Sequence[Any],
    text: Callable[[Any], str],
    matters: Callable[[MeasureOptions], bool] = lambda _: True,
) -> Option:
    """An option for one field of the setting, which takes these values in turn."""

    def turn(setting: MeasureOptions, by: int) -> MeasureOptions:
        now = getattr(setting, name)
        place = values.index(now) if now in values else 0
        changes = {name: values[(place + by) % len(values)]}
        return replace(setting, **changes)

    return Option(label, lambda s: text(getattr(s, name)), hint, turn, matters=matters)


def _shapes(setting: MeasureOptions) -> str:
    count = len(setting.presets) + 1
    if setting.operations:
        return f"{count}/{count} {OPERATIONS}"
    return f"{setting.preset_place + 1}/{count} {shown(setting.preset.title)}"


def _next_shapes(setting: MeasureOptions, by: int) -> MeasureOptions:
    """The next table; operations, which cannot be searched, come after the last."""
    last = len(setting.presets)
    now = last if setting.operations else setting.preset_place
    place = (now + by) % (last + 1)
    if place < last:
        return replace(setting, preset_place=place, operations=False)
    question = Question.EVERY if setting.question.is_search else setting.question
    return replace(setting, operations=True, question=question)


def _device(setting: MeasureOptions) -> str:
    if setting.device == "cuda":
        return "GPU"
    return setting.cpu_alone or "CPU"


def _next_device(setting: MeasureOptions, by: int) -> MeasureOptions:
    """The other device, where its PyTorch can use both."""
    if setting.cpu_alone:
        return setting
    return replace(setting, device_place=(setting.device_place + by) % len(DEVICES))


def _own_path(setting: MeasureOptions) -> str:
    """The path of the user's list, where there is one."""
    last = setting.presets[-1].id
    return last if "/" in last else ""


def _span(text: str) -> tuple[int, int]:
    found = RANGE.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise WrongRequest(WRONG_RANGE)
    return int(found[1]), int(found[2])


class Rows(MarkedList):
    """The options, each with its value: left and right, which scroll other lists, change it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "screen.turn(-1)", "Previous value"),
        Binding("right,space", "screen.turn(1)", "Next value"),
    ]


class OptionsDialog(ModalScreen[MeasureOptions]):
    """One row an option; closing it gives the setting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,o,q", "close", "Done", key_display="Esc"),
    ]
    _list = getters.query_one(OptionList)
    _typed = getters.query_one(Input)

    def __init__(self, setting: MeasureOptions, layers_in: Callable[[str], Preset]) -> None:
        super().__init__()
        self._setting = setting
        self._all = options(layers_in)

    def compose(self) -> ComposeResult:
        """The rows, what the highlighted one means, and a line to type in."""
        with Vertical(classes="dialog", id="options-dialog") as dialog:
            dialog.border_title = Content("Options")
            yield Rows(id="options")
            yield Static(id="option-hint", markup=False)
            yield PathInput(id="option-typed", compact=True)

    def on_mount(self) -> None:
        """Keys go to the rows."""
        self._show()
        self._list.highlighted = 0
        self._show_typing(False)

    @property
    def _options(self) -> tuple[Option, ...]:
        return tuple(option for option in self._all if option.matters(self._setting))

    @property
    def _current(self) -> Option:
        return self._options[self._list.highlighted or 0]

    def _text(self, option: Option) -> Text:
        cells = max(20, min(self.app.size.width, 110) - LABEL_CELLS - 14)
        mark = "  " if option.turn is None else "< "
        value = cut(option.value(self._setting), cells)
        return Text(f"{option.label:<{LABEL_CELLS}}{mark}{value}{' >' if option.turn else ''}")

    def _show(self) -> None:
        """The rows that matter, the highlighted one where it was: those above it never go."""
        at = self._list.highlighted
        with self.prevent(OptionList.OptionHighlighted):
            self._list.set_options(map(self._text, self._options))
            self._list.highlighted = at

    def on_resize(self) -> None:
        """Cuts the values to the new width."""
        self._show()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Says what the option means."""
        event.stop()
        self.query_one("#option-hint", Static).update(Content(self._current.hint))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Changes it, or asks for a text."""
        event.stop()
        if self._current.turn is not None:
            self.action_turn(1)
            return
        self._typed.value = self._current.typed(self._setting)
        self._typed.cursor_position = len(self._typed.value)
        self._show_typing(True)

    def action_turn(self, by: int) -> None:
        """Takes the next or the previous value."""
        if self._current.turn is not None:
            self._setting = self._current.turn(self._setting, by)
            self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes what was typed, or says what is wrong with it."""
        event.stop()
        self.action_take()

    def action_take(self) -> None:
        """Takes what stands in the line."""
        if self._current.take is None:
            return
        try:
            self._setting = self._current.take(self._setting, self._typed.value.strip())
        except WrongRequest as wrong:
            self.app.push_screen(Notice(self._current.label, str(wrong)))
        else:
            self._show_typing(False)
            self._show()

    def _show_typing(self, typing: bool) -> None:
        self._typed.display = typing
        self.query_one("#options-dialog").border_subtitle = TYPING if typing else KEYS
        self.set_focus(self._typed if typing else self._list)

    def action_close(self) -> None:
        """Leaves the line to type in first, then the window."""
        if self._typed.has_focus:
            self._show_typing(False)
        else:
            self.dismiss(self._setting)
