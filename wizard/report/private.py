"""The one place that takes out of texts what tells who somebody is, or lets strangers in.

What is replaced: passwords, keys, tokens, logins and proxies; serial numbers and ids; addresses of
mail and network; home folders; names of users and of the machine; numbers of accounts. The same
thing has the same stand-in everywhere. A name that is a common word (root, render, torch), or has
less than three letters, is replaced only where it stands for a person or a machine: below
``/home`` and the like, before or behind ``@``, in lists of ids, in a journal's prefix.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

from wizard.machine.facts import Access, Fact, Machine, Unknown
from wizard.report import private_names as names
from wizard.report import private_numbers as numbers
from wizard.report.identity import Identity, identity_by
from wizard.report.private_common import EVERYBODYS_GROUPS, NOBODYS_HOMES
from wizard.report.private_words import (
    FORMS,
    SECRET,
    TOKEN_KIND,
    Form,
    is_secret,
    stand_in_for,
    tells_a_secret,
)

T = TypeVar("T")
USER, HOST, HOME, UID = "USER", "HOST", "~", "UID"
Replace = Callable[["re.Match[str]"], str]


@dataclass(slots=True)
class Redaction:
    """Redacts texts, remembers which stand-in is whose, and counts what it took out."""

    identity: Identity
    counts: Counter[str] = field(default_factory=Counter)
    _stand_ins: dict[tuple[str, str], str] = field(default_factory=dict)
    _rules: tuple[tuple[re.Pattern[str], Replace], ...] = ()

    def __post_init__(self) -> None:
        self._rules = tuple(self._all_rules())

    def text(self, text: str) -> str:
        """The text without any of it."""
        for pattern, stand_in in self._rules:
            text = pattern.sub(stand_in, text)
        return text

    def form(self, form: Any) -> Any:
        """The JSON form with every text in it redacted; keys stay as they are."""
        if isinstance(form, dict):
            return {key: self._field(key, value) for key, value in form.items()}
        if isinstance(form, list):
            return [self.form(value) for value in form]
        return self.text(form) if isinstance(form, str) else form

    def value(self, value: T) -> T:
        """The value, whatever it is made of, with every text in it redacted.

        Before it is laid out: a line break could cut a secret in two that nothing knows again.
        """
        return cast("T", self._any(value))

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
            return {key: self._any(each) for key, each in value.items()}
        return value

    def _field(self, key: str, value: Any) -> Any:
        if isinstance(value, str) and value and tells_a_secret(key):
            return self._counted(TOKEN_KIND, value, SECRET)
        return self.form(value)

    def taken_since(self, before: Counter[str]) -> tuple[tuple[str, int], ...]:
        """What was taken out since then, by kind."""
        return tuple(sorted((self.counts - before).items()))

    def _counted(self, kind: str, was: str, now: str) -> str:
        if was != now:
            self.counts[kind] += 1
        return now

    def _numbered(self, kind: str, prefix: str, value: str) -> str:
        known = self._stand_ins.get((prefix, value))
        if known is None:
            count = sum(1 for found, _ in self._stand_ins if found == prefix)
            known = self._stand_ins[prefix, value] = f"{prefix}-{count + 1}"
        return self._counted(kind, value, known)

    def _all_rules(self) -> Iterator[tuple[re.Pattern[str], Replace]]:
        if self.identity.secrets:
            yield _any_of(self.identity.secrets), self._always(TOKEN_KIND, SECRET)
        for form in FORMS:
            yield form.pattern, self._secret(form)
        yield from self._number_rules()
        yield from self._name_rules()

    def _number_rules(self) -> Iterator[tuple[re.Pattern[str], Replace]]:
        serial = numbers.SERIAL_KIND
        if told := [spelling for one in self.identity.numbers for spelling in _spelled(one)]:
            yield _any_of(told, re.IGNORECASE), self._known_number
        for pattern in (numbers.EDID, numbers.OF_EDID, numbers.OF_PCI, numbers.LABELLED):
            yield pattern, self._part("number", serial, "SERIAL", lambda m: _is_number(m["number"]))
        yield numbers.BY_ID, self._whole(serial, "SERIAL", lambda m: _is_number(m[0]))
        yield numbers.GPU_NUMBER, self._part("number", serial, "SERIAL", _always_true)
        yield numbers.UUID, self._whole(serial, "UUID", _always_true)
        yield numbers.EMAIL, self._whole(numbers.EMAIL_KIND, "EMAIL", numbers.is_mail)
        yield numbers.MAC, self._hardware_address
        yield numbers.INTERFACE, self._part("number", numbers.MAC_KIND, "MAC", _always_true)
        yield (
            numbers.IPV6,
            self._whole(numbers.IP_KIND, "IP", lambda m: numbers.is_long_address(m[0])),
        )
        yield numbers.IPV4, self._whole(numbers.IP_KIND, "IP", _is_address)

    def _name_rules(self) -> Iterator[tuple[re.Pattern[str], Replace]]:
        who = self.identity
        if home := names.home_of((who.home, who.real_home)):
            yield home, self._always(names.HOME_KIND, HOME)
        yield names.HOMES, self._other_home
        for pattern in (names.IN_JOURNAL, names.IN_UNAME, names.BY_LABEL):
            yield pattern, self._only("name", names.HOST_KIND, HOST)
        yield names.PROMPT, self._prompt
        yield names.UID, self._only("name", names.UID_KIND, UID)
        if user := names.word((who.user, *who.full_names)):
            yield user, self._always(names.USER_KIND, USER)
        if who.user and not names.is_telling(who.user):
            yield names.of_person(who.user), self._person
        for person in who.others:
            if other := names.word(person):
                yield other, self._other(person[0])
        if host := names.word(who.hosts):
            yield host, self._always(names.HOST_KIND, HOST)
        for name in who.hosts:
            if not names.is_telling(name):
                yield names.of_machine(name), self._always(names.HOST_KIND, HOST)
        yield names.BEHIND_USER, self._only("name", names.HOST_KIND, HOST)
        yield names.IN_IDS, self._group

    def _secret(self, form: Form) -> Replace:
        def stand_in(found: re.Match[str]) -> str:
            value = found["secret"]
            if not is_secret(form, value):
                return found[0]
            return _put(found, "secret", self._counted(form.kind, value, stand_in_for(form, value)))

        return stand_in

    def _always(self, kind: str, now: str) -> Replace:
        return lambda found: self._counted(kind, found[0], now)

    def _only(self, group: str, kind: str, now: str) -> Replace:
        return lambda found: _put(found, group, self._counted(kind, found[group], now))

    def _whole(self, kind: str, prefix: str, is_one: Callable[[re.Match[str]], bool]) -> Replace:
        return lambda found: (
            self._numbered(kind, prefix, found[0].lower()) if is_one(found) else found[0]
        )

    def _part(
        self, group: str, kind: str, prefix: str, is_one: Callable[[re.Match[str]], bool]
    ) -> Replace:
        def stand_in(found: re.Match[str]) -> str:
            if not is_one(found):
                return found[0]
            number = numbers.bare(found[group])
            return _put(found, group, self._numbered(kind, prefix, number))

        return stand_in

    def _known_number(self, found: re.Match[str]) -> str:
        if numbers.bare(found[0]) in map(
            numbers.bare, filter(numbers.MAC.fullmatch, self.identity.numbers)
        ):
            return self._hardware_address(found)
        return self._numbered(numbers.SERIAL_KIND, "SERIAL", numbers.bare(found[0]))

    def _hardware_address(self, found: re.Match[str]) -> str:
        if not numbers.is_hardware_address(found[0]):
            return found[0]
        return self._numbered(numbers.MAC_KIND, "MAC", numbers.bare(found[0]))

    def _other_home(self, found: re.Match[str]) -> str:
        name = found[0]
        if name in NOBODYS_HOMES or name.startswith("OTHER-"):
            return name
        if name.lower() == self.identity.user.lower() or name in self.identity.full_names:
            return self._counted(names.USER_KIND, name, USER)
        return self._numbered(names.OTHER_KIND, "OTHER", name)

    def _other(self, login: str) -> Replace:
        def stand_in(found: re.Match[str]) -> str:
            self._numbered(names.OTHER_KIND, "OTHER", login)
            return self._stand_ins["OTHER", login]

        return stand_in

    def _prompt(self, found: re.Match[str]) -> str:
        user = found["name"] if found["name"] == "root" else USER
        self._counted(names.USER_KIND, found["name"], user)
        self._counted(names.HOST_KIND, found["host"], HOST)
        return f"{found['before']}{user}@{HOST}"

    def _person(self, found: re.Match[str]) -> str:
        """A name that is a word, where a person is meant; root and groups of everybody's stay."""
        before = found.string[found.start() - 1 : found.start()]
        everybodys = before == "(" and found[0] in EVERYBODYS_GROUPS
        if before != "/" and (found[0] == "root" or everybodys):
            return found[0]
        return self._counted(names.USER_KIND, found[0], USER)

    def _group(self, found: re.Match[str]) -> str:
        """A group of everybody's stays; one of another name may be called like its only member."""
        known = found["name"] in EVERYBODYS_GROUPS or not names.is_telling(found["name"])
        stands_in = re.fullmatch(r"(?:OTHER|GROUP)-\d+", found["name"])
        if known or stands_in or not _in_ids(found):
            return found[0]
        return self._numbered(names.OTHER_KIND, "GROUP", found["name"])


def _in_ids(found: re.Match[str]) -> bool:
    begin = found.string.rfind("\n", 0, found.start()) + 1
    return re.search(r"\b(?:uid|groups)=", found.string[begin : found.start()]) is not None


def _put(found: re.Match[str], group: str, stand_in: str) -> str:
    """What was found, with the stand-in for one of its groups."""
    begin, end = (place - found.start() for place in found.span(group))
    return found[0][:begin] + stand_in + found[0][end:]


def _is_address(found: re.Match[str]) -> bool:
    return numbers.is_address(found.string, found.start(), found.end())


def _is_number(number: str) -> bool:
    return numbers.NO_NUMBERS.match(number) is None


def _always_true(_: re.Match[str]) -> bool:
    return True


def _any_of(values: Iterable[str], flags: int = 0) -> re.Pattern[str]:
    told = sorted({form for value in values for form in names.spellings(value)}, key=len)
    return re.compile("|".join(map(re.escape, reversed(told))), flags)


def _spelled(number: str) -> Iterator[str]:
    """A number with and without what stands between its digits."""
    plain = numbers.bare(number)
    yield from (number, plain)
    if numbers.MAC.fullmatch(number) or numbers.UUID.fullmatch(number):
        pairs = [plain[at : at + 2] for at in range(0, len(plain), 2)]
        yield from (":".join(pairs), "-".join(pairs))


def redaction_by(access: Access) -> Redaction:
    """A redaction that knows as much as the facts of a machine tell of its user."""
    return Redaction(identity_by(access))


def without_name(machine: Machine) -> Machine:
    """The machine with the user's name, and the group that is called like the user, left out."""
    access = machine.access
    shared = ("render", "video")
    own = {access.user: USER} if access.user not in shared else {}

    def others(groups: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
        if isinstance(groups, Unknown):
            return groups
        return tuple(own.get(group, group) for group in groups)

    in_force, in_file = others(access.groups_in_force), others(access.groups_in_file)
    hidden = replace(access, user=USER, groups_in_force=in_force, groups_in_file=in_file)
    return replace(machine, access=hidden)
