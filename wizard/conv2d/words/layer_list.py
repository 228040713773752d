"""The user's own layers: a text file with one layer a line, read as a table of shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from wizard.conv2d.presets import Model, Preset, Row
from wizard.conv2d.shapes import Shape
from wizard.conv2d.words.layer_lines import EXAMPLE, REPR_EXAMPLE, Line, WrongLine, parse_line
from wizard.core.lines import clean

LARGEST_FILE = 256 * 1024
"""Bytes: a thousand layers have a tenth of it."""
MOST_SHAPES = 1000
PROBLEMS_TOLD = 10
SHOWN = 60
"""Characters of a bad line that are repeated."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that could not be read."""

    number: int
    """1-based."""
    line: str
    """What stands there, cut and without control characters."""
    wrong: str

    def __str__(self) -> str:
        """One line for people."""
        return f"line {self.number}: {self.wrong}: {self.line!r}"


class WrongList(Exception):
    """A list that cannot be measured, with a text of several lines that is fit to show."""


def read_layer_list(text: str, name: str) -> Preset:
    """The layers that a text names, as the table of one model. Raises ``WrongList``."""
    if len(text) > LARGEST_FILE:
        raise WrongList(f"{name} has more than {LARGEST_FILE} characters, which is too long.")
    lines: list[Line] = []
    problems: list[Problem] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0].strip()
        if line:
            try:
                lines.append(parse_line(line))
            except WrongLine as error:
                problems.append(Problem(number, clean(line)[:SHOWN], clean(str(error))))
    if problems:
        raise WrongList("\n".join(_told(problems, name)))
    return preset_of(lines, name)


def preset_of(lines: Iterable[Line], name: str) -> Preset:
    """These layers as a table: each shape once, with how often it occurs."""
    counts: Counter[Shape] = Counter()
    for line in lines:
        counts[line.shape] += line.times
    if not counts:
        raise WrongList(f"{name} contains no layers. Example of a line:\n  {EXAMPLE}")
    if len(counts) > MOST_SHAPES:
        raise WrongList(
            f"{name} contains {len(counts)} shapes, but at most {MOST_SHAPES} are allowed."
        )
    model = Model(name, tuple(counts.values()))
    caution = "Only the listed layers are measured, not the operations between them."
    return Preset("layers", name, "your list", caution, tuple(map(Row, counts)), model)


def _told(problems: list[Problem], name: str) -> list[str]:
    """What is wrong, line by line, and how it is written."""
    count = f"{len(problems)} line{'s' if len(problems) > 1 else ''}"
    rest = len(problems) - PROBLEMS_TOLD
    return [
        f"{count} in {name} could not be read:",
        *(f"  {problem}" for problem in problems[:PROBLEMS_TOLD]),
        *([f"  and {rest} more"] if rest > 0 else []),
        "Write input channels, output channels, kernel size, height x width, and then any "
        "nondefault options:",
        f"  {EXAMPLE}",
        "or the output of print(model), followed by the size of the input:",
        f"  {REPR_EXAMPLE}",
    ]
