"""Which wheels a plan is asked for, and what becomes of the answer: refused, noted, or nothing."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.handmade import clean_jammy
from tests.plan.index_servers import Listener, never, status, stocked
from tests.plan.test_existing import plan_for as plan_there
from tests.plan.test_existing import there
from tests.plan.test_planner import plan_for
from tests.plan.wheels_asked import QUICK, WHEELS
from tests.run.places import places_below
from tests.run.server import WheelServer
from wizard.host.environment import Target
from wizard.host.live import LiveHost
from wizard.plan.steps import Plan
from wizard.plan.wheel_index import Wheels, WheelsSought, seek_wheels, wheels_of
from wizard.run.journal import Journal
from wizard.services.plans import Plans

pytestmark = pytest.mark.usefixtures("plain_network")
MACHINE = clean_jammy()
WANTED = tuple(f"{wheel.split('-')[0]}=={wheel.split('-')[1]}" for wheel in WHEELS)


def sought(plan: Plan, home: Path, **environ: str) -> WheelsSought:
    return asyncio.run(seek_wheels(plan, MACHINE, {"HOME": str(home), **environ}, QUICK))


def test_a_new_venv_is_asked_for_with_the_python_that_makes_it() -> None:
    found = wheels_of(plan_for(MACHINE), MACHINE)
    index = "https://download.pytorch.org/whl/rocm5.2"
    assert found == Wheels(index, False, WANTED, Target("3.10", str(MACHINE.system.glibc)))


def test_a_python_that_uv_brings_is_known_by_its_number() -> None:
    bare = replace(MACHINE, interpreters=())
    found = wheels_of(plan_for(bare), bare)
    assert found is not None
    assert found.target.python == "3.10"


def test_an_environment_that_is_there_is_asked_for_with_its_own_python() -> None:
    found = wheels_of(plan_there(there()), MACHINE)
    assert found is not None
    assert (found.requirements, found.target.python) == (WANTED, "3.10")


def test_the_wheels_of_the_card_s_own_target_are_asked_for() -> None:
    found = wheels_of(plan_for(MACHINE, "native"), MACHINE)
    assert found is not None
    assert found.requirements[0] == "torch[device-gfx1010]"


def test_a_folder_of_wheels_goes_before_every_index() -> None:
    found = wheels_of(plan_for(MACHINE, wheelhouse="/house"), MACHINE)
    assert found is not None
    assert (found.place, found.in_folder) == ("/house", True)


@pytest.mark.parametrize("index", ["pip", "file:///mirror/simple"])
def test_where_pip_alone_can_say_nobody_is_asked(index: str) -> None:
    assert wheels_of(plan_for(MACHINE, torch_index=index), MACHINE) is None


def test_what_is_still_listed_is_told_with_no_word(tmp_path: Path) -> None:
    with WheelServer() as server:
        plan = plan_for(MACHINE, torch_index=stocked(server, WHEELS))
        assert sought(plan, tmp_path) == WheelsSought()


def test_what_is_gone_is_refused_with_what_to_do_and_without_the_login(tmp_path: Path) -> None:
    with WheelServer() as server:
        index = stocked(server, WHEELS[1:]).replace("http://", "http://me:geheim@")
        found = sought(plan_for(MACHINE, torch_index=index), tmp_path)
    assert found.refusal is not None
    assert "127.0.0.1 answered HTTP 404" in found.refusal.happened
    assert "Nothing was changed" in found.refusal.meaning
    assert "--torch-index URL" in found.refusal.next_step
    assert "geheim" not in str(found)


def test_other_addresses_of_the_same_wheels_are_named(tmp_path: Path) -> None:
    with WheelServer() as server:
        found = sought(plan_for(MACHINE, "native", torch_index=server.url("/simple")), tmp_path)
    assert found.refusal is not None
    assert "These indexes had the same wheels: https://" in found.refusal.next_step


def test_a_folder_without_them_is_refused(tmp_path: Path) -> None:
    found = sought(plan_for(MACHINE, wheelhouse=str(tmp_path)), tmp_path)
    assert found.refusal is not None
    assert f"{tmp_path} has no torch==1.13.1+rocm5.2" in found.refusal.happened
    assert "rdna1-setup fetch" in found.refusal.next_step


def test_who_could_not_be_asked_is_named_and_nothing_is_refused(tmp_path: Path) -> None:
    with Listener(status("503 Service Unavailable")) as server:
        index = server.address.replace("http://", "http://me:geheim@")
        found = sought(plan_for(MACHINE, torch_index=index), tmp_path)
    assert found.refusal is None
    assert found.note.startswith("rdna1-setup could not check whether 127.0.0.1 has the wheels. ")
    assert "503" in found.note
    assert "geheim" not in found.note


@pytest.mark.parametrize("where", ["variable", "file"])
@pytest.mark.parametrize("stack", ["rocm52", "cpu"])
def test_what_an_index_lacks_is_a_note_where_pip_s_other_places_serve_torch_too(
    tmp_path: Path, where: str, stack: str
) -> None:
    settings = tmp_path / ".config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True)
    if where == "file":
        settings.write_text("[global]\nextra-index-url = https://mirror.example/simple\n")
    more = {"PIP_FIND_LINKS": "/wheels"} if where == "variable" else {}
    with WheelServer() as server:
        plan = plan_for(MACHINE, stack, torch_index=server.url("/simple"))
        found = sought(plan, tmp_path, **more)
    if stack == "cpu":  # whose index stands for PyPI
        assert found.refusal is None
        assert "other package sources too" in found.note
    else:  # torch comes from that index alone
        assert found.refusal is not None


def test_a_setting_of_pip_that_cannot_be_followed_is_refused_before_anything_happens(
    tmp_path: Path,
) -> None:
    found = sought(plan_for(MACHINE, torch_index="pip"), tmp_path, PIP_NO_BINARY="torch")
    assert found.refusal is not None
    assert "PIP_NO_BINARY=torch" in found.refusal.happened
    house = plan_for(MACHINE, wheelhouse=str(tmp_path))
    told = sought(house, tmp_path, PIP_NO_BINARY="torch").refusal
    assert told is None or "PIP_NO_BINARY" not in told.happened


def test_for_a_run_that_waits_nobody_is_asked(tmp_path: Path) -> None:
    with Listener(never) as server:
        plan, places = plan_for(MACHINE, torch_index=server.address), places_below(tmp_path)
        Path(places.runs).mkdir(parents=True)
        Journal(Path(places.runs) / "one").begin(plan, "2026-01-01T00:00:00+00:00")
        plans = Plans(argparse.Namespace(), LiveHost({"HOME": str(tmp_path)}))
        assert asyncio.run(plans.seek_wheels(plan, MACHINE)) == WheelsSought()
        assert server.connections == 0
