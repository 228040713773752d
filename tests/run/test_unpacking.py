"""While pip installs and says nothing, the disk tells what it is at and how far it is."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from tests.run.places import plan_of
from tests.run.test_live import ending, live, two_steps
from tests.run.wheels import make_wheel
from wizard.core.events import Event, Output, Progress
from wizard.plan.steps import InstallWheels
from wizard.run.environment.unpacking import News, Unpacking, UnpackingAtOnce, parcels, with_looks

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


def lines(news: News) -> list[str]:
    return [line for each in news if isinstance(each, Output) for line in each.lines]


def progress(news: News) -> Progress:
    (found,) = (each for each in news if isinstance(each, Progress))
    return found


def step_in(folder: Path, uv: str = "") -> InstallWheels:
    return InstallWheels(
        "x", "", str(folder / "venv"), str(folder / "wheels"), str(folder / "no"), "y", uv=uv
    )


def unpacking_in(folder: Path) -> Unpacking:
    wheels(folder)
    return Unpacking(parcels(step_in(folder)))


def test_it_begins_with_what_there_is_to_install(tmp_path: Path) -> None:
    venv(tmp_path)
    (first, _) = unpacking_in(tmp_path).beginning().lines
    assert first.startswith("Installing 2 packages, 90 kB on disk: big 2.0+cpu, small 1.0")


def test_each_look_tells_what_is_new_and_how_far_all_of_it_is(tmp_path: Path) -> None:
    packages = venv(tmp_path)
    unpacking = unpacking_in(tmp_path)
    nothing = unpacking.look()
    assert (lines(nothing), progress(nothing).done) == ([], 0)

    put(packages, "big/data.bin", "d" * 45_000)
    half = unpacking.look()
    assert lines(half) == ["big 2.0+cpu: unpacking 4 files, 90 kB"]
    assert progress(half).done == 45_000
    assert progress(half).what == "big 2.0+cpu: unpacking 4 files, 90 kB"
    assert lines(unpacking.look()) == []

    put(packages, "big/data.bin", "d" * 90_000)
    put(packages, "big/__init__.py", "x = 1\n")
    put(packages, "big-2.0+cpu.dist-info/METADATA", "m" * 200)
    put(packages, "big-2.0+cpu.dist-info/WHEEL", "w" * 200)
    assert lines(unpacking.look()) == ["big 2.0+cpu: compiling 1 Python file"]

    put(packages, "big-2.0+cpu.dist-info/INSTALLER", "pip\n")
    after = progress(unpacking.look())
    assert after.done < after.total
    put(packages, "small-1.0.dist-info/INSTALLER", "pip\n")
    last = progress(unpacking.look())
    assert last.done == last.total


def test_what_another_version_left_is_not_taken_for_what_pip_is_at(tmp_path: Path) -> None:
    packages, staging = venv(tmp_path), wheels(tmp_path)
    make_wheel(staging, "aged", "2.0", {"aged.py": "a = 2\n"})
    put(packages, "aged.py", "a = 1\n")
    unpacking = Unpacking(parcels(step_in(tmp_path)))
    assert lines(unpacking.look()) == []

    put(packages, "big/data.bin", "d" * 45_000)
    assert lines(unpacking.look()) == ["big 2.0+cpu: unpacking 4 files, 90 kB"]


def test_what_uv_unpacks_and_compiles_is_told_in_bytes_of_all_wheels(tmp_path: Path) -> None:
    packages = venv(tmp_path)
    put(packages, "__pycache__/other.cpython-310.pyc", "compiled before")
    wheels(tmp_path)
    step = step_in(tmp_path, uv="/opt/uv")
    cache = Path(step.cache)
    unpacking = UnpackingAtOnce(parcels(step), cache)
    assert unpacking.beginning().lines[0].startswith("Installing 2 packages, 90 kB on disk: big")
    assert progress(unpacking.look()).done == 0

    (cache / ".tmp/big").mkdir(parents=True)
    (cache / ".tmp/big/data.bin").write_text("d" * 45_000)
    half = progress(unpacking.look())
    assert (half.done, half.what) == (45_000, "unpacking 2 packages")

    (cache / ".tmp/big/data.bin").write_text("d" * 200_000)  # it writes more than the wheels hold
    unpacked = progress(unpacking.look())
    assert unpacked.done < unpacked.total
    (packages / "big/__pycache__").mkdir(parents=True)
    put(packages, "big/__pycache__/__init__.cpython-310.pyc", "compiled")
    compiling = progress(unpacking.look())
    assert compiling.what == "compiling 2 Python files"
    assert unpacked.done < compiling.done < compiling.total
    put(packages, "__pycache__/small.cpython-310.pyc", "compiled")
    last = progress(unpacking.look())
    assert last.done == last.total


async def test_looks_come_while_nothing_else_does_and_the_output_stays_in_order() -> None:
    looked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def look() -> News:
        loop.call_soon_threadsafe(looked.set)
        return (Progress(1, 2, "bytes", "big", None),)

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

    async with aclosing(with_looks(outputs(), tuple, 0.01)) as news:
        await anext(news)
    assert ended.is_set()


async def test_a_silent_pip_is_watched_and_the_run_goes_on(tmp_path: Path) -> None:
    door = tmp_path / "door"
    os.mkfifo(door)
    big = f"{tmp_path}/venv/{PACKAGES}/big"
    pip = tmp_path / "pip"
    pip.write_text(
        f'#!/bin/sh\ncase "$3" in install) mkdir -p {big}; echo half > {big}/data.bin; cat {door};;'
        " esac\n"
    )
    pip.chmod(0o755)
    step = InstallWheels(
        "x", str(pip), str(tmp_path / "venv"), str(wheels(tmp_path)), str(tmp_path / "no"), "y"
    )
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
    assert Output(("big 2.0+cpu: unpacking 4 files, 90 kB",)) in seen
    assert any("Installing 2 packages" in e.lines[0] for e in seen if isinstance(e, Output))
