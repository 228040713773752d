"""Layers as text: one a line, files of them, and a row for a shell and for MIOpen's driver."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from wizard.conv2d.shapes import DTYPE_BYTES, Model, Preset, Row, Shape
from wizard.core.amounts import memory_size_text
from wizard.core.lines import clean

EXAMPLE = "64 128 3 56x56 stride 2 batch 8 float16"
REPR_EXAMPLE = (
    "Conv2d(64, 128, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1)) @56x56 batch 8 float16"
)
NO_CONV2D = "this is not how Python prints a Conv2d"
LONGEST_LINE = 400
LARGEST_NUMBER = 65536
LARGEST_TENSOR = 2**33
"""Bytes of one tensor: more than the whole memory of any card that this is for."""
COUNTED = {
    "stride": "stride",
    "padding": "padding",
    "dilation": "dilation",
    "groups": "groups",
    "batch": "n",
}
"""Words that a number follows, and the field of a shape that it sets."""
_NUMBER = r"(\d{1,9})"
_SIZE = re.compile(rf"@?{_NUMBER}x{_NUMBER}")
_KERNEL = re.compile(rf"{_NUMBER}(?:x{_NUMBER})?")
_CHANNELS = re.compile(rf"{_NUMBER}->{_NUMBER}")
_REPR = re.compile(r"(?:\([^()\s]{1,80}\):\s*)?Conv2d\((?P<said>.*)\)\s*(?P<rest>[^()]*)\Z")
_PART = re.compile(r"\s*(?:(\w+)=)?(\([^()]*\)|[^,()]+)(?:,|\Z)")


class WrongLine(Exception):
    """A line that names no layer, with what is wrong in words."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one line names."""

    shape: Shape
    times: int = 1


def parse_line(text: str) -> Line:
    """The layer that a line names. Raises ``WrongLine``."""
    if len(text) > LONGEST_LINE:
        raise WrongLine(f"it has {len(text)} characters, but at most {LONGEST_LINE} are allowed")
    if "Conv2d" in text:
        return _of_repr(text.strip())
    words = text.split()
    if words and (channels := _CHANNELS.fullmatch(words[0])):
        words[0:1] = [channels[1], channels[2]]
    if len(words) < 4:
        raise WrongLine("give channels in, channels out, kernel and height x width")
    fields = {
        "c_in": _number(words[0], "channels in"),
        "c_out": _number(words[1], "channels out"),
        "kernel": _kernel(words[2]),
        **_size(words[3]),
    }
    return _line(fields, words[4:])


def layer_line(shape: Shape, times: int = 1) -> str:
    """The line that names this shape, and nothing that is usual."""
    words = [f"{shape.c_in} {shape.c_out} {shape.kernel} {shape.h}x{shape.w}"]
    usual = {"stride": 1, "padding": shape.kernel // 2, "dilation": 1, "groups": 1, "n": 1}
    for word, field in COUNTED.items():
        if (value := getattr(shape, field)) != usual[field]:
            words.append(f"{word} {value}")
    words += [shape.dtype] if shape.dtype != "float32" else []
    words += ["bias"] if shape.bias else []
    words += [f"times {times}"] if times > 1 else []
    return " ".join(words)


def _line(fields: dict[str, Any], words: list[str]) -> Line:
    """The line with what its last words change."""
    given, times = dict(fields), 1
    left = iter(words)
    for word in left:
        if word in COUNTED:
            field = COUNTED[word]
            given[field] = _number(next(left, ""), word, least=int(word != "padding"))
        elif word == "times":
            times = _number(next(left, ""), word)
        elif word in DTYPE_BYTES:
            given["dtype"] = word
        elif word == "bias":
            given["bias"] = True
        else:
            raise WrongLine(f"{word!r} is not known here")
    given.setdefault("padding", given["kernel"] // 2)
    return Line(_shape(given), times)


def _shape(fields: dict[str, Any]) -> Shape:
    try:
        shape = Shape(**fields)
    except ValueError as error:
        raise WrongLine(str(error)) from error
    unit = DTYPE_BYTES[shape.dtype]
    coming = shape.n * shape.c_in * shape.h * shape.w * unit
    if max(coming, shape.out_bytes, shape.c_out * shape.reduction * unit) > LARGEST_TENSOR:
        raise WrongLine(f"one of its tensors is larger than {memory_size_text(LARGEST_TENSOR)}")
    return shape


def _of_repr(text: str) -> Line:
    """What ``repr`` of a ``torch.nn.Conv2d`` says, with the size behind it."""
    found = _REPR.match(text)
    if found is None:
        raise WrongLine(NO_CONV2D)
    said, rest = _parts(found["said"]), found["rest"].split()
    if not rest or not _SIZE.fullmatch(rest[0]):
        raise WrongLine("the size of the input is missing: add it at the end, as in @56x56")
    if "padding_mode" in said:
        raise WrongLine(f"padding_mode={said['padding_mode']}: only zeros can be measured")
    kernel = _same(said, "kernel_size", None)
    fields = {
        "c_in": _number(said.get("0", ""), "channels in"),
        "c_out": _number(said.get("1", ""), "channels out"),
        "kernel": kernel,
        "stride": _same(said, "stride", 1),
        "dilation": (dilation := _same(said, "dilation", 1)),
        "padding": _padding(said, kernel, dilation),
        "groups": _number(said.get("groups", "1"), "groups"),
        "bias": said.get("bias", "True") != "False",
    }
    return _line({**fields, **_size(rest[0])}, rest[1:])


def _parts(said: str) -> dict[str, str]:
    """What stands between the parentheses, by name; by position what has none."""
    if _PART.sub("", said).strip():
        raise WrongLine(NO_CONV2D)
    found = enumerate(_PART.finditer(said))
    return {part[1] or str(place): part[2].strip().strip("'\"") for place, part in found}


def _padding(said: dict[str, str], kernel: int, dilation: int) -> int:
    word = said.get("padding", "0")
    if word == "valid":
        return 0
    if word == "same" and kernel % 2:
        return dilation * (kernel - 1) // 2
    return _same(said, "padding", 0, least=0)


def _same(said: dict[str, str], name: str, usual: int | None, least: int = 1) -> int:
    """A number that holds for height and width."""
    if name not in said:
        if usual is None:
            raise WrongLine(f"{name} is missing")
        return usual
    values = {word.strip() for word in said[name].strip("()").split(",") if word.strip()}
    if len(values) > 1:
        raise WrongLine(f"{name}={said[name]} is not square: height and width must be the same")
    return _number("".join(values), name, least)


def _kernel(word: str) -> int:
    found = _KERNEL.fullmatch(word)
    if found is None:
        raise WrongLine(f"{word!r} is not a kernel size: write 3 or 3x3")
    if found[2] is not None and found[2] != found[1]:
        raise WrongLine(f"kernel {word} is not square: height and width must be the same")
    return _number(found[1], "kernel")


def _size(word: str) -> dict[str, int]:
    found = _SIZE.fullmatch(word)
    if found is None:
        raise WrongLine(f"{word!r} is not a size: write height x width, for example 56x56")
    return {"h": _number(found[1], "height"), "w": _number(found[2], "width")}


def _number(word: str, what: str, least: int = 1) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", word) or not least <= int(word) <= LARGEST_NUMBER:
        wrong = f"{word!r} is not" if word else "the line lacks"
        raise WrongLine(f"{what}: {wrong} a whole number from {least} to {LARGEST_NUMBER}")
    return int(word)


LARGEST_FILE = 256 * 1024
"""Bytes: a thousand layers have a tenth of it."""
MOST_SHAPES = 1000
PROBLEMS_TOLD = 10
SHOWN = 60
"""Characters of a bad line that are repeated."""


class WrongList(Exception):
    """A list that cannot be measured, with a text of several lines that is fit to show."""


def read_layer_list(text: str, name: str) -> Preset:
    """The layers that a text names, as the table of one model. Raises ``WrongList``."""
    if len(text) > LARGEST_FILE:
        raise WrongList(f"{name} has more than {LARGEST_FILE} characters, which is too long.")
    lines: list[Line] = []
    problems: list[str] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0].strip()
        if line:
            try:
                lines.append(parse_line(line))
            except WrongLine as error:
                problems.append(f"line {number}: {clean(str(error))}: {clean(line)[:SHOWN]!r}")
    if problems:
        raise WrongList("\n".join(_problem_lines(problems, name)))
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


def _problem_lines(problems: list[str], name: str) -> list[str]:
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


DRIVER = "MIOpenDriver"
"""Part of ROCm's package ``miopen-hip``, at ``/opt/rocm/bin``; wheels do not have it."""
OPERATIONS = {"float32": "conv", "float16": "convfp16", "bfloat16": "convbfp16"}
DIRECTIONS = {"forward": (1,), "backward": (2, 4), "train": (1, 2, 4)}
"""What each work asks of MIOpen: 1 the result, 2 the gradient of the image, 4 of the weights.

As the driver's help on ``--forw`` has it: 1 fwd only, 2 bwd only, 4 wrw only (ROCm/MIOpen,
driver/conv_driver.hpp).
"""


def shell_line(row: Row, python: str, device: str = "cuda") -> str:
    """The command that measures exactly this row."""
    words = ["rdna1-setup", "conv2d", "--python", python, *_what(row)]
    words += ["--device", device] if device != "cuda" else []
    words += ["--engine", row.engine] if row.engine != "configured" else []
    words += ["--log"] if row.log else []
    return f"{_variables(row)}{shlex.join(words)}"


def _what(row: Row) -> list[str]:
    """The options that name what is measured."""
    if row.operation is not None:
        return ["--operations", row.operation.id]
    work = ["--work", row.work] if row.work != "forward" else []
    return ["--layer", layer_line(row.shape), *work]


def driver_lines(row: Row) -> tuple[str, ...]:
    """The commands of ``MIOpenDriver`` for a row; none for what it cannot do.

    Options as MIOpen's own log writes them (LogCmdConvolution). Without bias: torch adds that
    itself, after MIOpen.
    """
    if row.shape.dtype not in OPERATIONS or row.engine != "configured":
        return ()
    words = (DRIVER, OPERATIONS[row.shape.dtype], *_options(row.shape))
    command = f"{_variables(row)}{shlex.join(words)}"
    return tuple(f"{command} -F {direction} -t 1" for direction in DIRECTIONS.get(row.work, ()))


def _options(shape: Shape) -> tuple[str, ...]:
    pairs = (
        ("-n", shape.n),
        ("-c", shape.c_in),
        ("-H", shape.h),
        ("-W", shape.w),
        ("-k", shape.c_out),
        ("-y", shape.kernel),
        ("-x", shape.kernel),
        ("-p", shape.padding),
        ("-q", shape.padding),
        ("-u", shape.stride),
        ("-v", shape.stride),
        ("-l", shape.dilation),
        ("-j", shape.dilation),
        ("-m", "conv"),
        ("-g", shape.groups),
    )
    return tuple(str(word) for pair in pairs for word in pair)


def _variables(row: Row) -> str:
    """The row's variables in front of a command, as the shell takes them."""
    return "".join(f"{name}={shlex.quote(value)} " for name, value in row.setting)
