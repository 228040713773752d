"""What is looked for in a text, in which order, and what comes in its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from wizard.report import private_names as names
from wizard.report import private_numbers as numbers
from wizard.report.identity import Identity
from wizard.report.private_name_rules import name_rules
from wizard.report.private_words import FORMS, SECRET, TOKEN_KIND, Form, is_secret, stand_in_for
from wizard.report.stand_ins import Found, Rule, StandIns, put_in


def rules_for(who: Identity, used: StandIns) -> tuple[Rule, ...]:
    """All rules: secrets first, since names and numbers may be parts of them."""
    return (*_secrets(who, used), *_numbers(who, used), *name_rules(who, used))


def _secrets(who: Identity, used: StandIns) -> Iterator[Rule]:
    if who.secrets:
        yield _any_of(who.secrets), lambda found: used.put(TOKEN_KIND, found[0], SECRET)
    for form in FORMS:
        yield form.pattern, _Secret(form, used)


@dataclass(frozen=True, slots=True)
class _Secret:
    """Puts a stand-in for what has the form of a secret."""

    form: Form
    used: StandIns

    def __call__(self, found: Found) -> str:
        value = found["secret"]
        if not is_secret(self.form, value):
            return found[0]
        return put_in(found, "secret", self.used.put(self.form.kind, value, self.now(value)))

    def now(self, value: str) -> str:
        return stand_in_for(self.form, value)


def _numbers(who: Identity, used: StandIns) -> Iterator[Rule]:
    serial, own = numbers.SERIAL_KIND, _Known(who.numbers, used)
    if told := [spelling for one in who.numbers for spelling in numbers.spelled(one)]:
        yield _any_of(told, re.IGNORECASE), own
    for pattern in (numbers.EDID, numbers.OF_EDID, numbers.OF_PCI, numbers.LABELLED, numbers.BARE):
        yield pattern, _Numbered(used, serial, "SERIAL", _is_number, "number")
    yield numbers.BY_ID, _Numbered(used, serial, "SERIAL", lambda found: _tells(found[0]))
    yield numbers.GPU_NUMBER, _Numbered(used, serial, "SERIAL", group="number")
    yield numbers.UUID, _Numbered(used, serial, "UUID")
    yield numbers.NETWORK, _Numbered(used, numbers.NETWORK_KIND, "NETWORK", _is_network, "number")
    yield numbers.EMAIL, _Numbered(used, numbers.EMAIL_KIND, "EMAIL", numbers.is_mail)
    yield numbers.MAC, _hardware(used)
    yield numbers.INTERFACE, _Numbered(used, numbers.MAC_KIND, "MAC", group="number")
    yield numbers.IPV6, _Numbered(used, numbers.IP_KIND, "IP", numbers.is_long_address)
    yield numbers.IPV4, _Numbered(used, numbers.IP_KIND, "IP", numbers.is_address)


@dataclass(frozen=True, slots=True)
class _Numbered:
    """Puts a numbered stand-in for a whole match, or for one group of it."""

    used: StandIns
    kind: str
    prefix: str
    is_one: Callable[[Found], bool] = lambda _: True
    group: str = ""

    def __call__(self, found: Found) -> str:
        if not self.is_one(found):
            return found[0]
        if not self.group:
            return self.used.number(self.kind, self.prefix, found[0].lower())
        number = numbers.bare(found[self.group])
        return put_in(found, self.group, self.used.number(self.kind, self.prefix, number))


def _hardware(used: StandIns) -> Callable[[Found], str]:
    def stand_in(found: Found) -> str:
        if not numbers.is_hardware_address(found[0]):
            return found[0]
        return used.number(numbers.MAC_KIND, "MAC", numbers.bare(found[0]))

    return stand_in


@dataclass(frozen=True, slots=True)
class _Known:
    """Puts a stand-in for a number of this very machine."""

    numbers: tuple[str, ...]
    used: StandIns

    def __call__(self, found: Found) -> str:
        number = numbers.bare(found[0])
        if number in map(numbers.bare, filter(numbers.MAC.fullmatch, self.numbers)):
            return self.used.number(numbers.MAC_KIND, "MAC", number)
        return self.used.number(numbers.SERIAL_KIND, "SERIAL", number)


def _is_number(found: Found) -> bool:
    return _tells(found["number"])


def _is_network(found: Found) -> bool:
    return not found["number"].startswith("NETWORK-")


def _tells(number: str) -> bool:
    return numbers.NO_NUMBERS.match(number) is None


def _any_of(values: Iterable[str], flags: int = 0) -> re.Pattern[str]:
    told = sorted({form for value in values for form in names.spellings(value)}, key=len)
    return re.compile("|".join(map(re.escape, reversed(told))), flags)
