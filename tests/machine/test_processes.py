"""Who has the GPU open, and who waits where no signal reaches."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.fact import Fact, Unknown
from wizard.machine.access import (
    KFD_PROCESSES,
    OPEN_FILES,
    OPEN_FILES_OF_ALL,
    PROCESSES,
    read_processes,
)
from wizard.machine.facts import Process
from wizard.machine.recorded import RecordedHost

THREAD = 0x00200040
GPU = {"/dev/kfd": "", "/dev/dri/renderD128": "", "/dev/dri/card1": ""}


def stat(
    pid: int, name: str = "python3", state: str = "S", parent: int = 1, flags: int = 0x400000
) -> dict[str, str]:
    """``/proc/PID/stat`` as the kernel writes it."""
    text = f"{pid} ({name}) {state} {parent} {pid} {pid} 34816 {pid} {flags} 1 0 0 0 5 6 0 0 20 0\n"
    return {f"/proc/{pid}/stat": text}


def computes(pid: int) -> dict[str, str]:
    """KFD's own entry of a process."""
    return {f"{KFD_PROCESSES}/{pid}/pasid": "32770\n"}


def opens(pid: int, *devices: str, first: int = 3) -> dict[str, str]:
    """Links of the files that a process has open."""
    return {f"/proc/{pid}/fd/{number}": path for number, path in enumerate(devices, first)}


def found(
    folder: Path, files: dict[str, str], links: dict[str, str] | None = None
) -> tuple[Process, ...]:
    """The processes of a machine of these files and links."""
    folders = {f"{path.rpartition('/')[0]}/no number": "" for path in links or {}}
    processes = read_processes(make(folder, {**files, **folders}, links=links or {})).value
    assert not isinstance(processes, Unknown)
    return processes


def test_kfd_says_who_computes_whoever_owns_it(tmp_path: Path) -> None:
    assert found(tmp_path, stat(70) | stat(80, "bash") | computes(70)) == (
        Process(70, "python3", "S", (), compute=True),
    )


def test_a_process_that_only_kfd_sees_is_told_by_its_number(tmp_path: Path) -> None:
    (one,) = found(tmp_path, stat(70) | computes(4711))

    assert one == Process(4711, "", "", (), compute=True)
    assert PROCESSES.tell((one,))[1] == (
        "process 4711, not visible from here: computes on the GPU (KFD lists it)",
    )


@pytest.mark.parametrize("name", ["a) S 1 (b", "x (y) D", "with space", "[bold]", "é" * 7])
def test_a_name_may_hold_anything(name: str, tmp_path: Path) -> None:
    (one,) = found(tmp_path, stat(70, name, "D"))

    assert (one.name, one.state) == (name, "D")


def test_whoever_waits_in_the_kernel_is_named(tmp_path: Path) -> None:
    files = stat(9, "jbd2/sda1-8", "D", 2, THREAD) | stat(70, "dd", "D") | stat(71, "dd", "R")

    processes = found(tmp_path, files)

    assert [(one.pid, one.state) for one in processes] == [(9, "D"), (70, "D")]
    summary, details = PROCESSES.tell(processes)
    assert (
        summary == "no program computes on the GPU; stuck in the kernel: jbd2/sda1-8 (9), dd (70)"
    )
    assert details[1] == "dd (70): waits in the kernel (state D) and cannot be killed"


def test_a_short_wait_is_no_trouble(tmp_path: Path) -> None:
    class Once(RecordedHost):
        """Its process waits only at the first look."""

        looks = 0

        def head(self, path: str, count: int) -> Fact[bytes]:
            self.looks += 1
            (text,) = stat(70, state="D" if self.looks == 1 else "R").values()
            return text.encode()

    make(tmp_path, stat(70))

    assert read_processes(Once(tmp_path)).value == ()


def test_the_wizard_and_its_children_are_left_out(tmp_path: Path) -> None:
    files = stat(70, state="D") | stat(71, "cat", "D", parent=70) | computes(70)

    assert found(tmp_path, files, {"/proc/self": "70"}) == ()


def test_open_devices_are_told_and_the_display_server_is_known_as_one(tmp_path: Path) -> None:
    files = stat(60, "gnome-shell") | stat(70) | stat(80, "firefox") | stat(90, "bash") | GPU
    links = {
        **opens(60, "/dev/dri/card1", "/dev/dri/renderD128", "/dev/dri/card1"),
        **opens(70, "/dev/null", "/dev/kfd", "/dev/dri/renderD128"),
        **opens(80, "/dev/dri/renderD128"),
        **opens(90, "/dev/pts/0", "/home/x/dev/kfd"),
    }

    processes = found(tmp_path, files | computes(70), links)

    assert [(one.pid, one.devices) for one in processes] == [
        (60, ("/dev/dri/card1", "/dev/dri/renderD128")),
        (70, ("/dev/dri/renderD128", "/dev/kfd")),
        (80, ("/dev/dri/renderD128",)),
    ]
    summary, details = PROCESSES.tell(processes)
    assert summary == "computing: python3 (70)"
    assert ["draw on the screen" in line for line in details] == [True, False, False]


def test_without_a_gpu_device_no_open_file_is_looked_at(tmp_path: Path) -> None:
    assert found(tmp_path, stat(70), opens(70, "/dev/dri/renderD128")) == ()


def test_kernel_threads_have_no_files_to_look_at(tmp_path: Path) -> None:
    links = opens(9, "/dev/kfd")

    assert found(tmp_path, stat(9, "kworker/0:1", "I", 2, THREAD) | GPU, links) == ()


@pytest.mark.parametrize(
    "text",
    ["", "70", "70 (", "70 (x)", "70 (x) ", "70 (x) D", "70 (x) D 1 2 3 4 5 x", "\x00" * 600],
)
def test_a_damaged_stat_is_passed_over(text: str, tmp_path: Path) -> None:
    assert found(tmp_path, {"/proc/70/stat": text} | stat(80, state="D"))[0].pid == 80


@pytest.mark.parametrize("name", ["abc", "²", "٣", "-1", "1.5"])
def test_only_numbers_are_processes(name: str, tmp_path: Path) -> None:
    files = {f"/proc/{name}/stat": "1 (x) D 1 1 1 0 0 0 0", f"{KFD_PROCESSES}/{name}/pasid": ""}

    assert found(tmp_path, files) == ()


def test_without_proc_it_is_unknown(tmp_path: Path) -> None:
    processes = read_processes(make(tmp_path, {"/etc/x": ""})).value

    assert processes == Unknown("there is no /proc")
    assert PROCESSES.tell(processes) == ("unknown, because there is no /proc", ())


class Crowd:
    """Only what the reader asks, for 2,000 processes of 100 open files each; it counts."""

    asked = 0
    numbers = tuple(sorted(str(pid) for pid in range(1, 2001)))
    files = tuple(sorted(str(number) for number in range(100)))

    def names(self, folder: str) -> tuple[str, ...]:
        self.asked += 1
        return self.files if folder.endswith("/fd") else self.numbers if folder == "/proc" else ()

    def head(self, path: str, count: int) -> bytes:
        self.asked += 1
        (text,) = stat(int(path.split("/")[2])).values()
        return text.encode()[:count]

    def link(self, path: str) -> str:
        self.asked += 1
        return "/dev/null"

    def exists(self, path: str) -> bool:
        return True


def test_two_thousand_processes_cost_a_limited_number_of_looks() -> None:
    crowd = Crowd()
    began = time.perf_counter()

    assert read_processes(crowd).value == ()  # type: ignore[arg-type]

    stats, folders = 2_000, 2_000
    assert crowd.asked <= stats + folders + OPEN_FILES_OF_ALL + 10
    assert OPEN_FILES < OPEN_FILES_OF_ALL
    assert time.perf_counter() - began < 5
