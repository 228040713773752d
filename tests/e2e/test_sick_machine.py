"""A machine that is sick in earnest: detection ends in time, names the causes, leaves nothing."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.homes import SOURCE
from tests.e2e.sick import (
    KIND,
    PATIENCE_S,
    Daemon,
    answers_only_the_greeting,
    processes_of,
    reads_nothing,
    silent_mount,
    state_of,
    stuck_writer,
    until,
)

pytestmark = pytest.mark.e2e
DEADLINE_S = 10.0
PROGRAMS = ("runuser", "mkfs.ext4", "mount", "umount", "fsfreeze")
PYTHONS = (sys.executable, "/usr/bin/python3")


@dataclass(frozen=True)
class Owner:
    """An ordinary user with a home that root prepared."""

    name: str
    uid: int
    home: Path
    python: str

    def detect(self) -> subprocess.Popen[str]:
        """Detection as this user, on its way."""
        return subprocess.Popen(
            as_user(self.name, self.python, self.home, "-m", "wizard", "detect", "--json"),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def as_user(user: str, python: str, home: Path, *arguments: str) -> tuple[str, ...]:
    """Python in a shell that stands in an environment on the file system that will be silent."""
    variables = (
        f"HOME={home}",
        f"PATH={home}/nas/bin:/usr/local/bin:/usr/bin:/bin",
        f"VIRTUAL_ENV={home}/nas/venv",
        f"PYTHONPATH={SOURCE}",
    )
    clean = ("/usr/bin/env", "--ignore-environment", *variables)
    return ("runuser", "-u", user, "--", *clean, python, "-B", *arguments)


@pytest.fixture
def owner() -> Iterator[Owner]:
    """The user of RDNA1_SETUP_USER, or nobody; skips where this cannot be set up."""
    if os.geteuid() != 0:
        pytest.skip("mounting and freezing file systems needs root; detection runs as a user")
    if missing := [name for name in PROGRAMS if shutil.which(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)} (util-linux, e2fsprogs)")
    if not Path("/dev/fuse").exists() or not Path("/dev/loop-control").exists():
        pytest.skip("this kernel offers no /dev/fuse or no loop devices")
    user = pwd.getpwnam(os.environ.get("RDNA1_SETUP_USER", "nobody"))
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        home = Path(folder) / "home"
        (home / "nas").mkdir(parents=True)
        (home / "project").symlink_to("nas/project")
        Path(folder).chmod(0o755)
        yield Owner(user.pw_name, user.pw_uid, home, _python(user.pw_name))


def _python(user: str) -> str:
    """A Python that the user may run, and that can detect."""
    for python in PYTHONS:
        done = subprocess.run(
            as_user(user, python, Path("/"), "-c", "import wizard.machine.detect"),
            cwd="/",
            capture_output=True,
            timeout=60,
            check=False,
        )
        if done.returncode == 0:
            return python
    pytest.skip(f"{user} may run none of {', '.join(PYTHONS)} with this source")


def facts_in_time(owner: Owner) -> dict[str, Any]:
    """What detection found; it must have ended, all of it, within the deadline."""
    began = time.monotonic()
    process = owner.detect()
    try:
        printed, errors = process.communicate(timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        process.kill()  # and not waited for: it may go only when the mount does
        pytest.fail(f"detection had not ended after {DEADLINE_S:g} s")
    assert (process.returncode, errors) == (0, "")
    assert time.monotonic() - began < DEADLINE_S
    facts: dict[str, Any] = json.loads(printed)
    return facts


@pytest.mark.parametrize("daemon", [reads_nothing, answers_only_the_greeting])
def test_a_stuck_process_and_a_silent_file_system_are_both_named_in_time(
    daemon: Daemon, owner: Owner
) -> None:
    before = processes_of(owner.uid)
    nas = owner.home / "nas"
    with stuck_writer(owner.home.parent) as writer, silent_mount(nas, daemon):
        facts = facts_in_time(owner)

        assert facts["silent"] == [{"path": str(nas), "kind": KIND}]
        stuck = {one["pid"]: one["state"] for one in facts["processes"]}
        assert stuck[writer] == "D"
        assert facts["access"]["home"] == str(owner.home)
        assert state_of(writer) == "D", "detection must not have ended what it only looks at"
        left = processes_of(owner.uid) - before
        names = {Path(f"/proc/{pid}/comm").read_text().strip() for pid in left}
        assert names <= {"stat"}, "only the child that asked may be left behind"
    until(lambda: processes_of(owner.uid) <= before)


@pytest.mark.parametrize("daemon", [reads_nothing, answers_only_the_greeting])
def test_the_file_system_of_this_test_really_does_not_answer(daemon: Daemon, owner: Owner) -> None:
    with silent_mount(owner.home / "nas", daemon):
        asker = subprocess.Popen(("/usr/bin/stat", "--file-system", str(owner.home / "nas")))
        with pytest.raises(subprocess.TimeoutExpired):
            asker.wait(1)
        asker.kill()
    asker.wait(PATIENCE_S)


def test_a_healthy_machine_is_told_to_be_one(owner: Owner) -> None:
    assert facts_in_time(owner)["silent"] == []
