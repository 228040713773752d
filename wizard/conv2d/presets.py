"""Presets: named tables of shapes, with what others have published for each row."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

from assets import FOLDER
from wizard.conv2d.operations import Operation
from wizard.conv2d.shapes import Shape, label_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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
        return label_of(self.shape, self.work, self.in_place_of_it)

    @property
    def in_place_of_it(self) -> str | None:
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
    return tuple(_preset(entry) for name in FILES for entry in _entries(name))


def in_order_for(presets: tuple[Preset, ...], purposes: Collection[str]) -> tuple[Preset, ...]:
    """The default one first, then those for these purposes, then the rest."""

    def key(preset: Preset) -> tuple[bool, bool]:
        return preset.id != DEFAULT, not any(each in purposes for each in preset.purposes)

    return tuple(sorted(presets, key=key))


def find_preset(name: str) -> Preset | None:
    """The preset of that id."""
    return next((preset for preset in load_presets() if preset.id == name), None)


def _entries(name: str) -> list[dict[str, Any]]:
    with (FOLDER / name).open("rb") as file:
        entries: list[dict[str, Any]] = tomllib.load(file)["preset"]
        return entries


def _preset(entry: dict[str, Any]) -> Preset:
    rows = tuple(_row(entry, row) for row in entry["rows"])
    model = _model(entry) if "model" in entry else None
    purposes = tuple(entry.get("purposes", ()))
    told = (entry["id"], entry["title"], entry["source"], entry["caution"])
    return Preset(*told, rows, model, purposes)


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
