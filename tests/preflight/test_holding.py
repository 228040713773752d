"""Whether what was done is still so: seen on the machine, not in a journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.journal import Kind
from wizard.operations.edit_lines import TakeLinesOut, sha256
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import AptChange
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.removal import system_plan
from wizard.plan.start_check import no_longer_so
from wizard.plan.steps import Step

GONE = AptChange("x", remove=("rocm-core",), expect_remove=("rocm-core",))
CAME = AptChange("x", install=(("hip", "2"),), expect_install=(("hip", "2"),))
ASIDE = SetSystemPathAside("x", "/opt/rocm-5.7.1")
WRITTEN = WriteSystemFile("x", "/etc/profile.d/x.sh", "export A=1\n")
TAKEN = TakeLinesOut("x", "/home/sam/.bashrc", ((1, "a"),), "no", sha256("b\n"))
JOINED = AddToGroups("x", "sam", ("render",))
AFTER = {
    "/etc/profile.d/x.sh": "export A=1\n",
    "/home/sam/.bashrc": "b\n",
    "/etc/group": "render:x:105:sam\nvideo:x:44:\n",
}


def seen(folder: Path, *steps: Step, rows: str, files: dict[str, str]) -> tuple[str, ...]:
    host = make(folder, files, answers={"DPKG_PACKAGES": [rows]})
    return no_longer_so(system_plan(Kind.REMOVE, steps, ()), host)


def test_a_machine_on_which_all_is_still_so(tmp_path: Path) -> None:
    steps = (GONE, CAME, ASIDE, WRITTEN, TAKEN, JOINED)
    assert seen(tmp_path, *steps, rows="hip\t2\tii \tx", files=AFTER) == ()


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (GONE, "rocm-core 5 is installed"),
        (CAME, "hip 3 is installed"),
        (ASIDE, "/opt/rocm-5.7.1 exists"),
        (WRITTEN, "/etc/profile.d/x.sh has changed"),
        (TAKEN, "/home/sam/.bashrc has changed"),
        (JOINED, "sam is not in the group render"),
    ],
)
def test_each_thing_that_is_not_is_named(tmp_path: Path, step: Step, text: str) -> None:
    files = {"/opt/rocm-5.7.1/lib/x": "", "/home/sam/.bashrc": "a\nb\n", "/etc/group": "x:x:1:\n"}
    rows = "rocm-core\t5\tii \tx\nhip\t3\tii \tx"
    assert seen(tmp_path, step, rows=rows, files=files) == (text,)


def test_what_a_later_step_brings_again_is_no_fault_of_an_earlier_one(tmp_path: Path) -> None:
    again = AptChange("x", expect_install=(("rocm-core", "6"),))
    rows = "rocm-core\t6\tii \tx"
    assert seen(tmp_path, GONE, again, rows=rows, files=AFTER) == ()


def test_without_an_answer_of_dpkg_nothing_is_taken_for_done(tmp_path: Path) -> None:
    host = make(tmp_path, {"/etc/hostname": ""}, answers={})
    (text,) = no_longer_so(system_plan(Kind.REMOVE, (GONE,), ()), host)
    assert "cannot be read" in text
