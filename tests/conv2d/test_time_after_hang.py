"""What a hang costs beside its deadline: no new interpreter, so no new import of torch."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from tests.conv2d.sweeping import PATIENT, environ, sweep_of
from wizard.conv2d.client import run_sweep
from wizard.conv2d.sweep import ShapeDone, ShapeStarted

DEADLINE_S = 0.5
IMPORT_S = 2.5
"""What importing this torch takes (fault ``slow``)."""
AFTER_S = 2.0
"""Generous, for a machine with other work; on an idle one it takes less than a tenth."""


async def test_after_a_hang_the_next_verdict_comes_sooner_than_torch_could_be_imported(
    worker_python: str, tmp_path: Path
) -> None:
    assert AFTER_S < IMPORT_S
    imports = tmp_path / "imports"
    variables = environ({4: "hang"}, importing="slow", hip="5.2")
    deadlines = replace(PATIENT, later=DEADLINE_S)
    sweep = sweep_of(worker_python, 3, 4, 5, device="cuda", deadlines=deadlines)
    times: dict[tuple[type, int], float] = {}
    stream = run_sweep(
        sweep,
        journal=tmp_path / "journal.jsonl",
        environ={**variables, "FAKE_TORCH_IMPORTS": str(imports)},
    )
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, (ShapeStarted, ShapeDone)):
                times[type(event), event.number] = time.monotonic()

    taken = times[ShapeDone, 3] - times[ShapeStarted, 2]
    print(f"from the launch that hung to the next verdict: {taken:.2f} s")
    assert DEADLINE_S <= taken < DEADLINE_S + AFTER_S
    assert len(imports.read_bytes()) == 2, "of the measuring worker, and of the reference"
