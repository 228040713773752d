"""Real uv against an index of our own: what choosing and fetching cost together, in bytes."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.operations.resolving import UV
from tests.run.server import Manner, WheelIndex, make_stand_ins
from wizard.core.trouble import Trouble
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.operation import Operation
from wizard.operations.resolve import Resolve
from wizard.operations.uv_project import Manifest
from wizard.system.system import System

pytestmark = pytest.mark.e2e

REQUIREMENTS = (
    "torch==1.13.1+rocm5.2",
    "torchvision==0.14.1+rocm5.2",
    "torchaudio==0.13.1",
    "numpy<2",
)
CHOSEN = ("numpy-1.26.4", "torch-1.13.1+", "torchaudio-0.13.1+", "torchvision-", "typing_ext")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    return make_stand_ins(tmp_path_factory.mktemp("wheels"), torch_size=8_000_000)


def carry_out(step: Operation, folder: Path) -> str:
    """The outcome of an operation, carried out where nobody configured pip."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "no_proxy": "127.0.0.1"}
    system = System(environ | {"PIP_CONFIG_FILE": os.devnull}, str(folder), lambda: False)

    async def do() -> None:
        async for _ in step.do(system, step.observe()):
            pass

    asyncio.run(do())
    return step.verify({}).text


def choose(folder: Path, index: str = "", wheelhouse: str = "") -> Resolve:
    manifest = Manifest(REQUIREMENTS, index, True, wheelhouse)
    step = Resolve("a test", UV, sys.executable, str(folder), manifest)
    assert carry_out(step, folder).startswith("5 packages: ")
    return step


def fetch(folder: Path, chosen: Resolve) -> set[str]:
    staging = folder / "wheels"
    carry_out(FetchWheels("a test", chosen.lock, str(staging), str(folder / "lock.txt")), folder)
    return {path.name for path in staging.iterdir() if path.suffix == ".whl"}


def needed(wheels: tuple[Path, ...]) -> dict[str, int]:
    """The wheels that the stack needs, and no other: size by name."""
    return {w.name: w.stat().st_size for w in wheels if w.name.startswith(CHOSEN)}


@pytest.mark.parametrize("hashes", [True, False], ids=["hashes", "no hashes"])
@pytest.mark.parametrize(("metadata", "head"), [(True, True), (True, False), (False, True)])
def test_every_wheel_crosses_the_line_once(
    wheels: tuple[Path, ...], tmp_path: Path, metadata: bool, hashes: bool, head: bool
) -> None:
    manner = Manner(head=head)
    with WheelIndex(wheels, hashes=hashes, metadata=metadata, manner=manner) as index:
        chosen = choose(tmp_path, index.simple)
        before = index.sent()
        assert fetch(tmp_path, chosen) == needed(wheels).keys()
        size = sum(needed(wheels).values())
        assert index.sent() <= 1.05 * size
        if metadata:
            assert before == 0
    lock = (tmp_path / "lock.txt").read_text()
    assert "torch==1.13.1+rocm5.2 --hash=sha256:" in lock
    assert "torchaudio==0.13.1+rocm5.2 --hash=sha256:" in lock
    assert "numpy==1.26.4 --hash=sha256:" in lock


def test_a_server_without_metadata_and_without_ranges_sends_wheels_twice(
    wheels: tuple[Path, ...], tmp_path: Path
) -> None:
    with WheelIndex(wheels, manner=Manner(ranges=False)) as index:
        fetch(tmp_path, choose(tmp_path, index.simple))
        assert index.sent() > 1.5 * sum(needed(wheels).values())


def test_a_server_without_metadata_that_refuses_head_is_told(
    wheels: tuple[Path, ...], tmp_path: Path
) -> None:
    index = WheelIndex(wheels, manner=Manner(head=False))
    with index, pytest.raises(Trouble) as trouble:
        choose(tmp_path, index.simple)
    assert "501 Not Implemented" in trouble.value.happened
    assert "HEAD" in trouble.value.meaning


def test_a_folder_of_wheels_needs_no_server(wheels: tuple[Path, ...], tmp_path: Path) -> None:
    chosen = choose(tmp_path, wheelhouse=str(wheels[0].parent))
    assert fetch(tmp_path, chosen) == needed(wheels).keys()
