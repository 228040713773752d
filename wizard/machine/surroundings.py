"""Reads what this system runs inside of, and what stands around the wizard."""

from __future__ import annotations

import re

from wizard.host.host import Host
from wizard.machine.facts import Fact, Surroundings, Unknown
from wizard.machine.part import Found, Part
from wizard.machine.seat import seat_in_use
from wizard.machine.virtual import is_wsl, virtual_machine

FIRMWARE = "/sys/firmware"
SECURE_BOOT = f"{FIRMWARE}/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
ATTRIBUTES = 4
"""Bytes before the value of an EFI variable."""
CONTAINER_FILES = (("/.dockerenv", "docker"), ("/run/.containerenv", "podman"))
CONTAINER_NAMES = "/run/systemd/container"
NAME = re.compile(r"[a-z][a-z0-9-]{1,30}")
NO_CONTAINER = ("wsl", "flatpak")
"""Told apart: systemd and Flatpak say ``container`` of these too."""
TIMESHIFT = ("/etc/timeshift/timeshift.json", "/etc/timeshift.json")
DEVICE = re.compile(r'"backup_device_uuid"\s*:\s*"[^"\s]')
"""Empty until Timeshift was set up."""
SNAPPER = "/etc/snapper/configs"


def read_surroundings(host: Host) -> Found[Surroundings]:
    """Containers, virtual machines, Secure Boot, the seat, snapshots."""
    container, wsl = _container(host), is_wsl(host)
    return Found(
        Surroundings(
            secure_boot=_secure_boot(host, hidden=wsl or bool(container)),
            container=container,
            wsl=wsl,
            virtual_machine=virtual_machine(host),
            confined=_confined(host),
            seat_in_use=seat_in_use(host),
            snapshots=_snapshots(host),
        )
    )


def _secure_boot(host: Host, *, hidden: bool) -> Fact[bool]:
    if host.exists(SECURE_BOOT):
        value = host.head(SECURE_BOOT, ATTRIBUTES + 1)
        if isinstance(value, Unknown):
            return value
        known = len(value) == ATTRIBUTES + 1 and value[-1] in (0, 1)
        return value[-1] == 1 if known else Unknown(f"{SECURE_BOOT} is empty")
    if host.exists(f"{FIRMWARE}/efi"):
        return Unknown("the firmware does not report it here")
    if hidden or host.names(FIRMWARE) == () or not host.exists(FIRMWARE):
        return Unknown("the firmware is not visible from here")
    return False  # started by a BIOS, which has none


def _container(host: Host) -> str:
    named = (host.environ.get("container", ""), _line(host, CONTAINER_NAMES))
    for name in named:
        if NAME.fullmatch(name) and name not in NO_CONTAINER:
            return name
    return next((name for path, name in CONTAINER_FILES if host.exists(path)), "")


def _confined(host: Host) -> str:
    if host.environ.get("FLATPAK_ID") or host.exists("/.flatpak-info"):
        return "flatpak"
    return "snap" if host.environ.get("SNAP") else ""


def _snapshots(host: Host) -> tuple[str, ...]:
    configs = host.names(SNAPPER)
    tools = (
        ("timeshift", any(_is_set_up(host, path) for path in TIMESHIFT)),
        ("snapper", isinstance(configs, tuple) and bool(configs)),
    )
    return tuple(name for name, is_set_up in tools if is_set_up)


def _is_set_up(host: Host, path: str) -> bool:
    text = host.read(path)
    return isinstance(text, str) and DEVICE.search(text) is not None


def _line(host: Host, path: str) -> str:
    text = host.read(path)
    return text.strip() if isinstance(text, str) else ""


def _tell(around: Surroundings) -> tuple[str, tuple[str, ...]]:
    inside = [
        f"container ({around.container})" if around.container else "",
        "WSL" if around.wsl else "",
        f"virtual machine ({around.virtual_machine})" if around.virtual_machine else "",
        f"{around.confined} terminal" if around.confined else "",
    ]
    summary = ", ".join(filter(None, inside)) or "no container or virtual machine"
    return summary, (*warnings(around), *_lines(around))


def warnings(around: Surroundings) -> list[str]:
    """What of them stands in the way of using a card, or may hide something."""
    lines = []
    if around.confined:
        lines.append(
            f"This terminal is running inside a {around.confined} and may see different files and "
            "devices than your programs do. To be sure, start the wizard in another terminal."
        )
    if around.container:
        lines.append("In a container, the driver, the devices and their groups come from the host.")
    if around.wsl:
        lines.append("WSL has no amdgpu driver and no /dev/kfd.")
    return lines


def _lines(around: Surroundings) -> list[str]:
    secure, seat = around.secure_boot, around.seat_in_use
    boot = {True: "on (no problem: this program loads no kernel modules)", False: "off"}
    used = {True: "someone is logged in", False: "nobody is logged in"}
    return [
        f"Secure Boot: {_unknown(secure) if isinstance(secure, Unknown) else boot[secure]}",
        f"Screen of this machine: {_unknown(seat) if isinstance(seat, Unknown) else used[seat]}",
        f"Snapshots: {' and '.join(around.snapshots) or 'none'} set up",
    ]


def _unknown(why: Unknown) -> str:
    return f"unknown, because {why.because}"


SURROUNDINGS: Part[Surroundings] = Part(
    title="Surroundings",
    source="/sys/firmware/efi, /run/systemd, DMI, environment",
    read=read_surroundings,
    without=lambda why: Surroundings(why, "", False, "", "", why, ()),
    tell=_tell,
)
"""Container, virtual machine, Secure Boot, seat, snapshots."""
