"""What is left to do after a plan, and how to start what was wanted: lines that a shell takes."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from tests.handmade import HOME, clean_jammy
from tests.plan.test_groups import closed, plan_for
from wizard.apt.packages import Package
from wizard.knowledge.applications import load_applications
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import FoundApplication, Machine
from wizard.plan.usage import measure_command, python_lines, starts, still_missing

COMFYUI = FoundApplication("comfyui", f"{HOME}/my ComfyUI", "", "")
FOUND = replace(clean_jammy(), applications=(COMFYUI,))
IN = "~/ai/native/bin"
ADDED = (
    "If ComfyUI loads no model, add --disable-dynamic-vram. One user with an RX 5600M needed it."
)


def lines(stack: str, *applications: str, machine: Machine = FOUND) -> list[str]:
    return [
        line for start in starts(plan_for(machine, stack), applications, machine) for line in start
    ]


def test_a_program_that_was_found_is_started_in_its_folder_with_the_new_python() -> None:
    assert lines("native", "comfyui") == [
        "To run ComfyUI, install its packages once, then start it.",
        f"cd ~/'my ComfyUI' && {IN}/python -m pip install -r requirements.txt",
        f"cd ~/'my ComfyUI' && {IN}/rdna1-python main.py",
        ADDED,
    ]


def test_a_program_that_is_not_here_is_started_in_the_folder_that_it_will_have() -> None:
    assert lines("native", "comfyui", machine=clean_jammy()) == [
        "This program does not install ComfyUI. Get it unless you have it, install its "
        "packages once, then start it:",
        "git clone https://github.com/Comfy-Org/ComfyUI && cd ComfyUI",
        f"{IN}/python -m pip install -r requirements.txt",
        f"{IN}/rdna1-python main.py",
        ADDED,
    ]


def test_a_package_is_installed_by_the_folders_own_pip_in_a_release_that_the_torch_takes() -> None:
    assert lines("native", "yolo")[1:] == [
        f"{IN}/python -m pip install ultralytics",
        f"{IN}/yolo",
    ]
    asked = lines("rocm52", "transformers")[1]
    assert asked == ("~/ai/rocm52/bin/python -m pip install 'transformers<4.48' 'accelerate<1.3'")


def test_what_makes_a_venv_of_its_own_is_told_which_one_to_take() -> None:
    told = lines("rocm52", "a1111", machine=clean_jammy())
    assert "Set venv_dir in webui-user.sh to ~/ai/rocm52" in told[0]


def test_scripts_are_started_once_however_many_things_need_no_program() -> None:
    assert lines("native", "small-cnn", "own") == [
        "Small CNN, own code:",
        f"{IN}/rdna1-python your_script.py",
    ]
    assert lines("native") == ["Your own code:", f"{IN}/rdna1-python your_script.py"]


@pytest.mark.parametrize("stack", load_stacks(), ids=lambda stack: stack.id)
def test_each_thing_to_run_has_a_line_or_says_what_to_set(stack: Stack) -> None:
    name = stack.id
    for application in load_applications():
        told, *rest = lines(name, application.id)
        assert application.title.lower() in told.lower(), told
        assert rest, application.id
        for command in rest:
            if f"~/ai/{name}/bin/" in command:
                assert shlex.split(command)


def test_it_is_said_which_python_is_which() -> None:
    told = python_lines(plan_for(FOUND, "native"), FOUND)
    assert [line.split(" ")[0] for line in told] == ["Two", "rdna1-python", "python"]
    assert python_lines(plan_for(FOUND, "cpu"), FOUND) == ("~/ai/cpu/bin/python",)


def test_a_right_that_no_step_gave_is_still_missing() -> None:
    declined = still_missing(plan_for(closed(), "rocm52", without_groups=True))
    assert "sudo usermod -aG render ada, then log in again" in declined
    assert "at your next login" in still_missing(plan_for(closed("render"), "rocm52"))
    assert still_missing(plan_for(closed(), "rocm52")) == ""
    assert still_missing(plan_for(clean_jammy(), "rocm52")) == ""


def test_what_had_to_be_done_before_is_not_left_to_do_afterwards() -> None:
    package = Package("rocm-core", "1", "amd", "index", "installed", held=True, missing=False)
    machine = replace(closed(), rocm_packages=(package,))
    plan = plan_for(machine, "rocm52", "venv+system", without_groups=True)
    assert "apt-mark unhold" in plan.first
    assert still_missing(plan).startswith("permission to open")


def test_the_plan_says_which_programs_it_does_not_install() -> None:
    notes = plan_for(clean_jammy(), "native", applications=("comfyui", "yolo", "own")).notes
    said = (
        "This plan prepares PyTorch but does not install ComfyUI and YOLO train. Installation "
        "instructions are shown at the "
        "end."
    )
    assert said in notes
    for machine, application in ((FOUND, "comfyui"), (FOUND, "small-cnn")):
        notes = plan_for(machine, "native", applications=(application,)).notes
        assert not any("does not install" in note for note in notes)


def test_what_is_no_part_of_the_plan_is_said_of_each_with_where_to_get_it() -> None:
    for application in load_applications():
        told, first, *_ = lines("native", application.id, machine=clean_jammy())
        mine = application.id in ("small-cnn", "llm-chat", "linear-algebra", "own")
        assert ("This program does not install" in told) != mine
        assert mine or first.startswith("git clone https://") or " -m pip install " in first


def test_what_trains_is_measured_with_its_gradients() -> None:
    plan = plan_for(FOUND, "native")
    assert measure_command(plan, ("comfyui",)) == measure_command(plan)
    assert measure_command(plan, ("small-cnn",)).endswith("/python --work forward,backward")


def test_what_does_without_convolutions_is_measured_with_other_operations() -> None:
    plan = plan_for(FOUND, "native")
    assert measure_command(plan, ("transformers", "llm-chat")).endswith("/python --operations")
    for applications in ((), ("own",), ("transformers", "comfyui")):
        assert "--operations" not in measure_command(plan, applications)
