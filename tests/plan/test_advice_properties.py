"""Advice on machines of every kind: nothing that the facts or a floor forbid, in a fixed order.

What is forbidden is worked out here anew, from the facts and the data alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import InvalidVersion, Version

from tests.handmade import GIGABYTE, HOME, card
from tests.plan.any_machine import STUCK, SUPPLIES, machines
from wizard.knowledge.applications import Application, applications_named, load_applications
from wizard.knowledge.claims import load_claims
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import Disk, Machine, Unknown
from wizard.plan.advice import advise
from wizard.plan.card import chosen_card, target_of
from wizard.plan.fit import Fit, fit
from wizard.plan.ranking import ranked, worth
from wizard.plan.supply import Supply
from wizard.plan.verdict import Verdict
from wizard.plan.weighing import HOPEFUL

STACKS = {stack.id: stack for stack in load_stacks()}
APPLICATIONS = {application.id: application for application in load_applications()}
CLAIM_IDS = {claim.id for claim in load_claims()}
WISHES = st.lists(st.sampled_from(sorted(APPLICATIONS)), unique=True, max_size=4)
NO_UV = Unknown("uv was not found")

HARMS: dict[str, Callable[[Machine], Machine]] = {
    "the card is taken out": lambda m: replace(m, gpus=()),
    "another card is put in": lambda m: replace(m, gpus=(card("gfx1031"),)),
    "the card has little memory": lambda m: replace(
        m, gpus=tuple(replace(gpu, vram_bytes=GIGABYTE) for gpu in m.gpus)
    ),
    "the card is given away": lambda m: replace(
        m, gpus=tuple(replace(gpu, driver="vfio-pci") for gpu in m.gpus)
    ),
    "the disk fills up": lambda m: replace(m, disks=(Disk("/", "/", 500 * GIGABYTE, 0),)),
    "the C library is ancient": lambda m: replace(m, system=replace(m.system, glibc="2.5")),
    "the processor is another": lambda m: replace(
        m, system=replace(m.system, architecture="riscv64")
    ),
    "the memory is gone": lambda m: replace(m, system=replace(m.system, memory_bytes=10**8)),
    "the Pythons are gone": lambda m: replace(m, interpreters=()),
    "uv is gone": lambda m: replace(m, uv=NO_UV),
    "a process hangs": lambda m: replace(m, processes=STUCK),
    "Windows is around": lambda m: replace(
        m, gpus=(), surroundings=m.surroundings._replace(wsl=True)
    ),
}


def forbidden(machine: Machine, stack: Stack, held: Fit) -> str:
    """Which fact forbids a stack, ``""`` for none."""
    system = machine.system
    gfx = target_of(chosen_card(machine))
    disk = next(iter(machine.disks), None)
    inside = (machine.access.home.rstrip("/") + "/").startswith(f"{HOME}/")
    takes = (stack.download_bytes or 0) + (stack.installed_bytes or 0)
    rules = {
        "card": bool(stack.gfx) and gfx not in stack.gfx,
        "processor": bool(stack.gfx) and system.architecture in ("aarch64", "riscv64"),
        "C library": _below(system.glibc, stack.glibc_floor),
        "disk": disk is not None and inside and takes > disk.free_bytes,
        "Python": _minor(machine, held.python) not in stack.pythons,
    }
    return ", ".join(name for name, broken in rules.items() if broken)


def refused(machine: Machine, application: Application, stack: Stack, held: Fit) -> bool:
    """True when no release of an application takes this torch and this Python."""
    torch = Version(Version(stack.torch).public)
    minor = Version(_minor(machine, held.python))
    floors = [(application.torch_floor, application.python_floor)]
    floors += [(older.torch_floor, older.python_floor) for older in application.older]
    ceiling = Version(application.python_ceiling or "99")
    return minor > ceiling or not any(
        torch >= Version(low or "0") and minor >= Version(oldest or "0") for low, oldest in floors
    )


def too_little(machine: Machine, application: Application, stack: Stack) -> bool:
    """True when the card is known to have much less memory than an application asks for."""
    found = chosen_card(machine)
    if not stack.gfx or found is None or isinstance(found.vram_bytes, Unknown):
        return False
    return found.vram_bytes < (application.vram_bytes or 0) * 0.8


def _below(version: str | Unknown, floor: str) -> bool:
    if isinstance(version, Unknown):
        return False
    try:
        return Version(version) < Version(floor)
    except InvalidVersion:
        return False


def _minor(machine: Machine, python: str) -> str:
    versions = {each.path: each.version for each in machine.interpreters}
    found = versions.get(python, python.removeprefix("uv:"))
    return ".".join(found.split(".")[:2])


@settings(max_examples=200, deadline=None)
@given(machine=machines(), ids=WISHES, supply=SUPPLIES)
def test_no_machine_gets_advice_that_its_facts_or_a_floor_forbid(
    machine: Machine, ids: list[str], supply: Supply
) -> None:
    asked = applications_named(tuple(ids) or ("own",))
    for road in advise(machine, tuple(ids), supply=supply).roads:
        stack = STACKS[road.fit.stack]
        assert [cell.application for cell in road.fit.cells] == [each.id for each in asked]
        if road.fit.possible:
            assert not forbidden(machine, stack, road.fit)
        for cell, application in zip(road.fit.cells, asked, strict=True):
            if cell.verdict is not Verdict.NO:
                assert road.fit.possible
                assert not refused(machine, application, stack, road.fit)
            if too_little(machine, application, stack):
                assert cell.verdict not in HOPEFUL


@settings(max_examples=100, deadline=None)
@given(machine=machines(), ids=WISHES, supply=SUPPLIES)
def test_everything_said_has_its_reason_and_every_obstacle_its_mend(
    machine: Machine, ids: list[str], supply: Supply
) -> None:
    advice = advise(machine, tuple(ids), supply=supply)

    assert advice.headline
    for road in advice.roads:
        found = road.fit
        assert road.why
        assert found.possible is not bool(found.obstacles)
        assert len(found.obstacles) == len(found.mends)
        for text, mend in zip(found.obstacles, found.mends, strict=True):
            assert len(mend) > 10
            assert text.endswith(f"; {mend}")
        for cell in found.cells:
            assert cell.because
            assert set(cell.claims) <= CLAIM_IDS


@settings(max_examples=80, deadline=None)
@given(machine=machines(), ids=WISHES, data=st.data())
def test_the_order_is_total_and_the_same_from_every_start(
    machine: Machine, ids: list[str], data: st.DataObject
) -> None:
    asked = applications_named(tuple(ids) or ("own",))
    fits = tuple(fit(machine, asked, stack) for stack in STACKS.values())
    counting = [each.id for each in asked]
    order = ranked(fits, STACKS, counting)

    assert ranked(tuple(data.draw(st.permutations(fits))), STACKS, counting) == order
    assert {each.stack for each in order} == set(STACKS)
    opened = [each.possible for each in order]
    assert opened == sorted(opened, reverse=True)
    worths = [worth(each, STACKS[each.stack], counting) for each in order if each.possible]
    assert worths == sorted(worths, reverse=True)


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
@settings(max_examples=25, deadline=None)
@given(machine=machines(), wish=st.sampled_from(sorted(APPLICATIONS)))
def test_no_harm_makes_a_road_better(
    harm: Callable[[Machine], Machine], machine: Machine, wish: str
) -> None:
    """With one wish: of two that share no Python, one gains when the Python of the other goes."""
    asked, counting = applications_named((wish,)), (wish,)
    for stack in STACKS.values():
        before, after = fit(machine, asked, stack), fit(harm(machine), asked, stack)
        assert after.possible <= before.possible
        assert worth(after, stack, counting) <= worth(before, stack, counting)


@settings(max_examples=60, deadline=None)
@given(machine=machines())
def test_no_card_means_that_only_the_processor_is_open(machine: Machine) -> None:
    bare = replace(machine, gpus=())
    assert [r.fit.stack for r in advise(bare, ("own",)).roads if r.fit.possible] in (["cpu"], [])
