"""What MIOpen is told to search, and which ROCm a torch really runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import HOME, clean_jammy, torch
from wizard.diagnose.checks_torch import families, own_rocm, searching
from wizard.diagnose.finding import Finding, Status
from wizard.machine.facts import Environment, Machine, RocmTree, Setting

VENV = f"{HOME}/venv"


def setting(name: str, value: str, within: str = "") -> Setting:
    return Setting(name, value, f"{HOME}/.bashrc", 7, "", within)


def with_settings(*settings: Setting) -> Machine:
    return replace(clean_jammy(), settings=settings)


def with_rocm(version: str, torch_version: str, *settings: Setting) -> Machine:
    tree = RocmTree(f"/opt/rocm-{version}", version, None, "rocm-core")
    link = RocmTree("/opt/rocm", version, tree.path, "")
    environment = Environment(VENV, "venv", "3.10", torch(torch_version))
    return replace(with_settings(*settings), rocm_trees=(link, tree), environments=(environment,))


@pytest.mark.parametrize(
    ("value", "warned"),
    [("3", True), ("SEARCH", True), ("4", True), ("NONE", False), ("1", False), ("5", False)],
)
def test_a_search_of_everything_is_warned_of(value: str, warned: bool) -> None:
    found = list(searching(with_settings(setting("MIOPEN_FIND_ENFORCE", value))))
    assert [one.status for one in found] == [Status.WARNING] * warned
    assert all(one.evidence[0].where == "~/.bashrc:7" for one in found)


def test_what_one_program_sets_for_itself_is_its_own_affair() -> None:
    assert not list(searching(with_settings(setting("MIOPEN_FIND_ENFORCE", "3", "/app"))))


def test_a_single_solver_may_leave_none() -> None:
    only = setting("MIOPEN_DEBUG_FIND_ONLY_SOLVER", "ConvDirectNaiveConvFwd")
    (one,) = searching(with_settings(only))
    assert (one.cause, one.status) == ("miopen-solver-restricted", Status.WARNING)


ASKED = "the library itself, without a card"


def on_57(*settings: tuple[str, str]) -> Machine:
    """A torch for ROCm 5.7 under the override."""
    told = (setting(*each) for each in (("HSA_OVERRIDE_GFX_VERSION", "10.3.0"), *settings))
    environment = Environment(VENV, "venv", "3.10", torch("2.2.2+rocm5.7"))
    return replace(with_settings(*told), environments=(environment,))


def test_a_single_solver_that_this_release_does_not_offer_is_told_as_the_library_answered() -> None:
    (one,) = searching(on_57(("MIOPEN_DEBUG_FIND_ONLY_SOLVER", "ConvHipImplicitGemmV4R4Fwd")))
    assert (one.cause, one.status, one.grade) == ("miopen-solver-restricted", Status.WARNING, ASKED)
    told = "without AMD's database, MIOpen of ROCm 5.7.0 has no solver left on gfx1030. "
    assert told in one.meaning


def test_a_single_solver_that_is_offered_for_every_layer_is_told_as_before() -> None:
    (one,) = searching(on_57(("MIOPEN_DEBUG_FIND_ONLY_SOLVER", "ConvDirectNaiveConvFwd")))
    assert one.grade == "source code"


OFF = tuple((f"MIOPEN_DEBUG_CONV_{name}", "0") for name in ("GEMM", "WINOGRAD", "DIRECT"))


def test_three_families_switched_off_leave_nothing_and_one_find_mode_brings_a_solver_back() -> None:
    (one,) = families(on_57(*OFF))
    assert (one.status, one.grade) == (Status.WARNING, ASKED)
    assert [each.text for each in one.evidence] == [f"{name}=0" for name, _ in OFF]
    assert "no solver left on gfx1030" in one.meaning
    (one,) = families(on_57(*OFF, ("MIOPEN_FIND_MODE", "NORMAL")))
    assert (one.status, one.grade) == (Status.WARNING, ASKED)
    assert "a solver left for 70 of 192 layers on gfx1030" in one.meaning


def test_one_family_switched_off_is_no_finding() -> None:
    assert not list(families(on_57(OFF[0])))


def told(machine: Machine) -> list[Finding]:
    return list(own_rocm(machine))


def test_a_wheel_beside_another_rocm_is_told_to_run_its_own() -> None:
    (one,) = told(with_rocm("5.2.0", "2.2.2+rocm5.7"))
    assert one.status is Status.OK
    assert one.title == "torch 2.2.2+rocm5.7 uses its own ROCm 5.7, not /opt/rocm-5.2.0"


@pytest.mark.parametrize("version", ["2.2.2+rocm5.7", "2.5.1+cpu", "2.3.0a0+git96dd291"])
def test_nothing_is_said_where_nothing_differs_or_is_known(version: str) -> None:
    assert told(with_rocm("5.7.1", version)) == []


def test_nothing_is_said_of_an_old_wheel_that_a_library_path_may_lead_away() -> None:
    path = setting("LD_LIBRARY_PATH", "/opt/rocm-5.7.1/lib")
    assert told(with_rocm("5.7.1", "1.13.1+rocm5.2", path)) == []
    assert len(told(with_rocm("5.7.1", "1.13.1+rocm5.2"))) == 1
    assert len(told(with_rocm("5.2.0", "2.2.2+rocm5.7", path))) == 1
