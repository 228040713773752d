"""Names of people and of machines as they stand in texts, in each of their spellings."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from wizard.redaction.numbers import STANDS_IN
from wizard.redaction.rules import Found, Rule
from wizard.redaction.words import (
    EVERYBODYS_DOMAINS,
    EVERYBODYS_GROUPS,
    NOBODYS_HOMES,
    is_telling,
)

USER, HOST, HOME, UID = "USER", "HOST", "~", "UID"
USER_KIND, HOST_KIND, HOME_KIND = "user name", "host name", "home folder"
OTHER_KIND, UID_KIND = "name of another person", "user number"
_BEGIN = r"(?:(?<![^\W_])|(?<=\\[abfnrtv0])|(?<=%[0-9A-Fa-f]{2})|(?<=\d[mK]))"
_END = r"(?![^\W_])"
_I, _M = re.IGNORECASE, re.MULTILINE


def spellings(names: Iterable[str]) -> str:
    """The ways in which programs write names down, as one expression, the longest first."""
    told: dict[str, None] = {}
    for name in names:
        forms = [name, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)]
        forms += [quote(name), quote(name, safe=""), json.dumps(name)[1:-1]]
        forms += [name.replace(" ", "\\ "), name.replace(" ", "\\040")]
        told |= dict.fromkeys([*forms, name.replace("\\", "\\\\"), name.replace("/", "\\/")])
    return "|".join(map(re.escape, sorted(told, key=len, reverse=True)))


def word(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds each of these names where it stands as a word, a full name run together too."""
    told = [name for name in names if is_telling(name)]
    full = [r"[\s._+-]{0,2}".join(map(re.escape, name.split())) for name in told if " " in name]
    found = "|".join((*full, spellings(told)))
    return re.compile(rf"{_BEGIN}(?:{found}){_END}", _I) if told else None


def home_of(homes: Iterable[str]) -> re.Pattern[str] | None:
    """Finds a home folder, not one whose name only begins like it."""
    told = [home for home in homes if len(home) > 1]
    return re.compile(rf"(?:{spellings(told)})(?![^\W_]|[_-]\w|\.\w)") if told else None


def of_domains(hosts: Iterable[str]) -> re.Pattern[str] | None:
    """Finds every machine of the domains that this machine is in."""
    domains = {host.partition(".")[2].lower() for host in hosts} - EVERYBODYS_DOMAINS
    told = "|".join(re.escape(domain) for domain in sorted(domains) if "." in domain)
    pattern = rf"(?<![\w.-])(?:[\w-]+\.){{0,8}}(?:{told})(?![\w-]|\.\w)"
    return re.compile(pattern, _I) if told else None


def of_person(user: str) -> re.Pattern[str]:
    """Finds a name that is a common word where it stands for a person all the same."""
    name = spellings((user,))
    before = "|".join(
        rf"(?<={place})" for place in ("/home/", "/Users/", "/mnt/", "/media/", "/mail/",
                                      r"[\\/]Users\\", r"\d\(")
    )  # fmt: skip
    return re.compile(
        rf"(?:{before})(?:{name}){_END}|(?<![\w.+-])(?:{name})(?=@[\w.-])"
        rf"|(?i:(?<=\buser=)|(?<=\buser: )|(?<=\blogname=)|(?<=\bby user )|(?<=\bfor user ))[\"']?"
        rf"(?:{name}){_END}"
    )


def of_machine(host: str) -> re.Pattern[str]:
    """Finds a machine's name that is a common word where it stands for a machine all the same."""
    return re.compile(rf"(?<=\w@)(?:{spellings((host,))}){_END}(?=[\s:~)\]]|$)", _I | _M)


HOMES = re.compile(
    r"(?:(?<=/home/)|(?<=/Users/)|(?<=/run/media/))"
    r"(?P<a>[^\s/:;,\"'<>|()\[\]\\$*?{}`]+)(?=/|$|[\s:;,\"'<>|()\]\\}`])"
    r"|(?<=[A-Za-z]:\\Users\\)(?P<b>[^\\/:*?\"<>|\r\n]+)(?=\\|$|[\"'])"
    r"|(?<=[A-Za-z]:\\\\Users\\\\)(?P<c>[^\\/:*?\"<>|\r\n]+)(?=\\|$|[\"'])"
    r"|(?<=[A-Za-z]:/Users/)(?P<d>[^\\/:*?\"<>|\r\n]+)(?=/|$|[\"'])",
    _M,
)
"""A folder below the place of all homes, whoever's it is."""
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_STAMP = (
    rf"(?:{_MONTH} +\d{{1,2}} [\d:.]{{8,15}}"
    r"|\d{4}-\d\d-\d\d[T ][\d:.,]{8,15}(?:Z|[+-][\d:]{4,6})?)"
)
IN_JOURNAL = re.compile(rf"(?m)(?<!\w){_STAMP} (?P<x>[\w.-]+) (?=[\w./@()-]+(?:\[\d+\])?: )")
BEHIND_USER = re.compile(r"(?:(?<=\bUSER@)|(?<=\broot@))(?P<x>[\w-][\w.-]*)(?=[\s:~)\]]|$)", _M)
_NUMBER_BEFORE = r"(?<=\b[ug]id[=: ])|(?<=auid=)|(?<=e[ug]id=)|(?<=\b[ug]id = )|(?<=\b[ug]id: )"
UIDS = re.compile(
    rf"(?:(?<=/run/user/)|(?<=user@)|(?<=user-)|(?i:{_NUMBER_BEFORE}))(?P<x>\d{{4,10}})(?!\d)"
)
"""The number of an account of a person; numbers of the system have three digits."""
IN_IDS = re.compile(r"(?:(?<=\d\()|(?<=UID\())(?P<x>[^()\s,]+)(?=\))")
"""A name in the output of ``id``."""
_FILES = r"(?:py|sh|so|rs|cpp|cc|hpp|txt|whl|deb|rpm|conf|list|json|toml|yaml|yml|md|git|egg|data)"
"""How names of files end that could be servers too."""
HOSTS = (
    re.compile(r"(?<=[a-z]://)(?:\*\*\*@)?(?P<x>[A-Za-z0-9_-][\w.-]*)"),
    re.compile(
        r"(?i)\b(?:resolv(?:e|ing)(?: host)?|connect(?:ion|ing|ed)? (?:to|with)|to host"
        r"|proxy|origin|nameserver|search|mirror|valid for|host(?= ?[=:]))[=: ]{1,3}[\"']?"
        rf"(?P<x>(?:[a-z0-9_-]+\.){{1,8}}(?!{_FILES}\b)[a-z]{{2,24}}|(?<=host )[\w-]+(?= port)"
        r"|(?<=host: )[\w-]+)"
    ),
    re.compile(
        r"(?i)(?<![\w./@-])(?:[a-z]+@)?(?P<x>(?:[a-z0-9_-]+\.){1,8}(?:lan|local|internal|intern"
        r"|intranet|corp|localdomain|fritz\.box|home\.arpa|com|org|net|edu))(?![\w-]|\.\w)"
        rf"|(?<![\w./@~-])(?P<y>(?:[a-z0-9-]+\.){{1,8}}(?!{_FILES}\b)[a-z]{{2,24}})"
        r"(?=(?::\d{2,5})?/[\w-]|:\d{2,5}/)"
    ),
    re.compile(r"(?m)\bIP-\d+[ \t]+(?P<x>[A-Za-z][\w.-]*)$"),
)
"""A server in an address, behind words that say so, in a domain, in a list of hosts."""


def _is_somebodys_home(found: Found) -> bool:
    name = found[found.lastgroup or 0]
    return name not in NOBODYS_HOMES and re.match(r"OTHER-\d", name) is None


def _is_group(found: Found) -> bool:
    """True for a group that is not everybody's: it may be called like a company."""
    name = found[found.lastgroup or 0]
    stands_in = re.fullmatch(rf"{STANDS_IN}|owner|other\d+", name)
    return name not in EVERYBODYS_GROUPS and stands_in is None


def _is_in_ids(found: Found) -> bool:
    begin = found.string.rfind("\n", 0, found.start()) + 1
    in_ids = re.search(r"\b(?:uid|groups)=", found.string[begin : found.start()])
    return in_ids is not None and is_telling(found["x"]) and _is_group(found)


def _is_foreign(found: Found) -> bool:
    """True for a server that is not everybody's."""
    name = found[found.lastgroup or 0].lower().rstrip(".")
    parts = name.split(".")
    public = any(".".join(parts[at:]) in EVERYBODYS_DOMAINS for at in range(len(parts)))
    stands_in = re.fullmatch(rf"(?i){STANDS_IN}|HOST|localhost|[\d.]+", name)
    return not public and stands_in is None and is_telling(name)


def _is_person(found: Found) -> bool:
    """False for root, and for a group of everybody's in a list of ids."""
    before = found.string[found.start() - 1 : found.start()]
    return before == "/" or not (
        found[0] == "root" or (before == "(" and found[0] in EVERYBODYS_GROUPS)
    )


SERVERS = tuple(Rule(HOST_KIND, form, "HOST-#", _is_foreign, str.lower) for form in HOSTS)
GROUP = Rule(OTHER_KIND, re.compile(r"\A\S+\Z"), "GROUP-#", _is_group, str)
"""For the name of a group alone."""
ANY_HOME = Rule(OTHER_KIND, HOMES, "OTHER-#", _is_somebodys_home)


def rules_of(
    user: str,
    homes: Iterable[str],
    full_names: Iterable[str],
    others: Iterable[tuple[str, ...]],
    hosts: tuple[str, ...],
) -> Iterator[Rule]:
    """What is looked for on the machine of these; homes first, since names are parts of them."""
    if home := home_of(homes):
        yield Rule(HOME_KIND, home, HOME)
    yield Rule(HOST_KIND, IN_JOURNAL, HOST)
    yield Rule(UID_KIND, UIDS, UID)
    # A machine may be called after its user: so its whole name is looked for first.
    for form in filter(None, (of_domains(hosts), word(hosts))):
        yield Rule(HOST_KIND, form, HOST)
    for name in hosts:
        if not is_telling(name):
            yield Rule(HOST_KIND, of_machine(name), HOST)
    if own := word((user, *full_names)):
        yield Rule(USER_KIND, own, USER)
    if user and not is_telling(user):
        yield Rule(USER_KIND, of_person(user), USER, _is_person)
    for person in others:
        if other := word(person):
            yield Rule(OTHER_KIND, other, "OTHER-#", same=lambda _, login=person[0]: login)  # type: ignore[misc]
    yield ANY_HOME
    yield Rule(HOST_KIND, BEHIND_USER, HOST)
    yield Rule(OTHER_KIND, IN_IDS, "GROUP-#", _is_in_ids, str)
    yield from SERVERS
