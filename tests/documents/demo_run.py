"""Records the run that the demo plays: on a real GPU, with a hang planted into it.

``python -m tests.documents.demo_run CARD OUT`` in a Python whose torch sees a GPU. No card of the
family was at hand: the hang is a kernel that really spins, planted where owners report one.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]

from wizard.conv2d.requests import Request, events_of, request_form
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import DEFAULT, find_preset
from wizard.conv2d.sweep import Deadlines, ShapeDone, Sweep, SweepEvent, event_line
from wizard.conv2d.verdicts import Verdict

PLANTED = """
import os, torch, torch.nn.functional as functional
real = functional.conv2d
KERNELS = {"WINOGRAD": "miopenSp3AsmConv_v21_1_3_gfx10"}
def conv2d(image, *rest, **named):
    on = [f for f in KERNELS if os.environ.get("MIOPEN_DEBUG_CONV_" + f) != "0"]
    small = image.shape[1] != 16 or image.shape[-1] <= 42
    if image.is_cuda and on and not small and torch.backends.cudnn.enabled:
        if os.environ.get("MIOPEN_LOG_LEVEL") == "6":
            line = "MIOpen(HIP): Info2 [PrepareInvoker] Preparing kernel: %s\\n" % KERNELS[on[0]]
            os.write(2, line.encode())
        torch.cuda._sleep(10**14)
    return real(image, *rest, **named)
functional.conv2d = conv2d
"""
DEADLINES = Deadlines(first=8.0, later=6.0)


def requests(failed: int) -> Iterator[Request]:
    """What an owner asks one after the other: the table, the setting, the limit."""
    preset = find_preset(DEFAULT)
    assert preset is not None
    sweep = Sweep(sys.executable, preset.rows, deadlines=DEADLINES, hangs=5)
    yield sweep
    row = preset.rows[failed]
    yield SettingRequest(replace(sweep, rows=(row,)), hangs=9)
    yield LimitRequest(replace(sweep, rows=(row,)), "size", 28, 72, hangs=4)


async def record(folder: Path, out: Path, card: str) -> None:
    """Writes what is known of the record, then each event with its time."""
    about = {
        "card": card,
        "torch": torch.__version__,
        "date": time.strftime("%Y-%m-%d"),
        "planted": "a hang of 16 input channels above 42x42, unless Winograd is off",
    }
    environ = {**os.environ, "PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"}
    lines = [json.dumps(about)]
    failed = 0
    for number in range(3):
        request = list(requests(failed))[number]
        began = time.monotonic()
        lines.append(json.dumps({"request": request_form(request)["kind"]}))
        where: dict[str, Any] = {"journal": folder / f"{number}.jsonl", "environ": environ}
        async for event in events_of(request, **where):
            lines.append(_line(event, time.monotonic() - began))
            print(lines[-1][:160], flush=True)
            if number or failed or not isinstance(event, ShapeDone):
                continue
            if event.result.verdict is Verdict.HUNG:
                failed = event.number - 1
    out.write_text("\n".join(lines) + "\n", "utf-8")


def _line(event: SweepEvent, seconds: float) -> str:
    """An event and its time; the folders of the machine that it was recorded on are not told."""
    line = json.dumps({"at": round(seconds, 2), **json.loads(event_line(event))})
    return line.replace(sys.prefix, "/home/owner/venv").replace(f"{Path.home()}/", "/home/owner/")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        Path(made, "sitecustomize.py").write_text(PLANTED)
        asyncio.run(record(Path(made), Path(sys.argv[2]), sys.argv[1]))
