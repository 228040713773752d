"""What of this machine tells whose it is: names, numbers of its parts, secrets in its variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wizard.host.accounts import user_name
from wizard.host.host import Host
from wizard.machine.facts import Access, Unknown
from wizard.machine.recording.disguise import ORDINARY, host_names, names_of, people_in
from wizard.redaction.secrets import tells_a_secret

SHORTEST_SECRET = 6
SHORTEST_SERIAL = 6
MOST_DEVICES = 64
NUMBER_FILES = (
    "/etc/machine-id",
    "/var/lib/dbus/machine-id",
    "/proc/sys/kernel/random/boot_id",
    "/sys/class/dmi/id/product_serial",
    "/sys/class/dmi/id/board_serial",
    "/sys/class/dmi/id/chassis_serial",
    "/sys/class/dmi/id/product_uuid",
)
DEVICE_NUMBERS = (
    ("/sys/block", ("device/serial", "device/wwid", "wwid")),
    ("/sys/class/power_supply", ("serial_number",)),
    ("/sys/bus/usb/devices", ("serial",)),
    ("/sys/class/net", ("address",)),
)
"""Folders of devices, and the files in each device's own that hold its number."""
_ADDRESS_OF_A_SLOT = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.\d")


@dataclass(frozen=True, slots=True)
class Identity:
    """What no text that leaves this machine may hold."""

    user: str = ""
    home: str = ""
    real_home: str = ""
    """Where the home really lies, if it is reached through a link."""
    own_home: str = ""
    """The home by the list of accounts, where ``HOME`` names another."""
    full_names: tuple[str, ...] = ()
    """Full name of the user, and its parts."""
    others: tuple[tuple[str, ...], ...] = ()
    """For each other person of this machine: login name, full name and its parts."""
    hosts: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    """Serial numbers, hardware addresses and ids, as the kernel writes them."""
    secrets: tuple[str, ...] = ()
    """Values of variables whose names say that they are secret."""


def identity_of(host: Host) -> Identity:
    """What tells whose machine this is."""
    own: list[str] = []
    others: list[tuple[str, ...]] = []
    passwd = host.read("/etc/passwd")
    account = user_name(passwd, host.uid)
    for name, number, comment in people_in(passwd):
        if name == host.user or number == host.uid:
            own += names_of(name, comment)
        elif number in ORDINARY:
            others.append(tuple(names_of(name, comment)))
    environ = host.environ
    own += [environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")]
    named = [*host_names(host), environ.get("HOSTNAME", ""), environ.get("HOST", "")]
    home = host.home.rstrip("/")
    return Identity(
        user=host.user,
        home=home,
        real_home=host.resolve(home).rstrip("/") if home else "",
        own_home=account.home.rstrip("/") if host.uid in ORDINARY else "",
        full_names=_distinct(name for name in own if name != host.user and name != "root"),
        others=tuple(others),
        hosts=_distinct(named),
        numbers=_distinct(_numbers(host)),
        secrets=_distinct(
            value
            for name, value in environ.items()
            if tells_a_secret(name) and len(value) >= SHORTEST_SECRET and not _is_place(value)
        ),
    )


def identity_by(access: Access) -> Identity:
    """As much as the facts of a machine themselves tell."""
    return Identity(user=access.user, home=access.home.rstrip("/"))


def _is_place(value: str) -> bool:
    """True for a path, such as that of a key: it is told as any other path is."""
    return value.startswith(("/", "~/", "./"))


def _numbers(host: Host) -> Iterator[str]:
    for path in _number_files(host):
        text = host.read(path)
        value = "" if isinstance(text, Unknown) else text.strip()
        if len(value) >= SHORTEST_SERIAL and _tells_one(value):
            yield value


def _number_files(host: Host) -> Iterator[str]:
    yield from NUMBER_FILES
    for folder, files in DEVICE_NUMBERS:
        names = host.names(folder)
        for name in () if isinstance(names, Unknown) else names[:MOST_DEVICES]:
            yield from (f"{folder}/{name}/{file}" for file in files)


def _tells_one(value: str) -> bool:
    """False for what stands in place of a number; a slot's address is every machine's."""
    told = re.sub(r"[^0-9A-Za-z]", "", value)
    several = len(set(told)) > 2 and any(letter.isdigit() for letter in told)
    return several and _ADDRESS_OF_A_SLOT.fullmatch(value) is None


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.strip() for value in values if value.strip()))
