"""How much a plan would fetch, asked of pip: a stand-in here, the real one in the e2e tests."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.handmade import clean_jammy
from tests.plan.test_existing import plan_for as plan_there
from tests.plan.test_existing import there
from tests.plan.test_planner import plan_for
from tests.run.places import tree
from tests.run.server import Manner, WheelServer
from wizard.plan.steps import CreateVenv, Plan
from wizard.run.wheels_size import (
    BRINGS_PYTHON,
    NOT_BEFORE,
    NOT_TOLD,
    TOO_LATE,
    WHOLE_WHEELS,
    WheelsSize,
    wheels_size,
)

MACHINE = clean_jammy()
TORCH, NUMPY = "torch-2.13.0-py3-none-any.whl", "numpy-1.26.4-py3-none-any.whl"
STAND_IN = """#!/bin/sh
case "$*" in
"-m venv "*)
    mkdir -p "$3/bin" "$3/lib/python3.10/site-packages"
    echo "home = /usr/bin" > "$3/pyvenv.cfg"
    cp "$0" "$3/bin/python" ;;
*--upgrade*) ;;
*--report*)
    {decides}
    while [ "$1" != --report ]; do shift; done
    cp '{report}' "$2" ;;
esac
"""


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def report_of(folder: Path, addresses: list[str]) -> Path:
    """What pip would say of these wheels."""
    install = []
    for address in addresses:
        name, version = address.rpartition("/")[2].split("-")[:2]
        place = {"url": address, "archive_info": {"hashes": {}}}
        install.append({"download_info": place, "metadata": {"name": name, "version": version}})
    report = folder / "said.json"
    report.write_text(json.dumps({"version": "1", "install": install}))
    return report


def plan_with(folder: Path, addresses: list[str], decides: str = ":", name: str = "") -> Plan:
    """A plan whose Python is a stand-in: its pip decides on these wheels."""
    python = folder / (name or "python3.10")
    python.write_text(STAND_IN.format(decides=decides, report=report_of(folder, addresses)))
    python.chmod(0o755)
    plan = plan_for(MACHINE, "cpu", torch_index="pip")
    steps = (replace(s, python=str(python)) if isinstance(s, CreateVenv) else s for s in plan.steps)
    return replace(plan, steps=tuple(steps))


def asked(plan: Plan, folder: Path, deadline_s: float = 20) -> WheelsSize:
    """The answer; nothing is left of where it was asked."""
    work = folder / "cache" / "preflight"
    found = asyncio.run(wheels_size(plan, {"PATH": "/usr/bin:/bin"}, work, deadline_s))
    assert not work.parent.exists()
    return found


def test_the_sizes_of_all_that_pip_decides_on_are_added_up(tmp_path: Path) -> None:
    with WheelServer() as server:
        torch = server.put(f"/{TORCH}", bytes(2_000_000))
        numpy = server.put(f"/{NUMPY}", bytes(500_000))
        found = asked(plan_with(tmp_path, [torch, numpy]), tmp_path)
        assert server.sent() == 0
    assert found == WheelsSize(2, 2_500_000)


def test_what_lies_on_this_machine_is_not_fetched(tmp_path: Path) -> None:
    (tmp_path / NUMPY).write_bytes(bytes(700))
    with WheelServer() as server:
        torch = server.put(f"/{TORCH}", bytes(3_000))
        plan = plan_with(tmp_path, [torch, (tmp_path / NUMPY).as_uri()])
        assert asked(plan, tmp_path) == WheelsSize(2, 3_000)


def test_where_one_server_does_not_tell_no_number_is_said(tmp_path: Path) -> None:
    with WheelServer() as server:
        torch = server.put(f"/{TORCH}", bytes(2_000), Manner(head=False))
        numpy = server.put(f"/{NUMPY}", bytes(500))
        found = asked(plan_with(tmp_path, [torch, numpy]), tmp_path)
    assert found == WheelsSize(2, None, NOT_TOLD)


def test_what_pip_refuses_is_said_and_no_number(tmp_path: Path) -> None:
    says = "echo 'ERROR: No matching distribution found for torch==2.13.0'; exit 1"
    found = asked(plan_with(tmp_path, [], says), tmp_path)
    assert found.bytes is None
    assert "torch==2.13.0" in found.because


def test_a_pip_that_does_not_come_to_an_end_is_ended(tmp_path: Path) -> None:
    assert asked(plan_with(tmp_path, [], "sleep 600"), tmp_path, 0.5) == WheelsSize(
        because=TOO_LATE
    )


@pytest.mark.parametrize(
    ("name", "because"), [("python3.8", WHOLE_WHEELS), ("gone/python3.10", BRINGS_PYTHON)]
)
def test_a_python_that_cannot_tell_is_not_asked(tmp_path: Path, name: str, because: str) -> None:
    (tmp_path / "gone").mkdir()
    plan = plan_with(tmp_path, [], name=name)
    (tmp_path / "gone" / "python3.10").unlink(missing_ok=True)
    before = tree(tmp_path)
    assert asked(plan, tmp_path) == WheelsSize(because=because)
    assert tree(tmp_path) == before


def test_a_disk_that_takes_no_folder_is_said_and_no_number(tmp_path: Path) -> None:
    plan = plan_with(tmp_path, [])
    (tmp_path / "cache").touch()
    found = asyncio.run(wheels_size(plan, {}, tmp_path / "cache" / "preflight"))
    assert found.bytes is None
    assert "cache" in found.because


def test_for_an_environment_that_is_there_it_is_known_only_in_the_run(tmp_path: Path) -> None:
    assert asked(plan_there(there()), tmp_path) == WheelsSize(because=NOT_BEFORE)
