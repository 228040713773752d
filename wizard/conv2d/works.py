"""What can be measured of a shape, the rows for it, and how much memory its results need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wizard.conv2d.operations import LARGEST_BYTES, Operation, load_operations, plain
from wizard.conv2d.presets import Published, Row
from wizard.conv2d.shapes import DTYPE_BYTES, Shape

WORKS = ("forward", "backward", "train")
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
