"""Which of MIOpen's algorithms there are to choose from, as it answered itself without a card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from wizard.advice.card import chosen_card, target_of
from wizard.core.amounts import listed
from wizard.knowledge.solvers import (
    FAST,
    FIND_MODE,
    OFF,
    ONLY,
    SEARCHES_MORE,
    Answer,
    Table,
    family_of,
    key_of,
    load_families,
    load_table,
    releases,
)
from wizard.knowledge.stacks import Stack, rocm_of
from wizard.machine.facts import Machine, Setting

OVERRIDE = ("HSA_OVERRIDE_GFX_VERSION", "10.3.0")
OVERRIDDEN = "gfx1030"
"""What MIOpen takes the card for under the override."""
CHIPS = ("gfx1010", "gfx1011", "gfx1012", OVERRIDDEN)
"""Those that MIOpen was asked about."""
WINDOW = " 3x3 "
"""In the label of a shape: the layers that most reports are about."""
NO_PROMISE = "MIOpen itself answered this, without a card; nothing was run"
Variables = tuple[tuple[str, str], ...]


def algorithms(stack: Stack, gfx: str) -> tuple[str, str]:
    """How many kinds of algorithms there are for a stack on a chip, and which."""
    if not stack.gfx:
        return "no MIOpen", "the processor does not use MIOpen"
    rocm, chip = _rocm(stack.torch), OVERRIDDEN if OVERRIDE in stack.environment else gfx
    table = load_table(rocm)
    if table is not None:
        kinds = _kinds(table, chip, "float32")
        return f"{len(kinds)} kinds", f"{_offered(table, chip)}. {NO_PROMISE}"
    newest = load_table(releases()[-1])
    told = f"MIOpen of ROCm {rocm}, which this stack has, was not asked"
    if newest is not None and chip in CHIPS:
        told += f". {_offered(newest, chip)}. {NO_PROMISE}"
    return "not asked", told


def left_by(machine: Machine, settings: Iterable[Setting]) -> tuple[str, ...]:
    """What these settings leave the MIOpen of each torch here, where that is not everything."""
    variables = {each.name: each.value for each in settings}
    told = []
    for table, chip in _asked_here(machine):
        left = sum(_is_left(table, chip, shape, variables) for shape in table.rows)
        what = f"a solver left for {left} of {len(table.rows)} layers" if left else "no solver left"
        stored = " and without AMD's database" if _stored(table, chip, table.rows) else ""
        if left < len(table.rows):
            with_them = f"With these settings{stored}, MIOpen of ROCm {table.rocm}"
            told.append(f"{with_them} has {what} on {chip}.")
    return tuple(dict.fromkeys(told))


def _offered(table: Table, chip: str) -> str:
    """Which kinds: for layers with a window of 3x3, forward and by default."""
    shapes = [shape for shape in table.rows if WINDOW in shape]
    single, half = (_kinds(table, chip, dtype) for dtype in ("float32", "float16"))
    always = [kind for kind, count in single.items() if count == len(shapes)]
    told = f"For each of {len(shapes)} 3x3 layers (forward), MIOpen of ROCm {table.rocm} can "
    told += f"choose from {listed(always)}"
    for kind in (each for each in single if each not in always):
        told += f", and for {single[kind]} of them also from {kind}"
    lost = [kind for kind in single if kind not in half]
    if lost:
        told += f", but in half precision not from {listed(lost)}"
    if stored := _stored(table, chip, shapes):
        told += f". For {stored} of them, it uses AMD's database, which comes from another card"
    return told


def _stored(table: Table, chip: str, shapes: Iterable[str]) -> int:
    """For how many AMD's database of this release has an entry."""
    beside = load_table(table.rocm, database=True)
    words = (_answer(beside, chip, shape).word for shape in shapes) if beside else ()
    return sum(word == "find-db" for word in words)


def _kinds(table: Table, chip: str, dtype: str) -> dict[str, int]:
    """For how many of these layers each kind is offered."""
    answers = [_answer(table, chip, shape, dtype) for shape in table.rows if WINDOW in shape]
    found = [{family_of(name) for name in answer.names} for answer in answers]
    counts = {kind.name: sum(kind in each for each in found) for kind in load_families()}
    return {name: count for name, count in counts.items() if count}


def _answer(
    table: Table, chip: str, shape: str, dtype: str = "float32", setting: Variables = ()
) -> Answer:
    return table.answer(shape, f"{chip} forward {dtype}", key_of(setting, search=True)) or Answer()


def _is_left(table: Table, chip: str, shape: str, variables: Mapping[str, str]) -> bool:
    """True where a search still has a solver; a switch takes all solvers of its family away."""
    names = set(_answer(table, chip, shape).names)
    mode = variables.get(FIND_MODE, "").upper()
    if mode in SEARCHES_MORE:
        names |= set(_answer(table, chip, shape, setting=((FIND_MODE, "NORMAL"),)).names)
    off = [each for each in load_families() if variables.get(each.variable, "").lower() in OFF]
    only = variables.get(ONLY, "") if mode not in FAST else ""
    return any(
        family_of(name) not in off and (not only or name in only.split(";")) for name in names
    )


def _asked_here(machine: Machine) -> Iterator[tuple[Table, str]]:
    """The tables of the torches here, and the chip that each takes the card for."""
    overridden = any((each.name, each.value) == OVERRIDE for each in machine.settings)
    chip = OVERRIDDEN if overridden else target_of(chosen_card(machine))
    for environment in machine.environments:
        table = load_table(_rocm(environment.torch.version)) if environment.torch else None
        if table is not None and chip in CHIPS:
            yield table, chip


def _rocm(torch: str) -> str:
    """The release of ROCm in a version such as ``2.2.2+rocm5.7``; ``""`` without."""
    return ".".join(map(str, rocm_of(torch) or ()))
