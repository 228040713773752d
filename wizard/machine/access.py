"""Access to the GPU: its driver, the device files that we may open, and who has it open.

Of a process only ``stat`` and links are read: the command line of one that waits in the kernel can
block its reader.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from wizard.core.fact import Fact, Unknown, fact_text, known
from wizard.host.accounts import Account, groups_of, user_name
from wizard.host.host import Host
from wizard.machine.facts import Access, DeviceNode, Driver, Process
from wizard.machine.part import Found, Part

KFD = "/dev/kfd"
DRI = "/dev/dri"
GROUP_FILE = "/etc/group"


def read_access(host: Host) -> Found[Access]:
    """Our groups now and after the next login, and the devices that ROCm needs."""
    return Found(
        Access(
            user=host.user,
            uid=host.uid,
            home=host.home,
            groups_in_force=host.groups_in_force(),
            groups_in_file=_groups_in_file(host),
            kfd=_node(host, KFD),
            render_nodes=tuple(
                _node(host, f"{DRI}/{name}")
                for name in known(host.names(DRI), ())
                if name.startswith("renderD")
            ),
        )
    )


def _groups_in_file(host: Host) -> Fact[tuple[str, ...]]:
    text = host.read(GROUP_FILE)
    if isinstance(text, Unknown):
        return text
    account = user_name(host.read("/etc/passwd"), host.uid)
    return groups_of(text, account if account.name else Account(name=host.user))


def _node(host: Host, path: str) -> DeviceNode:
    return DeviceNode(
        path=path, present=host.exists(path), usable=host.usable(path), group=host.group_of(path)
    )


def groups_after_login(access: Access) -> tuple[str, ...]:
    """Groups that are in the file but not yet in force: a new login brings them."""
    if isinstance(access.groups_in_file, Unknown) or isinstance(access.groups_in_force, Unknown):
        return ()
    return tuple(name for name in access.groups_in_file if name not in access.groups_in_force)


def _tell_access(access: Access) -> tuple[str, tuple[str, ...]]:
    nodes = (access.kfd, *access.render_nodes)
    later = groups_after_login(access)
    details = [_node_line(node) for node in nodes]
    details.append(f"active groups: {_names(access.groups_in_force)}")
    details.append(f"groups in {GROUP_FILE}: {_names(access.groups_in_file)}")
    if later:
        details.append(f"active after the next login: {', '.join(later)}")
    return f"{access.user}: {_summary(access, later)}", tuple(details)


def _summary(access: Access, later: tuple[str, ...]) -> str:
    if not access.kfd.present:
        return f"there is no {KFD}"
    if may_compute(access):
        return f"can use {KFD} and a render node"
    blocked = KFD if not access.kfd.usable else "any render node"
    helps = any(node.group in later for node in (access.kfd, *access.render_nodes))
    return f"cannot open {blocked}" + (" until the next login" if helps else "")


def may_compute(access: Access) -> bool:
    """True where both the compute device and a render node may be opened."""
    return access.kfd.usable and any(node.usable for node in access.render_nodes)


def _node_line(node: DeviceNode) -> str:
    if not node.present:
        return f"{node.path}: missing"
    group = node.group.because if isinstance(node.group, Unknown) else f"group {node.group}"
    return f"{node.path}: {'usable' if node.usable else 'not usable'} ({group})"


def _names(names: Fact[tuple[str, ...]]) -> str:
    return fact_text(names) if isinstance(names, Unknown) else ", ".join(names)


ACCESS: Part[Access] = Part(
    title="Access to the GPU",
    source=f"{KFD}, {DRI}, {GROUP_FILE}, access(2)",
    read=read_access,
    tell=_tell_access,
    without=lambda why: Access(
        "", -1, "", why, why, DeviceNode(KFD, present=False, usable=False, group=why), ()
    ),
)
"""Who we are, and which devices we may open."""


MODULE = "/sys/module/amdgpu"
VERSION_FILE = f"{MODULE}/version"
"""Only AMD's package states a version here; the module of the kernel has none (ollama#3425)."""
DKMS = "/var/lib/dkms/amdgpu"
VERSION = re.compile(r"\d[\w.+~:-]{0,60}")


def read_driver(host: Host) -> Found[Driver]:
    """The driver in use, and what DKMS holds of it."""
    loaded = host.is_folder(MODULE)
    version = _version(host) if loaded else Unknown("amdgpu is not loaded")
    origin: Fact[str] = "dkms" if version else "in-tree"
    # Folders only: the links beside them name the kernel that a version was built for.
    built = tuple(filter(VERSION.fullmatch, known(host.folders(DKMS), ())))
    if isinstance(version, Unknown):
        return Found(Driver(loaded, version, "", built))
    return Found(Driver(loaded, origin, version, built))


def _version(host: Host) -> Fact[str]:
    """What the driver states; ``""`` for the kernel's own."""
    if not host.exists(VERSION_FILE):
        return ""
    text = host.read(VERSION_FILE)
    if isinstance(text, Unknown):
        return text
    match = VERSION.fullmatch(text.strip())
    return match[0] if match else Unknown(f"{VERSION_FILE} has no version")


def _tell_driver(driver: Driver) -> tuple[str, tuple[str, ...]]:
    held = f"DKMS has amdgpu {', '.join(driver.dkms)}" if driver.dkms else ""
    if not driver.loaded:
        return "amdgpu is not loaded", (held,) if held else ()
    if isinstance(driver.origin, Unknown):
        return "amdgpu, origin unknown", (f"unknown, because {driver.origin.because}",)
    if driver.origin == "dkms":
        return f"AMD's amdgpu {driver.version} (DKMS)", (held,) if held else ()
    unused = (f"{held}, which is not used",) if held else ()
    return "the kernel's own amdgpu", ("This driver came with the kernel (in-tree).", *unused)


DRIVER: Part[Driver] = Part(
    title="Graphics driver",
    source=f"{MODULE}, {DKMS}",
    read=read_driver,
    without=lambda why: Driver(loaded=False, origin=why, version="", dkms=()),
    tell=_tell_driver,
)
"""The kernel's driver amdgpu."""


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


class Stat(NamedTuple):
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
    # We and our children are nobody's trouble.
    ours = known(host.link(f"{PROC}/self"), "").rpartition("/")[2]
    others = {pid: one for pid, one in stats.items() if ours not in (pid, one.parent)}
    computing = {*_numbered(host, KFD_PROCESSES)} - {ours}
    opened = _opened(host, others)
    # Looked at again: reading a disk is such a wait too, and a short one.
    waiting = {
        pid
        for pid, stat in others.items()
        if stat.state == WAITS and (again := _stat(host, pid)) and again.state == WAITS
    }
    found = []
    for pid in sorted({*computing, *opened, *waiting}, key=int):
        # Without a stat it is one of another container, or gone: KFD tells its number alone.
        stat = others.get(pid)
        name, state = (stat.name, stat.state) if stat else ("", "")
        found.append(Process(int(pid), name, state, opened.get(pid, ()), pid in computing))
    return Found(tuple(found))


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


def _numbered(host: Host, folder: str) -> list[str]:
    """Names in a folder that are numbers, such as those of processes."""
    return [name for name in known(host.names(folder), ()) if name.isascii() and name.isdecimal()]


def _opened(host: Host, stats: dict[str, Stat]) -> dict[str, tuple[str, ...]]:
    """GPU device files by process; only those of processes of our own can be seen."""
    if not any(host.exists(device) for device in DEVICES):
        return {}
    left = OPEN_FILES_OF_ALL
    opened = {}
    for pid in (pid for pid, stat in stats.items() if stat.has_files):
        if not left:
            break
        files = sorted(_numbered(host, f"{PROC}/{pid}/fd"), key=int)[: min(OPEN_FILES, left)]
        left -= len(files)
        targets = {known(host.link(f"{PROC}/{pid}/fd/{number}"), "") for number in files}
        if devices := tuple(sorted(one for one in targets if one.startswith(DEVICES))):
            opened[pid] = devices
    return opened


def _tell_processes(processes: Fact[tuple[Process, ...]]) -> tuple[str, tuple[str, ...]]:
    if isinstance(processes, Unknown):
        return f"unknown, because {processes.because}", ()
    computing = [_name(one) for one in processes if one.compute]
    waiting = [_name(one) for one in processes if one.state == WAITS]
    told = [
        f"computing: {_few(computing)}" if computing else "no program computes on the GPU",
        f"stuck in the kernel: {_few(waiting)}" if waiting else "",
    ]
    return "; ".join(filter(None, told)), tuple(_process_line(one) for one in processes)


def _few(names: list[str]) -> str:
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"


def _process_line(one: Process) -> str:
    # Who only renders or computes needs no more than a render node.
    draws = not one.compute and any(path.startswith("/dev/dri/card") for path in one.devices)
    told = [
        "computes on the GPU (KFD lists it)" if one.compute else "",
        "waits in the kernel (state D) and cannot be killed" if one.state == WAITS else "",
        f"has {' and '.join(one.devices)} open" if one.devices else "",
        "as programs that draw on the screen do" if draws else "",
    ]
    return f"{_name(one)}: {', '.join(filter(None, told))}"


def _name(one: Process) -> str:
    return f"{one.name} ({one.pid})" if one.name else f"process {one.pid}, not visible from here"


PROCESSES: Part[Fact[tuple[Process, ...]]] = Part(
    title="Who uses the GPU",
    source=f"{KFD_PROCESSES}, {PROC}/PID/stat and fd",
    read=read_processes,
    without=lambda why: why,
    tell=_tell_processes,
)
"""Processes that have the GPU open or that hang in the kernel."""
