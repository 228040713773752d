"""A stack held against machines, as a table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import (
    GIGABYTE,
    HOME,
    card,
    clean_jammy,
    noble_with_leftovers,
    node,
    python,
)
from wizard.knowledge.applications import Application, applications_named
from wizard.knowledge.claims import Claim, Grade
from wizard.knowledge.stacks import Preset, Stack, load_stacks
from wizard.machine.facts import Disk, Machine, Unknown
from wizard.plan.advice import advise
from wizard.plan.fit import Fit, Verdict, fit

STACKS = {stack.id: stack for stack in load_stacks()}
NO_UV = Unknown("uv was not found")


def held(machine: Machine, stack: str, *applications: str) -> Fit:
    """Our own stack against a machine."""
    return fit(machine, applications_named(applications), STACKS[stack])


def verdict(machine: Machine, stack: str, application: str) -> str:
    """One cell, in words."""
    return held(machine, stack, application).cells[0].verdict.value


def on_python_312(machine: Machine, *, uv: bool) -> Machine:
    """The same machine with Python 3.12 only."""
    return replace(machine, interpreters=(python("3.12"),), uv=machine.uv if uv else NO_UV)


def with_glibc(machine: Machine, version: str | Unknown) -> Machine:
    """The same machine with another C library."""
    return replace(machine, system=replace(machine.system, glibc=version))


def with_free(machine: Machine, count: int) -> Machine:
    """The same machine with so many bytes free."""
    return replace(machine, disks=(Disk(HOME, "/home", 500 * GIGABYTE, count),))


@pytest.mark.parametrize("stack", ["rocm52", "rocm57", "rocm62", "native", "cpu"])
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
    assert found.cells[0].verdict is Verdict.WORKS


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
        (("ada", "render"), "only from your next login on"),
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
    assert [cell.verdict.value for cell in found.cells] == ["no", "likely"]
    asked = "A1111 asks for Python 3.10; here it would get 3.12"
    assert found.cells[0].because == f"{asked}: bring 3.10 with its venv, or uv"


@pytest.mark.parametrize(
    ("machine", "stack", "application", "expected"),
    [
        (clean_jammy(), "rocm52", "comfyui", "no"),
        (clean_jammy(), "rocm57", "comfyui", "no"),
        (clean_jammy(), "rocm62", "comfyui", "no"),
        (clean_jammy(), "native", "comfyui", "likely"),
        (clean_jammy(), "rocm52", "a1111", "likely"),
        (clean_jammy(), "native", "a1111", "unknown"),
        (clean_jammy(), "rocm52", "yolo", "possible"),
        (clean_jammy(), "native", "yolo", "unknown"),
        (noble_with_leftovers(), "rocm57", "yolo", "hangs?"),
        (noble_with_leftovers(), "rocm57", "small-cnn", "hangs?"),
        (noble_with_leftovers(), "rocm62", "yolo", "hangs?"),
        (noble_with_leftovers(), "rocm62", "transformers", "possible"),
        (clean_jammy(), "rocm52", "transformers", "possible"),
        (clean_jammy(), "rocm52", "fooocus", "no"),
        (clean_jammy(), "rocm52", "diffusers", "possible"),
        (clean_jammy(card("gfx1012")), "native", "comfyui", "possible"),
        (clean_jammy(card("gfx1012")), "native", "own", "possible"),
        (clean_jammy(), "cpu", "comfyui", "very slow"),
        (clean_jammy(card("gfx1012")), "cpu", "yolo", "very slow"),
        (clean_jammy(), "cpu", "small-cnn", "works"),
    ],
)
def test_the_verdicts_that_our_data_leads_to(
    machine: Machine, stack: str, application: str, expected: str
) -> None:
    assert verdict(machine, stack, application) == expected


def test_a_floor_that_is_not_met_is_named_with_its_source() -> None:
    because = held(clean_jammy(), "rocm52", "comfyui").cells[0].because
    assert "ComfyUI asks for torch 2.7 or newer; this stack has 1.13.1" in because
    assert "ComfyUI/pull/15413" in because


# The rule itself, with claims and a stack of the test's own.

CONVOLUTION = replace(applications_named(("fooocus",))[0], id="app")
ROAD = replace(STACKS["rocm62"], id="road")


def claim(leaning: str, grade: Grade, topic: str = "conv2d", **changes: object) -> Claim:
    """A claim about the road of these tests."""
    plain = Claim(
        id=f"{leaning}-{grade.name}-{topic}",
        text="A layer came back.",
        stacks=("road",),
        topic=topic,
        leaning=leaning,
        who="somebody",
        card="RX 5700 XT",
        gfx=(),
        versions="all",
        date="2026",
        checked="2026-11-20",
        method="ran",
        grade=grade,
        source="a thread",
        supports=(),
        contradicts=(),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def judged(*claims: Claim, road: Stack = ROAD, application: Application = CONVOLUTION) -> str:
    """The verdict on an RX 5700 XT that nothing rules out."""
    return fit(clean_jammy(), (application,), road, claims).cells[0].verdict.value


ONE, SEVERAL, CODE = Grade.ONE_USER, Grade.SEVERAL_USERS, Grade.SOURCE_CODE


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ((), "unknown"),
        ((claim("for", ONE),), "possible"),
        ((claim("for", Grade.CLAIM_ONLY),), "possible"),
        ((claim("for", SEVERAL),), "likely"),
        ((claim("for", ONE), claim("for", ONE, id="2", who="another")), "likely"),
        ((claim("for", ONE), claim("for", ONE, id="2")), "possible"),
        ((claim("for", CODE),), "works"),
        ((claim("for", Grade.REFUTED),), "unknown"),
        ((claim("against", ONE),), "hangs?"),
        ((claim("for", ONE), claim("against", ONE)), "disputed"),
        ((claim("for", ONE), claim("against", SEVERAL)), "disputed"),
        ((claim("for", Grade.CLAIM_ONLY), claim("against", ONE)), "disputed"),
        ((claim("for", Grade.CLAIM_ONLY), claim("against", SEVERAL)), "hangs?"),
        ((claim("for", ONE), claim("against", CODE)), "hangs?"),
        ((claim("for", SEVERAL), claim("against", ONE)), "likely"),
        ((claim("for", CODE, "install"), claim("against", CODE, "support")), "unknown"),
        ((claim("for", ONE, gfx=("gfx1012",)),), "possible"),
        ((claim("for", Grade.CLAIM_ONLY, gfx=("gfx1012",)),), "unknown"),
        ((claim("for", ONE, gfx=("gfx1012",)), claim("against", ONE)), "disputed"),
        ((claim("for", CODE, "device"),), "possible"),
        ((claim("for", CODE, "device"), claim("unknown", ONE)), "unknown"),
        ((claim("for", ONE), claim("unknown", CODE)), "possible"),
        ((claim("for", SEVERAL, stacks=("other",)),), "unknown"),
    ],
)
def test_claims_make_the_verdict_by_the_rule(claims: tuple[Claim, ...], expected: str) -> None:
    assert judged(*claims) == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ((), "hangs?"),
        ((("MIOPEN_X", "0"),), "hangs?"),
        ((("MIOPEN_X", "0"), ("Y", "0")), "disputed"),
    ],
)
def test_what_ran_under_a_preset_counts_only_for_a_stack_that_sets_all_of_it(
    environment: tuple[tuple[str, str], ...], expected: str
) -> None:
    preset = Preset("X off", (("MIOPEN_X", "0"), ("Y", "0")), "a thread", "slow")
    road = replace(ROAD, presets=(preset,), environment=environment)
    ran = claim("for", ONE, setting="X off")
    assert judged(ran, claim("against", ONE), road=road) == expected


def test_a_claim_under_a_preset_says_which_where_it_is_told() -> None:
    found = advise(clean_jammy(), ("small-cnn",)).roads
    told = next(road.in_favour for road in found if road.fit.stack == "rocm57")
    ran = next(text for text in told if text.startswith("With all but GEMM switched off"))
    assert "only with the preset GEMM only" in ran


def test_a_new_road_and_a_new_application_need_no_code() -> None:
    """To support another release is to edit data."""
    rocm99 = replace(ROAD, torch="9.9.0+rocm99", gfx=("gfx1010",))
    needs_nine = replace(CONVOLUTION, id="new", title="New app", torch_floor="9.8")
    assert judged(claim("for", SEVERAL), road=rocm99, application=needs_nine) == "likely"
    assert judged(claim("for", SEVERAL), application=needs_nine) == "no"


def test_a_road_without_a_card_is_very_slow_when_a_claim_says_so() -> None:
    without = replace(ROAD, gfx=())
    slow = claim("against", Grade.CLAIM_ONLY, "speed", gfx=("gfx1012",))
    assert judged(claim("for", CODE, "device"), slow, road=without) == "very slow"
    assert judged(claim("for", CODE, "device"), road=without) == "works"


def test_a_cell_rests_on_the_claims_that_it_names_weightiest_first() -> None:
    claims = (claim("for", ONE), claim("for", SEVERAL), claim("unknown", ONE))
    cell = fit(clean_jammy(), (CONVOLUTION,), ROAD, claims).cells[0]
    assert cell.claims == (
        "for-SEVERAL_USERS-conv2d",
        "for-ONE_USER-conv2d",
        "unknown-ONE_USER-conv2d",
    )
    assert cell.because == "A layer came back (several users, RX 5700 XT, 2026)"


def test_no_road_that_uses_a_card_is_said_to_work_by_our_data() -> None:
    every = ("comfyui", "a1111", "fooocus", "yolo", "small-cnn", "transformers", "own")
    for stack in STACKS.values():
        found = held(clean_jammy(), stack.id, *every)
        works = [cell.application for cell in found.cells if cell.verdict is Verdict.WORKS]
        assert not (stack.gfx and works), (stack.id, works)
