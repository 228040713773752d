"""What a sweep found, as lines: a table that fits 80 columns, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from wizard.conv2d.cards.comparison import Change, compare_results
from wizard.conv2d.models import Layers, ModelVerdict, model_so_far
from wizard.conv2d.search.limit import Limit
from wizard.conv2d.shapes import Preset, Published, Row
from wizard.conv2d.sweep import setting_text
from wizard.conv2d.text import meaning_lines
from wizard.conv2d.verdicts import (
    WORDS,
    Result,
    Verdict,
    is_configured,
    is_other_chip,
    noun_of,
    rate_words,
    results_text,
)
from wizard.core.amounts import listed
from wizard.core.lines import WIDTH, clean, wrapped

GAP = "  "
LEGEND = (
    "Cold: the first call, including compilation. Warm: a later call. Error: the largest "
    "difference from a float64 reference."
)
LOGGED = "MIOpen's logging was on, which slows down every call."
CLAIMS = "GPU results published by others (not checked by us):"
LONGEST_ENGINE = 12
"""A card of somebody else may name any."""
MOST_CHANGES = 8
NOT_YOUR_CHIP = "not your chip"
NOT_COMPARED = (
    "Published results for these shapes are from GPUs. They do not apply to the processor, so "
    "they are left out."
)


def sweep_lines(results: Sequence[Result]) -> Iterator[str]:
    """The table, its legend, and the summary."""
    yield from table_lines(results)
    yield ""
    yield from wrapped(LEGEND)
    if any(result.log for result in results):
        yield from wrapped(LOGGED)
    yield from _claims(results)
    yield ""
    yield from summary_lines(results)


def request_lines(rows: Sequence[Row]) -> Iterator[str]:
    """The shapes that would be measured, with what was published for them."""
    notes = _texts(row.published for row in rows)
    for row in rows:
        claim = f"   published: {_short(row.published, notes)}" if row.published else ""
        yield f"  {row.label}{claim}"
    yield from _note_lines(notes)


def limit_lines(limit: Limit) -> Iterator[str]:
    """What is known of a limit, and how surely."""
    known = limit.known
    text = f"Limit of {limit.axis}: "
    if not limit.edge_runs:
        text += f"{known.hangs}, the smallest value you asked for, does not pass."
    elif known.is_exact:
        text += f"{known.passes} passes ({limit.edge_passes} of {limit.edge_runs} times), "
        all_pass = known.hangs > limit.largest
        text += "the largest you asked for." if all_pass else f"{known.hangs} does not."
    else:
        text += f"{known.passes} passes, but {known.hangs} does not. "
        text += "The limit on hangs was reached."
    yield from wrapped(text)
    if limit.edge_runs:
        yield from wrapped(_edge(limit))
    if limit.changes:
        where = listed([str(value) for value in limit.changes], MOST_CHANGES)
        yield from wrapped(f"MIOpen's candidates change at {limit.axis} {where}.")


def _edge(limit: Limit) -> str:
    """How surely the largest size that passes does so."""
    failed = limit.edge_runs - limit.edge_passes
    if failed:
        rate = rate_words(failed, limit.edge_runs)
        return f"{limit.known.passes} is flaky: {rate}. Stay well below that value."
    return f"{rate_words(0, limit.edge_runs, 'hung')}: use more --repeats."


def table_lines(results: Sequence[Result], *, engines: bool = False) -> Iterator[str]:
    """One row a shape; a label that leaves no room for its row stands on a line of its own.

    The engine has a column where it is asked for, or where one is not that of torch as it comes.
    """
    notes = _notes(results)
    engines = engines or any(not is_configured(result.engine) for result in results)
    head = [
        noun_of(results).capitalize(),
        *(["Engine"] if engines else []),
        "Verdict",
        "Cold",
        "Warm",
        "Error",
        *(["Published"] if notes else []),
    ]
    rows = [head, *(_cells(result, notes, engines) for result in results)]
    if engines and _room(rows) < len(head[0]):  # then it stands behind the label
        rows = [[f"{row[0]}, {row[1]}", *row[2:]] for row in rows]
    yield from _lines(rows, _room(rows))


def _room(rows: Sequence[Sequence[str]]) -> int:
    """Columns that the other cells leave for the first of a row."""
    return WIDTH - sum(len(GAP) + width for width in _widths(rows)[1:])


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _lines(rows: Sequence[Sequence[str]], room: int) -> Iterator[str]:
    first = max((len(row[0]) for row in rows if len(row[0]) <= room), default=0)
    widths = [first, *_widths(rows)[1:]]
    for label, *cells in rows:
        if len(label) > room:
            yield label
        row = ["" if len(label) > room else label, *cells]
        yield GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def summary_lines(results: Sequence[Result], tell: Callable[[str], str] = str) -> Iterator[str]:
    """How many ended how, what that means, and what to do next."""
    yield from counted_line(results)
    for title, texts in meaning_lines(results):
        for text in texts:
            yield from wrapped(tell(text), head=f"{title}: ", indent="  ")


def counted_line(results: Sequence[Result]) -> Iterator[str]:
    """How many ended how, and on what."""
    loaded = results[-1].loaded
    on = f"{loaded.device or 'no device'} with torch {loaded.torch or '(it did not load)'}"
    yield from wrapped(f"{results_text(results)}, on {on}.")


def _cells(result: Result, notes: Sequence[str], engines: bool) -> list[str]:
    error = result.max_abs_error
    cells = [
        _label(result),
        *([clean(result.engine)[:LONGEST_ENGINE]] if engines else []),
        _verdict(result),
        _seconds(result.cold_s),
        _seconds(result.warm_s),
        "-" if error is None else f"{error:.1e}",
    ]
    if not notes:
        return cells
    return [*cells, _short(result.published, notes)]


def _verdict(result: Result) -> str:
    if result.verdict is Verdict.FLAKY:
        return f"flaky ({result.failed} of {result.runs})"
    return str(result.verdict.value)


def _label(result: Result) -> str:
    """The shape, and the variables that were set for it where there are any."""
    if not result.asked:
        return result.label
    text = f"{result.label} with {setting_text(result.asked)}"
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def _claims(results: Sequence[Result]) -> Iterator[str]:
    notes = _notes(results)
    if not notes and any(result.published for result in results):
        yield from wrapped(NOT_COMPARED)
    yield from _note_lines(notes, _of_other_chips(results))


def _of_other_chips(results: Sequence[Result]) -> frozenset[str]:
    """The texts of claims that were made on another chip than the one measured."""
    claims = ((result.published, result.loaded) for result in results)
    return frozenset(c.text for c, loaded in claims if c and is_other_chip(c, loaded))


def _note_lines(notes: Sequence[str], others: Collection[str] = ()) -> Iterator[str]:
    if notes:
        yield CLAIMS
    for number, text in enumerate(notes, 1):
        label = f" ({NOT_YOUR_CHIP})" if text in others else ""
        yield from wrapped(f"{text}{label}", head=f"  [{number}] ", indent="      ")


def _notes(results: Sequence[Result]) -> tuple[str, ...]:
    """What was published for the shapes; nothing beside a processor."""
    if all(result.on_processor for result in results):
        return ()
    return _texts(result.published for result in results)


def _texts(claims: Iterable[Published | None]) -> tuple[str, ...]:
    """The text of each claim once."""
    return tuple(dict.fromkeys(claim.text for claim in claims if claim))


def _short(claim: Published | None, notes: Sequence[str]) -> str:
    if claim is None:
        return ""
    cold = "" if claim.cold_s is None else f" {claim.cold_s:.3g} s"
    return f"{claim.verdict}{cold} [{notes.index(claim.text) + 1}]"


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value * 1000:.2f} ms" if value < 1 else f"{value:.2f} s"


TOLD = 6
"""Shapes that are named before the rest is only counted."""
NOTE = (
    "A layer passes if its shape passed with the same batch size and number format. The model's "
    "other operations were not measured."
)


def model_lines(verdicts: Sequence[ModelVerdict]) -> Iterator[str]:
    """Each model with what does not pass in it; nothing when no model was measured."""
    for verdict in verdicts:
        yield from wrapped(f"{verdict.headline} pass ({verdict.manner.label})")
        yield from _named("do not pass", verdict.failing)
        yield from _named("were not measured", verdict.unmeasured)
    if verdicts:
        yield from wrapped(NOTE)


def so_far_line(preset: Preset, results: Sequence[Result]) -> str:
    """What is known of a model while it is measured, in one line; ``""`` for what is no model."""
    if preset.model is None:
        return ""
    verdicts = model_so_far(preset, results)
    if not verdicts:
        return f"{preset.model.name}: none of {sum(preset.model.times)} layers measured yet"
    told = [
        f"{verdict.passed} of {verdict.total} layers right{_way(verdict, verdicts)}{_not(verdict)}"
        for verdict in verdicts
    ]
    return f"{preset.model.name}: {'; '.join(told)}"


def _way(verdict: ModelVerdict, verdicts: Sequence[ModelVerdict]) -> str:
    return f" ({verdict.manner.label})" if len(verdicts) > 1 else ""


def _not(verdict: ModelVerdict) -> str:
    """What is not right, counted in layers."""
    counts: dict[str, int] = {}
    for each in verdict.failing:
        word = WORDS[each.verdict] if each.verdict else ""
        counts[word] = counts.get(word, 0) + each.times
    if unmeasured := sum(each.times for each in verdict.unmeasured):
        counts["not measured yet"] = unmeasured
    return "".join(f", {count} {word}" for word, count in counts.items())


def _named(what: str, layers: Sequence[Layers]) -> Iterator[str]:
    if not layers:
        return
    yield f"  {sum(each.times for each in layers)} {what}:"
    for each in layers[:TOLD]:
        verdict = f", {each.verdict.value}" if each.verdict else ""
        yield f"    {each.times} x {each.shape.label}{verdict}"
    if rest := layers[TOLD:]:
        yield f"    and {sum(each.times for each in rest)} more of {len(rest)} other shapes"


MORE = "To see all differences: rdna1-setup conv2d --compare"
ANOTHER_TORCH = "The previous run used torch {}."


def since_lines(before: Sequence[Result], after: Sequence[Result]) -> Iterator[str]:
    """The verdicts that changed; nothing where the two have no shape in common."""
    changes = compare_results(before, after)
    if not changes:
        return
    differing = [change for change in changes if change.differs]
    count = f"{len(differing) or 'none'} of {len(changes)} shape{'s' * (len(changes) > 1)}"
    has = "have" if len(differing) > 1 else "has"
    torch = _other_torch(before, after)
    yield from wrapped(
        f"Since the previous run: {count} measured in both {has} a different verdict. {torch}{MORE}"
    )
    for change in differing[:TOLD]:
        yield from wrapped(f"  {_words(change)}", indent="    ")
    if rest := differing[TOLD:]:
        yield f"  and {len(rest)} more"


def _words(change: Change) -> str:
    return f"{change.manner.named(change.shape)}: {change.before.words}, now {change.after.words}"


def _other_torch(before: Sequence[Result], after: Sequence[Result]) -> str:
    old, new = before[-1].loaded, after[-1].loaded
    if (old.torch, old.hip) == (new.torch, new.hip) or not old.torch:
        return ""
    return f"{ANOTHER_TORCH.format(old.torch)} "
