"""Runner, worker, its child, reference and follower killed at any moment, and the terminal closed:
every verdict that was reached is there, the shape that was launched is the suspect, it goes on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.conv2d.apart import GONE_S, Apart, apart, events_of_run, roles_of
from tests.conv2d.sweeping import PATIENT, environ, of_type, sweep_of
from tests.e2e.terminal import Terminal
from wizard.conv2d.journal import Attempts, read_journal
from wizard.conv2d.runs.events import followed
from wizard.conv2d.runs.folders import Run, live_run
from wizard.conv2d.runs.runner import stop
from wizard.conv2d.shapes import Row, Shape
from wizard.conv2d.sweep import ShapeDone, ShapeStarted, Sweep, SweepDone
from wizard.conv2d.verdicts import Result, Verdict

__all__ = ["apart"]
ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("RDNA1_SETUP_RUNNER_KILLS", "5"))
SEED = int(os.environ.get("RDNA1_SETUP_RUNNER_KILLS_SEED", "5"))
FAULTS = {5: "wrong", 7: "raise"}
C_OUTS = (3, 4, 5, 6, 7, 8)
EXPECTED = [Verdict.PASS, Verdict.PASS, Verdict.WRONG, Verdict.PASS, Verdict.ERROR, Verdict.PASS]
ROLES = ("runner", "measure", "child", "reference")
BROKEN = (Verdict.CRASHED, Verdict.ERROR)
"""What a shape comes to whose process, or whose reference, somebody killed."""


def asked(python: str) -> Sweep:
    """Shapes that take some milliseconds each: long enough to be killed in."""
    rows = tuple(Row(Shape(2, c_out, 12, 12)) for c_out in C_OUTS)
    return replace(sweep_of(python), rows=rows)


async def ended(run: Run) -> tuple[SweepDone, dict[int, Result]]:
    """Its last event, and every verdict that was told before."""
    events = await events_of_run(run)
    told = {event.number - 1: event.result for event in of_type(events, ShapeDone)}
    done = events[-1]
    assert isinstance(done, SweepDone)
    return done, told


def check_suspect(run: Run, done: SweepDone, told: Attempts) -> None:
    """The end of a killed runner names the shape that was launched, and no other one."""
    assert done.trouble is not None
    labels = [row.shape.label for row in asked("python").rows]
    named = [label for label in labels if label in done.trouble.meaning]
    assert named == ([] if told.under_way is None else [labels[told.under_way]])


def check_kept(told: dict[int, Result], journal: Attempts, done: SweepDone) -> None:
    """Every verdict that was told is in the journal, and in what the end tells."""
    assert told.items() <= journal.results.items()
    assert list(done.results) == [journal.results[index] for index in sorted(journal.results)]


async def the_rest(apart: Apart, run: Run, journal: Attempts) -> None:
    """The same request once more has the same verdicts in the end, and keeps those it had."""
    assert apart.wait_until_idle() == [], "the workers of a killed runner go by themselves"
    done, _ = await ended(apart.start(run.request, environ(FAULTS)))
    assert done.trouble is None
    assert [result.verdict for result in done.results] == EXPECTED
    if not journal.finished:
        for index, result in journal.results.items():
            assert done.results[index] == result, "it was measured once more"


async def lines_of_one(apart: Apart, python: str) -> int:
    """How many events a run has that nobody disturbs."""
    run = apart.start(asked(python), environ(FAULTS))
    done, _ = await ended(run)
    assert [result.verdict for result in done.results] == EXPECTED
    return run.events.read_bytes().count(b"\n")


def wait_for(run: Run, role: str, lines: int, delay_s: float) -> psutil.Process | None:
    """The process of that role, a moment after so many events; None when the run ended before."""
    told_at = None
    while run.is_alive():
        if told_at is None and run.events.read_bytes().count(b"\n") >= lines:
            told_at = time.monotonic()
        if told_at is not None and time.monotonic() >= told_at + delay_s:
            found = roles_of(run).get(role)
            if found is not None:
                return found
        time.sleep(0.0005)
    return None


async def test_killed_at_any_instant_it_goes_on_to_the_same_results(
    apart: Apart, worker_python: str
) -> None:
    lines = await lines_of_one(apart, worker_python)
    choices, killed = random.Random(SEED), 0  # noqa: S311 - moments to kill at
    for number in range(KILLS):
        role, after = ROLES[number % len(ROLES)], choices.randrange(lines)
        delay_s = choices.uniform(0, 0.01 if after else 0.5)
        run = apart.start(asked(worker_python), environ(FAULTS))
        victim = wait_for(run, role, after, delay_s)
        if victim is not None:
            killed += 1
            with suppress(psutil.Error):
                victim.kill()
        words = f"{role} {delay_s:.4f} s after {after} of {lines} events"
        t0 = time.monotonic()
        await check_end(apart, run, role, words)
        print(words, victim is not None, round(time.monotonic() - t0, 2))
    assert killed >= KILLS // 2, "most of them hit something"


async def test_a_parent_that_is_killed_costs_no_deadline(apart: Apart, worker_python: str) -> None:
    run = apart.start(asked(worker_python), environ({4: "hang"}))
    await launched(run, 2)
    began = time.monotonic()
    roles_of(run)["measure"].kill()
    done, _ = await ended(run)

    assert time.monotonic() - began < PATIENT.later
    assert [result.verdict for result in done.results] == [
        Verdict.PASS, Verdict.CRASHED, *[Verdict.PASS] * 4,
    ]  # fmt: skip


async def check_end(apart: Apart, run: Run, role: str, words: str) -> None:
    """What a run comes to in which a process of that role was killed."""
    done, told = await ended(run)
    journal = read_journal(run.journal)
    if role == "runner":
        if done.trouble is not None:
            check_suspect(run, done, journal)
            check_kept(told, journal, done)
        await the_rest(apart, run, journal)
        return
    if done.trouble is not None:  # killed while it imported torch: that ends a run, in words
        assert "SIGKILL" in done.trouble.happened, words
        done, _ = await ended(apart.start(run.request, environ(FAULTS)))
    found = zip(done.results, EXPECTED, strict=True)
    differing = [result for result, verdict in found if result.verdict is not verdict]
    assert len(differing) <= 1, words
    assert all(result.verdict in BROKEN for result in differing), (words, differing)


async def test_killed_after_any_record_of_the_journal_it_goes_on_to_the_same_results(
    apart: Apart, worker_python: str
) -> None:
    first = apart.start(asked(worker_python), environ(FAULTS))
    await events_of_run(first)
    lines = first.journal.read_bytes().splitlines(keepends=True)
    verdicts = [json.loads(line).get("outcome") for line in lines]
    events = first.events.read_bytes().splitlines(keepends=True)
    for kept in range(1, len(lines), max(1, len(lines) // KILLS)):
        torn = lines[kept][: len(lines[kept]) // 2] if kept % 2 else b""
        first.journal.write_bytes(b"".join(lines[:kept]) + torn)
        known = {index for index in verdicts[:kept] if index is not None}
        # A suspect's verdict is written again with its control, and told only then.
        told_of = known - set(verdicts[kept:])
        first.events.write_bytes(b"".join(up_to(events, len(told_of))) + torn)

        journal = read_journal(first.journal)
        done, told = await ended(first)
        check_suspect(first, done, journal)
        check_kept(told, journal, done)
        assert set(journal.results) == known
        await the_rest(apart, first, journal)


def up_to(events: list[bytes], outcomes: int) -> list[bytes]:
    """The lines of so many verdicts, and of what came between."""
    shown = [place for place, line in enumerate(events) if b'"ShapeDone"' in line]
    return events[: shown[outcomes] if outcomes < len(shown) else -1]


async def test_a_suspect_that_kills_twice_is_left_alone(apart: Apart, worker_python: str) -> None:
    for _ in range(2):
        run = apart.start(asked(worker_python), environ({4: "hang"}))
        await launched(run, 2)
        roles_of(run)["runner"].kill()
        assert apart.wait_until_idle() == []
    done, _ = await ended(apart.start(asked(worker_python), environ({4: "hang"})))

    assert done.trouble is None
    assert [result.verdict for result in done.results] == [
        Verdict.PASS, Verdict.HUNG, *[Verdict.PASS] * 4,
    ]  # fmt: skip
    assert "twice" in done.results[1].detail


async def launched(run: Run, number: int) -> None:
    """Returns once that shape is launched."""
    async with aclosing(followed(run)) as events:
        async for event in events:
            if isinstance(event, ShapeStarted) and event.number == number:
                return


COMMAND = (sys.executable, "-m", "wizard", "conv2d")
SMALL = ("--sizes", "4,6", "--channels", "1-3,1-4", "--device", "cpu")


def variables(apart: Apart, faults: dict[int, str]) -> dict[str, str]:
    own = apart.environ(environ(faults))
    return {**own, "PYTHONPATH": f"{ROOT}:{own['PYTHONPATH']}"}


def only_run(apart: Apart) -> Run:
    run = live_run(apart.places)
    assert run is not None
    return run


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
async def test_a_follower_that_dies_leaves_the_run_going_and_the_same_command_comes_back(
    apart: Apart, worker_python: str, number: signal.Signals
) -> None:
    command = (*COMMAND, *SMALL, "--python", worker_python, "--json")
    stuck = variables(apart, {4: "hang"})
    with start(*command, "--deadline", "120", variables=stuck) as follower:
        wait_for_line(follower, "3/4 1->4")
        run = only_run(apart)
        os.kill(follower.pid, number)
        follower.communicate(timeout=GONE_S)
    assert run.is_alive()

    with start(*command, "--deadline", "120", variables=stuck) as again:
        wait_for_line(again, "This measurement has been running since")
        wait_for_line(again, "3/4 1->4")
        again.send_signal(signal.SIGINT)
        _, errors = again.communicate(timeout=GONE_S)
    assert again.returncode == 130
    assert "Run the same command again to continue with the remaining shapes." in errors
    assert not run.is_alive()
    assert apart.wait_until_idle() == []

    done = ran(*command, "--deadline", "120", variables=variables(apart, {}))
    assert done.returncode == 0, done.stderr
    assert "Continuing an unfinished measurement. Results so far: 2." in done.stderr
    assert [r["verdict"] for r in json.loads(done.stdout)["results"]] == ["pass"] * 4


async def test_a_closed_terminal_leaves_it_running_and_a_new_one_sees_the_end(
    apart: Apart, worker_python: str
) -> None:
    command = (*COMMAND, *SMALL, "--python", worker_python, "--deadline", "2")
    with Terminal(command, variables(apart, {4: "hang"})) as terminal:
        terminal.wait_for("3/4 1->4")
        run = only_run(apart)
        terminal.hang_up()
        assert terminal.wait_for_end() == -signal.SIGHUP
    assert run.is_alive()
    runner = roles_of(run)["runner"]
    assert runner.terminal() is None

    done = ran(*COMMAND, "--attach", "--json", variables=variables(apart, {}))
    assert done.returncode == 1, done.stderr
    assert "Ctrl+C only closes this view" in done.stderr
    verdicts = [result["verdict"] for result in json.loads(done.stdout)["results"]]
    assert verdicts == ["pass", "pass", "hung", "hung"]


async def test_ctrl_c_in_a_terminal_stops_the_run(apart: Apart, worker_python: str) -> None:
    command = (*COMMAND, *SMALL, "--python", worker_python, "--deadline", "30")
    with Terminal(command, variables(apart, {4: "hang"})) as terminal:
        terminal.wait_for("3/4 1->4")
        run = only_run(apart)
        terminal.send("\x03")
        assert terminal.exit_code() == 130
    assert not run.is_alive()
    assert (await stop(run)).left == ()


async def test_ctrl_c_at_any_moment_leaves_nothing_running(
    apart: Apart, worker_python: str
) -> None:
    command = (*COMMAND, *SMALL, "--python", worker_python, "--deadline", "30")
    moments = random.Random(SEED)  # noqa: S311 - moments to stop at
    for _ in range(max(3, KILLS // 3)):
        with start(*command, variables=variables(apart, {4: "hang"})) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(moments.uniform(0.1, 1.5))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        assert process.returncode in (130, -signal.SIGINT, 1)
        assert live_run(apart.places) is None


def start(*command: str, variables: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ran(*command: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def wait_for_line(process: subprocess.Popen[str], words: str) -> None:
    """Read what it says on standard error up to a line that begins like this."""
    assert process.stderr is not None
    # Not select: what is read already and waits in the buffer would not count.
    mute = threading.Timer(60, process.kill)
    mute.start()
    try:
        for line in process.stderr:
            if line.startswith(words):
                return
    finally:
        mute.cancel()
    raise AssertionError(f"it ended before it said {words!r}")
