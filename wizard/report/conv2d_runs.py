"""Runs of Conv2d experiments as lines: all of them, one of them whole, or two side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from wizard.conv2d.cards.comparison import Change, Comparison, chip_of, same_chip
from wizard.conv2d.cards.make_card import Here, make_card
from wizard.conv2d.cards.result_card import ResultCard
from wizard.conv2d.models import model_verdicts
from wizard.conv2d.requests import described, sweep_in
from wizard.conv2d.runs.folders import Run, runs_of
from wizard.conv2d.runs.history import (
    UNDER_WAY,
    PastSweep,
    RunStatus,
    earlier_alike,
    read_status,
    sweep_of_run,
    sweeps,
)
from wizard.conv2d.shapes import Shape
from wizard.conv2d.verdicts import Loaded, Manner, Result, Verdict, results_text
from wizard.core.amounts import counted, memory_size_text
from wizard.core.lines import WIDTH, clean, wrapped
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble
from wizard.report.conv2d import NOT_YOUR_CHIP, model_lines, table_lines
from wizard.report.conv2d_answers import outcome_lines, trouble_lines

TOLD = 8
"""Rows in one run alone that are named before the rest is counted."""
CARD_WIDTH = WIDTH - 1
"""Of lines with words of somebody else's card: narrower than a page, so that long ones are cut."""
COLUMNS = ("A", "B", "Cold", "Warm")
LEGEND = (
    "Cold and Warm are the times for the first call and a later call in B, each divided by the "
    "time in A."
)


def compare_lines(found: Comparison, here: str | None = None) -> Iterator[str]:
    """Both runs, then what changed; ``here`` is the chip of this machine, where it is known."""
    yield from _run_lines("A", found.before, here)
    yield from _run_lines("B", found.after, here)
    yield ""
    yield from _chips(found)
    if found.changes:
        yield from _table(found.changes)
        yield from wrapped(LEGEND)
    yield from _alone("A", found.only_before)
    yield from _alone("B", found.only_after)
    yield ""
    yield from wrapped(headline(found))


def card_lines(card: ResultCard, here: str | None = None) -> Iterator[str]:
    """One card: whose results they are, then the results."""
    yield from _run_lines("Card", card, here)
    yield ""
    if card.results:
        yield from table_lines(card.results, engines=True)


def holds_text(card: ResultCard) -> str:
    """What leaves the machine with it, and what does not."""
    results = counted(len(card.results), "result")
    return f"{results}. Your name, your folders and the name of your machine are not included."


def headline(found: Comparison) -> str:
    """What changed, in one sentence."""
    count, total = len(found.differing), len(found.changes)
    if not total:
        return "There is nothing to compare: no shape was measured the same way in both runs."
    of = f"{count or 'None'} of {counted(total, 'shape')} measured in both"
    return f"{of} {'have' if count > 1 else 'has'} a different verdict."


def _run_lines(letter: str, card: ResultCard, here: str | None) -> Iterator[str]:
    chip, stack = card.chip, card.stack
    memory = memory_size_text(chip.vram_bytes) if chip.vram_bytes else None
    parts = (chip.name, chip.gfx, memory, f"torch {stack.torch}" if stack.torch else None)
    rest = (f"driver {stack.driver}" if stack.driver else None, stack.kernel, stack.distribution)
    about = ", ".join(clean(part) for part in (*parts, *rest) if part)
    other = here is not None and chip_of(card) not in (here, None)
    label = f" ({NOT_YOUR_CHIP})" if other else ""
    text = f"{letter}: {clean(card.time)}{label}: {about or 'device not stated'}. "
    finished = "" if card.finished else " Not finished."
    yield from wrapped(f"{text}{results_text(card.results)}.{finished}", CARD_WIDTH, indent="   ")


def _chips(found: Comparison) -> Iterator[str]:
    if same_chip(found.before, found.after) is False:
        yield from wrapped(
            f"The chips differ: {clean(chip_of(found.before) or '')} and "
            f"{clean(chip_of(found.after) or '')}. That alone may explain any differences in the "
            "results.",
            CARD_WIDTH,
        )
        yield ""


def _table(changes: Sequence[Change]) -> Iterator[str]:
    """One row a shape; a label that leaves no room stands on a line of its own."""
    rows = [("Shape", *COLUMNS), *map(_cells, changes)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    room = WIDTH - sum(widths[1:]) - 2 * len(COLUMNS)
    widths[0] = max(len(row[0]) for row in rows if len(row[0]) <= room)
    for row in rows:
        label = row[0]
        if len(label) > room:
            yield from wrapped(label, CARD_WIDTH)
            label = ""
        cells = (label, *row[1:])
        yield "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()


def _cells(change: Change) -> tuple[str, ...]:
    mark = "* " if change.differs else ""
    return (
        f"{mark}{clean(change.manner.named(change.shape))}",
        change.before.words,
        change.after.words,
        _ratio(change.cold_ratio),
        _ratio(change.warm_ratio),
    )


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"x{ratio:.3g}"


def _alone(letter: str, rows: Sequence[tuple[Shape, Manner]]) -> Iterator[str]:
    if not rows:
        return
    named = ", ".join(clean(manner.named(shape)) for shape, manner in rows[:TOLD])
    rest = f" and {len(rows) - TOLD} more" if len(rows) > TOLD else ""
    yield from wrapped(f"Only in {letter}: {named}{rest}.", CARD_WIDTH, indent="  ")


def past_runs(places: Places) -> tuple[PastSweep, ...]:
    """Runs with results, newest first; a run inside its command left a journal alone."""
    apart = map(sweep_of_run, runs_of(places))
    found = [run for run in (*apart, *sweeps(Path(places.conv2d))) if run.results]
    # A run apart has a journal too, and the journal tells the same.
    known = {run.results: run for run in reversed(found)}
    # The time tells the minute alone; the name of a run, which begins with its time, the second.
    return tuple(sorted(known.values(), key=lambda run: (run.time, run.run), reverse=True))


def card_of(run: PastSweep, here: Here) -> ResultCard:
    """The card of a run that was measured here."""
    when = datetime.fromisoformat(run.time)
    return make_card(run.results, when, here, finished=run.finished)


def run_before(run: Run, runs: Iterable[Run]) -> Run | None:
    """The last one begun before it that asked the same and came to a result."""
    return next((each for each in earlier_alike(run, runs) if read_status(each).done.results), None)


def first_to_tell(results: Iterable[Result]) -> int:
    """The place of the first result that is no pass: what a script is wanted for; else 0."""
    places = (n for n, result in enumerate(results) if result.verdict is not Verdict.PASS)
    return next(places, 0)


def no_results(run: Run) -> Trouble:
    """Why nothing can be made of a run that came to no verdict."""
    return Trouble(
        f"The run from {clean(run.since)} has no results.",
        "The run ended before any shape had a verdict, or is still running.",
        "Choose another run, or run the same command again to continue this run.",
    )


def none_before(run: Run) -> Trouble:
    """Why a run cannot be compared with the one before."""
    return Trouble(
        f"No run before {clean(run.since)} measured the same shapes on the same device.",
        "Only results for the same shapes, measured in the same way, can be compared.",
        "Mark two other runs with the spacebar and compare them, or measure the same shapes again.",
    )


def nothing_found(run: Run) -> Trouble:
    """Why there is nothing to keep of a run."""
    return Trouble(
        f"The run from {clean(run.since)} found no setting to keep in a venv.",
        "Only a search for the fewest settings finds a setting to keep, and only if environment "
        "variables help.",
        "Press o on Measure to search for the fewest settings that fix a failing shape.",
    )


def no_script(why: str) -> Trouble:
    """Why there is no stand-alone script for a result."""
    return Trouble(
        why,
        "There is no script for gradients, training steps or other operations.",
        "Choose a result for a forward convolution.",
    )


NONE = "There are no Conv2d measurements on this machine."
SO_FAR = "The measurement is still running. These are the results so far."
NO_VERDICT = "No shape has a verdict yet."
WHY_UNREADABLE = "damaged, another user's, or from a newer version"


def history_lines(statuses: Iterable[RunStatus], unreadable: Sequence[str] = ()) -> Iterator[str]:
    """What was asked, how it stands, and how many shapes have which verdict."""
    empty = True
    for status in statuses:
        empty = False
        run = status.run
        yield f"{run.id}  {status.state}: {clean(described(run.request))}"
        yield f"    began {clean(run.since)}; {counts_text(status)}"
        if status.why:
            yield f"    {clean(status.why)}"
    if empty and not unreadable:
        yield NONE
    for path in unreadable:
        yield f"{clean(path)} cannot be read: {WHY_UNREADABLE}."


def counts_text(status: RunStatus) -> str:
    """How many shapes have which verdict."""
    return ", ".join(f"{n} {verdict.value}" for verdict, n in status.counts) or "no verdict"


def on_text(loaded: Loaded) -> str:
    """On what it was measured, with which torch; ``""`` where it did not come to that."""
    torch = f"torch {loaded.torch}" if loaded.torch else None
    return ", ".join(clean(part) for part in (loaded.device, torch) if part)


def run_lines(run: Run) -> Iterator[str]:
    """One run whole: what was asked of it, what came out, and why it ended if it broke off."""
    status = read_status(run)
    yield from history_lines((status,))
    python = clean(sweep_in(run.request).python)
    on = on_text(status.loaded)
    text = f"on {on}, with {python}" if on else f"with {python}"
    yield from wrapped(text, head="    ")
    yield ""
    if status.state == UNDER_WAY:
        yield from (SO_FAR, "")
    yield from list(outcome_lines(status.done, run.request)) or (NO_VERDICT,)
    if models := list(model_lines(model_verdicts(status.done.results))):
        yield from ("", *models)
    if status.done.trouble is not None:
        yield ""
        for text in trouble_lines(status.done.trouble):
            yield from wrapped(text)
