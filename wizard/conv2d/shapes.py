"""What is measured: convolutions and other operations as values, and named tables of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from wizard.knowledge.tables import read_table

DTYPE_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
"""The number formats that can be measured, and their size."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One forward convolution of a batch of images; a shape without any output is refused."""

    c_in: int
    c_out: int
    h: int
    w: int
    kernel: int = 3
    padding: int = 1
    n: int = 1
    stride: int = 1
    dilation: int = 1
    groups: int = 1
    dtype: str = "float32"
    bias: bool = False

    def __post_init__(self) -> None:
        """Refuse what no convolution can be."""
        sizes = (self.n, self.c_in, self.c_out, self.h, self.w, self.kernel)
        if min(*sizes, self.stride, self.dilation, self.groups) < 1 or self.padding < 0:
            raise ValueError("sizes of a convolution must be 1 or more")
        if self.c_in % self.groups or self.c_out % self.groups:
            channels = f"{self.c_in}->{self.c_out}"
            raise ValueError(f"{channels} cannot be divided into {self.groups} groups")
        if self.dtype not in DTYPE_BYTES:
            raise ValueError(f"{self.dtype} is not one of {', '.join(DTYPE_BYTES)}")
        if min(self.out_h, self.out_w) < 1:
            raise ValueError(f"a {self.kernel}x{self.kernel} kernel does not fit {self.h}x{self.w}")

    @property
    def label(self) -> str:
        """The shape for people, for example ``16->32 3x3 @64x64``."""
        text = f"{self.c_in}->{self.c_out} {self.kernel}x{self.kernel} @{self.h}x{self.w}"
        extras = (
            (self.n != 1, f"batch {self.n}"),
            (self.stride != 1, f"stride {self.stride}"),
            (self.padding != self.kernel // 2, f"padding {self.padding}"),
            (self.dilation != 1, f"dilation {self.dilation}"),
            (self.groups != 1, f"groups {self.groups}"),
            (self.dtype != "float32", self.dtype),
            (self.bias, "bias"),
        )
        return " ".join([text, *(extra for present, extra in extras if present)])

    @property
    def out_h(self) -> int:
        """Height of the result."""
        return self._out(self.h)

    @property
    def out_w(self) -> int:
        """Width of the result."""
        return self._out(self.w)

    @property
    def out_bytes(self) -> int:
        """Size of the result in memory."""
        return self.n * self.c_out * self.out_h * self.out_w * DTYPE_BYTES[self.dtype]

    @property
    def reduction(self) -> int:
        """How many products are summed into one number of the result."""
        return self.c_in // self.groups * self.kernel * self.kernel

    def _out(self, size: int) -> int:
        reach = self.dilation * (self.kernel - 1) + 1
        return (size + 2 * self.padding - reach) // self.stride + 1


def label_of(shape: Shape, work: str, operation: str | None) -> str:
    """What is measured, for people: the shape with its work, or the operation."""
    if operation is not None:
        return operation
    return shape.label if work == "forward" else f"{shape.label}, {work}"


def square(c_in: int, c_out: int, size: int, kernel: int = 3, batch: int = 1) -> Shape:
    """A square image and a padding that keeps its size: what most layers of a CNN are."""
    return Shape(c_in, c_out, size, size, kernel, padding=kernel // 2, n=batch)


FLOAT32 = 2.0**-24
"""Unit roundoff: operations are measured in float32."""
LARGEST_BYTES = 32 << 20
"""Room for all that the largest operation hands over: the gradients of a layer of BERT."""
Sizes = tuple[tuple[str, tuple[int, ...]], ...]
"""By name; most have one number."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of torch, with its sizes, and what is claimed of it."""

    id: str
    title: str
    """For people, with the sizes that matter."""
    kind: str
    """The worker's word for it; ``train`` is a training step with a convolution."""
    sizes: Sizes
    claim: str
    """``works``, ``likely``, ``fails`` or ``hangs``."""
    said: str
    """The words of the claim."""
    setup: str
    """What it was said of."""
    source: str
    backward: bool = False
    """True to measure the gradients of all that goes into it."""
    assumed: str = ""
    """What the claim leaves open and was chosen here."""

    @property
    def request(self) -> dict[str, Any]:
        """What the worker is told."""
        return {"kind": self.kind, "sizes": plain(self.sizes), "backward": self.backward}

    @property
    def relative_tolerance(self) -> float:
        """The largest error that rounding may cause, by the usual size of the numbers."""
        lengths = reductions(self)
        return 64 * FLOAT32 * (math.sqrt(sum(lengths)) + 4) if lengths else 0.0


@cache
def load_operations() -> tuple[Operation, ...]:
    """All operations, in the order of the file."""
    return tuple(map(_operation, read_table("operations.toml")["operation"]))


def plain(sizes: Sizes) -> dict[str, Any]:
    """Sizes as the worker takes them: a number, or several."""
    return {name: n[0] if len(n) == 1 else list(n) for name, n in sizes}


def reductions(operation: Operation) -> tuple[int, ...]:
    """How many products each stage sums into one number, one stage after another."""
    forward, batch = _stages(operation.kind, plain(operation.sizes))
    return (*forward, *forward, batch) if operation.backward else forward


def _stages(kind: str, sizes: dict[str, Any]) -> tuple[tuple[int, ...], int]:
    """Stages of the forward pass, and over how many places gradients of weights are summed."""
    match kind:
        case "matmul" | "linear":
            return (sizes["inner"],), sizes["rows"]
        case "conv2d":
            n, channels, high, wide = sizes["size"]
            return (channels * sizes["kernel"] ** 2,), n * high * wide
        case "batch_norm":
            n, _, high, wide = sizes["size"]
            return (n * high * wide,), n * high * wide
        case "avg_pool":
            (*_, high, wide), (to_high, to_wide) = sizes["size"], sizes["result"]
            return ((high // to_high) * (wide // to_wide),), 1
        case "rnn" | "lstm" | "gru":
            steps = sizes["steps"]
            return (sizes["inputs"] + sizes["hidden"],) * steps, sizes["batch"] * steps
        case "encoder" | "causal" | "decoder":
            width, tokens = sizes["width"], sizes["tokens"]
            attention = (width, width // sizes["heads"], tokens, width)
            times = 2 if kind == "decoder" else 1
            return (*attention * times, width, sizes["inner"]), sizes["batch"] * tokens
        case _:
            return (), 1


def _operation(entry: dict[str, Any]) -> Operation:
    sizes = entry["sizes"].items()
    numbers = tuple((name, tuple(n) if isinstance(n, list) else (n,)) for name, n in sizes)
    return Operation(**{**entry, "sizes": numbers})


Setting = tuple[tuple[str, str], ...]
"""Variables and their values."""
FILES = ("presets.toml", "models.toml")
DEFAULT = "default"
"""Id of the preset that is measured when nobody chooses."""


@dataclass(frozen=True, slots=True)
class Published:
    """What somebody has published for a shape: a claim to compare with, never a measurement."""

    verdict: str
    """``pass`` or ``hung``."""
    cold_s: float | None
    warm_s: float | None
    memory_bytes: int | None
    text: str
    """The claim in a few words, with the versions that it was made for."""
    source: str
    chip: str | None = None
    """The graphics chip that it was seen on, for example ``gfx1010``; None when not stated."""
    rocm: str | None = None
    """The ROCm that its torch was built with, for example ``5.7``; None when not stated, and where
    it was mixed with another one."""

    @property
    def summary(self) -> str:
        """Verdict and figures in one line."""
        times = [f"{s:g} s" for s in (self.cold_s, self.warm_s) if s is not None]
        return " ".join([self.verdict, "/".join(times), f"({self.text})"]).replace("  ", " ")

    @property
    def seen_with(self) -> str:
        """Stack and chip in a few words."""
        return f"ROCm {self.rocm} on {self.chip}" if self.rocm and self.chip else self.text


@dataclass(frozen=True, slots=True)
class Row:
    """A shape to measure, how, and what was published for it."""

    shape: Shape
    published: Published | None = None
    engine: str = "configured"
    """``configured``; past MIOpen, ``native`` (``torch.backends.cudnn.enabled=False``), or
    ``unfold``: by copies and a product of matrices."""
    setting: Setting = ()
    """What is set on top of the environment, for a process of its own."""
    work: str = "forward"
    """What is measured: ``forward``; ``backward``, the gradients of all that goes in; ``train``, a
    training step; or the id of the operation."""
    log: bool = False
    """True to have MIOpen say what it does: that names what hung, and makes calls slower."""
    operation: Operation | None = None
    """What is measured in place of a convolution, if anything; its shape means nothing then."""

    @property
    def label(self) -> str:
        """What is measured, for people."""
        return label_of(self.shape, self.work, self.operation_title)

    @property
    def operation_title(self) -> str | None:
        """What is measured in place of a convolution, in words."""
        return None if self.operation is None else self.operation.title


@dataclass(frozen=True, slots=True)
class Model:
    """What makes a table of shapes the layers of one whole model."""

    name: str
    times: tuple[int, ...]
    """How often each row of the table occurs in it."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A table of shapes with its source and what to beware of."""

    id: str
    title: str
    source: str
    caution: str
    rows: tuple[Row, ...]
    model: Model | None = None
    purposes: tuple[str, ...] = ()
    """Ids of the purposes, of ``assets/verdicts.toml``, whose programs compute such layers."""


@cache
def load_presets() -> tuple[Preset, ...]:
    """All presets: what others published, the default one first, then whole models."""
    return tuple(_preset(entry) for name in FILES for entry in read_table(name)["preset"])


def in_order_for(presets: tuple[Preset, ...], purposes: Collection[str]) -> tuple[Preset, ...]:
    """The default one first, then those for these purposes, then the rest."""

    def key(preset: Preset) -> tuple[bool, bool]:
        return preset.id != DEFAULT, not any(each in purposes for each in preset.purposes)

    return tuple(sorted(presets, key=key))


def find_preset(name: str) -> Preset | None:
    """The preset of that id."""
    return next((preset for preset in load_presets() if preset.id == name), None)


def _preset(entry: dict[str, Any]) -> Preset:
    rows = tuple(_row(entry, row) for row in entry["rows"])
    model = _model(entry) if "model" in entry else None
    purposes = tuple(entry.get("purposes", ()))
    texts = (entry["id"], entry["title"], entry["source"], entry["caution"])
    return Preset(*texts, rows, model, purposes)


def _model(entry: dict[str, Any]) -> Model:
    times = tuple(row.get("times", 1) for row in entry["rows"])
    return Model(entry["model"], times)


def _row(entry: dict[str, Any], row: dict[str, Any]) -> Row:
    shape = _shape(row)
    if "verdict" not in row:
        return Row(shape)
    published = Published(
        verdict=row["verdict"],
        cold_s=row.get("cold_s"),
        warm_s=row.get("warm_s"),
        memory_bytes=row.get("memory_bytes"),
        text=row.get("text", entry["setup"]),
        source=row.get("source", entry["source"]),
        chip=entry["chip"],
        rocm=row.get("rocm", entry.get("rocm")),
    )
    return Row(shape, published)


def _shape(row: dict[str, Any]) -> Shape:
    (c_in, c_out), size, kernel = row["channels"], row["size"], row.get("kernel", 3)
    h, w = size if isinstance(size, list) else (size, size)
    return Shape(
        c_in,
        c_out,
        h,
        w,
        kernel,
        padding=row.get("padding", kernel // 2),
        n=row.get("batch", 1),
        stride=row.get("stride", 1),
        dilation=row.get("dilation", 1),
        groups=row.get("groups", 1),
        bias=row.get("bias", False),
    )


WORKS = ("forward", "backward", "train")
TRAINING = ("forward", "backward")
"""What a model that is trained needs of each shape."""
FEWEST_VALUES = 16
"""Numbers of a channel that batch norm needs: with fewer, the deviation that it divides by is small
now and then, and blows rounding errors up beyond any tolerance."""
NO_SHAPE = Shape(1, 1, 1, 1, kernel=1, padding=0)
"""Stands where an operation has no convolution."""
CLAIMED = {"works": "pass", "hangs": "hung"}
"""Claims that say of a verdict what it would be."""
PARTS, ALIGNMENT = 32, 64
"""Most parts of a result, and how many bytes at most are lost between two of them."""


def rows_of(rows: Sequence[Row], works: Sequence[str]) -> tuple[Row, ...]:
    """Each row with each work. What was published was published for forward passes.

    Raises ``ValueError`` for a shape that is too small to train.
    """
    found = tuple(_with_work(row, work) for row in rows for work in works)
    for row in found:
        values = row.shape.n * row.shape.out_h * row.shape.out_w
        if row.work == "train" and values < FEWEST_VALUES:
            are = "is" if values == 1 else "are"
            raise ValueError(
                f"{row.shape.label}: for training, batch norm needs at least {FEWEST_VALUES} "
                f"numbers in each channel, but there {are} only {values}"
            )
    return found


def operation_row(operation: Operation) -> Row:
    """The row that measures an operation."""
    verdict = CLAIMED.get(operation.claim)
    claim = (
        None
        if verdict is None
        else Published(
            verdict=verdict,
            cold_s=None,
            warm_s=None,
            memory_bytes=None,
            text=operation.setup,
            source=operation.source,
        )
    )
    if operation.kind != "train":
        return Row(NO_SHAPE, claim, work=operation.id, operation=operation)
    sizes = plain(operation.sizes)
    side, kernel = sizes["size"], sizes["kernel"]
    shape = Shape(
        sizes["inputs"],
        sizes["outputs"],
        side,
        side,
        kernel,
        padding=kernel // 2,
        n=sizes["batch"],
    )
    return Row(shape, claim, work="train")


def operation_rows(names: Sequence[str] = ()) -> tuple[Row, ...]:
    """Rows of the operations of these names, or of all; raises ``KeyError`` for an unknown one."""
    known = {operation.id: operation for operation in load_operations()}
    return tuple(operation_row(known[name]) for name in names or known)


def result_bytes(row: Row) -> int:
    """Room for all that is handed over to be compared."""
    if row.operation is not None:
        return LARGEST_BYTES
    shape, each = row.shape, DTYPE_BYTES[row.shape.dtype]
    weights = shape.c_out * shape.reduction
    match row.work:
        case "backward":
            image = shape.n * shape.c_in * shape.h * shape.w
            return (image + weights + shape.c_out) * each + PARTS * ALIGNMENT
        case "train":
            return weights * each + 3 * shape.c_out * max(each, 4) + PARTS * ALIGNMENT
        case _:
            return shape.out_bytes


def _with_work(row: Row, work: str) -> Row:
    if row.work == work:
        return row
    return replace(row, work=work, published=row.published if work == "forward" else None)
