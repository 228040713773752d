"""Makes a record of a machine: by allow-list, its owner disguised, looked at again at once."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from wizard import __version__
from wizard.apt.packages import HELD, LOCKS, without_architecture
from wizard.apt.sources import LISTS
from wizard.core.fact import Unknown, known
from wizard.core.json_form import to_json
from wizard.host.accounts import user_name
from wizard.host.deadline import ReachableHost
from wizard.host.host import Disk, Host
from wizard.host.mounts import MOUNTS
from wizard.knowledge.applications import load_traces
from wizard.machine.access import KFD_PROCESSES, PROC
from wizard.machine.assignments import imported_modules, is_wanted, unit_files
from wizard.machine.detect import detect
from wizard.machine.disclosure import told_machine
from wizard.machine.facts import Machine
from wizard.machine.gpus import PCI
from wizard.machine.recorded import RecordedHost, stored
from wizard.machine.recording.allow_list import VARIABLES, Rule, rule_for
from wizard.machine.recording.disguise import (
    PASSWD_FILE,
    Disguise,
    account_file,
    disguise_of,
    is_account_file,
    kept_rows,
)
from wizard.machine.recording.host import Asked, RecordingHost
from wizard.machine.rocm import RECORDS
from wizard.redaction.rules import told_value


def told_paths(machine: Machine, asked: Asked) -> frozenset[str]:
    """Paths of facts, and of the files by which detection came to them."""
    settings = {setting.file for setting in machine.settings if setting.file}
    told = {*settings, *(f"{PCI}/{gpu.pci_address}" for gpu in machine.gpus)}
    # A part that came too late may still be asking: what it adds must not disturb us.
    for path, text in list(asked.texts.items()):
        named: Iterable[str] = ()
        if path.endswith(".pth"):
            site = path.rpartition("/")[0]
            named = (f"{site}/{name}.py" for name in imported_modules(known(text, "")))
        elif path.endswith((".service", ".conf")):
            named = unit_files(known(text, ""))
        if text in machine.unread or not settings.isdisjoint(named):
            told.add(path)
    for found in machine.applications:
        for trace in (each for each in load_traces() if each.id == found.id):
            told.update(f"{found.path}/{name}" for name in (*trace.files, trace.root) if name)
            if trace.program:
                ending = f"/bin/{trace.program}"
                told.update(path for path in list(asked.paths) if path.endswith(ending))
    for file in machine.system_files:
        told |= {file.path, file.path.replace(RECORDS, "/etc/alternatives")}
    return frozenset(told)


NO_ACCOUNTS = Unknown(f"{PASSWD_FILE} was not read")
FORBIDDEN = "no permission to read "
"""How a host begins its reason where the right to read is missing."""
MISSING = "there is no "
LINK_LIMIT = 40


@dataclass(slots=True)
class Kept:
    """What of the files of a machine goes into its record, by the paths of the record."""

    files: dict[str, bytes] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    inodes: dict[str, int] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    failures: dict[str, str] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    """Files that detection read although they are not on the list, as they are called here."""


def place_of(path: str, links: dict[str, str], *, last: bool = True) -> str:
    """The path with every recorded link on the way followed; ``last`` for one at its very end."""
    for _ in range(LINK_LIMIT):
        parts = path.split("/")
        ways = ("/".join(parts[:count]) for count in range(2, len(parts) + last))
        link = next((way for way in ways if way in links), None)
        if link is None:
            break
        path = links[link] + path[len(link) :]
    return path


def keep_files(host: RecordingHost, disguise: Disguise, machine: Machine) -> Kept:
    """Everything on the list that detection asked about, and what the links among it lead to."""
    keeper = _Keeper(host, disguise, machine)
    waiting = deque(sorted(host.asked.paths))
    seen: set[str] = set()
    while waiting:
        path = waiting.popleft()
        if path not in seen:
            seen.add(path)
            waiting.extend(keeper.look_at(path))
    return keeper.kept


class _Keeper:
    """Takes what is on the list, path by path."""

    def __init__(self, host: RecordingHost, disguise: Disguise, machine: Machine) -> None:
        self.kept = Kept()
        self._asked: Asked = host.asked
        self._disguise = disguise
        self._told = told_paths(machine, host.asked)
        silent = machine.silent
        self._inner: Host = ReachableHost(host.inner, silent) if silent else host.inner
        self._own = user_name(host.asked.texts.get(PASSWD_FILE, NO_ACCOUNTS), host.uid)

    def look_at(self, path: str) -> tuple[str, ...]:
        """Keep what may be kept of a path; gives the paths that it leads to."""
        rule = rule_for(self._disguise.shortened(path))
        if rule is None and not is_account_file(path):
            answers = (self._asked.texts.get(path), self._asked.heads.get(path))
            if any(isinstance(answer, (str, bytes)) for answer in answers):
                self.kept.left_out.add(path)
        elif rule is None or not rule.told or self._is_told(path):
            if target := self._target(path):
                self.kept.links[self._disguise.path(path)] = self._disguise.path(target)
                self._asked.followed.add(target)
                # What was read through a link was its target's.
                asked = self._asked
                kinds: tuple[dict[str, Any], ...] = (asked.texts, asked.heads, asked.sizes)
                for answered in kinds:
                    if path in answered:
                        answered.setdefault(target, answered[path])
                return (target,)
            self._keep(path, rule)
        return ()

    def _is_told(self, path: str) -> bool:
        """True for a path that a fact names, and for everything below it."""
        parts = path.split("/")
        return any("/".join(parts[:count]) in self._told for count in range(len(parts), 1, -1))

    def _target(self, path: str) -> str:
        """Where the path leads if detection follows it; ``""`` for what is no link."""
        if path not in self._asked.followed:
            return ""
        target = self._inner.link(path)
        if isinstance(target, str):
            return target
        resolved = self._inner.resolve(path)
        return resolved if resolved != path and self._inner.exists(path) else ""

    def _keep(self, path: str, rule: Rule | None) -> None:
        place, kept = self._disguise.path(path), self.kept
        answer = self._asked.texts.get(path, self._asked.folders.get(path))
        failed = isinstance(answer, Unknown) and not answer.because.startswith(MISSING)
        if isinstance(answer, Unknown) and failed:
            if answer.because.startswith(FORBIDDEN):
                kept.unreadable.add(place)
            else:
                kept.failures[place] = self._disguise.text(answer.because)
        if self._inner.is_folder(path):
            kept.folders.add(place)
        elif self._inner.exists(path):
            content = self._content(path, rule)
            if content or failed or rule is None or not rule.with_words:
                kept.files[place] = content
                size, inode = self._asked.sizes.get(path), self._asked.inodes.get(path)
                if isinstance(size, int) and size != len(content):
                    kept.sizes[place] = size
                if isinstance(inode, int):
                    kept.inodes[place] = inode

    def _content(self, path: str, rule: Rule | None) -> bytes:
        text, head = self._asked.texts.get(path), self._asked.heads.get(path)
        if rule is None:
            told = text if isinstance(text, str) else ""
            return account_file(path, told, self._own, self._disguise)
        if rule.head is not None:
            return rule.head(head) if isinstance(head, bytes) else b""
        return self._disguise.text(rule.keep(text)).encode() if isinstance(text, str) else b""


def keep_facts(machine: Machine, asked: Asked, disguise: Disguise, kept: Kept) -> None:
    """Write these facts as the files that they are read from."""
    for process in known(machine.processes, ()):
        folder = f"{PROC}/{process.pid}"
        if process.state:
            told = f"{process.pid} ({disguise.text(process.name)}) {process.state}"
            kept.files[f"{folder}/stat"] = f"{told} 1 0 0 0 -1 0 0 0\n".encode()
        for number, device in enumerate(process.devices):
            kept.links[f"{folder}/fd/{number}"] = device
            kept.folders.add(f"{folder}/fd")
        if process.compute:
            kept.folders.add(f"{KFD_PROCESSES}/{process.pid}")
    for store in machine.miopen:
        # One file for each target and version; the first has the size of all.
        versions = store.version.split(", ") if store.kind == "choices" and store.version else [""]
        endings = [f".HIP.{version.replace('.', '_')}" if version else "" for version in versions]
        names = [f"{target}{end}.db" for target in store.targets or ("others",) for end in endings]
        for number, name in enumerate(names):
            place = f"{disguise.path(store.path)}/{name}"
            kept.files[place] = b""
            kept.sizes[place] = 0 if number else store.bytes
    _keep_locks(asked, kept)
    _keep_index(machine, asked, disguise, kept)


def _keep_locks(asked: Asked, kept: Kept) -> None:
    """Who holds a lock of dpkg's or apt's, and the file systems that these lie on."""
    inodes = {f"{asked.inodes[path]}" for path in LOCKS if path in asked.inodes}
    locks, mounts = asked.texts.get(HELD), asked.texts.get(MOUNTS)
    if isinstance(locks, str):
        rows = ((line, line.split()) for line in locks.splitlines())
        kept.files[HELD] = "".join(
            f"{line}\n"
            for line, cells in rows
            if len(cells) == 8 and cells[5].rpartition(":")[2] in inodes
        ).encode()
    if isinstance(mounts, str):
        mounted = (line.split(" ", 5) for line in mounts.splitlines())
        kept.files[MOUNTS] = "".join(
            f"1 1 {cells[2]} / {cells[4]} rw - kept-out none rw\n"
            for cells in mounted
            if len(cells) == 6 and any(lock.startswith(cells[4]) for lock in LOCKS)
        ).encode()


def _keep_index(machine: Machine, asked: Asked, disguise: Disguise, kept: Kept) -> None:
    """Those packages of AMD's index that are installed."""
    indexes = sorted(path for path in asked.paths if path.startswith(f"{LISTS}/"))
    read = [path for path in indexes if path in asked.texts or path in asked.heads]
    index = next((path for path in read if "Packages" in path.rpartition("_")[2]), "")
    packages = known(machine.rocm_packages, ())
    indexed = ((without_architecture(p.name), p) for p in packages if p.grounds == "index")
    rows = [f"Package: {name}\nVersion: {p.version}\n" for name, p in indexed]
    if index and rows:
        place = f"{index.rpartition('Packages')[0]}Packages"
        kept.files[disguise.path(place)] = "\n".join(rows).encode()


T = TypeVar("T")
SOURCE = f"Recorded with report --record by rdna1-setup {__version__}; the owner is anonymized."
SYSTEM_PATH = frozenset(
    {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
)


def values_of(
    host: RecordingHost, name: str, kept: Kept, machine: Machine, disguise: Disguise
) -> dict[str, Any]:
    """The data of a record with this name."""
    asked, answers = host.asked, list(host.asked.answers.items())
    # That a program is missing is what a record says by itself.
    unanswered = {
        query.name: disguise.text(answer.because)
        for query, answer in answers
        if isinstance(answer, Unknown) and not answer.because.endswith(" is not installed")
    }
    disks = [disk for disk in list(asked.disks.values()) if isinstance(disk, Disk)]
    return {
        "schema": 1,
        "name": disguise.text(name),
        "sources": [SOURCE],
        "user": disguise.user_name(host.user),
        "uid": host.uid,
        "home": disguise.new_home,
        "prefix": disguise.path(host.prefix),
        "architecture": host.architecture,
        "glibc": known(host.glibc(), ""),
        "environ": _environ(host, kept, disguise),
        "groups_in_force": sorted(map(disguise.group, known(host.groups_in_force(), ()))),
        "links": _placed(kept.links, kept, last=False),
        "access": sorted(map(disguise.path, asked.usable)),
        "unreadable": sorted(kept.unreadable),
        "failures": dict(sorted({**kept.failures, **unanswered}.items())),
        "silent": {disguise.path(one.path): one.kind for one in asked.silent},
        "groups": {
            disguise.path(path): disguise.group(group)
            for path, group in sorted(asked.groups.items())
            if isinstance(group, str)
        },
        "memory_bytes": known(host.memory_bytes(), 0),
        "sizes": _placed(kept.sizes, kept),
        "inodes": _placed(kept.inodes, kept),
        "disks": [
            {
                **disk._asdict(),
                "path": disguise.path(disk.path),
                "filesystem": disguise.path(disk.filesystem),
            }
            for disk in disks
        ],
        "answers": {
            query.name: kept_rows(answer, machine, disguise)
            for query, answer in answers
            if isinstance(answer, str)
        },
    }


def _placed(values: dict[str, T], kept: Kept, *, last: bool = True) -> dict[str, T]:
    """The values by the places at which the record has these paths."""
    placed = {place_of(path, kept.links, last=last): value for path, value in values.items()}
    return dict(sorted(placed.items()))


def _environ(host: RecordingHost, kept: Kept, disguise: Disguise) -> dict[str, str]:
    values = {
        name: disguise.text(told_value(name, value) if is_wanted(name) else value)
        for name, value in sorted(host.environ.items())
        if name in VARIABLES or is_wanted(name)
    }
    if "USER" in values:
        values["USER"] = disguise.owner
    if "PATH" in values:
        # The folders of the system, and those below which the record holds something.
        places = (*kept.files, *kept.links)
        values["PATH"] = ":".join(
            folder
            for folder in values["PATH"].split(":")
            if folder in SYSTEM_PATH
            or any(place.startswith(f"{folder.rstrip('/')}/") for place in places)
        )
    return values


class PlaceTaken(ValueError):
    """The folder cannot take a record; its text is fit to show."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it is written: every file below its folder, and the empty folders."""

    files: dict[str, bytes]
    folders: tuple[str, ...]


def layout(kept: Kept, values: dict[str, Any]) -> Record:
    """Where everything lies in the folder of the record: files behind the links that lead there."""
    files = {"record.json": (json.dumps(values, indent=1, ensure_ascii=False) + "\n").encode()}
    for path, content in kept.files.items():
        files.setdefault(f"files{stored(place_of(path, kept.links))}", content)
    folders = {f"files{stored(place_of(path, kept.links))}" for path in kept.folders}
    return Record(files, ("files", *sorted(folders)))


def check_place(folder: Path) -> None:
    """Raises PlaceTaken unless the folder is empty or can be made."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise PlaceTaken(f"{folder} is not a folder. Name a folder that does not exist yet.")
    if folder.is_dir() and any(folder.iterdir()):
        raise PlaceTaken(f"{folder} is not empty. Name a folder that does not exist yet.")
    if not folder.exists() and not folder.parent.is_dir():
        raise PlaceTaken(f"The folder {folder.parent} does not exist.")


def write(record: Record, folder: Path) -> None:
    """Write everything; what is there already is never replaced."""
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    for name in record.folders:
        (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, content in record.files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)


@dataclass(frozen=True, slots=True)
class Made:
    """A record before it is written, and what it was made of."""

    machine: Machine
    disguise: Disguise
    record: Record
    left_out: frozenset[str]
    """Files that detection read although they are on no list."""


def make_record(inner: Host, name: str) -> Made:
    """The record of this name of the machine that the host looks at."""
    host, disguise = RecordingHost(inner), disguise_of(inner)
    machine = detect(host)
    kept = keep_files(host, disguise, machine)
    keep_facts(machine, host.asked, disguise, kept)
    record = layout(kept, values_of(host, name, kept, machine, disguise))
    return Made(machine, disguise, record, frozenset(kept.left_out))


def differences(machine: Machine, folder: Path, disguise: Disguise) -> tuple[str, ...]:
    """Names of the facts that the record does not give as the machine did, in any order."""
    live = disguised(machine, disguise)
    replayed = disguised(detect(RecordedHost(folder)), disguise)
    return tuple(name for name in live if name != "recorded" and live[name] != replayed[name])


def disguised(machine: Machine, disguise: Disguise) -> dict[str, Any]:
    """The facts as a record may tell them; lists in an order that no name decides."""

    def told(form: Any) -> Any:
        if isinstance(form, dict):
            return {name: told(value) for name, value in form.items()}
        if isinstance(form, list):
            return [told(value) for value in form]
        return disguise.path(form) if isinstance(form, str) else form

    def group(name: Any) -> Any:  # what is not known stays so
        return disguise.group(name) if isinstance(name, str) else name

    form = told(to_json(told_machine(machine)))
    access = form["access"]
    access["user"] = disguise.owner
    for name in ("groups_in_force", "groups_in_file"):
        if isinstance(access[name], list):
            access[name] = [group(each) for each in access[name]]
    for node in (access["kfd"], *access["render_nodes"]):
        node["group"] = group(node["group"])
    return {name: _sorted(value) for name, value in form.items()}


def _sorted(form: Any) -> Any:
    if isinstance(form, dict):
        return {name: _sorted(value) for name, value in form.items()}
    if isinstance(form, list):
        return sorted(map(_sorted, form), key=lambda value: json.dumps(value, sort_keys=True))
    return form
