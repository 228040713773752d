"""Where sudo gives nothing, root's steps are there as a script that a person can read and run."""

from __future__ import annotations

import subprocess

from wizard.operations.groups import AddToGroups, TakeFromGroups
from wizard.operations.packages import (
    AptChange,
    AptUpdate,
    FinishInterrupted,
    KeepDebs,
    MarkPackages,
)
from wizard.operations.root_step import by_hand_script
from wizard.operations.system_files import PutSystemPathBack, SetSystemPathAside, WriteSystemFile

STEPS = (
    WriteSystemFile("why\nso", "/etc/apt/sources.list.d/x.list", "deb 'x' $(y)\n"),
    AptUpdate("lists"),
    AptChange("change", install=(("rocm-core", "5.2"),), remove=("comgr",), purge=True),
    KeepDebs("kept", (("comgr", "1.0"),)),
    MarkPackages("marks", auto=("rocm-core",), manual=("comgr",)),
    FinishInterrupted("cut off"),
    SetSystemPathAside("aside", "/opt/rocm-5.7.1"),
    PutSystemPathBack("back", "/opt/rocm-5.7.1"),
    AddToGroups("devices", "owner", ("render", "video")),
    TakeFromGroups("devices", "owner", ("video",)),
)


def test_every_root_step_is_a_command_of_the_shell() -> None:
    script = by_hand_script(STEPS)
    subprocess.run(("/bin/sh", "-n"), input=script, text=True, check=True, timeout=20)
    for line in (
        "# why so (undo: move the file to the backup)",
        "apt-get update",
        "apt-get --no-install-recommends --allow-downgrades --purge install rocm-core=5.2 comgr-",
        '(cd "$kept" && apt-get download comgr=1.0)',
        "apt-mark auto rocm-core",
        "apt-mark manual comgr",
        "dpkg --configure -a",
        "usermod -a -G render,video owner",
        "gpasswd -d owner video",
    ):
        assert line in script.splitlines()


def test_text_from_outside_is_written_and_never_run() -> None:
    (line,) = (line for line in by_hand_script(STEPS[:1]).split("\n") if line.startswith("printf"))
    assert line.startswith("""printf %s 'deb '"'"'x'"'"' $(y)""")
