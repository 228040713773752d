"""What of this machine tells whose it is: names, numbers of its parts, secrets in its variables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

from wizard.core.fact import Fact, Unknown
from wizard.core.lines import clean
from wizard.host.accounts import user_name
from wizard.host.host import Host
from wizard.machine.facts import Machine
from wizard.machine.recording.disguise import ORDINARY, host_names, names_of, people_in
from wizard.redaction import names, rules
from wizard.redaction.names import EVERYBODYS, USER
from wizard.redaction.rules import SECRET, SECRET_KIND, Rule, StandIns, tells_a_secret

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


T = TypeVar("T")
SHORT = 400
"""Texts up to so many letters come again and again in a form: each is looked through once."""


@dataclass(slots=True)
class Redaction:
    """Redacts texts, remembers which stand-in is whose, and counts what it took out."""

    identity: Identity
    used: StandIns = field(default_factory=StandIns)
    _rules: tuple[Rule, ...] = ()
    _known: dict[str, tuple[str, Counter[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rules = tuple(_rules_for(self.identity))

    @property
    def counts(self) -> Counter[str]:
        """How often something of a kind was replaced."""
        return self.used.counts

    def text(self, text: str) -> str:
        """The text without any of it, and without escapes: one could stand inside of a secret."""
        if text in self._known:
            left, taken = self._known[text]
            self.counts.update(taken)
            return left
        before, left = Counter(self.counts), clean(text)
        left = self.used.applied(self._rules, left)
        if len(text) <= SHORT:
            self._known[text] = left, self.counts - before
        return left

    def form(self, form: Any) -> Any:
        """The JSON form with every text in it redacted; keys stay as they are."""
        if isinstance(form, dict):
            named = isinstance(form.get("name"), str) and tells_a_secret(form["name"])
            return {
                key: self._field(form["name"] if named and key == "value" else key, value)
                for key, value in form.items()
            }
        if isinstance(form, list):
            return [self.form(value) for value in form]
        return self.text(form) if isinstance(form, str) else form

    def value(self, value: T) -> T:
        """The value, whatever it is made of, with every text in it redacted.

        Before it is laid out: a line break could cut a secret in two that nothing knows again.
        """
        return cast("T", self._any(value))

    def replaced_since(self, before: Counter[str]) -> tuple[tuple[str, int], ...]:
        """What was replaced since then, by kind."""
        return tuple(sorted((self.counts - before).items()))

    def _any(self, value: Any) -> Any:
        if isinstance(value, (Enum, type)):
            return value
        if isinstance(value, str):
            return self.text(value)
        if is_dataclass(value):
            told = {one.name: self._any(getattr(value, one.name)) for one in fields(value)}
            return replace(cast("Any", value), **told)
        if hasattr(value, "_replace"):  # a named tuple
            return value._replace(**{n: self._any(v) for n, v in value._asdict().items()})
        if isinstance(value, (tuple, list)):
            return type(value)(self._any(each) for each in value)
        if isinstance(value, Mapping):
            return {key: self._field(key, each, self._any) for key, each in value.items()}
        return value

    def _field(self, key: object, value: Any, inside: Callable[[Any], Any] | None = None) -> Any:
        if isinstance(key, str) and tells_a_secret(key) and isinstance(value, str) and value:
            return self.used.put(SECRET_KIND, value, SECRET)
        return (inside or self.form)(value)


def _rules_for(who: Identity) -> Iterator[Rule]:
    """All rules: secrets first, since names and numbers may be parts of them."""
    if who.secrets:
        told = names.spellings(who.secrets)
        yield Rule(SECRET_KIND, re.compile(rf"(?P<x>{told})"), SECRET)
    yield from rules.SECRET_RULES
    yield from rules.NUMBER_RULES
    if who.numbers:
        told = names.spellings(rules.spelled(who.numbers))
        known = re.compile(rf"(?P<x>{told})", re.IGNORECASE)
        yield Rule(rules.SERIAL_KIND, known, "SERIAL-#")
    yield rules.CHANCE
    homes = (who.home, who.real_home, who.own_home)
    yield from names.rules_of(who.user, homes, who.full_names, who.others, who.hosts)


def without_name(machine: Machine) -> Machine:
    """The machine without the user's name, and without groups that are not everybody's."""
    access = machine.access
    shared = ("render", "video")
    own = {access.user: USER} if access.user not in shared else {}

    def others(groups: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
        if isinstance(groups, Unknown):
            return groups
        return tuple(own.get(g, g if g in EVERYBODYS else "GROUP") for g in groups)

    in_force, in_file = others(access.groups_in_force), others(access.groups_in_file)
    hidden = replace(access, user=USER, groups_in_force=in_force, groups_in_file=in_file)
    return replace(machine, access=hidden)
