"""A stack held against machines, as a table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import GIGABYTE, HOME, card, clean_jammy, noble_with_leftovers, node, python
from wizard.advice.fit import Fit, fit
from wizard.core.fact import Unknown
from wizard.host.host import Disk
from wizard.knowledge.applications import applications_named
from wizard.knowledge.claims import Word, verdict_on
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Machine

STACKS = {stack.id: stack for stack in load_stacks()}
NO_UV = Unknown("uv was not found")


def held(machine: Machine, stack: str, *applications: str) -> Fit:
    """Our own stack against a machine."""
    return fit(machine, applications_named(applications), STACKS[stack])


def verdict(machine: Machine, stack: str, application: str) -> str:
    """One answer, in a word."""
    return held(machine, stack, application).answers[0].word.value


def on_python_312(machine: Machine, *, uv: bool) -> Machine:
    """The same machine with Python 3.12 only."""
    return replace(machine, interpreters=(python("3.12"),), uv=machine.uv if uv else NO_UV)


def with_glibc(machine: Machine, version: str | Unknown) -> Machine:
    """The same machine with another C library."""
    return replace(machine, system=replace(machine.system, glibc=version))


def with_free(machine: Machine, count: int) -> Machine:
    """The same machine with so many bytes free."""
    return replace(machine, disks=(Disk(HOME, "/home", 500 * GIGABYTE, count),))


@pytest.mark.parametrize("stack", [stack.id for stack in load_stacks()])
@pytest.mark.parametrize("gfx", ["gfx1010", "gfx1012"])
def test_every_road_is_open_to_an_rdna1_card_on_a_clean_jammy(stack: str, gfx: str) -> None:
    found = held(clean_jammy(card(gfx)), stack)
    assert found.possible
    assert found.obstacles == ()
    assert found.needs == ()
    assert found.python == "/usr/bin/python3.10"


def test_gfx1013_shows_the_note_of_its_own_when_it_has_one() -> None:
    board = replace(card("gfx1013"), note="a console chip; run a gfx1010 build at your own risk")
    assert "run a gfx1010 build at your own risk" in held(clean_jammy(board), "native").obstacles[0]


@pytest.mark.parametrize("machine", [clean_jammy(card("gfx1031")), replace(clean_jammy(), gpus=())])
def test_the_processor_is_always_open(machine: Machine) -> None:
    found = held(machine, "cpu", "own")
    assert found.possible
    assert found.needs == ()
    assert found.answers[0].word is Word.WORKS


def test_an_apu_does_not_hide_the_rdna1_card_beside_it() -> None:
    apu = replace(card("gfx1031"), name="Cezanne", gfx="gfx90c", integrated=True)
    assert held(clean_jammy(apu, card("gfx1012")), "native").possible


@pytest.mark.parametrize("stack", ["rocm62", "native", "cpu"])
def test_later_wheels_need_no_remedy_for_the_executable_stack(stack: str) -> None:
    assert held(with_glibc(clean_jammy(), "2.41"), stack).needs == ()


def test_without_a_card_nothing_is_asked_for_its_devices() -> None:
    access = replace(clean_jammy().access, kfd=node("/dev/kfd")._replace(present=False))
    assert held(replace(clean_jammy(), gpus=(), access=access), "rocm62").needs == ()


def test_a_machine_without_kfd_is_told_so() -> None:
    access = replace(clean_jammy().access, kfd=node("/dev/kfd")._replace(present=False))
    assert "/dev/kfd" in held(replace(clean_jammy(), access=access), "rocm52").needs[0]


@pytest.mark.parametrize(
    ("joined", "words"),
    [
        (("ada",), "sudo usermod -aG render ada, then log in again"),
        (("ada", "render"), "at your next login"),
        (Unknown("unreadable"), "sudo usermod -aG render ada"),
    ],
)
def test_a_closed_device_is_told_with_its_remedy(
    joined: tuple[str, ...] | Unknown, words: str
) -> None:
    closed = replace(
        clean_jammy().access,
        kfd=node("/dev/kfd", usable=False),
        render_nodes=(node("/dev/dri/renderD128", usable=False),),
        groups_in_file=joined,
    )
    needs = held(replace(clean_jammy(), access=closed), "rocm52").needs
    assert "/dev/kfd and /dev/dri/renderD128" in needs[0]
    assert words in needs[0]


def test_the_render_node_of_another_card_does_not_matter() -> None:
    access = replace(
        clean_jammy().access,
        render_nodes=(node("/dev/dri/renderD128"), node("/dev/dri/renderD129", usable=False)),
    )
    assert held(replace(clean_jammy(), access=access), "rocm52").needs == ()


def test_the_best_python_of_a_stack_is_taken_first() -> None:
    machine = replace(clean_jammy(), interpreters=(python("3.10"), python("3.12.3")))
    assert held(machine, "native").python == "/usr/bin/python3.12.3"
    assert held(machine, "rocm52").python == "/usr/bin/python3.10"


def test_an_application_with_a_python_ceiling_gets_a_python_below_it() -> None:
    machine = replace(clean_jammy(), interpreters=(python("3.10"), python("3.12")))
    assert held(machine, "native", "a1111").python == "/usr/bin/python3.10"


def test_a_python_that_an_application_refuses_costs_the_application_not_the_road() -> None:
    found = held(on_python_312(clean_jammy(), uv=False), "native", "a1111", "comfyui")
    assert found.possible
    assert [answer.word.value for answer in found.answers] == ["no", "works"]
    asked = "A1111 needs Python 3.10; here it would get 3.12"
    assert found.answers[0].why == f"{asked}: install Python 3.10, or uv"


@pytest.mark.parametrize(
    ("machine", "stack", "application", "expected"),
    [
        (clean_jammy(), "rocm52", "comfyui", "no"),
        (clean_jammy(), "rocm62", "comfyui", "no"),
        (clean_jammy(), "native", "comfyui", "works"),
        (clean_jammy(card("gfx1012")), "native", "comfyui", "likely"),
        (clean_jammy(), "rocm52", "a1111", "likely"),
        (clean_jammy(), "rocm52", "forge", "no"),
        (clean_jammy(), "rocm52", "diffusers", "possible"),
        (clean_jammy(), "native", "small-cnn", "possible"),
        (noble_with_leftovers(), "rocm57", "small-cnn", "unlikely"),
        (clean_jammy(), "cpu", "small-cnn", "works"),
    ],
)
def test_a_floor_goes_before_the_verdict_on_the_purpose(
    machine: Machine, stack: str, application: str, expected: str
) -> None:
    assert verdict(machine, stack, application) == expected


def test_what_a_program_installs_for_rdna1_cards_says_nothing_of_the_processor() -> None:
    answer = held(clean_jammy(), "cpu", "a1111").answers[0]
    assert answer.word is Word.POSSIBLE
    assert "we found no report of A1111" in answer.why


def test_the_verdict_with_published_settings_counts_where_the_stack_is_taken_with_them() -> None:
    asked = applications_named(("small-cnn",))
    for preset in ("", "GEMM only"):
        found = fit(clean_jammy(), asked, STACKS["rocm57"], preset=preset).answers[0]
        row = verdict_on("cnn", "rocm57", "gfx1010", preset)
        assert row is not None
        assert (found.word, found.why) == (row.word, row.why)
        assert found.claims == (*row.claims, *row.against)


def test_a_stack_that_nobody_has_reviewed_is_not_tried() -> None:
    new = replace(STACKS["native"], id="rocm99")
    assert fit(clean_jammy(), applications_named(("yolo",)), new).answers[0].word is Word.NOT_TRIED


def test_a_floor_that_is_not_met_is_named_with_its_source() -> None:
    because = held(clean_jammy(), "rocm52", "comfyui").answers[0].why
    assert "ComfyUI needs torch 2.7 or newer; this stack has 1.13.1" in because
    assert "ComfyUI/pull/15413" in because
