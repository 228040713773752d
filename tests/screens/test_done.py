"""The ending: commands that can be pasted, and words that suit the stack."""

from __future__ import annotations

from dataclasses import replace

from screens.done import conclusion, panels_of
from screens.session import Session
from tests.conv2d.test_settings_command import ANSWER
from tests.screens import examples
from tests.screens.driving import session_at
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import Row, Shape
from wizard.conv2d.sweep import Sweep, SweepDone
from wizard.core.events import StepFailed
from wizard.diagnose.finding import Status
from wizard.machine.facts import FoundApplication, Setting
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import AptChange
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.report.conv2d_conclusion import Measured
from wizard.services import DEMO, DRY_RUN, LIVE


def ending_text(session: Session, mode: str) -> str:
    """All of the ending as text, a title before the lines of its panel."""
    panels = panels_of(session, mode)
    return "\n".join("\n".join((f"# {panel.title}", *panel.lines, "")) for panel in panels)


def ending(stack: str, venv: str = "/home/sam/ai/x") -> str:
    plan = replace(examples.PLAN, stack=stack, venv=venv)
    return ending_text(replace(session_at("done"), plan=plan), LIVE)


def test_the_command_for_a_stack_without_card_measures_on_the_processor() -> None:
    assert "conv2d --python /home/sam/ai/x/bin/python --device cpu\n" in ending("cpu")
    assert "conv2d --python /home/sam/ai/x/bin/python\n" in ending("rocm52")


def test_the_ending_asks_about_the_card_only_where_the_stack_uses_it() -> None:
    session = session_at("done")
    assert "on your card" in conclusion(session, LIVE)[0]
    cpu = replace(session, plan=replace(examples.PLAN, stack="cpu"))
    assert "does not use your card" in conclusion(cpu, LIVE)[0]


def test_a_folder_with_a_blank_is_one_word_in_every_command() -> None:
    text = ending("rocm52", "/home/sam/my  ai")
    assert "~/'my  ai/bin/rdna1-python' your_script.py" in text
    assert "conv2d --python '/home/sam/my  ai/bin/python'" in text


def test_what_changed_in_the_system_stands_there_with_a_way_back_that_needs_no_program() -> None:
    steps = (
        AptChange("x", remove=("a", "b"), expect_remove=("a", "b")),
        SetSystemPathAside("x", "/etc/profile.d/rocm.sh"),
        WriteSystemFile("x", "/etc/apt/sources.list.d/rdna1-setup-rocm.list", "deb"),
        AptChange("x", expect_install=(("c", "1"), ("d", "2"))),
        AddToGroups("x", "sam", ("render", "video")),
    )
    plan = replace(examples.PLAN, steps=(*steps, *examples.PLAN.steps))
    text = ending_text(replace(session_at("done"), plan=plan), LIVE)
    told = text.split("# Changed in the system\n", 1)[1].split("\n\n", 1)[0].splitlines()
    assert told == [
        "removal of 2 packages",
        "/etc/profile.d/rocm.sh, moved into the backup",
        "/etc/apt/sources.list.d/rdna1-setup-rocm.list",
        "installation of 2 packages",
        "sam added to the groups render, video",
    ]
    assert "as root:\nsh /var/lib/rdna1-setup/runs/20260101-120000/UNDO.sh" in text


def test_the_ending_asks_for_the_restart_that_a_removed_driver_needs() -> None:
    session = session_at("done")
    assert "Restart this machine" not in ending_text(session, LIVE)
    assert session.finished is not None
    asked = replace(session, finished=replace(session.finished, restart_needed=True))
    assert "# Still to do\nRestart this machine, because the kernel" in ending_text(asked, LIVE)


def test_the_ending_tells_how_to_start_what_was_wanted() -> None:
    plan = replace(examples.PLAN, stack="native", venv="/home/sam/ai/native")
    found = FoundApplication("comfyui", "/home/sam/ComfyUI", "", "")
    machine = replace(examples.MACHINE, applications=(found,))
    session = replace(
        session_at("done"), plan=plan, machine=machine, applications=("comfyui", "yolo")
    )
    text = ending_text(session, LIVE)
    assert "cd ~/ComfyUI && ~/ai/native/bin/rdna1-python main.py\n" in text
    assert "~/ai/native/bin/yolo\n" in text
    assert "your_script.py" not in text


def test_the_ending_says_which_python_is_which() -> None:
    text = " ".join(ending("rocm52").split())
    assert "rdna1-python is for programs" in text
    assert "python is for pip" in text


def test_the_ending_says_first_what_must_still_be_done() -> None:
    session = session_at("done")
    assert session.finished is not None
    assert session.plan is not None
    missing = "permission to open /dev/kfd: sudo usermod -aG render sam, then log in again"
    declined = replace(session, plan=replace(session.plan, first=missing))
    joined = replace(session, finished=replace(session.finished, relogin_needed=True))
    for left, told in ((declined, missing), (joined, "Log out and log in again")):
        lines = ending_text(left, LIVE).splitlines()
        assert lines[0] == "# Still to do"
        assert told in lines[1]
    assert "Still to do" not in ending_text(session, LIVE)


def test_a_run_that_failed_says_nothing_of_how_to_start() -> None:
    session = session_at("done")
    failure = StepFailed(3, "It failed.", "It means that.", "Do this.")
    assert session.finished is not None
    text = ending_text(
        replace(session, failure=failure, finished=replace(session.finished, ok=False)), LIVE
    )
    assert "your_script.py" not in text
    assert "# What to do next\nDo this." in text


def test_where_nothing_of_the_system_changed_nothing_is_said_of_it() -> None:
    assert "in the system" not in ending("rocm52")
    assert "UNDO.sh" not in ending("rocm52")


PYTHON = "/home/sam/ai/x/bin/python"
SETTING = (("MIOPEN_DEBUG_CONV_WINOGRAD", "0"),)


def searched(session: Session) -> Session:
    """The session once a setting was found that fixes the shape that hung."""
    row = Row(Shape(16, 32, 44, 44))
    answer = replace(ANSWER, shape=row.shape, changes=SETTING)
    request = SettingRequest(Sweep(PYTHON, (row,)), 3)
    measured = Measured(request, SweepDone((), None, 0.5, setting=answer))
    return replace(session, measured=measured)


def measured_at(venv: str = "/home/sam/ai/x") -> Session:
    """The ending of an installation, after the search."""
    return searched(replace(session_at("done"), plan=replace(examples.PLAN, venv=venv)))


def test_the_ending_says_what_was_found_and_how_to_keep_it() -> None:
    text = ending_text(measured_at(), LIVE)
    told = text.split("# Measure\n", 1)[1].split("\n\n# ", 1)[0]
    assert "MIOPEN_DEBUG_CONV_WINOGRAD=0 fixes 16->32 at 44x44, three of three times." in told
    keep = "rdna1-setup keep --venv /home/sam/ai/x MIOPEN_DEBUG_CONV_WINOGRAD=0"
    assert f"The setting is not kept. To keep it:\n{keep}" in told


def test_the_first_line_of_the_ending_does_not_hide_what_does_not_work() -> None:
    told, status = conclusion(measured_at(), LIVE)
    assert (told, status) == (
        "PyTorch is installed. 16->32 at 44x44 is not right.",
        Status.WARNING,
    )


def test_what_a_demo_found_is_called_an_example() -> None:
    text = ending_text(measured_at(), DEMO)
    assert "In the example: 16->32 at 44x44 is not right. MIOPEN_DEBUG_CONV_WINOGRAD=0" in text
    assert "After a real run, Enter in Measure keeps such a setting" in text
    assert "rdna1-setup keep" not in text


def test_a_kept_setting_is_said_to_be_kept_beside_how_to_start() -> None:
    before = measured_at()
    kept = replace(before, plan=examples.KEPT, before=before)
    for mode, told in ((LIVE, "The setting is kept"), (DRY_RUN, "The setting would be kept")):
        text = ending_text(kept, mode)
        assert f"{told} in ~/ai/x." in text
        assert "rdna1-setup keep" not in text
        assert "rdna1-python your_script.py" in text


def test_a_setting_that_the_login_sets_too_is_explained() -> None:
    session = measured_at()
    assert session.machine is not None
    why = "Your login sets MIOPEN_DEBUG_CONV_WINOGRAD too, but rdna1-python starts programs without"
    assert why not in " ".join(ending_text(session, LIVE).split())
    login = Setting("MIOPEN_DEBUG_CONV_WINOGRAD", "0", "/etc/profile.d/rocm.sh", 3, "")
    machine = replace(session.machine, settings=(login,))
    session = replace(session, plan=replace(examples.PLAN, stack="native"))
    assert why in " ".join(ending_text(replace(session, machine=machine), LIVE).split())


def test_what_an_owner_had_to_add_stands_beside_how_to_start_a_program() -> None:
    session = replace(session_at("done"), applications=("comfyui",))
    added = "If ComfyUI loads no model, add --disable-dynamic-vram"
    for stack, said in (("native", True), ("rocm57", False)):
        plan = replace(examples.PLAN, stack=stack)
        assert (added in ending_text(replace(session, plan=plan), LIVE)) is said
