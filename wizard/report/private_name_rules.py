"""Which names are looked for in a text, in which order, and what comes in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wizard.report import private_names as names
from wizard.report.identity import Identity
from wizard.report.private_common import EVERYBODYS_GROUPS, NOBODYS_HOMES
from wizard.report.stand_ins import Found, Rule, StandIns, put_in

USER, HOST, HOME, UID = "USER", "HOST", "~", "UID"


def name_rules(who: Identity, used: StandIns) -> Iterator[Rule]:
    """Home folders first, since names are parts of them."""
    if home := names.home_of((who.home, who.real_home, who.own_home)):
        yield home, _Named(used, names.HOME_KIND, HOME)
    yield names.HOMES, _OtherHome(who, used)
    for pattern in (names.IN_JOURNAL, names.IN_UNAME, names.BY_LABEL):
        yield pattern, _Named(used, names.HOST_KIND, HOST, "name")
    yield names.PROMPT, _Prompt(used)
    yield names.UID, _Named(used, names.UID_KIND, UID, "name")
    yield from _hosts(who, used)
    if user := names.word((who.user, *who.full_names)):
        yield user, _Named(used, names.USER_KIND, USER)
    if who.user and not names.is_telling(who.user):
        yield names.of_person(who.user), _Person(used)
    for person in who.others:
        if other := names.word(person):
            yield other, _Other(person[0], used)
    yield names.BEHIND_USER, _Named(used, names.HOST_KIND, HOST, "name")
    yield names.IN_IDS, _Group(used)


def _hosts(who: Identity, used: StandIns) -> Iterator[Rule]:
    """A machine may be called after its user: so its whole name is looked for first."""
    if domain := names.of_domains(who.hosts):
        yield domain, _Named(used, names.HOST_KIND, HOST)
    if host := names.word(who.hosts):
        yield host, _Named(used, names.HOST_KIND, HOST)
    for name in who.hosts:
        if not names.is_telling(name):
            yield names.of_machine(name), _Named(used, names.HOST_KIND, HOST)


@dataclass(frozen=True, slots=True)
class _Named:
    """Puts one word for a whole match, or for one group of it."""

    used: StandIns
    kind: str
    now: str
    group: str = ""

    def __call__(self, found: Found) -> str:
        if not self.group:
            return self.used.put(self.kind, found[0], self.now)
        return put_in(found, self.group, self.used.put(self.kind, found[self.group], self.now))


@dataclass(frozen=True, slots=True)
class _OtherHome:
    """Puts a stand-in for the name of a home folder that is not the user's own."""

    who: Identity
    used: StandIns

    def __call__(self, found: Found) -> str:
        name = found[0]
        if name in NOBODYS_HOMES or name.startswith("OTHER-"):
            return name
        if name.lower() == self.who.user.lower() or name in self.who.full_names:
            return self.used.put(names.USER_KIND, name, USER)
        return self.used.number(names.OTHER_KIND, "OTHER", name)


@dataclass(frozen=True, slots=True)
class _Other:
    """Puts a stand-in for any name of another person."""

    login: str
    used: StandIns

    def __call__(self, found: Found) -> str:
        return self.used.number(names.OTHER_KIND, "OTHER", self.login)


@dataclass(frozen=True, slots=True)
class _Prompt:
    """Puts stand-ins for user and machine of a prompt; root stays root."""

    used: StandIns

    def __call__(self, found: Found) -> str:
        user = found["name"] if found["name"] == "root" else USER
        self.used.put(names.USER_KIND, found["name"], user)
        self.used.put(names.HOST_KIND, found["host"], HOST)
        return f"{found['before']}{user}@{HOST}"


@dataclass(frozen=True, slots=True)
class _Person:
    """Puts a stand-in for a name that is a word; root and groups of everybody's stay."""

    used: StandIns

    def __call__(self, found: Found) -> str:
        before = found.string[found.start() - 1 : found.start()]
        everybodys = before == "(" and found[0] in EVERYBODYS_GROUPS
        if before != "/" and (found[0] == "root" or everybodys):
            return found[0]
        return self.used.put(names.USER_KIND, found[0], USER)


@dataclass(frozen=True, slots=True)
class _Group:
    """Puts a stand-in for a group that is not everybody's: it may be called like its member."""

    used: StandIns

    def __call__(self, found: Found) -> str:
        name = found["name"]
        known = name in EVERYBODYS_GROUPS or not names.is_telling(name)
        stands_in = re.fullmatch(r"(?:OTHER|GROUP)-\d+", name)
        begin = found.string.rfind("\n", 0, found.start()) + 1
        in_ids = re.search(r"\b(?:uid|groups)=", found.string[begin : found.start()])
        if known or stands_in or not in_ids:
            return name
        return self.used.number(names.OTHER_KIND, "GROUP", name)
