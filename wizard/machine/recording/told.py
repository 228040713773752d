"""Which paths the facts themselves name: of some files a record holds only those."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.knowledge.traces import load_traces
from wizard.machine.facts import Machine
from wizard.machine.gpus import PCI
from wizard.machine.recording.watch import Asked
from wizard.machine.setting_formats import imported_modules, unit_files
from wizard.machine.system_files import RECORDS


def told_paths(machine: Machine, asked: Asked) -> frozenset[str]:
    """Paths of facts, and of the files by which detection came to them."""
    # A part that came too late may still be asking: what it adds must not disturb us.
    texts = list(asked.texts.items())
    settings = {setting.file for setting in machine.settings if setting.file}
    told = {
        *settings,
        *(path for path, text in texts if _names(path, text, settings)),
        *_of_applications(machine, asked),
        *(file.path for file in machine.system_files),
        *(file.path.replace(RECORDS, "/etc/alternatives") for file in machine.system_files),
        *(f"{PCI}/{gpu.pci_address}" for gpu in machine.gpus),
    }
    told |= {path for path, text in texts if text in machine.unread}
    return frozenset(told)


def is_told(path: str, told: frozenset[str]) -> bool:
    """True for a path that is told, and for everything below it."""
    parts = path.split("/")
    return any("/".join(parts[:count]) in told for count in range(len(parts), 1, -1))


def _names(path: str, text: object, settings: set[str]) -> bool:
    """True for a unit that names a file of settings, and for a ``.pth`` that imports one."""
    if not isinstance(text, str):
        return False
    if path.endswith(".pth"):
        site = path.rpartition("/")[0]
        return any(f"{site}/{name}.py" in settings for name in imported_modules(text))
    is_unit = path.endswith((".service", ".conf"))
    return is_unit and any(named in settings for named in unit_files(text))


def _of_applications(machine: Machine, asked: Asked) -> Iterator[str]:
    traces = [
        (found, trace)
        for found in machine.applications
        for trace in load_traces()
        if trace.id == found.id
    ]
    for found, trace in traces:
        yield from (f"{found.path}/{name}" for name in (*trace.files, trace.root) if name)
        if trace.program:
            ending = f"/bin/{trace.program}"
            yield from (path for path in list(asked.paths) if path.endswith(ending))
