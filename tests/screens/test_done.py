"""The ending: commands that can be pasted, and words that suit the stack."""

from __future__ import annotations

from dataclasses import replace

from screens.done import ending_text
from screens.services import LIVE
from tests.screens import examples
from tests.screens.driving import session_at
from wizard.machine.facts import FoundApplication
from wizard.plan.root_steps import AddToGroups, AptChange, SetSystemPathAside, WriteSystemFile
from wizard.run.events import StepFailed

WIDE = 200


def ending(stack: str, venv: str = "/home/sam/ai/x") -> str:
    plan = replace(examples.PLAN, stack=stack, venv=venv)
    return ending_text(replace(session_at("done"), plan=plan), LIVE, WIDE).plain


def test_the_command_for_a_stack_without_card_measures_on_the_processor() -> None:
    assert "conv2d --python /home/sam/ai/x/bin/python --device cpu\n" in ending("cpu")
    assert "conv2d --python /home/sam/ai/x/bin/python\n" in ending("rocm52")


def test_the_ending_asks_about_the_card_only_where_the_stack_uses_it() -> None:
    assert "on your card" in ending("rocm52").splitlines()[0]
    assert "card" not in ending("cpu").splitlines()[0].replace("without the card", "")


def test_a_folder_with_a_blank_is_one_word_in_every_command() -> None:
    text = ending("rocm52", "/home/sam/my  ai")
    assert "~/'my  ai/bin/rdna1-python' your_script.py" in text
    assert "conv2d --python '/home/sam/my  ai/bin/python'" in text


def test_what_changed_in_the_system_stands_there_with_a_way_back_that_needs_no_program() -> None:
    steps = (
        AptChange("x", "y", remove=("a", "b"), expect_remove=("a", "b")),
        SetSystemPathAside("x", "/etc/profile.d/rocm.sh", "put back"),
        WriteSystemFile("x", "/etc/apt/sources.list.d/rdna1-setup-rocm.list", "deb", "gone"),
        AptChange("x", "y", expect_install=(("c", "1"), ("d", "2"))),
        AddToGroups("x", "sam", ("render", "video"), "taken out"),
    )
    plan = replace(examples.PLAN, steps=(*steps, *examples.PLAN.steps))
    text = ending_text(replace(session_at("done"), plan=plan), LIVE, WIDE).plain
    told = [line.strip() for line in text.split("System", 1)[1].split("\n\n", 1)[0].splitlines()]
    assert told == [
        "removal of 2 packages",
        "/etc/profile.d/rocm.sh, moved into the backup",
        "/etc/apt/sources.list.d/rdna1-setup-rocm.list",
        "installation of 2 packages",
        "sam in the groups render, video",
    ]
    assert "as root: sh /var/lib/rdna1-setup/runs/20260101-120000/UNDO.sh" in text


def test_the_ending_asks_for_the_restart_that_a_removed_driver_needs() -> None:
    session = session_at("done")
    assert "Restart this machine" not in ending_text(session, LIVE, WIDE).plain
    assert session.finished is not None
    asked = replace(session, finished=replace(session.finished, restart_needed=True))
    assert "To do     Restart this machine: until then" in ending_text(asked, LIVE, WIDE).plain


def test_the_ending_tells_how_to_start_what_was_wanted() -> None:
    plan = replace(examples.PLAN, stack="native", venv="/home/sam/ai/native")
    found = FoundApplication("comfyui", "/home/sam/ComfyUI", "", "")
    machine = replace(examples.MACHINE, applications=(found,))
    session = replace(
        session_at("done"), plan=plan, machine=machine, applications=("comfyui", "yolo")
    )
    text = ending_text(session, LIVE, WIDE).plain
    assert "cd ~/ComfyUI && ~/ai/native/bin/rdna1-python main.py\n" in text
    assert "~/ai/native/bin/yolo\n" in text
    assert "your_script.py" not in text


def test_the_ending_says_which_python_is_which() -> None:
    text = " ".join(ending("rocm52").split())
    assert "rdna1-python for programs" in text
    assert "python for pip" in text


def test_the_ending_says_first_what_must_still_be_done() -> None:
    session = session_at("done")
    assert session.finished is not None
    assert session.plan is not None
    missing = "the right to open /dev/kfd: sudo usermod -aG render sam, then log in again"
    declined = replace(session, plan=replace(session.plan, first=missing))
    joined = replace(session, finished=replace(session.finished, relogin_needed=True))
    for left, told in ((declined, missing), (joined, "Log out and in again")):
        lines = ending_text(left, LIVE, WIDE).plain.splitlines()
        assert lines[2].startswith("To do     ")
        assert told in lines[2]
    assert "To do" not in ending_text(session, LIVE, WIDE).plain


def test_a_run_that_failed_says_nothing_of_how_to_start() -> None:
    session = session_at("done")
    failure = StepFailed(3, "It failed.", "It means that.", "Do this.")
    assert session.finished is not None
    text = ending_text(
        replace(session, failure=failure, finished=replace(session.finished, ok=False)), LIVE, WIDE
    ).plain
    assert "your_script.py" not in text
    assert "Next      Do this." in text


def test_where_nothing_of_the_system_changed_nothing_is_said_of_it() -> None:
    assert "System" not in ending("rocm52")
    assert "UNDO.sh" not in ending("rocm52")
