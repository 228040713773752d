"""While uv installs and says nothing, the disk tells what it is at and how far it is."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from tests.run.places import plan_of
from tests.run.test_live import ending, live, two_steps
from tests.run.wheels import make_wheel
from wizard.core.events import Event, Output, Progress
from wizard.operations.install_wheels import InstallWheels, Unpacking, with_looks

PACKAGES = "lib/python3.10/site-packages"


def wheels(folder: Path) -> Path:
    """A folder with two wheels."""
    files = {"big/__init__.py": "x = 1\n", "big/data.bin": "d" * 90_000}
    make_wheel(folder / "wheels", "big", "2.0+cpu", files)
    return make_wheel(folder / "wheels", "small", "1.0", {"small.py": "y"}).parent


def venv(folder: Path) -> Path:
    packages = folder / "venv" / PACKAGES
    packages.mkdir(parents=True)
    return packages


def put(packages: Path, path: str, text: str) -> None:
    (packages / path).parent.mkdir(exist_ok=True)
    (packages / path).write_text(text)


def step_in(folder: Path) -> InstallWheels:
    venv, staging, lock = (str(folder / name) for name in ("venv", "wheels", "no"))
    return InstallWheels("x", "/opt/uv", venv, staging, lock)


def test_it_begins_with_what_there_is_to_install(tmp_path: Path) -> None:
    venv(tmp_path)
    wheels(tmp_path)
    (first, _) = Unpacking(step_in(tmp_path)).beginning().lines
    assert first.startswith("Installing 2 packages, 90 kB on disk: big 2.0+cpu, small 1.0")


def test_what_uv_unpacks_and_compiles_is_told_by_the_time_that_it_takes(tmp_path: Path) -> None:
    packages = venv(tmp_path)
    put(packages, "__pycache__/other.cpython-310.pyc", "compiled before")
    wheels(tmp_path)
    step = step_in(tmp_path)
    cache = Path(step.cache)
    unpacking = Unpacking(step)
    assert unpacking.beginning().lines[0].startswith("Installing 2 packages, 90 kB on disk: big")
    assert unpacking.look() == Progress(0, 100, "percent", "unpacking 2 packages", None)

    (cache / ".tmp/big").mkdir(parents=True)
    (cache / ".tmp/big/data.bin").write_text("d" * 200_000)  # it writes more than the wheels hold
    unpacked = unpacking.look()
    assert (unpacked.what, unpacked.total) == ("unpacking 2 packages", 100)
    (packages / "big/__pycache__").mkdir(parents=True)
    put(packages, "big/__pycache__/__init__.cpython-310.pyc", "compiled")
    compiling = unpacking.look()
    assert compiling.what == "compiling 2 Python files"
    assert unpacked.done < compiling.done < compiling.total
    put(packages, "__pycache__/small.cpython-310.pyc", "compiled")
    last = unpacking.look()
    assert last.done == last.total


async def test_looks_come_while_nothing_else_does_and_the_output_stays_in_order() -> None:
    looked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def look() -> Progress:
        loop.call_soon_threadsafe(looked.set)
        return Progress(1, 2, "bytes", "big", None)

    async def outputs() -> AsyncGenerator[Output, None]:
        yield Output(("first",))
        await looked.wait()
        yield Output(("last",))

    news = [each async for each in with_looks(outputs(), look, 0.01)]
    assert [each for each in news if isinstance(each, Output)] == [
        Output(("first",)),
        Output(("last",)),
    ]
    assert Progress(1, 2, "bytes", "big", None) in news[1:-1]


async def test_closing_it_ends_the_program_behind_it() -> None:
    ended = asyncio.Event()

    async def outputs() -> AsyncGenerator[Output, None]:
        try:
            yield Output(("first",))
            await asyncio.Event().wait()
        finally:
            ended.set()

    one = Progress(1, 2, "bytes", "big", None)
    async with aclosing(with_looks(outputs(), lambda: one, 0.01)) as news:
        await anext(news)
    assert ended.is_set()


async def test_a_silent_uv_is_watched_and_the_run_goes_on(tmp_path: Path) -> None:
    venv(tmp_path)
    staging, door, uv = wheels(tmp_path), tmp_path / "door", tmp_path / "uv"
    os.mkfifo(door)
    step = replace(step_in(tmp_path), uv=str(uv), staging=str(staging))
    uv.write_text(
        f'#!/bin/sh\n[ "$2" = install ] || exit 0\nmkdir -p {step.cache}\n'
        f"echo half > {step.cache}/data.bin\ncat {door}\n"
    )
    uv.chmod(0o755)
    seen: list[Event] = []
    opened = False
    plan = plan_of(tmp_path, two_steps(tmp_path).steps[0], step)
    async with aclosing(live(tmp_path).carry_out(plan)) as events:
        async for event in events:
            seen.append(event)
            if isinstance(event, Progress) and not opened:
                opened = True
                door.write_text("")
    assert ending(seen).ok
    assert any(e.what == "unpacking 2 packages" for e in seen if isinstance(e, Progress))
    assert any("Installing 2 packages" in e.lines[0] for e in seen if isinstance(e, Output))
