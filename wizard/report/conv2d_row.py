"""Everything about one row and what was measured of it, as titled texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wizard.conv2d.candidates import Asked, Candidates, Choice, NotAsked, Solver
from wizard.conv2d.hangs import NEXT_STEPS, HangClass
from wizard.conv2d.layers import driver_lines, shell_line
from wizard.conv2d.shapes import Published, Row
from wizard.conv2d.sweep import setting_text
from wizard.conv2d.text import MEANINGS
from wizard.conv2d.verdicts import Loaded, Result, Verdict, is_of_other_chip
from wizard.conv2d.worker.judgement import control_words
from wizard.core.amounts import MB, counted, measured_text, size_text
from wizard.core.lines import wrapped
from wizard.report.conv2d import LOGGED, NOT_YOUR_CHIP

TITLE = "MIOpen would choose from"
PICKS = "torch's search picks one of them by timing."
NO_ESTIMATE = "no estimate"
SIZES = "The size in parentheses is the memory that a solver needs while it runs."
UNESTIMATED = "A search can also time and pick the solvers for which MIOpen has no estimate."
SAME = "the same"
OTHERS = ", and maybe others"
MORE = (
    "'and maybe others' means that a variable changes what a search times. MIOpen does not name "
    "the solvers that it adds or leaves out."
)
DIRECTIONS = {
    "forward": "forward",
    "backward_data": "image gradient",
    "backward_weights": "weight gradient",
}
FROM_DATABASE = "known from earlier searches"


def candidates_lines(rows: Sequence[Row], asked: Sequence[Asked]) -> Iterator[str]:
    """The conclusion, then each row with its candidates."""
    known = [each for each in asked if isinstance(each, Candidates)]
    yield from wrapped(conclusion(rows, asked))
    yield ""
    unchanged: dict[str, Asked] = {}
    for row, each in zip(rows, asked, strict=True):
        under = f" with {setting_text(row.setting)}" if row.setting else ""
        same = _is_same(unchanged.get(row.label), each)
        told = f"{SAME}{_maybe(each)}" if same else asked_text(each)
        if not row.setting:
            unchanged[row.label] = each
        yield from wrapped(f"{row.label}{under}: {told}", indent="    ")
    yield ""
    for note in notes(known):
        yield from wrapped(note)


def notes(known: Sequence[Candidates]) -> Iterator[str]:
    """What a reader must know to understand the candidates."""
    choices = [choice for each in known for choice in each.choices]
    if any(solver.workspace for choice in choices for solver in choice.solvers):
        yield SIZES
    if any(choice.also for choice in choices):
        yield UNESTIMATED
    if not all(each.is_complete for each in known):
        yield MORE


def conclusion(rows: Sequence[Row], asked: Sequence[Asked]) -> str:
    """What is told below, in two sentences."""
    known = [each for each in asked if isinstance(each, Candidates)]
    library = known[0].library
    device = f" for {library.device}" if library.device else ""
    settings = len({row.setting for row in rows})
    of = counted(len({row.label for row in rows}), "shape")
    of += f" under {counted(settings, 'setting')}" if settings > 1 else ""
    if len(known) < len(rows):
        each = "combinations of shape and setting" if settings > 1 else "shapes"
        of = f"{len(known)} of {len(rows)} {each}"
    return (
        f"These are the candidates of MIOpen {library.version}{device}, for {of}: {PICKS} "
        "Nothing was launched."
    )


def _is_same(unchanged: Asked | None, asked: Asked) -> bool:
    if not (isinstance(unchanged, Candidates) and isinstance(asked, Candidates)):
        return False
    return unchanged.choices == asked.choices


def _maybe(asked: Asked) -> str:
    return OTHERS if isinstance(asked, Candidates) and not asked.is_complete else ""


def asked_text(asked: Asked) -> str:
    """The candidates of one row, or why they are not known."""
    if isinstance(asked, NotAsked):
        return f"not known. {asked.why}"
    texts = [(DIRECTIONS[choice.direction], choice_text(choice)) for choice in asked.choices]
    told = "; ".join(f"{direction}: {text}" for direction, text in texts)
    return f"{texts[0][1] if len(texts) == 1 else told}{_maybe(asked)}"


def choice_text(choice: Choice) -> str:
    """The candidates in one direction, in MIOpen's order."""
    also = (f"{name} ({NO_ESTIMATE})" for name in choice.also)
    names = [*map(_solver_text, choice.solvers), *also]
    if not names:
        return f"none (MIOpen refuses it: {choice.refused or 'it lists no solver'})"
    text = ", ".join(names)
    return f"{text} ({FROM_DATABASE})" if choice.source == "find-db" else text


def _solver_text(solver: Solver) -> str:
    return (
        f"{solver.name} ({workspace_text(solver.workspace)})" if solver.workspace else solver.name
    )


def workspace_text(count: int) -> str:
    """Memory of a solver: most need a few megabytes."""
    return f"{count / MB:.1f} MB" if MB <= count < 100 * MB else size_text(count)


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
        picks = () if isinstance(known, NotAsked) else (PICKS, *notes([known]))
        yield Titled(TITLE, (asked_text(known), *picks))


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
        yield f"memory {size_text(result.memory_bytes)}"
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


def repro_lines(row: Row, python: str, device: str) -> Iterator[str]:
    """Which row it is, and the lines for the shell and for MIOpen's driver."""
    yield f"This script measures {row.label}. Run it with the Python whose torch you want to test."
    for each in equivalents(row, Place(python, device)):
        yield f"{each.title}:"
        yield from (f"  {line}" for line in each.lines)
