"""On machines of every kind nothing is recommended that the facts or a floor forbid.

What is forbidden is worked out here anew, from the facts and the data alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import InvalidVersion, Version

from tests.advice.any_machine import STUCK, machines
from tests.handmade import GIGABYTE, card
from wizard.advice.card import chosen_card, target_of
from wizard.advice.fit import Fit, fit
from wizard.advice.recommend import in_order, recommend, worst_first
from wizard.core.fact import Unknown
from wizard.host.host import Disk
from wizard.knowledge.applications import Application, applications_named, load_applications
from wizard.knowledge.claims import Word, load_claims
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import Machine

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
    rules = {
        "card": bool(stack.gfx) and gfx not in stack.gfx,
        "processor": bool(stack.gfx) and system.architecture in ("aarch64", "riscv64"),
        "C library": _below(system.glibc, stack.glibc_floor),
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
@given(machine=machines(), ids=WISHES)
def test_nothing_is_recommended_that_facts_or_a_floor_forbid(
    machine: Machine, ids: list[str]
) -> None:
    asked = applications_named(tuple(ids) or ("own",))
    for found in recommend(machine, ids).fits:
        stack = STACKS[found.stack]
        assert [answer.application for answer in found.answers] == [each.id for each in asked]
        if found.possible:
            assert not forbidden(machine, stack, found)
        for answer, application in zip(found.answers, asked, strict=True):
            if answer.word is not Word.NO:
                assert found.possible
                assert not refused(machine, application, stack, found)
            if too_little(machine, application, stack):
                assert answer.word not in (Word.WORKS, Word.LIKELY)


@settings(max_examples=100, deadline=None)
@given(machine=machines(), ids=WISHES)
def test_everything_said_has_its_reason(machine: Machine, ids: list[str]) -> None:
    found = recommend(machine, ids)

    assert found.sentence
    assert bool(found.reason) is found.fits[0].possible
    for each in found.fits:
        assert each.possible is not bool(each.obstacles)
        assert all(len(text.partition("; ")[2]) > 10 for text in each.obstacles)
        for answer in each.answers:
            assert answer.why
            assert set(answer.claims) <= CLAIM_IDS


@settings(max_examples=80, deadline=None)
@given(machine=machines(), ids=WISHES, data=st.data())
def test_the_order_is_total_and_the_same_from_every_start(
    machine: Machine, ids: list[str], data: st.DataObject
) -> None:
    asked = applications_named(tuple(ids) or ("own",))
    fits = tuple(fit(machine, asked, stack) for stack in STACKS.values())
    order = in_order(fits, STACKS)

    assert in_order(tuple(data.draw(st.permutations(fits))), STACKS) == order
    assert {each.stack for each in order} == set(STACKS)
    opened = [each.possible for each in order]
    assert opened == sorted(opened, reverse=True)
    ranks = [worst_first(each, STACKS[each.stack]) for each in order if each.possible]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
@settings(max_examples=25, deadline=None)
@given(machine=machines(), wish=st.sampled_from(sorted(APPLICATIONS)))
def test_no_harm_makes_a_stack_better(
    harm: Callable[[Machine], Machine], machine: Machine, wish: str
) -> None:
    """With one wish: of two that share no Python, one gains when the Python of the other goes."""
    asked = applications_named((wish,))
    for stack in STACKS.values():
        before, after = fit(machine, asked, stack), fit(harm(machine), asked, stack)
        assert after.possible <= before.possible
        assert worst_first(after, stack) >= worst_first(before, stack)


@settings(max_examples=60, deadline=None)
@given(machine=machines())
def test_no_card_means_that_only_the_processor_is_open(machine: Machine) -> None:
    bare = replace(machine, gpus=())
    found = recommend(bare, ("own",)).fits
    assert [each.stack for each in found if each.possible] in (["cpu"], [])
