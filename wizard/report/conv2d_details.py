"""Everything about one row and what was measured of it, as titled texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wizard.conv2d.candidates import Asked, Candidates, NotAsked
from wizard.conv2d.cards.chips import is_of_other_chip
from wizard.conv2d.presets import Published, Row
from wizard.conv2d.search.setting_answer import setting_text
from wizard.conv2d.verdicts import Loaded, Result, Verdict
from wizard.conv2d.words.equivalents import driver_lines, shell_line
from wizard.conv2d.words.meaning import MEANINGS
from wizard.conv2d.worker.controls import control_words
from wizard.conv2d.worker.hang_classes import NEXT_STEPS, HangClass
from wizard.core.amounts import measured_text
from wizard.report import candidates
from wizard.report.candidates import PICKS, TITLE
from wizard.report.conv2d import LOGGED, NOT_YOUR_CHIP
from wizard.report.units import bytes_text

UNCLASSIFIED = "the evidence does not show what kind of hang it was"
NOT_KNOWN_HERE = "this version does not know this kind of hang"
OF_A_GPU = "reported for a GPU, which says nothing about a processor"
DRIVER_TITLE = "The same measurement with MIOpen's own driver (in ROCm's package miopen-hip)"
ASKING = "asking MIOpen"
NO_CLAIM = "nothing for this shape"
NO_DRIVER_LINE = "none, because MIOpenDriver cannot run this shape"


@dataclass(frozen=True, slots=True)
class Titled:
    """A text with its title, ``""`` for none."""

    title: str
    lines: tuple[str, ...]
    is_command: bool = False
    """True for commands: each begins a line, so that it can be copied."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row would be measured, or was."""

    python: str
    """Its interpreter; ``""`` where none is chosen."""
    device: str
    chip: str | None = None
    """The chip of this machine, where it is known."""
    now: str = ""
    """What a row that is being measured is at."""
    asked: Asked | None = None
    """What MIOpen said it would choose from; None where nobody has asked, or not yet."""
    asking: bool = False
    """True while it is asked."""


def details(row: Row, result: Result | None, place: Place) -> Iterator[Titled]:
    """All that is known of a row, most important first."""
    if result is None:
        yield Titled("Verdict", (f"being measured: {place.now}" if place.now else "not measured",))
    else:
        yield from _measured(result)
    yield from _candidates(result, place)
    claim = row.published
    yield Titled("Published", (NO_CLAIM,) if claim is None else _published(claim, result, place))
    if result is not None:
        yield Titled("Measured with", tuple(_measured_with(result)))
        yield Titled("What was loaded", tuple(_loaded(result.loaded)))
    yield from equivalents(row, place)


def _candidates(result: Result | None, place: Place) -> Iterator[Titled]:
    """What MIOpen would choose from, or why that is not known; nothing where nobody asked."""
    known = place.asked if result is None or result.candidates is None else result.candidates
    if place.asking and not isinstance(known, Candidates):
        yield Titled(TITLE, (ASKING,))
    elif known is not None:
        notes = () if isinstance(known, NotAsked) else (PICKS, *candidates.notes([known]))
        yield Titled(TITLE, (candidates.asked_text(known), *notes))


def equivalents(row: Row, place: Place) -> Iterator[Titled]:
    """The same row for a shell and for MIOpen's own driver."""
    if place.python:
        line = shell_line(row, place.python, place.device)
        yield Titled("The same measurement from a shell", (line,), is_command=True)
    if place.device != "cpu" and row.operation is None:
        lines = driver_lines(row)
        yield Titled(DRIVER_TITLE, lines or (NO_DRIVER_LINE,), is_command=bool(lines))


def _measured(result: Result) -> Iterator[Titled]:
    yield Titled("Verdict", tuple(_verdict(result)))
    if result.verdict in MEANINGS:
        yield Titled("What it means", (MEANINGS[result.verdict],))
    if result.hang_class is not None:
        yield from _hang(result.hang_class, result)
    if result.log_line:
        yield Titled("MIOpen's log", (result.log_line,))
    if control := control_words(result):
        yield Titled("Control", (control.removeprefix("Control: "),))
    yield Titled("Times and memory", tuple(_times(result)) or ("not measured",))
    yield Titled("Error", (_error(result),))


def _verdict(result: Result) -> Iterator[str]:
    """The verdict with what happened; the proof of a hang has a place of its own."""
    proof = f". {result.hang_class}: {result.because}"
    happened = result.detail.replace(proof, "") if result.because else result.detail
    yield f"{result.verdict.value}: {happened}" if happened else result.verdict.value
    if result.rate:
        yield result.rate


def _hang(named: str, result: Result) -> Iterator[Titled]:
    """Its class, which in the card of another version may be one that is not known here."""
    only = "" if result.candidates is None else result.candidates.only
    where = f", in {only}, the only solver that MIOpen would choose from" if only else ""
    yield Titled("Kind of hang", (f"{named}{where}",))
    yield Titled("Evidence", (result.because or UNCLASSIFIED,))
    if not result.on_processor:
        steps = (NEXT_STEPS[each] for each in HangClass if each.value == named)
        yield Titled("What to do about it", tuple(steps) or (NOT_KNOWN_HERE,))


def _times(result: Result) -> Iterator[str]:
    if result.cold_s is not None:
        yield f"cold {measured_text(result.cold_s)} (the first call, including compilation)"
    if result.warm_s is not None:
        yield f"warm {measured_text(result.warm_s)} (median of later calls)"
    if result.memory_bytes is not None:
        yield f"memory {bytes_text(result.memory_bytes)}"
    if result.log:
        yield LOGGED


def _error(result: Result) -> str:
    part = f" (of the {result.part})" if result.part else ""
    if result.nonfinite:
        return f"{result.nonfinite} values are infinite or not a number{part}"
    if result.max_abs_error is None:
        return "no values were compared"
    allowed = "" if result.tolerance is None else f"; rounding explains {result.tolerance:.2g}"
    return f"largest difference from the reference {result.max_abs_error:.2g}{part}{allowed}"


def _published(claim: Published, result: Result | None, place: Place) -> tuple[str, ...]:
    whose = _whose(claim, result, place)
    return (claim.summary, f"by {claim.source}", *([whose] if whose else []))


def _whose(claim: Published, result: Result | None, place: Place) -> str:
    """Whether the claim was made on the chip that this is about; ``""`` where it was."""
    if place.device == "cpu" if result is None else result.on_processor:
        return OF_A_GPU
    if is_of_other_chip(claim, result, place.chip):
        return f"{NOT_YOUR_CHIP}: reported for {claim.chip}"
    return "" if claim.chip else "chip unknown"


def _measured_with(result: Result) -> Iterator[str]:
    process = "" if result.process is None else f", in a separate process ({result.process})"
    yield f"engine {result.engine}, {result.work}{process}"
    if result.asked:
        yield f"set for it: {setting_text(result.asked)}"
    if result.verdict is Verdict.UNUSABLE:
        yield "not launched"
    else:
        failed = f", {result.failed} of them not right" if result.failed else ""
        yield f"{result.runs} launch{'es' if result.runs > 1 else ''}{failed}"


def _loaded(loaded: Loaded) -> Iterator[str]:
    hip = f", ROCm {loaded.hip}" if loaded.hip else ""
    yield f"torch {loaded.torch or 'did not load'}{hip}"
    gfx = f", which the runtime calls {loaded.gfx}" if loaded.gfx else ""
    yield f"device {loaded.device or 'none'}{gfx}"
    if loaded.setting:
        yield f"variables set: {setting_text(loaded.setting)}"
    yield from loaded.libraries
