"""Detection changes nothing, connects to nothing and runs nothing but the closed list.

The child checks itself with an audit hook, which sees every such call of Python's, also those
inside libraries.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.machine.records import MACHINES
from wizard.host.host import DRIVER_READER, FILE_SYSTEM_ASKER, Query

PATIENCE_S = 60
WATCHED = """
import json, os, sys

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr", "os.system", "os.exec",
    "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.startfile", "pty.spawn",
}
seen, programs = [], []

def watch(event, arguments):
    if event == "open" and arguments[2] & WRITES and arguments[0] != "/dev/null":
        seen.append([event, str(arguments[0])])
    elif event == "subprocess.Popen":
        programs.append(list(map(str, arguments[1])))
    elif event in CHANGES or event.startswith(("socket.", "shutil.", "tempfile.", "ctypes.")):
        seen.append([event, repr(arguments)])

sys.addaudithook(watch)
"""
REPORT = "\nprint(json.dumps([seen, programs]))\n"
DETECT = """
from wizard.core.json_form import to_json
from wizard.machine.detect import detect
from wizard.host.live import LiveHost
json.dumps(to_json(detect(LiveHost(), lambda part: None)))
"""
REPLAY = """
from pathlib import Path
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost
detect(RecordedHost(Path(sys.argv[1])))
"""
DRIVER_FILE = """
from wizard.host.live import LiveHost
assert LiveHost().read(sys.argv[1]) == "6425673728\\n"
"""
MISDEEDS = """
import socket, subprocess
open(sys.argv[1], "w").close()
os.rename(sys.argv[1], sys.argv[1] + "2")
os.remove(sys.argv[1] + "2")
socket.socket(socket.AF_UNIX).close()
subprocess.run(["true"])
"""


def watched(code: str, *arguments: str) -> tuple[list[list[str]], list[list[str]]]:
    """What a fresh Python did while it ran this: changes, and programs with their arguments."""
    done = subprocess.run(
        # -B as the command line does for everything that only looks.
        (sys.executable, "-B", "-c", WATCHED + code + REPORT, *arguments),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    changes, programs = json.loads(done.stdout)
    return changes, programs


def test_detection_of_this_machine_changes_nothing_and_connects_to_nothing() -> None:
    changes, _ = watched(DETECT)

    assert changes == []


def test_detection_runs_no_program_outside_the_closed_list() -> None:
    _, programs = watched(DETECT)

    queries = {query.value for query in Query}
    for argv in programs:
        name, *rest = argv
        bare = (Path(name).name, *rest)
        readers = (DRIVER_READER, FILE_SYSTEM_ASKER)
        assert bare in queries or any(bare[: len(one)] == one for one in readers)
        assert Path(name).is_absolute()


def test_a_recorded_machine_runs_no_program_at_all() -> None:
    assert watched(REPLAY, str(MACHINES / "rx5600xt-noble-rocm57")) == ([], [])


def test_a_file_of_the_driver_is_read_by_a_child_that_can_be_left_behind(tmp_path: Path) -> None:
    file = tmp_path / "mem_info_vram_total"
    file.write_text("6425673728\n")

    changes, programs = watched(DRIVER_FILE, str(file))

    assert changes == []
    assert programs == [["/usr/bin/cat", "--", str(file)]]


def test_the_watcher_would_see_each_kind_of_misdeed(tmp_path: Path) -> None:
    changes, programs = watched(MISDEEDS, str(tmp_path / "file"))

    assert [event for event, _ in changes] == ["open", "os.rename", "os.remove", "socket.__new__"]
    assert programs == [["true"]]
