"""What a record holds of places that are told by facts alone: processes, locks, indexes, stores."""

from __future__ import annotations

from wizard.apt.packages import HELD, LOCKS, MOUNTS, without_architecture
from wizard.apt.sources import LISTS
from wizard.machine.facts import Machine, MiopenStore, Process
from wizard.machine.processes import KFD_PROCESSES, PROC
from wizard.machine.recording.disguise import Disguise
from wizard.machine.recording.recorder import Kept
from wizard.machine.recording.watch import Asked


def keep_facts(machine: Machine, asked: Asked, disguise: Disguise, kept: Kept) -> None:
    """Write these facts as the files that they are read from."""
    for process in machine.processes if isinstance(machine.processes, tuple) else ():
        _keep_process(process, disguise, kept)
    for store in machine.miopen:
        _keep_store(store, disguise, kept)
    _keep_locks(asked, kept)
    _keep_index(machine, asked, disguise, kept)


def _keep_process(process: Process, disguise: Disguise, kept: Kept) -> None:
    folder = f"{PROC}/{process.pid}"
    if process.state:
        name = disguise.text(process.name)
        text = f"{process.pid} ({name}) {process.state} 1 0 0 0 -1 0 0 0\n"
        kept.files[f"{folder}/stat"] = text.encode()
    for number, device in enumerate(process.devices):
        kept.links[f"{folder}/fd/{number}"] = device
        kept.folders.add(f"{folder}/fd")
    if process.compute:
        kept.folders.add(f"{KFD_PROCESSES}/{process.pid}")


def _keep_store(store: MiopenStore, disguise: Disguise, kept: Kept) -> None:
    """One file for each target and version; the first has the size of all."""
    folder = disguise.path(store.path)
    versions = store.version.split(", ") if store.kind == "choices" and store.version else [""]
    endings = [f".HIP.{version.replace('.', '_')}" if version else "" for version in versions]
    names = [f"{target}{end}.db" for target in store.targets or ("others",) for end in endings]
    for number, name in enumerate(names):
        kept.files[f"{folder}/{name}"] = b""
        kept.sizes[f"{folder}/{name}"] = 0 if number else store.bytes


def _keep_locks(asked: Asked, kept: Kept) -> None:
    """Who holds a lock of dpkg's or apt's, and the file systems that these lie on."""
    numbers = {f"{asked.inodes[path]}" for path in LOCKS if path in asked.inodes}
    locks, mounts = asked.texts.get(HELD), asked.texts.get(MOUNTS)
    if isinstance(locks, str):
        held = [line for line in locks.splitlines() if _inode(line) in numbers]
        kept.files[HELD] = "".join(f"{line}\n" for line in held).encode()
    if isinstance(mounts, str):
        rows = (line.split(" ", 5) for line in mounts.splitlines())
        kept.files[MOUNTS] = "".join(
            f"1 1 {cells[2]} / {cells[4]} rw - kept-out none rw\n"
            for cells in rows
            if len(cells) == 6 and any(lock.startswith(cells[4]) for lock in LOCKS)
        ).encode()


def _inode(line: str) -> str:
    cells = line.split()
    return cells[5].rpartition(":")[2] if len(cells) == 8 else ""


def _keep_index(machine: Machine, asked: Asked, disguise: Disguise, kept: Kept) -> None:
    """Those packages of AMD's index that are installed."""
    indexes = sorted(path for path in asked.paths if path.startswith(f"{LISTS}/"))
    read = [path for path in indexes if path in asked.texts or path in asked.heads]
    index = next((path for path in read if "Packages" in path.rpartition("_")[2]), "")
    packages = machine.rocm_packages if isinstance(machine.rocm_packages, tuple) else ()
    indexed = ((without_architecture(p.name), p) for p in packages if p.grounds == "index")
    rows = [f"Package: {name}\nVersion: {p.version}\n" for name, p in indexed]
    if index and rows:
        place = f"{index.rpartition('Packages')[0]}Packages"
        kept.files[disguise.path(place)] = "\n".join(rows).encode()
