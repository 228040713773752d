"""Real pip against an index of our own: what resolving and fetching cost together, in bytes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.handmade import clean_jammy
from tests.plan.test_planner import plan_for
from tests.run.server import Manner, WheelIndex, make_stand_ins
from tests.system.fetching import never
from wizard.plan.resolve import resolve_argv, second_try
from wizard.plan.steps import CreateVenv, FetchWheels, InstallWheels, RunProgram, Step
from wizard.run.pip_report import fetch_reported, read_report
from wizard.run.wheels_size import WheelsSize, wheels_size

pytestmark = pytest.mark.e2e

REQUIREMENTS = (
    "torch==1.13.1+rocm5.2",
    "torchvision==0.14.1+rocm5.2",
    "torchaudio==0.13.1",
    "numpy<2",
)
CHOSEN = ("numpy-1.26.4", "torch-1.13.1+", "torchaudio-0.13.1+", "torchvision-", "typing_ext")
LAST_FOR_PYTHON_3_8 = "25.0.1"


def venv_with(folder: Path, pip: str) -> str:
    """A venv with this pip from the package index; its Python."""
    subprocess.run((sys.executable, "-m", "venv", str(folder)), check=True)
    python = str(folder / "bin/python")
    upgrade = (python, "-m", "pip", "install", "--quiet", "--upgrade", pip)
    subprocess.run(upgrade, check=True, stdin=subprocess.DEVNULL)
    return python


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    return venv_with(tmp_path_factory.mktemp("new") / "venv", "pip")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    return make_stand_ins(tmp_path_factory.mktemp("wheels"), torch_size=8_000_000)


@pytest.fixture(autouse=True)
def _plain_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """pip as on a machine where nobody configured it; the index is reached directly."""
    for name in tuple(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def run(argv: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def argv_for(
    python: str, folder: Path, *, index: str = "", wheelhouse: str = ""
) -> tuple[str, ...]:
    return resolve_argv(
        python,
        REQUIREMENTS,
        index=index,
        index_replaces_pypi=True,
        torch_index="",
        wheelhouse=wheelhouse,
        report=str(folder / "report.json"),
    )


def steps(python: str, folder: Path) -> tuple[FetchWheels, InstallWheels]:
    report, staging, lock = (str(folder / name) for name in ("report.json", "wheels", "lock.txt"))
    return (
        FetchWheels("a test", report, staging, lock, "nothing"),
        InstallWheels("a test", python, str(folder), staging, lock, "nothing"),
    )


def fetched(step: FetchWheels) -> None:
    for _ in fetch_reported(step, cancelled=never, environ=os.environ):
        pass


def size_of(wheels: tuple[Path, ...]) -> int:
    """Bytes of the wheels that the stack needs, and of no other."""
    needed = [path for path in wheels if path.name.startswith(CHOSEN)]
    assert len(needed) == len(CHOSEN)
    return sum(path.stat().st_size for path in needed)


@pytest.mark.parametrize("metadata", [True, False], ids=["PEP 658", "no metadata"])
@pytest.mark.parametrize("hashes", [True, False], ids=["hashes", "no hashes"])
def test_every_wheel_crosses_the_line_once(
    python: str, wheels: tuple[Path, ...], tmp_path: Path, metadata: bool, hashes: bool
) -> None:
    with WheelIndex(wheels, hashes=hashes, metadata=metadata) as index:
        done = run(argv_for(python, tmp_path, index=index.simple))
        assert done.returncode == 0, done.stderr
        fetch, _ = steps(python, tmp_path)
        fetched(fetch)
        assert index.sent() <= 1.05 * size_of(wheels)
    lock = (tmp_path / "lock.txt").read_text()
    assert "torch==1.13.1+rocm5.2 --hash=sha256:" in lock
    assert "torchaudio==0.13.1+rocm5.2 --hash=sha256:" in lock
    assert "numpy==1.26.4 --hash=sha256:" in lock


def test_what_was_fetched_installs_without_the_index(
    wheels: tuple[Path, ...], tmp_path: Path
) -> None:
    python = venv_with(tmp_path / "venv", "pip")
    with WheelIndex(wheels) as index:
        assert run(argv_for(python, tmp_path, index=index.simple)).returncode == 0
        fetch, install = steps(python, tmp_path)
        fetched(fetch)
    done = run(install.argv)
    assert done.returncode == 0, done.stderr
    assert run((python, "-c", "import torch; print(torch.__version__)")).stdout == (
        "1.13.1+rocm5.2\n"
    )
    assert run((python, "-m", "pip", "check")).returncode == 0


def test_pip_says_how_much_it_would_fetch_and_fetches_none_of_it(
    wheels: tuple[Path, ...], tmp_path: Path
) -> None:
    with WheelIndex(wheels, metadata=True) as index:
        plan = plan_for(clean_jammy(), torch_index=index.simple)
        steps = tuple(here(step) for step in plan.steps)
        found = asyncio.run(wheels_size(replace(plan, steps=steps), os.environ, tmp_path / "asks"))
        assert found == WheelsSize(len(CHOSEN), size_of(wheels))
        assert index.sent() == 0
    assert not (tmp_path / "asks").exists()


def here(step: Step) -> Step:
    """The step with our Python, and with the index of the test alone."""
    if isinstance(step, CreateVenv):
        return replace(step, python=sys.executable)
    if isinstance(step, RunProgram):
        words = (word.replace("--extra-index-url", "--index-url") for word in step.argv)
        return replace(step, argv=tuple(words))
    return step


def test_a_folder_of_wheels_needs_no_server(
    python: str, wheels: tuple[Path, ...], tmp_path: Path
) -> None:
    done = run(argv_for(python, tmp_path, wheelhouse=str(wheels[0].parent)))
    assert done.returncode == 0, done.stderr
    fetch, _ = steps(python, tmp_path)
    fetched(fetch)
    staged = {path.name for path in (tmp_path / "wheels").iterdir()}
    assert staged == {path.name for path in wheels if path.name.startswith(CHOSEN)}


def test_a_server_that_refuses_head_needs_the_second_try(
    python: str, wheels: tuple[Path, ...], tmp_path: Path
) -> None:
    with WheelIndex(wheels, manner=Manner(head=False)) as index:
        argv = argv_for(python, tmp_path, index=index.simple)
        assert run(argv).returncode != 0
        assert run(second_try(argv)).returncode == 0
    assert len(read_report(tmp_path / "report.json")) == len(CHOSEN)


def test_the_last_pip_for_python_3_8_fetches_every_wheel_while_it_resolves(
    wheels: tuple[Path, ...], tmp_path: Path
) -> None:
    python = venv_with(tmp_path / "venv", f"pip=={LAST_FOR_PYTHON_3_8}")
    with WheelIndex(wheels, metadata=True) as index:
        assert run(argv_for(python, tmp_path, index=index.simple)).returncode == 0
        assert index.sent() >= size_of(wheels)
