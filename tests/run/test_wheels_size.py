"""How much a plan would fetch: uv decides, and the servers tell the sizes."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.handmade import clean_jammy
from tests.operations.resolving import UV
from tests.plan.test_planner import plan_for
from tests.run.places import tree
from tests.run.server import Manner, WheelIndex
from tests.run.wheels import make_wheel
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.resolve import Resolve
from wizard.plan.steps import Plan, Step
from wizard.run.preflight import (
    BRINGS_PYTHON,
    NOT_BEFORE,
    NOT_TOLD,
    TOO_LATE,
    WheelsSize,
    wheels_size,
)

MACHINE = clean_jammy()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    make_wheel(folder, "torch", "2.13.0", {}, requires=("numpy",), size=2_000_000)
    make_wheel(folder, "numpy", "1.26.4", {}, size=500_000)
    make_wheel(folder, "pip", "26.0", {})
    make_wheel(folder, "setuptools", "80.0", {})
    return folder


def plan_with(index: str, python: str = sys.executable, uv: str = UV) -> Plan:
    """A plan for this Python, whose packages all come from one index."""

    def here(step: Step) -> Step:
        match step:
            case CreateEnvironment():
                return replace(step, python=python)
            case Resolve():
                manifest = replace(step.manifest, index=index, index_replaces_pypi=False)
                return replace(step, uv=uv, manifest=manifest)
            case _:
                return step

    plan = plan_for(MACHINE, "cpu", torch_index="pip")
    return replace(plan, steps=tuple(map(here, plan.steps)))


def asked(plan: Plan, folder: Path, index: str = "", deadline_s: float = 60) -> WheelsSize:
    """The answer; nothing is left of where it was asked."""
    work = folder / "cache" / "preflight"
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "no_proxy": "127.0.0.1"}
    environ |= {"PIP_INDEX_URL": index} if index else {}
    found = asyncio.run(wheels_size(plan, environ, work, deadline_s))
    assert not work.parent.exists()
    return found


def size_of(folder: Path, *names: str) -> int:
    every = folder.glob("*.whl")
    return sum(wheel.stat().st_size for wheel in every if wheel.name.startswith(names or ("",)))


def brought(house: Path) -> list[Path]:
    """What an environment of this Python gets."""
    late = sys.version_info >= (3, 12)
    return [w for w in house.glob("*.whl") if not (late and w.name.startswith("setuptools"))]


def test_the_sizes_of_all_that_uv_decides_on_are_added_up(tmp_path: Path, house: Path) -> None:
    with WheelIndex(house.glob("*.whl"), metadata=True) as server:
        found = asked(plan_with(""), tmp_path, server.simple)
        assert server.sent() == 0
    wheels = brought(house)
    assert found == WheelsSize(len(wheels), sum(wheel.stat().st_size for wheel in wheels))


def test_what_lies_on_this_machine_is_not_fetched(tmp_path: Path, house: Path) -> None:
    with WheelIndex(house.glob("torch*.whl"), metadata=True) as server:
        (tmp_path / "pip.conf").write_text(f"[global]\nfind-links = {house}\n")
        plan = plan_with(server.simple)
        environ = {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf")}
        work = tmp_path / "cache/preflight"
        environ |= {"PATH": os.environ["PATH"], "PIP_INDEX_URL": server.simple}
        found = asyncio.run(wheels_size(plan, environ, work))
    assert found == WheelsSize(len(brought(house)), size_of(house, "torch"))


def test_where_one_server_does_not_tell_no_number_is_said(tmp_path: Path, house: Path) -> None:
    with WheelIndex(house.glob("*.whl"), metadata=True, manner=Manner(head=False)) as server:
        found = asked(plan_with(""), tmp_path, server.simple)
    assert found == WheelsSize(len(brought(house)), None, NOT_TOLD)


def test_what_cannot_be_met_is_said_and_no_number(tmp_path: Path) -> None:
    with WheelIndex(()) as server:
        found = asked(plan_with(""), tmp_path, server.simple)
    assert found.bytes is None
    assert "not found" in found.because


def test_a_uv_that_does_not_come_to_an_end_is_ended(tmp_path: Path) -> None:
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\nsleep 600\n")
    uv.chmod(0o755)
    plan = plan_with("", uv=str(uv))
    assert asked(plan, tmp_path, "http://127.0.0.1:9", 1.5) == WheelsSize(because=TOO_LATE)


def test_a_python_that_is_not_there_yet_is_not_asked(tmp_path: Path) -> None:
    before = tree(tmp_path)
    plan = plan_with("", python=str(tmp_path / "python3.10"))
    assert asked(plan, tmp_path) == WheelsSize(because=BRINGS_PYTHON)
    assert tree(tmp_path) == before


def test_a_plan_without_packages_has_no_size(tmp_path: Path) -> None:
    plan = plan_with("")
    others = tuple(step for step in plan.steps if not isinstance(step, Resolve))
    assert asked(replace(plan, steps=others), tmp_path) == WheelsSize(because=NOT_BEFORE)


def test_a_disk_that_takes_no_folder_is_said_and_no_number(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    found = asyncio.run(wheels_size(plan_with(""), {}, tmp_path / "cache" / "preflight"))
    assert found.bytes is None
    assert "cache" in found.because
