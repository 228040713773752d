"""What MIOpen would choose from, in words: never which solver runs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wizard.conv2d.candidates import Asked, Candidates, Choice, NotAsked, Solver
from wizard.conv2d.presets import Row
from wizard.conv2d.search.setting_answer import setting_text
from wizard.core.amounts import MB, counted, size_text
from wizard.report.units import WIDTH

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
    yield from textwrap.wrap(conclusion(rows, asked), WIDTH)
    yield ""
    unchanged: dict[str, Asked] = {}
    for row, each in zip(rows, asked, strict=True):
        under = f" with {setting_text(row.setting)}" if row.setting else ""
        same = _is_same(unchanged.get(row.label), each)
        told = f"{SAME}{_maybe(each)}" if same else asked_text(each)
        if not row.setting:
            unchanged[row.label] = each
        yield from textwrap.wrap(
            f"{row.label}{under}: {told}",
            WIDTH,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    yield ""
    for note in notes(known):
        yield from textwrap.wrap(note, WIDTH)


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
