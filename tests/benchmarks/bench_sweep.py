"""A ten-shape sweep against a bare torch loop with the same calls, on the processor or a GPU.

Imports and references are left out of both; starting the measuring process, handing the results
over and the journal's fsync are in. A disk that has been idle may take milliseconds for each
fsync: what the loop took with one a shape is printed too. All use as many threads as torch chooses
by itself, in processes of their own that are timed in turn. ``--python`` names a Python that has
torch.

With ``--device cuda`` both synchronise around each call, as the worker does, and both are timed
twice. The first times count the start of the device in both: its context and cuDNN (on ROCm
MIOpen) come up within the first shapes. The second count it in neither: both first measure a small
shape that is not timed, in the process that then measures the ten. References are worked out beside
the card; what the sweep still waits for them is left out, and copying results back for them is in:
what the ratio would be without that is printed too. The goal is judged with it. A processor and a
card that have waited for a reference are slower at first, which the second times would show as
ours: they are judged against a bare loop that sleeps as long between shapes, unjudged against one
that does not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from wizard.conv2d.client import run_sweep
from wizard.conv2d.shapes import Row, Shape, square
from wizard.conv2d.sweep import Phase, Sweep, SweepDone, SweepEvent, WorkerStarted
from wizard.conv2d.verdicts import Verdict

GOAL = 1.1
CHANNELS = tuple(square(c, 2 * c, size) for c in (16, 64) for size in (32, 44, 48, 64, 224))
"""Of the default table."""
SIZES = tuple(square(3, 64, size) for size in (32, 40, 42, 44, 48, 56, 64, 128, 224, 512))
"""Of the table notes001-test."""
TABLES = {"channels": CHANNELS, "sizes": SIZES}
STARTER = square(3, 8, 16)
"""What starts the device where that is not timed."""
START, NEXT = "start", "between"
"""What is done before the first phase, and from a comparison to the next shape's first phase."""
BARE = """
import json, os, sys, time
from collections import Counter
import torch, torch.nn.functional
shapes, untimed, warm_runs, device, pause = json.loads(sys.argv[1])
journal = open(sys.argv[2], "ab", buffering=0) if sys.argv[2:] else None
on_gpu = device == "cuda"
parts = Counter()
draw = torch.Generator()
draw.manual_seed(1)
began = last = time.perf_counter()
def end(part):
    global last
    if on_gpu:
        torch.cuda.synchronize()
    now = time.perf_counter()
    parts[part] += now - last
    last = now
if on_gpu:
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
for number, s in enumerate(shapes):
    if number == untimed:
        parts.clear()
        began = last = time.perf_counter()
    time.sleep(pause)
    last = time.perf_counter()
    if journal:
        journal.write(b"{}\\n")
        os.fsync(journal.fileno())
    image = torch.randn(s["n"], s["c_in"], s["h"], s["w"], generator=draw).to(device)
    weight = torch.empty(s["c_out"], s["c_in"], s["kernel"], s["kernel"])
    weight = weight.normal_(0, 0.05, generator=draw).to(device)
    end("tensors")
    with torch.no_grad():
        torch.nn.functional.conv2d(image, weight, None, 1, s["padding"], 1, 1)
        end("cold")
        for _ in range(warm_runs):
            torch.nn.functional.conv2d(image, weight, None, 1, s["padding"], 1, 1)
            end("warm")
seconds = time.perf_counter() - began - pause * (len(shapes) - untimed)
card = torch.cuda.get_device_name(0) if on_gpu else "%d threads" % torch.get_num_threads()
print(json.dumps([seconds, parts, "torch %s, %s" % (torch.__version__, card)]))
"""


@dataclass(frozen=True, slots=True)
class Times:
    """How long ten shapes took, and which part of it what took."""

    seconds: float
    parts: Mapping[str, float]
    machine: str = ""
    reference: float = 0.0
    """How long ours waited for the reference of a shape, in the mean; not in ``seconds``."""


def bare_times(sweep: Sweep, untimed: int, *journal: Path, pause: float = 0.0) -> Times:
    """The bare loop's times, with an fsync a shape where a journal is named.

    Before each shape it sleeps for ``pause`` seconds, which are left out.
    """
    shapes = [asdict(row.shape) for row in sweep.rows]
    request = json.dumps([shapes, untimed, sweep.warm_runs, sweep.device, pause])
    done = subprocess.run(
        (sweep.python, "-c", BARE, request, *map(str, journal)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Times(*json.loads(done.stdout.splitlines()[-1]))


async def sweep_times(sweep: Sweep, untimed: int, folder: Path) -> Times:
    """Our times from the end of the imports, or of the shapes that are not timed, to the last
    verdict, less the waiting for references."""
    stream = run_sweep(sweep, journal=folder / "journal.jsonl", resume=False)
    async with aclosing(stream) as events:
        stamped = [(time.perf_counter(), event) async for event in events]
    ended, done = stamped[-1]
    assert isinstance(done, SweepDone)
    assert done.trouble is None, done.trouble
    assert {result.verdict for result in done.results} == {Verdict.PASS}
    begins = [index for index, (_, event) in enumerate(stamped) if _begins(event, untimed)]
    timed = stamped[begins[0] :]
    # Of a shape that is not timed the waiting for its reference comes after this.
    seconds, waited = ended - timed[0][0] - done.reference_s, done.reference_s
    return Times(seconds, _parts(timed, waited), reference=waited / len(sweep.rows))


def _begins(event: SweepEvent, untimed: int) -> bool:
    if untimed:
        return isinstance(event, Phase) and (event.number, event.name) == (untimed, "compare")
    return isinstance(event, WorkerStarted)


def _parts(timed: Sequence[tuple[float, SweepEvent]], reference_s: float) -> dict[str, float]:
    """Seconds by phase; comparing without the waiting, with all that comes before the next."""
    parts: defaultdict[str, float] = defaultdict(float)
    name, last = START, timed[0][0]
    for at, event in timed[1:]:
        if isinstance(event, (Phase, SweepDone)):
            parts[name] += at - last
            last = at
            name = event.name if isinstance(event, Phase) else ""
            name = NEXT if name == "compare" else name
    parts[NEXT] -= reference_s
    return dict(parts)


def rounds_of(sweep: Sweep, untimed: int, rounds: int) -> dict[str, list[Times]]:
    """Ours, the bare loop, that with an fsync a shape, and that with pauses, in turn."""
    times: dict[str, list[Times]] = {"ours": [], "bare": [], "synced": [], "paused": []}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        for number in range(rounds + 1):
            ours = asyncio.run(sweep_times(sweep, untimed, Path(folder)))
            found = (
                ours,
                bare_times(sweep, untimed),
                bare_times(sweep, untimed, Path(folder) / "synced"),
                bare_times(sweep, untimed, pause=ours.reference),
            )
            if number:  # the first round warms the disk's cache
                for known, one in zip(times.values(), found, strict=True):
                    known.append(one)
    return times


def print_ratio(name: str, times: Mapping[str, Sequence[Times]], floor: str = "bare") -> bool:
    """Print medians, ratios and what took how long; True within the goal against that floor."""
    ours, bare, synced, paused = (_median(all_) for all_ in times.values())
    ratio = ours / _median(times[floor])
    verdict = "within" if ratio <= GOAL else "OVER"
    best = min(t.seconds for t in times["ours"]) / min(t.seconds for t in times[floor])
    copying = statistics.median(each.parts["copy back"] for each in times["ours"])
    print(f"{name} ({times['bare'][0].machine}, {len(times['ours'])} rounds):")
    print(
        f"  {ours * 1000:.1f} ms against {_median(times[floor]) * 1000:.1f} ms ({floor}), ratio of "
        f"medians {ratio:.3f} ({verdict} the goal of {GOAL}); ratio of the best rounds {best:.3f}"
    )
    waited = statistics.median(each.reference for each in times["ours"])
    print(
        f"  against the bare loop {ours / bare:.3f}; against one that sleeps {waited * 1000:.0f} "
        f"ms before each shape, as ours waits for references, {ours / paused:.3f}"
    )
    print(
        f"  the bare loop with one fsync a shape: {synced * 1000:.1f} ms; against that "
        f"{ours / synced:.3f}; ours without copying back against the bare loop: "
        f"{(ours - copying) / bare:.3f}"
    )
    for who in ("ours", "bare", "paused"):
        print(f"  {who}, medians in ms: {_parts_in_words(times[who])}")
    return ratio <= GOAL


def _median(times: Sequence[Times]) -> float:
    return statistics.median(each.seconds for each in times)


def _parts_in_words(times: Sequence[Times]) -> str:
    medians = (
        (name, statistics.median(1000 * each.parts[name] for each in times))
        for name in times[0].parts
    )
    return ", ".join(f"{name} {milliseconds:.1f}" for name, milliseconds in medians)


def main() -> int:
    """Print medians and ratios; 0 within the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="a Python that has torch")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--table", choices=TABLES, default="channels", help="which ten shapes")
    arguments = parser.parse_args()
    sweep = Sweep(arguments.python, _rows(TABLES[arguments.table]), arguments.device)
    name = f"ten-shape sweep, {arguments.table}"
    on_gpu = arguments.device == "cuda"
    counted = f"{name}, the device's start in both" if on_gpu else name
    within = [print_ratio(counted, rounds_of(sweep, 0, arguments.rounds))]
    if on_gpu:
        started = replace(sweep, rows=_rows((STARTER, *TABLES[arguments.table])))
        times = rounds_of(started, 1, arguments.rounds)
        within.append(print_ratio(f"{name}, the device's start in neither", times, "paused"))
    return 0 if all(within) else 1


def _rows(shapes: Sequence[Shape]) -> tuple[Row, ...]:
    return tuple(map(Row, shapes))


if __name__ == "__main__":
    sys.exit(main())
