"""Builds small recorded machines for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.machine.recorded import RecordedHost, stored

MACHINES = Path(__file__).parents[1] / "machines"
NAMES = tuple(sorted(path.name for path in MACHINES.iterdir()))
PCI = "/sys/bus/pci/devices"
NODES = "/sys/class/kfd/kfd/topology/nodes"


def machine(name: str) -> RecordedHost:
    """One of the recorded machines."""
    return RecordedHost(MACHINES / name)


@cache
def seen(name: str) -> Machine:
    """What detection says of a recorded machine: facts do not change, so they are read once."""
    return detect(machine(name))


def make(folder: Path, files: Mapping[str, str | bytes], **record: object) -> RecordedHost:
    """A recorded machine of exactly these files and this record."""
    (folder / "files").mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        place = folder / "files" / stored(path.lstrip("/"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    values = {"user": "owner", "home": "/home/owner", **record}
    (folder / "record.json").write_text(json.dumps(values))
    return RecordedHost(folder)


def card(
    device: str = "731f",
    revision: str = "ca",
    *,
    vendor: str = "1002",
    address: str = "0000:0b:00.0",
    pci_class: str = "030000",
) -> dict[str, str]:
    """The PCI files of one display function."""
    values = {"vendor": vendor, "device": device, "class": pci_class, "revision": revision}
    return {f"{PCI}/{address}/{name}": f"0x{value}\n" for name, value in values.items()}


def driven(driver: str, address: str = "0000:0b:00.0") -> dict[str, str]:
    """The link that binds a driver to a function."""
    return {f"{PCI}/{address}/driver": f"../../../bus/pci/drivers/{driver}"}


def node(number: int = 1, **values: int) -> dict[str, str]:
    """The KFD node of a card, at 0000:0b:00.0 unless told."""
    lines = {"simd_count": 72, "gfx_target_version": 100100, "location_id": 0x0B00, **values}
    text = "".join(f"{key} {value}\n" for key, value in lines.items())
    return {f"{NODES}/{number}/properties": text}
