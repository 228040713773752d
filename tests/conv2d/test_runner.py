"""A runner carries a request out apart from whoever started it, and tells all of it in its file."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import psutil
import pytest

import wizard
from tests.conv2d.apart import GONE_S, Apart, apart, events_of_run, roles_of
from tests.conv2d.sweeping import PATIENT, end_of, environ, of_type, results_of, sweep_of
from wizard.conv2d.runs.events import followed
from wizard.conv2d.runs.folders import (
    Run,
    Starting,
    forget_old,
    live_run,
    new_run,
    read_run,
    runs_of,
    stack_of_run,
    starting,
)
from wizard.conv2d.runs.history import BROKEN_OFF, FINISHED, UNDER_WAY, read_status, status_form
from wizard.conv2d.runs.runner import SOURCE, obstacle, run_apart, start_run, stop, stop_apart
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.sweep import Note, Phase, ShapeDone, ShapeStarted, StopReason, SweepDone
from wizard.conv2d.verdicts import Verdict
from wizard.report.conv2d_runs import NONE, history_lines

__all__ = ["apart"]
NOW = datetime(2026, 11, 22, 7, 0, tzinfo=timezone.utc)


async def hanging(apart: Apart, python: str) -> Run:
    """A run whose second shape hangs and whose deadline does not come."""
    run = apart.start(sweep_of(python, 3, 4, 5), environ({4: "hang"}))
    async with aclosing(followed(run)) as events:
        async for event in events:
            if isinstance(event, Phase) and (event.number, event.name) == (2, "cold"):
                break
    return run


def test_a_runner_imports_this_very_program_also_where_none_is_installed() -> None:
    assert Path(wizard.__file__).parents[1] == SOURCE


async def test_a_run_tells_what_a_sweep_tells(apart: Apart, worker_python: str) -> None:
    run = apart.start(sweep_of(worker_python, 3, 4), environ({4: "wrong"}))
    events = await events_of_run(run)

    assert [result.verdict for result in results_of(events)] == [Verdict.PASS, Verdict.WRONG]
    assert [event.number for event in of_type(events, ShapeStarted)] == [1, 2]
    assert await events_of_run(run) == events, "its file tells the same afterwards"
    assert read_status(run).state == FINISHED
    assert not run.reserve.exists()
    assert run.log.read_bytes() == b""


async def test_what_lies_below_torch_is_kept_with_the_run(apart: Apart, worker_python: str) -> None:
    run = apart.start(sweep_of(worker_python, 3))
    await events_of_run(run)

    assert stack_of_run(run).kernel == os.uname().release


async def test_a_search_is_carried_out_too(apart: Apart, worker_python: str) -> None:
    request = LimitRequest(sweep_of(worker_python, 4), "size", 1, 4, 1)
    done = end_of(await events_of_run(apart.start(request)))

    assert done.limit is not None
    assert done.limit.known.passes == 4


async def test_a_follower_may_begin_anywhere(apart: Apart, worker_python: str) -> None:
    run = apart.start(sweep_of(worker_python, 3))
    events = await events_of_run(run)
    first = run.events.read_bytes().index(b"\n") + 1
    async with aclosing(followed(run, first)) as rest:
        assert [event async for event in rest] == events[1:]


async def test_a_runner_has_nothing_of_its_starter(apart: Apart, worker_python: str) -> None:
    run = await hanging(apart, worker_python)
    runner = roles_of(run)["runner"]

    assert os.getsid(runner.pid) not in (os.getsid(0), runner.pid), "it cannot get a terminal"
    assert runner.terminal() is None
    assert runner.cwd() == "/"
    assert os.getpid() not in [parent.pid for parent in runner.parents()]
    streams = [str(Path(f"/proc/{runner.pid}/fd/{number}").readlink()) for number in range(3)]
    assert streams == ["/dev/null", str(run.log), str(run.log)]
    await stop(run)


async def test_a_hang_up_does_not_disturb_it(apart: Apart, worker_python: str) -> None:
    run = await hanging(apart, worker_python)
    runner = roles_of(run)["runner"]
    os.kill(runner.pid, signal.SIGHUP)
    stopped = await stop(run)

    assert (stopped.killed, stopped.left) == (False, ())
    trouble = end_of(await events_of_run(run)).trouble
    assert trouble is not None
    assert trouble.happened == "The measurement was stopped."


async def test_stopping_ends_all_of_it_and_keeps_the_verdicts(
    apart: Apart, worker_python: str
) -> None:
    run = await hanging(apart, worker_python)
    tree = roles_of(run)
    stopped = await stop(run)

    assert set(tree) == {"runner", "measure", "child", "reference"}
    assert psutil.wait_procs(list(tree.values()), timeout=GONE_S)[1] == []
    assert (stopped.killed, stopped.left, run.is_alive()) == (False, (), False)
    assert [result.verdict for result in end_of(await events_of_run(run)).results] == [Verdict.PASS]
    assert json.loads(run.journal.read_text().splitlines()[-1]) == {"cancelled": 1}


async def test_a_runner_that_does_not_answer_is_killed_with_all_it_started(
    apart: Apart, worker_python: str
) -> None:
    run = await hanging(apart, worker_python)
    tree = roles_of(run)
    tree["runner"].suspend()
    stopped = await stop(run, patience_s=0.1)

    assert (stopped.killed, stopped.left) == (True, ())
    assert psutil.wait_procs(list(tree.values()), timeout=GONE_S)[1] == []
    done = end_of(await events_of_run(run))
    assert done.trouble is not None
    assert done.trouble.happened == "The measurement was stopped."
    assert [result.verdict for result in done.results] == [Verdict.PASS]


async def test_who_is_in_a_hurry_does_not_wait(apart: Apart, worker_python: str) -> None:
    run = await hanging(apart, worker_python)
    roles_of(run)["runner"].suspend()
    hurry = asyncio.Event()
    hurry.set()

    assert (await stop(run, hurry, patience_s=3600)).killed


async def test_a_run_that_is_over_has_nothing_to_stop(apart: Apart, worker_python: str) -> None:
    run = apart.start(sweep_of(worker_python, 3))
    events = await events_of_run(run)
    stopped = await stop(run)

    assert (stopped.killed, stopped.left) == (False, ())
    assert await events_of_run(run) == events
    assert await stop_apart(apart.places) is None


async def test_to_close_the_follower_does_not_stop_the_runner(
    apart: Apart, worker_python: str
) -> None:
    sweep = sweep_of(worker_python, 3, 4)
    stream = run_apart(apart.places, sweep, apart.environ())
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, ShapeStarted):
                break
    (run,) = runs_of(apart.places)

    assert len(results_of(await events_of_run(run))) == 2


async def test_whoever_saw_the_end_finds_no_runner_at_work(
    apart: Apart, worker_python: str
) -> None:
    sweep = sweep_of(worker_python, 3)
    for _ in range(3):
        run = apart.start(sweep)
        await events_of_run(run)
        assert not run.is_alive()
    assert len(runs_of(apart.places)) == 3


async def test_the_same_request_joins_and_another_one_is_refused(
    apart: Apart, worker_python: str
) -> None:
    run = await hanging(apart, worker_python)
    variables, same = apart.environ(environ({4: "hang"})), run.request
    other = sweep_of(worker_python, 7)

    assert start_run(apart.places, same, variables) == run
    assert obstacle(apart.places, same, variables) is None
    refused = start_run(apart.places, other, variables)
    assert isinstance(refused, StopReason)
    assert refused == obstacle(apart.places, other, variables)
    assert f"3 shapes on cpu (run {run.id})" in refused.happened
    assert runs_of(apart.places) == (run,)
    await stop(run)


async def test_a_runner_that_was_killed_leaves_a_suspect(apart: Apart, worker_python: str) -> None:
    run = await hanging(apart, worker_python)
    roles_of(run)["runner"].kill()
    events = await events_of_run(run)

    done = end_of(events)
    assert done.trouble is not None
    assert (
        "2->4 3x3 @4x4 was launched and has no verdict, so it is the suspect"
        in done.trouble.meaning
    )
    assert isinstance(events[-2], Note)
    assert "it is the suspect" in events[-2].text
    assert [result.verdict for result in done.results] == [Verdict.PASS]
    status = read_status(run)
    assert (status.state, status.counts) == (BROKEN_OFF, ((Verdict.PASS, 1),))


async def test_the_next_run_writes_down_how_the_dead_one_ended(
    apart: Apart, worker_python: str
) -> None:
    dead = await hanging(apart, worker_python)
    roles_of(dead)["runner"].kill()
    told = end_of(await events_of_run(dead))
    apart.wait_until_idle()
    again = apart.start(dead.request)
    whole = await events_of_run(again)

    assert [result.verdict for result in results_of(whole)] == [Verdict.PASS] * 3
    assert "Trying it once more" in " ".join(note.text for note in of_type(whole, Note))
    assert end_of(await events_of_run(dead)) == told
    assert dead.events.read_bytes().count(b'{"event": "SweepDone"') == 1
    assert [run.id for run in runs_of(apart.places)] == [again.id, dead.id]


async def test_the_suspect_of_a_search_is_named_too(apart: Apart, worker_python: str) -> None:
    sweep = sweep_of(worker_python, 4)
    request = LimitRequest(sweep, "size", 4, 9, 1)
    run = apart.start(request, environ(limits={"any": 4}))
    async with aclosing(followed(run)) as events:
        async for event in events:
            if isinstance(event, ShapeStarted) and event.row.shape.h > 4:
                break
    roles_of(run)["runner"].kill()

    done = (await events_of_run(run))[-1]
    assert isinstance(done, SweepDone)
    assert done.trouble is not None
    assert "@5x5 was launched" in done.trouble.meaning


async def test_a_runner_that_fails_by_itself_says_why(
    apart: Apart, worker_python: str, tmp_path: Path
) -> None:
    (tmp_path / "psutil.py").write_text("raise RuntimeError('no psutil today')")
    variables = {**environ(), "PYTHONPATH": str(tmp_path)}
    trouble = end_of(
        await events_of_run(apart.start(sweep_of(worker_python, 3), variables))
    ).trouble

    assert trouble is not None
    assert "It last printed: RuntimeError: no psutil today." in trouble.happened
    assert "No shape was running when" in trouble.meaning


def test_a_python_that_does_not_start_is_told(apart: Apart) -> None:
    variables = apart.environ({"PYTHONHOME": "/nonexistent", "PATH": "/bin"})
    refused = start_run(apart.places, sweep_of("python", 3), variables)

    assert isinstance(refused, StopReason)
    assert "could not be started: it ended with 1" in refused.happened
    assert live_run(apart.places) is None


async def test_everything_is_private(apart: Apart, worker_python: str) -> None:
    before = os.umask(0)
    try:
        run = apart.start(sweep_of(worker_python, 3))
        await events_of_run(run)
    finally:
        os.umask(before)
    below = [Path(apart.places.conv2d), *Path(apart.places.conv2d).rglob("*")]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in below}

    assert {"events.jsonl", "request.json", "lock", "log.txt", run.journal.name} <= set(modes)
    assert {path.name for path in below if path.is_dir()} == {"conv2d", "runs", run.id}
    assert set(modes.values()) == {0o700, 0o600}
    assert {modes[path.name] for path in below if path.is_dir()} == {0o700}


def test_a_link_in_place_of_a_folder_is_refused(apart: Apart, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Path(apart.places.state).mkdir(parents=True)
    Path(apart.places.conv2d).symlink_to(elsewhere)
    refused = start_run(apart.places, sweep_of("python", 3), apart.environ())

    assert isinstance(refused, StopReason)
    assert "it is a link" in refused.happened
    assert list(elsewhere.iterdir()) == []


def made(apart: Apart, count: int) -> list[str]:
    """So many runs that have ended, without a runner; their names, oldest first."""
    names = []
    for number in range(count):
        with starting(apart.places):
            time, sweep = NOW + timedelta(hours=number), sweep_of("python", 3)
            with new_run(apart.places, sweep, apart.environ(), time, resume=True) as (run, _):
                assert live_run(apart.places) == run
                names.append(run.id)
    return names


def test_only_so_many_runs_are_kept(apart: Apart) -> None:
    names = made(apart, 5)
    forget_old(apart.places, 3)

    assert [run.id for run in runs_of(apart.places)] == names[:1:-1]


def test_only_one_starts_at_a_time(apart: Apart) -> None:
    with starting(apart.places), pytest.raises(Starting), starting(apart.places):
        pass
    with starting(apart.places):
        refused = start_run(apart.places, sweep_of("python", 3), apart.environ())
    assert isinstance(refused, StopReason)
    assert "just starting" in refused.happened


@pytest.mark.parametrize(
    ("name", "content"),
    [("request.json", "{"), ("request.json", '{"schema": 2}'), ("request.json", "[]")],
)
def test_a_damaged_run_is_no_run(apart: Apart, name: str, content: str) -> None:
    (made_id,) = made(apart, 1)
    folder = Path(apart.places.conv2d) / "runs" / made_id
    assert read_run(folder) is not None
    (folder / name).write_text(content)

    assert read_run(folder) is None
    assert runs_of(apart.places) == ()


async def test_the_history_tells_how_each_run_stands(apart: Apart, worker_python: str) -> None:
    assert list(history_lines(())) == [NONE]
    await events_of_run(apart.start(sweep_of(worker_python, 3, 9), environ({9: "wrong"})))
    run = await hanging(apart, worker_python)
    statuses = [read_status(one) for one in runs_of(apart.places)]
    await stop(run)

    assert [status.state for status in statuses] == [UNDER_WAY, FINISHED]
    lines = list(history_lines(statuses))
    assert lines[0] == f"{run.id}  running: 3 shapes on cpu"
    assert lines[1].endswith("; 1 pass")
    assert lines[3].endswith("; 1 pass, 1 wrong")
    assert status_form(statuses[1])["verdicts"] == {"pass": 1, "wrong": 1}


async def test_a_disk_that_takes_no_more_ends_the_run_in_words(
    apart: Apart, worker_python: str
) -> None:
    # The last one hangs, so that it is still there however late the limit comes.
    deadlines = replace(PATIENT, later=2)
    sweep = sweep_of(worker_python, *range(3, 40), deadlines=deadlines)
    run = apart.start(sweep, environ({39: "hang"}))
    async with aclosing(followed(run)) as events:
        async for event in events:
            if isinstance(event, ShapeDone):
                break
    # What a full disk says is another number; both come back from the write as an error.
    psutil.Process(roles_of(run)["runner"].pid).rlimit(psutil.RLIMIT_FSIZE, (8192, 8192))
    done = (await events_of_run(run))[-1]

    assert isinstance(done, SweepDone)
    assert done.trouble is not None
    assert "File too large" in done.trouble.happened
    assert done.results
