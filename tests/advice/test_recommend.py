"""One recommendation: its reason, its rivals, and nothing that the machine or a floor forbids."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import GIGABYTE, HOME, card, clean_jammy, noble_with_leftovers, torch
from tests.machine.records import seen
from wizard.advice.fit import fit
from wizard.advice.recommend import Recommendation, in_order, recommend
from wizard.core.fact import Unknown
from wizard.host.host import Disk
from wizard.knowledge.applications import applications_named
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Environment, FoundApplication, Machine

DARK = Unknown("no permission")
LEFTOVERS = noble_with_leftovers()
STACKS = {stack.id: stack for stack in load_stacks()}
COMFY = FoundApplication("comfyui", "/home/ada/ComfyUI", "/home/ada/ComfyUI/venv", "")


def recommended(machine: Machine, *applications: str) -> Recommendation:
    return recommend(machine, applications)


@pytest.mark.parametrize(
    ("machine", "applications", "first"),
    [
        (LEFTOVERS, ("comfyui", "yolo"), "native"),
        (clean_jammy(), ("comfyui",), "native"),
        (clean_jammy(), ("a1111",), "rocm52"),
        (clean_jammy(), ("a1111", "fooocus"), "native"),
        (clean_jammy(), ("small-cnn",), "native"),
        (clean_jammy(card("gfx1012")), ("comfyui",), "native"),
        (clean_jammy(), (), "native"),
        (replace(clean_jammy(), gpus=()), ("comfyui",), "cpu"),
        (clean_jammy(card("gfx1013")), ("yolo",), "cpu"),
        (clean_jammy(card("gfx1031")), ("yolo",), "cpu"),
        (replace(clean_jammy(), disks=(Disk(HOME, "/", 9, 9 * GIGABYTE),)), ("comfyui",), "native"),
    ],
)
def test_the_first_stack_by_machine_and_what_is_to_run(
    machine: Machine, applications: tuple[str, ...], first: str
) -> None:
    assert recommended(machine, *applications).stack == first


def test_every_stack_is_ranked_from_one() -> None:
    found = recommended(LEFTOVERS, "yolo")
    assert {fit.stack for fit in found.fits} == STACKS.keys()
    assert [found.rank(fit.stack) for fit in found.fits] == [*range(1, len(STACKS) + 1)]


def test_the_processor_comes_after_each_stack_for_the_card_but_unlikely_ones() -> None:
    order = [fit.stack for fit in recommended(clean_jammy(), "small-cnn").fits]
    assert order.index("cpu") > order.index("rocm52")
    assert order.index("cpu") < order.index("rocm57")


def test_what_is_ruled_out_comes_last_and_says_why() -> None:
    found = recommended(replace(LEFTOVERS, uv=DARK), "a1111")
    assert [fit.stack for fit in found.fits[-2:]] == ["rocm52", "rocm57"]
    assert all("it needs Python 3.10" in fit.obstacles[0] for fit in found.fits[-2:])


def test_the_worst_verdict_decides_where_several_things_are_to_run() -> None:
    both = recommended(clean_jammy(), "comfyui", "a1111")
    assert both.stack == "native"
    assert "ComfyUI: works, A1111: not tried." in both.sentence
    assert both.sentence.endswith(both.fits[0].answers[1].why)


def test_the_sentence_names_what_is_to_run_the_card_the_stack_and_why() -> None:
    found = recommended(clean_jammy(), "a1111")
    assert found.sentence.startswith("For A1111 on your RX 5700 XT: ROCm 5.2 wheels, torch 1.13.1")
    assert found.fits[0].answers[0].why in found.sentence
    assert found.reason == "a better verdict than native, which comes next"
    assert found.next_best == "AMD TheRock wheels for the card's own target (A1111: not tried)"


def test_among_equals_what_is_there_already_goes_first_then_the_newer_torch() -> None:
    asked = ("linear-algebra",)
    assert recommended(clean_jammy(), *asked).reason.endswith("and its torch is newer")
    there = Environment(f"{HOME}/venv", "venv", "3.10", torch("1.13.1+rocm5.2"))
    having = replace(clean_jammy(), environments=(there,))
    assert recommended(having, *asked).stack == "rocm52"
    assert recommended(having, *asked).reason.endswith("and you already have it")


@pytest.mark.parametrize("name", ["rx5700xt-trixie-execstack", "rx5500xt-bookworm-distro"])
def test_a_torch_that_cannot_serve_what_is_to_run_breaks_no_tie(name: str) -> None:
    """On one glibc refuses its libraries, on the other it lies in A1111's own venv."""
    for application in ("yolo", "small-cnn", "own"):
        assert recommended(seen(name), application).stack == "native"


def test_without_an_rdna1_card_the_processor_is_recommended_with_the_reason() -> None:
    found = recommended(clean_jammy(card("gfx1031")), "yolo")
    assert found.sentence.startswith("No RDNA1 card was found. For YOLO train: torch for the")
    assert "RX 6700 XT is gfx1031" in found.sentence


def test_a_machine_that_rules_out_every_stack_is_told_so_with_a_reason() -> None:
    found = recommended(replace(clean_jammy(), interpreters=(), uv=DARK), "yolo")
    assert not any(fit.possible for fit in found.fits)
    assert found.sentence.startswith("No stack can be installed on this machine.")
    assert "it needs Python" in found.sentence
    assert found.next_best == ""


def test_a_full_home_folder_changes_no_recommendation() -> None:
    full = replace(clean_jammy(), disks=(Disk(HOME, "/home", 500 * GIGABYTE, GIGABYTE // 10),))
    assert recommended(full, "yolo").sentence == recommended(clean_jammy(), "yolo").sentence


def test_what_must_be_done_before_the_card_can_be_used_is_told_first() -> None:
    away = clean_jammy(replace(card(), driver="vfio-pci"))
    assert recommended(away, "own").first.startswith("the kernel driver amdgpu")
    assert recommended(clean_jammy(), "own").first == ""


def test_a_program_outside_pytorch_comes_first_where_no_stack_is_as_good() -> None:
    found = recommended(clean_jammy(), "llm-chat")
    assert found.program is not None
    assert found.name == found.program.title == "Ollama through Vulkan"
    assert found.program.link in found.sentence
    assert f"With PyTorch: {STACKS[found.stack].title}" in found.sentence


def test_beside_other_things_to_run_it_is_told_and_a_stack_is_recommended() -> None:
    found = recommended(clean_jammy(), "comfyui", "llm-chat")
    assert found.program is None
    assert found.name == "native"
    assert "For LLM chat: Ollama through Vulkan" in found.sentence


def test_no_program_is_named_without_a_card_that_it_is_known_for() -> None:
    assert recommended(replace(clean_jammy(), gpus=()), "llm-chat").outside == ()
    assert recommended(clean_jammy(), "comfyui").outside == ()


def test_the_order_does_not_depend_on_the_order_in_which_stacks_come() -> None:
    asked = applications_named(("comfyui",))
    fits = tuple(fit(clean_jammy(), asked, stack) for stack in STACKS.values())
    assert in_order(fits, STACKS) == in_order(fits[::-1], STACKS)


def test_what_was_found_on_the_machine_is_what_it_is_for_unless_something_is_named() -> None:
    machine = replace(clean_jammy(), applications=(COMFY,))
    assert recommend(machine).applications == ("comfyui",)
    assert recommend(machine, ("yolo",)).applications == ("yolo",)
    assert recommend(clean_jammy()).applications == ("own",)


def test_an_unknown_application_is_refused() -> None:
    with pytest.raises(KeyError, match="no application 'skynet'"):
        recommend(clean_jammy(), ("skynet",))


def test_published_settings_change_the_verdict_of_the_stack_that_has_them() -> None:
    def word(preset: str) -> str:
        found = recommend(clean_jammy(), ("small-cnn",), preset=preset)
        return next(fit.answers[0].word.value for fit in found.fits if fit.stack == "rocm57")

    assert (word(""), word("GEMM only")) == ("unlikely", "disputed")


def test_a_torch_that_is_there_is_to_be_measured_first() -> None:
    measure = recommended(LEFTOVERS, "yolo").measure
    assert measure.startswith("the torch you have (2.2.2+rocm5.7 in ~/venv): rdna1-setup conv2d")


def test_what_does_without_convolutions_is_measured_with_other_operations_first() -> None:
    assert recommended(LEFTOVERS, "transformers").measure.endswith("/bin/python --operations")
    assert "--operations" not in recommended(LEFTOVERS, "transformers", "yolo").measure
    assert "--operations" not in recommended(LEFTOVERS, "own").measure


def test_a_torch_too_old_or_without_a_card_is_not_to_be_measured_first() -> None:
    assert recommended(LEFTOVERS, "comfyui").measure == ""
    assert recommended(replace(LEFTOVERS, gpus=()), "own").measure == ""


def test_a_card_that_cannot_be_used_yet_is_measured_once_it_can() -> None:
    away = replace(LEFTOVERS, gpus=tuple(replace(g, driver="") for g in LEFTOVERS.gpus))
    assert "once the card can be used" in recommended(away, "own").measure
