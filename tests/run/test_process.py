"""A child's output arrives as it comes, and its end is never waited for without limit."""

import asyncio
import os
import signal
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from wizard.core.process import Exited, child_environment, stream
from wizard.core.trouble import Trouble

ENVIRONMENT = child_environment(os.environ, ())


async def collect(*argv: str, deadline_s: float = 20) -> tuple[list[str], int]:
    lines: list[str] = []
    async with aclosing(stream(argv, environment=ENVIRONMENT, deadline_s=deadline_s)) as output:
        async for item in output:
            if isinstance(item, Exited):
                return lines, item.code
            lines += item
    raise AssertionError("no exit code came")


async def test_output_of_both_streams_comes_in_order_with_the_exit_code() -> None:
    program = "import sys; print('a', flush=True); print('b', file=sys.stderr); sys.exit(3)"
    assert await collect(sys.executable, "-c", program) == (["a", "b"], 3)


async def test_a_program_past_its_deadline_is_ended_and_named() -> None:
    with pytest.raises(Trouble, match=r"did not finish within 0 s"):
        await collect(sys.executable, "-c", "import time; time.sleep(60)", deadline_s=0.4)


async def test_a_missing_program_is_trouble_and_no_traceback() -> None:
    with pytest.raises(Trouble, match=r"/no/such/program could not be started"):
        await collect("/no/such/program")


async def test_a_child_that_asks_gets_no_terminal_and_no_input() -> None:
    program = (
        "import os, sys\n"
        "print(repr(sys.stdin.read()))\n"
        "try: os.open('/dev/tty', os.O_RDWR)\n"
        "except OSError: print('no terminal')\n"
    )
    assert (await collect(sys.executable, "-c", program))[0] == ["''", "no terminal"]


async def test_closing_the_stream_ends_the_whole_session_of_the_child() -> None:
    program = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    argv = (sys.executable, "-c", program)
    async with aclosing(stream(argv, environment=ENVIRONMENT, deadline_s=30)) as output:
        first = await anext(output)
    assert isinstance(first, tuple)
    await _gone(int(first[0]))


async def _gone(pid: int) -> None:
    for _ in range(200):
        try:
            with open(f"/proc/{pid}/stat") as stat:  # noqa: ASYNC230, PTH123 - a proc file
                if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return
        except FileNotFoundError:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"process {pid} is still there")


async def test_a_child_dies_with_the_process_that_started_it() -> None:
    waiting = "import time; print('here', flush=True); time.sleep(60)"
    program = (
        "import asyncio, os, sys\n"
        "from wizard.core.process import child_environment, stream\n"
        "async def main():\n"
        f"    argv = (sys.executable, '-c', {waiting!r})\n"
        "    env = child_environment(os.environ, ())\n"
        "    async for lines in stream(argv, environment=env, deadline_s=60):\n"
        "        children = open(f'/proc/self/task/{os.getpid()}/children').read()\n"
        "        print(children, flush=True)\n"
        "        os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    starter = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE, env=environment
    )
    output, _ = await asyncio.wait_for(starter.communicate(), 20)
    await _gone(int(output.split()[0]))


def test_variables_that_mislead_pip_do_not_reach_a_child() -> None:
    given = {"PATH": "/bin", "PYTHONPATH": "/x", "PIP_TARGET": "/y", "PIP_INDEX_URL": "z"}
    made = child_environment(given, (("A", "1"),))
    assert "PYTHONPATH" not in made
    assert "PIP_TARGET" not in made
    assert "PIP_INDEX_URL" not in made
    assert made["A"] == "1"


GRANDCHILD = (
    "import subprocess, sys\n"
    "argv = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
    "child = subprocess.Popen(argv, start_new_session=True)\n"
    "print(child.pid, flush=True)\n"
)
"""Leaves a child in another session, with our pipe in its hands."""


async def test_a_grandchild_that_keeps_the_pipe_does_not_keep_us_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wizard.core.process.LAST_WORDS_S", 0.2)
    lines, code = await asyncio.wait_for(collect(sys.executable, "-c", GRANDCHILD), 10)
    os.kill(int(lines[0]), signal.SIGKILL)
    assert code == 0


async def test_a_grandchild_that_keeps_the_pipe_does_not_make_its_parent_look_unkillable(
    tmp_path: Path,
) -> None:
    note = tmp_path / "pid"
    waiting = f"open({str(note)!r}, 'w').write(str(child.pid)); import time; time.sleep(60)\n"
    with pytest.raises(Trouble, match=r"did not finish within"):
        await collect(sys.executable, "-c", GRANDCHILD + waiting, deadline_s=1)
    os.kill(int(note.read_text()), signal.SIGKILL)


async def test_a_program_that_ignores_the_request_to_end_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wizard.core.process.PATIENCE_S", 0.2)
    program = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(os.getpid(), flush=True)\n"
        "time.sleep(60)\n"
    )
    argv = (sys.executable, "-c", program)
    async with aclosing(stream(argv, environment=ENVIRONMENT, deadline_s=30)) as output:
        first = await anext(output)
    assert isinstance(first, tuple)
    await _gone(int(first[0]))


async def test_a_login_in_an_argument_is_not_repeated_when_the_program_is_too_slow() -> None:
    with pytest.raises(Trouble) as caught:
        await collect("sh", "-c", "sleep 60", "x", "https://me:hunter2@host/", deadline_s=0.2)
    assert "hunter2" not in caught.value.happened
