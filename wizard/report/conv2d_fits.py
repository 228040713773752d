"""What may fit into 4, 6 and 8 GB, as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from wizard.conv2d.fits import (
    BATCHES,
    CARDS,
    Need,
    Workspace,
    largest_batch,
    layers_of,
    need,
    other_numbers,
    workspace_seen,
)
from wizard.conv2d.im2col import buffer_bytes
from wizard.conv2d.presets import Preset
from wizard.conv2d.shapes import DTYPE_BYTES
from wizard.conv2d.verdicts import Result
from wizard.report.im2col import buffer_lines
from wizard.report.units import WIDTH
from wizard.sizes import MB, size_text

COUNTED = (
    "Counted are tensors alone: at least this much is needed. Not in it, and unknown beforehand: "
    "MIOpen's workspace, what the allocator keeps, the runtime's own share, the desktop. So `no` "
    "is sure, and `may` is not."
)
FORWARD = (
    "Forward: all weights, with image and result of the largest layer; what else a model keeps "
    "for later layers comes on top. Training: all weights, and what a forward pass keeps for the "
    "way back (of a list of layers: their images); gradients and the optimiser come on top, once "
    "or twice the weights each."
)
LARGEST_TOLD = 4096
"""Beyond that a batch size says nothing: other things end it long before."""
UNSEEN = "No peak was measured for these layers: a sweep of them on the card shows the workspace."


def all_fits_lines(tables: Sequence[Preset], results: Sequence[Result] = ()) -> Iterator[str]:
    """Each table, then once what is counted and what is not."""
    for table in tables:
        yield from (*fits_lines(table, results), "")
    yield from fits_notes()


def fits_lines(table: Preset, results: Sequence[Result] = ()) -> Iterator[str]:
    """The need of a table at each batch size, and beside it what was measured."""
    layers = layers_of(table)
    dtype = layers[0][0].dtype
    yield from textwrap.wrap(f"{_name(table)}, {dtype}", WIDTH)
    yield f"{'Batch':>5}  {'Forward':>9}  {_cards()}   {'Training':>9}  {_cards()}"
    for batch in BATCHES:
        yield _row(need(table, batch))
    for text, kept in (("forward", False), ("training", True)):
        most = {card >> 30: largest_batch(table, card, kept=kept) for card in CARDS}
        yield from textwrap.wrap(_bounds_text(most, text), WIDTH)
    yield from _buffer(table)
    shapes = {shape for shape, _ in layers}
    yield from _measured(workspace_seen([r for r in results if r.shape in shapes]))


def fits_notes() -> Iterator[str]:
    """What is counted and what is not, once below all tables."""
    yield from textwrap.wrap(COUNTED, WIDTH)
    yield from textwrap.wrap(FORWARD, WIDTH)


def _buffer(table: Preset) -> Iterator[str]:
    """What the GEMM algorithm would ask for on top; of a single layer with the reckoning."""
    largest = max((shape for shape, _ in layers_of(table)), key=buffer_bytes)
    if len(table.rows) == 1:
        yield from ("", *buffer_lines(largest), "")
    elif size := buffer_bytes(largest):
        text = f"{size_text(size)}, for {largest.label}"
        yield from textwrap.wrap(
            f"Where MIOpen takes the GEMM algorithm, its buffer has up to {text}.", WIDTH
        )


def _name(table: Preset) -> str:
    if table.model is None:
        return table.title
    others = other_numbers(table) * DTYPE_BYTES[layers_of(table)[0][0].dtype]
    size = "x".join(map(str, table.model.input[1:]))
    at = f" at {size}" if size else ""
    beside = f", {size_text(others)} of weights in other layers included" if others else ""
    return f"{table.model.name}{at}: {sum(table.model.times)} layers{beside}"


def _cards() -> str:
    return " ".join(f"{card >> 30:>2} GB" for card in CARDS)


def _row(asked: Need) -> str:
    forward, kept = (_fits(size) for size in (asked.forward, asked.kept))
    return (
        f"{asked.batch:>5}  {_megabytes(asked.forward):>9}  {forward}   "
        f"{_megabytes(asked.kept):>9}  {kept}"
    )


def _megabytes(size: int) -> str:
    """In one unit, so that rows can be compared."""
    return f"{size / MB:.0f} MB"


def _fits(size: int) -> str:
    return " ".join(f"{'may' if size <= card else 'no':>5}" for card in CARDS)


def _bounds_text(most: Mapping[int, int], what: str) -> str:
    """The largest batch for each size of card, as far as anybody would ask for it."""
    bounds = [f"{batch} in {size} GB" for size, batch in most.items() if batch <= LARGEST_TOLD]
    beyond = [f"{size} GB" for size, batch in most.items() if batch > LARGEST_TOLD]
    free = f"in {' and '.join(beyond)} more than {LARGEST_TOLD} may"
    if not bounds:
        return f"{what.capitalize()}: more than {LARGEST_TOLD} may fit into {min(most)} GB already."
    return f"No batch above {', '.join(bounds)} fits, {what}{f'; {free}' if beyond else ''}."


def _measured(seen: Workspace | None) -> Iterator[str]:
    if seen is None:
        yield from textwrap.wrap(UNSEEN, WIDTH)
        return
    yield from textwrap.wrap(
        f"Measured for {seen.rows} of its shapes: at most {size_text(seen.largest)} above the "
        f"tensors (workspace), in {seen.shape.label}, whose peak was {size_text(seen.peak)}.",
        WIDTH,
    )
