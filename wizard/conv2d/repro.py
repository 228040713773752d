"""A stand-alone script for one row: what its user attaches to a report of the fault."""

from __future__ import annotations

import pprint
from dataclasses import asdict
from typing import Any

from assets import FOLDER
from wizard import __version__
from wizard.conv2d.cards.make_card import public_gfx, public_name, public_setting, public_version
from wizard.conv2d.shapes import Row, load_operations
from wizard.conv2d.sweep import SEED
from wizard.conv2d.verdicts import Result
from wizard.redaction.rules import HIDDEN

TEMPLATE = FOLDER / "conv2d_repro.py"
BEGIN, END = "# The case begins.\n", "# The case ends.\n"
ENGINES = {"native": "native", "unfold": "unfold"}
"""Engines by the name that a result bears; torch as configured is all others."""


class NoRepro(Exception):
    """No script can be made for it, with a text fit to show."""


def row_of(result: Result) -> Row:
    """The row that measures the same again."""
    engine = ENGINES.get(result.engine, "configured")
    known = load_operations() if result.operation is not None else ()
    operation = next((each for each in known if each.id == result.work), None)
    setting, work = result.asked, result.work
    return Row(result.shape, engine=engine, setting=setting, work=work, operation=operation)


def repro_of_result(result: Result) -> str:
    """The script for a result, with the variables that were in force when it was measured."""
    device = "cpu" if result.loaded.device == "cpu" else "cuda"
    variables = {**dict(result.loaded.setting), **dict(result.asked)}
    return repro_text(row_of(result), device, tuple(variables.items()), _seen(result))


def repro_text(
    row: Row,
    device: str,
    variables: tuple[tuple[str, str], ...] | None = None,
    seen: str = "",
    deadline_s: float = 60.0,
) -> str:
    """The script for a row. Raises ``NoRepro``.

    Of the variables those are in it that may be told to strangers: numbers and switches, no paths.
    """
    if row.work != "forward":
        raise NoRepro(
            f"A script can be written only for a forward convolution, not for {row.work}."
        )
    given = row.setting if variables is None else variables
    case: dict[str, Any] = {
        "shape": asdict(row.shape),
        "engine": row.engine,
        "variables": {name: value for name, value in public_setting(given) if value != HIDDEN},
        "device": device,
        "seed": SEED,
        "warm_runs": 5,
        "deadline_s": deadline_s,
        "slow_s": 10.0,
        "seen": seen,
    }
    before, _, rest = TEMPLATE.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    written = pprint.pformat(case, width=96, sort_dicts=False)
    made = f"# {row.shape.label}: written by rdna1-setup {__version__}.\n"
    return f"{before}{BEGIN}{made}CASE = {written}\n{END}{after}"


def _seen(result: Result) -> str:
    """What came out, in words that name nobody."""
    loaded = result.loaded
    parts = (
        result.verdict.value,
        result.hang_class and f"({result.hang_class})",
        loaded.torch and f"torch {public_version(loaded.torch)}",
        public_name(loaded.device),
        public_gfx(loaded.gfx),
    )
    return ", ".join(part for part in parts if part)
