"""The wizard's end of the line: what is sent, what is heard, and every way in which it can end."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assets.root.requests import PROTOCOL, Person, read_plan
from tests.root.conversation import RUN, Event
from wizard.core.events import Done, Output, Progress
from wizard.core.trouble import Trouble
from wizard.root import rights
from wizard.root.line import Line, digest_of, first_line, open_line
from wizard.root.session import (
    EventLines,
    News,
    Process,
    find_at_work,
    session_in,
    watch,
)

STEPS: tuple[Event, ...] = ({"verb": "apt_update"}, {"verb": "configure"})
OURSELVES = os.getpid()
GONE = Process(2**22 + 1, 1)
"""No process can have this number."""


def begun(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[19])


def ready(line: bytes, process: Process | None = None) -> Event:
    at_work = process or Process(OURSELVES, begun(OURSELVES))
    names = {"pid": at_work.pid, "begun": at_work.begun, "folder": f"/x/{RUN}"}
    return {"event": "ready", "digest": digest_of(line), "seq": 1, **names}


class FakeHelper:
    """Answers as the helper does, from a list of events for each step."""

    def __init__(self, *answers: list[Event], code: int = 0, first: Event | None = None) -> None:
        self.answers = answers
        self.code = code
        self.first = first
        self.heard: list[Event] = []
        self._working: asyncio.Task[None] | None = None

    async def __call__(self, argv: tuple[str, ...], stdin: int, stdout: int) -> int:
        """As sudo does: it ends once it was answered, and the work goes on elsewhere."""
        assert argv[-4:-1] == (rights.PYTHON, "-I", "-B")
        reader = asyncio.StreamReader(limit=1 << 23)
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(stdin), "rb", 0)
        )
        out = os.fdopen(os.dup(stdout), "wb", 0)
        if self.code:
            out.close()
            return self.code
        plan = (await reader.readline()).rstrip(b"\n")
        self.heard.append(json.loads(plan))
        self._tell(out, self.first or ready(plan))
        self._working = asyncio.ensure_future(self._work(reader, out))
        return 0

    async def _work(self, reader: asyncio.StreamReader, out: Any) -> None:
        with out:
            for answer in self.answers:
                command = await reader.readline()
                if not command:
                    return
                self.heard.append(json.loads(command))
                for event in answer:
                    self._tell(out, event)

    def _tell(self, out: Any, event: Event) -> None:
        out.write(json.dumps(event).encode() + b"\n")


def done(step: int, **more: Any) -> Event:
    return {"event": "done", "step": step, "outcome": "fine", **more}


def failed(step: int) -> Event:
    texts = {"happened": "it broke", "meaning": "m", "next_step": "n"}
    return {"event": "failed", "step": step, **texts}


async def news(line: Line, number: int) -> list[News]:
    return [each async for each in line.do(number)]


@pytest.fixture
def with_sudo(tmp_path: Path) -> dict[str, str]:
    """An environment whose sudo is nobody's: the fake helper stands in for what it starts."""
    sudo = tmp_path / "bin" / "sudo"
    sudo.parent.mkdir()
    sudo.write_text("#!/bin/false\n")
    sudo.chmod(0o755)
    return {**os.environ, "PATH": str(sudo.parent)}


@pytest.fixture
def line_to(with_sudo: dict[str, str], tmp_path: Path) -> Callable[..., Any]:
    """Opens the line to a fake helper."""

    def line(helper: rights.AskForRights, **more: Any) -> Any:
        return open_line(RUN, STEPS, helper, environ=with_sudo, state=tmp_path, **more)

    return line


async def test_steps_go_out_and_news_comes_back(line_to: Callable[..., Any]) -> None:
    output = {"event": "output", "step": 1, "lines": ["one \x1b[31mtwo", "http://me:pw@x/"]}
    percent = {"done": 5, "total": 100, "unit": "percent", "what": "Unpacking a"}
    progress = {"event": "progress", "step": 1, **percent, "phase": "change"}
    other = {"event": "program", "step": 1, "pid": 1, "begun": 1, "name": "apt-get"}
    helper = FakeHelper([{"event": "started", "step": 1}, other, output, progress, done(1)], [])
    async with line_to(helper) as line:
        assert await news(line, 1) == [
            Output(("one two", "http://***@x/")),
            Progress(5, 100, "percent", "Unpacking a", None),
            Done("fine"),
        ]
    assert helper.heard[0]["steps"] == [dict(step) for step in STEPS]
    assert helper.heard[1:] == [{"do": 1}]


async def test_a_failed_step_is_trouble_and_the_line_stays(line_to: Callable[..., Any]) -> None:
    helper = FakeHelper([failed(1)], [done(2)])
    async with line_to(helper) as line:
        with pytest.raises(Trouble, match="it broke"):
            await news(line, 1)
        assert await news(line, 2) == [Done("fine")]


async def test_a_refused_plan_is_trouble_in_the_helpers_own_words(
    line_to: Callable[..., Any],
) -> None:
    helper = FakeHelper(first={**failed(0), "event": "refused"})
    with pytest.raises(Trouble, match="it broke"):
        async with line_to(helper):
            pass


async def test_the_answer_for_another_plan_is_not_taken(line_to: Callable[..., Any]) -> None:
    helper = FakeHelper(first=ready(b"another plan"))
    with pytest.raises(Trouble, match="not the root helper for this plan"):
        async with line_to(helper):
            pass


async def test_a_plan_larger_than_a_pipe_gets_through(
    tmp_path: Path, with_sudo: dict[str, str]
) -> None:
    helper = FakeHelper([])
    steps = [{"verb": "write_file", "content": "x" * 3_000_000}]
    async with open_line(RUN, steps, helper, environ=with_sudo, state=tmp_path):
        assert len(helper.heard[0]["steps"][0]["content"]) == 3_000_000


@pytest.mark.parametrize("code", [1, -2, 127])
async def test_rights_that_are_not_given_are_trouble_with_what_to_run_by_hand(
    tmp_path: Path, with_sudo: dict[str, str], monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    steps = [{"verb": "write_file", "content": "x" * 1_000_000}]  # more than anybody has read
    with pytest.raises(Trouble) as caught:
        async with open_line(
            RUN,
            steps,
            FakeHelper(code=code),
            environ=with_sudo,
            by_hand=("apt-get install x",),
            state=tmp_path,
        ):
            pass
    assert ("interrupted" if code < 0 else f"exit code {code}") in caught.value.happened
    assert "apt-get install x" in caught.value.next_step


async def test_without_sudo_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    helper = FakeHelper()
    with pytest.raises(Trouble, match="sudo is not installed"):
        async with open_line(RUN, STEPS, helper, environ={"PATH": str(tmp_path)}):
            pass
    assert helper.heard == []


def write_events(folder: Path, *events: Event) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(event) + "\n" for event in events)
    with (folder / "events.jsonl").open("a") as file:
        file.write(text)


async def test_a_helper_that_gave_us_up_as_too_slow_is_heard_through_its_file(
    tmp_path: Path, line_to: Callable[..., Any]
) -> None:
    """It drops a pipe that nobody reads in time, and goes on writing its file."""
    plan = first_line(RUN, STEPS)
    earlier = {**ready(b"earlier", GONE), "seq": 1}
    said = [{"event": "output", "step": 1, "lines": [str(n)], "seq": n} for n in (2, 3, 4)]
    write_events(tmp_path / "runs" / RUN, earlier, {**said[0], "lines": ["old"]})
    write_events(tmp_path / "runs" / RUN, ready(plan), *said, {**done(1), "seq": 5})
    helper = FakeHelper([said[0]])
    async with line_to(helper) as line:
        assert await news(line, 1) == [
            Output(("2",)),
            Output(("3",)),
            Output(("4",)),
            Done("fine"),
        ]


async def test_a_helper_that_is_gone_is_trouble_with_the_way_back(
    tmp_path: Path, line_to: Callable[..., Any]
) -> None:
    plan = first_line(RUN, STEPS)
    write_events(tmp_path / "runs" / RUN, ready(plan, GONE))
    helper = FakeHelper([{"event": "started", "step": 1, "seq": 2}], first=ready(plan, GONE))
    async with line_to(helper) as line:
        with pytest.raises(Trouble, match="ended unexpectedly") as caught:
            await news(line, 1)
    assert f"{RUN}/UNDO.sh" in caught.value.next_step


def test_a_line_that_a_crash_cut_off_is_no_event() -> None:
    lines = EventLines()
    assert lines.feed(b'{"event": "done"') == ()
    assert lines.feed(b', "step": 1}\n{"event": ') == ({"event": "done", "step": 1},)
    assert lines.feed(b"\n[1]\n\xff\n") == ()


RUNNING = {"event": "started", "step": 2, "seq": 2}


def test_a_helper_at_work_is_found_and_an_idle_or_dead_one_is_told_apart(tmp_path: Path) -> None:
    assert find_at_work(tmp_path) is None
    folder = tmp_path / "runs" / "a"
    write_events(folder, ready(b"x"), RUNNING)
    found = find_at_work(tmp_path)
    assert found is not None
    assert (found.run, found.step) == ("a", 2)
    write_events(folder, done(2))
    assert (idle := find_at_work(tmp_path)) is not None
    assert idle.step == 0
    write_events(folder, ready(b"x", GONE), RUNNING)
    assert find_at_work(tmp_path) is None
    us = {"event": "program", "step": 2, "pid": OURSELVES, "begun": begun(OURSELVES), "name": "x"}
    write_events(folder, us)
    assert find_at_work(tmp_path) is not None


def test_a_number_that_was_given_again_is_not_the_helper() -> None:
    assert Process(OURSELVES, begun(OURSELVES)).is_alive()
    assert not Process(OURSELVES, begun(OURSELVES) + 1).is_alive()
    assert not GONE.is_alive()


async def watched(folder: Path, then: Callable[[], None]) -> list[News]:
    session = session_in(folder)
    assert session is not None
    found: list[News] = []
    async for each in watch(session):
        found.append(each)
        then()
    return found


async def test_what_is_under_way_is_watched_to_its_end(tmp_path: Path) -> None:
    """The process that stands for the helper ends as soon as the first news was read."""
    stands = await asyncio.create_subprocess_exec("/bin/cat", stdin=asyncio.subprocess.PIPE)
    helper = Process(stands.pid, begun(stands.pid))
    folder = tmp_path / "runs" / "a"
    output = {"event": "output", "step": 2, "lines": ["x"], "seq": 3}
    write_events(folder, ready(b"x", helper), RUNNING, output)

    def end() -> None:
        if stands.stdin is not None and not stands.stdin.is_closing():
            write_events(folder, done(2))
            stands.stdin.close()

    assert await watched(folder, end) == [Output(("x",)), Done("fine")]
    await stands.wait()


async def test_what_never_came_to_an_outcome_is_trouble(tmp_path: Path) -> None:
    write_events(tmp_path / "runs" / "a", ready(b"x", GONE), RUNNING)
    with pytest.raises(Trouble, match="ended unexpectedly") as caught:
        await watched(tmp_path / "runs" / "a", lambda: None)
    assert "during step 2" in caught.value.meaning


async def test_what_fails_while_it_is_watched_is_trouble_once_the_helper_is_gone(
    tmp_path: Path,
) -> None:
    write_events(tmp_path / "runs" / "a", ready(b"x", GONE), RUNNING)
    session = session_in(tmp_path / "runs" / "a")
    assert session is not None
    write_events(tmp_path / "runs" / "a", failed(2))
    with pytest.raises(Trouble, match="it broke"):
        async for _ in watch(session):
            pass


def test_both_ends_know_the_plan_by_the_same_digest_and_speak_the_same_protocol() -> None:
    line = first_line(RUN, STEPS)
    person = Person("owner", 1000, 1000, through_sudo=True)
    assert read_plan(line, person).digest == digest_of(line)
    assert json.loads(line)["schema"] == PROTOCOL
