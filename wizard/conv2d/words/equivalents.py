"""The same row for other hands: a line for the shell, and one for MIOpen's own driver."""

from __future__ import annotations

import shlex

from wizard.conv2d.presets import Row
from wizard.conv2d.shapes import Shape
from wizard.conv2d.words.layer_lines import line_of

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
    return ["--layer", line_of(row.shape), *work]


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
