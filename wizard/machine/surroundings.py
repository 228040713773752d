"""What this system runs inside of, and who sits at it."""

from __future__ import annotations

import re

from wizard.core.fact import Fact, Unknown, fact_text, known
from wizard.host.host import Host, read_line
from wizard.machine.facts import Surroundings
from wizard.machine.part import Found, Part

DMI = "/sys/class/dmi/id"
DMI_FILES = ("sys_vendor", "product_name", "board_vendor", "bios_vendor")
MAKERS = (
    ("qemu", "QEMU"),
    ("kvm", "KVM"),
    ("vmware", "VMware"),
    ("virtualbox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("xen", "Xen"),
    ("parallels", "Parallels"),
    ("bhyve", "bhyve"),
    ("bochs", "Bochs"),
    ("openstack", "OpenStack"),
    ("google compute engine", "Google"),
    ("microsoft corporation virtual machine", "Hyper-V"),
)
"""What virtual machines put into their DMI tables, as systemd-detect-virt knows it too."""
AMAZON = "amazon ec2"
KERNEL = "/proc/sys/kernel/osrelease"
CPUINFO = "/proc/cpuinfo"
FIRST_PROCESSOR = 4096
"""Bytes that hold the flags of the first processor."""


def virtual_machine(host: Host) -> str:
    """The maker of the virtual machine that this is; ``""`` on real hardware."""
    told = " ".join(read_line(host, f"{DMI}/{name}") for name in DMI_FILES).lower()
    maker = next((maker for words, maker in MAKERS if re.search(rf"\b{words}\b", told)), "")
    lines = known(host.head(CPUINFO, FIRST_PROCESSOR), b"").splitlines()
    flags = next((line for line in lines if line.startswith(b"flags")), b"")
    if maker or b"hypervisor" not in flags.split():
        return maker
    if is_wsl(host):
        return "Hyper-V"
    # Its machines without a hypervisor have the same name in their tables.
    return "Amazon EC2" if AMAZON in told else "unknown maker"


def is_wsl(host: Host) -> bool:
    """True for the Windows Subsystem for Linux."""
    release = read_line(host, KERNEL).lower()
    return "microsoft" in release or "wsl" in release or host.exists("/dev/dxg")


RUN = "/run/systemd"
SEAT = f"{RUN}/seats/seat0"
SESSION = re.compile(r"[A-Za-z0-9]{1,32}")
"""What logind allows in the name of a session; a name is part of a path here."""
SESSION_LIMIT = 20


def seat_in_use(host: Host) -> Fact[bool]:
    """True when a user, and not only a login screen, has a session at the first seat."""
    text = host.read(SEAT)
    if isinstance(text, Unknown):
        return Unknown("logind reports no seat")
    seat = _pairs(text)
    names = dict.fromkeys((seat.get("ACTIVE", ""), *seat.get("SESSIONS", "").split()))
    sessions = [name for name in names if SESSION.fullmatch(name)][:SESSION_LIMIT]
    # Classes are user, user-early and the like, beside greeter and lock-screen.
    told = (_pairs(read_line(host, f"{RUN}/sessions/{name}")) for name in sessions)
    return any(session.get("CLASS", "").startswith("user") for session in told)


def _pairs(text: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


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
        told = len(value) == ATTRIBUTES + 1 and value[-1] in (0, 1)
        return value[-1] == 1 if told else Unknown(f"{SECURE_BOOT} is empty")
    if host.exists(f"{FIRMWARE}/efi"):
        return Unknown("the firmware does not report it here")
    if hidden or host.names(FIRMWARE) == () or not host.exists(FIRMWARE):
        return Unknown("the firmware is not visible from here")
    return False  # started by a BIOS, which has none


def _container(host: Host) -> str:
    named = (host.environ.get("container", ""), read_line(host, CONTAINER_NAMES))
    for name in named:
        if NAME.fullmatch(name) and name not in NO_CONTAINER:
            return name
    return next((name for path, name in CONTAINER_FILES if host.exists(path)), "")


def _confined(host: Host) -> str:
    if host.environ.get("FLATPAK_ID") or host.exists("/.flatpak-info"):
        return "flatpak"
    return "snap" if host.environ.get("SNAP") else ""


def _snapshots(host: Host) -> tuple[str, ...]:
    tools = (
        ("timeshift", any(DEVICE.search(read_line(host, path)) for path in TIMESHIFT)),
        ("snapper", bool(known(host.names(SNAPPER), ()))),
    )
    return tuple(name for name, is_set_up in tools if is_set_up)


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
        f"Secure Boot: {boot[secure] if isinstance(secure, bool) else fact_text(secure)}",
        f"Screen of this machine: {used[seat] if isinstance(seat, bool) else fact_text(seat)}",
        f"Snapshots: {' and '.join(around.snapshots) or 'none'} set up",
    ]


SURROUNDINGS: Part[Surroundings] = Part(
    title="Surroundings",
    source="/sys/firmware/efi, /run/systemd, DMI, environment",
    read=read_surroundings,
    without=lambda why: Surroundings(why, "", False, "", "", why, ()),
    tell=_tell,
)
"""Container, virtual machine, Secure Boot, seat, snapshots."""


PROCESSES = {
    "orca": "the screen reader Orca",
    "brltty": "the braille display driver BRLTTY",
    "espeakup": "the screen reader Speakup (espeakup)",
    "fenrir": "the screen reader Fenrir",
    "fenrir-daemon": "the screen reader Fenrir",
    "yasr": "the screen reader yasr",
    "tdsr": "the screen reader tdsr",
}
"""By the name that the kernel has for them: 15 characters, a script's its own."""
SPEAKUP = "/sys/accessibility/speakup"
PROC = "/proc"
NAME_BYTES = 16


def reading_aid(host: Host) -> str:
    """What reads to somebody here, ``""`` for nothing that is known."""
    if host.is_folder(SPEAKUP):
        return "the screen reader Speakup"
    for pid in known(host.names(PROC), ()):
        if pid.isascii() and pid.isdecimal():
            # Its name alone: the command line of a process that is stuck can block its reader.
            name = known(host.head(f"{PROC}/{pid}/comm", NAME_BYTES), b"")
            if aid := PROCESSES.get(name.decode("utf-8", "replace").strip()):
                return aid
    return ""
