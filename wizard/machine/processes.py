"""Reads who has the GPU open, and which processes wait in the kernel where no signal reaches.

Only ``stat`` and links are read: the command line of a process that waits so can block its reader.
"""

from __future__ import annotations

from dataclasses import dataclass

from wizard.host.host import Host
from wizard.machine.facts import Fact, Process, Unknown
from wizard.machine.part import Found, Part

PROC = "/proc"
KFD_PROCESSES = "/sys/class/kfd/kfd/proc"
DEVICES = ("/dev/kfd", "/dev/dri/")
STAT_BYTES = 512
KERNEL_THREAD = 0x00200000
"""``PF_KTHREAD`` of Linux: it has no files of its own."""
WAITS = "D"
OPEN_FILES = 64
"""Looked at in each process: programs open the GPU early, and numbers are given from below."""
OPEN_FILES_OF_ALL = 3_000
"""Together: a desktop has tens of thousands."""
SHOWN = 3
"""Names in the summary; the details have them all."""


@dataclass(frozen=True, slots=True)
class Stat:
    """What ``/proc/PID/stat`` tells."""

    name: str
    state: str
    parent: str
    has_files: bool


def read_processes(host: Host) -> Found[Fact[tuple[Process, ...]]]:
    """Processes that KFD lists, that have a GPU device open, or that are in state D."""
    names = host.names(PROC)
    if isinstance(names, Unknown):
        return Found(names)
    pids = [name for name in names if name.isascii() and name.isdecimal()]
    stats = {pid: stat for pid in pids if (stat := _stat(host, pid)) is not None}
    ours = _own(host)
    others = {pid: one for pid, one in stats.items() if ours not in (pid, one.parent)}
    computing = _computing(host) - {ours}
    opened = _opened(host, others)
    # Looked at again: reading a disk is such a wait too, and a short one.
    waiting = {pid for pid in others if others[pid].state == WAITS and _waits(host, pid)}
    found = sorted({*computing, *opened, *waiting}, key=int)
    return Found(tuple(_process(pid, others.get(pid), opened, computing) for pid in found))


def _process(
    pid: str, stat: Stat | None, opened: dict[str, tuple[str, ...]], computing: set[str]
) -> Process:
    """Without a stat it is one of another container, or gone: KFD tells its number alone."""
    return Process(
        pid=int(pid),
        name=stat.name if stat else "",
        state=stat.state if stat else "",
        devices=opened.get(pid, ()),
        compute=pid in computing,
    )


def _stat(host: Host, pid: str) -> Stat | None:
    head = host.head(f"{PROC}/{pid}/stat", STAT_BYTES)
    if isinstance(head, Unknown):
        return None
    # A name may hold spaces and brackets; the last bracket ends it.
    before, _, after = head.decode("utf-8", "replace").rpartition(") ")
    fields = after.split()
    if len(fields) < 7 or not fields[6].isdecimal():
        return None
    is_thread = int(fields[6]) & KERNEL_THREAD
    return Stat(before.partition(" (")[2], fields[0][:1], fields[1], has_files=not is_thread)


def _waits(host: Host, pid: str) -> bool:
    stat = _stat(host, pid)
    return stat is not None and stat.state == WAITS


def _own(host: Host) -> str:
    """Our own number: we and our children are nobody's trouble."""
    target = host.link(f"{PROC}/self")
    return target.rpartition("/")[2] if isinstance(target, str) else ""


def _computing(host: Host) -> set[str]:
    names = host.names(KFD_PROCESSES)
    numbers = names if isinstance(names, tuple) else ()
    return {name for name in numbers if name.isascii() and name.isdecimal()}


def _opened(host: Host, stats: dict[str, Stat]) -> dict[str, tuple[str, ...]]:
    """GPU device files by process; only those of processes of our own can be seen."""
    if not any(host.exists(device) for device in DEVICES):
        return {}
    left = OPEN_FILES_OF_ALL
    opened = {}
    for pid in (pid for pid, stat in stats.items() if stat.has_files):
        if not left:
            break
        files = _files(host, pid)[: min(OPEN_FILES, left)]
        left -= len(files)
        targets = (host.link(file) for file in files)
        if devices := {one for one in targets if isinstance(one, str) and _is_gpu(one)}:
            opened[pid] = tuple(sorted(devices))
    return opened


def _files(host: Host, pid: str) -> list[str]:
    names = host.names(f"{PROC}/{pid}/fd")
    numbers = [name for name in names if name.isdecimal()] if isinstance(names, tuple) else []
    return [f"{PROC}/{pid}/fd/{number}" for number in sorted(numbers, key=int)]


def _is_gpu(path: str) -> bool:
    return path.startswith(DEVICES)


def _tell(processes: Fact[tuple[Process, ...]]) -> tuple[str, tuple[str, ...]]:
    if isinstance(processes, Unknown):
        return f"unknown, because {processes.because}", ()
    computing = [_name(one) for one in processes if one.compute]
    waiting = [_name(one) for one in processes if one.state == WAITS]
    told = [
        f"computing: {_few(computing)}" if computing else "no program computes on the GPU",
        f"stuck in the kernel: {_few(waiting)}" if waiting else "",
    ]
    return "; ".join(filter(None, told)), tuple(_line(one) for one in processes)


def _few(names: list[str]) -> str:
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"


def _line(one: Process) -> str:
    told = [
        "computes on the GPU (KFD lists it)" if one.compute else "",
        "waits in the kernel (state D) and cannot be killed" if one.state == WAITS else "",
        f"has {' and '.join(one.devices)} open" if one.devices else "",
        "as programs that draw on the screen do" if _draws(one) else "",
    ]
    return f"{_name(one)}: {', '.join(filter(None, told))}"


def _draws(one: Process) -> bool:
    """Who shows pictures opens a card itself; who only renders or computes needs no more than a
    render node."""
    return not one.compute and any(path.startswith("/dev/dri/card") for path in one.devices)


def _name(one: Process) -> str:
    return f"{one.name} ({one.pid})" if one.name else f"process {one.pid}, not visible from here"


PROCESSES: Part[Fact[tuple[Process, ...]]] = Part(
    title="Who uses the GPU",
    source=f"{KFD_PROCESSES}, {PROC}/PID/stat and fd",
    read=read_processes,
    without=lambda why: why,
    tell=_tell,
)
"""Processes that have the GPU open or that hang in the kernel."""
