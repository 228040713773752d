"""Names of people and of the machine as they stand in texts, in each of their spellings."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import quote

from wizard.machine.recording.disguise import COMMON, SHORTEST
from wizard.report.private_common import EVERYBODYS_DOMAINS, OUR_WORDS

USER_KIND, HOST_KIND, HOME_KIND = "user name", "host name", "home folder"
OTHER_KIND, UID_KIND = "name of another person", "user number"

_BEGIN = r"(?:(?<![^\W_])|(?<=\\[abfnrtv0])|(?<=%[0-9A-Fa-f]{2})|(?<=\d[mK]))"
_END = r"(?![^\W_])"


def is_telling(name: str) -> bool:
    """False for a short name and a common word: those stand in texts without naming anybody."""
    plain = name.lower()
    common = plain in COMMON or plain in OUR_WORDS
    return len(name) >= SHORTEST and not common and not name.isdecimal()


def spellings(name: str) -> tuple[str, ...]:
    """The ways in which programs write a name down, the longest first."""
    forms = [name, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)]
    forms += [
        quote(name),
        quote(name, safe=""),
        name.replace(" ", "\\ "),
        name.replace(" ", "\\040"),
    ]
    forms += [json.dumps(name)[1:-1], name.replace("\\", "\\\\"), name.replace("/", "\\/")]
    return tuple(sorted(dict.fromkeys(forms), key=len, reverse=True))


def word(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds each of these names where it stands as a word."""
    told = {form for name in names if is_telling(name) for form in spellings(name)}
    full = {_loose(name) for name in names if " " in name}
    parts = [*sorted(map(re.escape, told), key=len, reverse=True), *sorted(full)]
    found = "|".join(sorted(parts, key=len, reverse=True))
    return re.compile(rf"{_BEGIN}(?:{found}){_END}", re.IGNORECASE) if parts else None


def of_domains(hosts: Iterable[str]) -> re.Pattern[str] | None:
    """Finds every machine of the domains that this machine is in."""
    domains = {host.partition(".")[2].lower() for host in hosts} - EVERYBODYS_DOMAINS
    told = [re.escape(domain) for domain in domains if "." in domain]
    pattern = rf"(?<![\w.-])(?:[\w-]+\.){{0,8}}(?:{'|'.join(told)})(?![\w-]|\.\w)"
    return re.compile(pattern, re.IGNORECASE) if told else None


def _loose(name: str) -> str:
    """A full name with anything, or nothing, between its parts."""
    return r"[\s._+-]{0,2}".join(map(re.escape, name.split()))


def home_of(homes: Iterable[str]) -> re.Pattern[str] | None:
    """Finds a home folder, not one whose name only begins like it."""
    told = {form for home in homes if len(home) > 1 for form in spellings(home)}
    found = "|".join(sorted(map(re.escape, told), key=len, reverse=True))
    return re.compile(rf"(?:{found})(?![^\W_]|[_-]\w|\.\w)") if told else None


HOMES = re.compile(
    r"(?:(?<=/home/)|(?<=/Users/)|(?<=/run/media/))(?P<name>[^\s/:;,\"'<>|()\[\]\\$*?{}`]+)(?=/|$|[\s:;,\"'<>|()\]\\}`])"
    r"|(?<=[A-Za-z]:\\Users\\)(?P<one>[^\\/:*?\"<>|\r\n]+)(?=\\|$|[\"'])"
    r"|(?<=[A-Za-z]:\\\\Users\\\\)(?P<two>[^\\/:*?\"<>|\r\n]+)(?=\\|$|[\"'])"
    r"|(?<=[A-Za-z]:/Users/)(?P<three>[^\\/:*?\"<>|\r\n]+)(?=/|$|[\"'])",
    re.MULTILINE,
)
"""A folder below the place of all homes, whoever's it is."""
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_STAMP = (
    rf"(?:{_MONTH} +\d{{1,2}} [\d:.]{{8,15}}"
    r"|\d{4}-\d\d-\d\d[T ][\d:.,]{8,15}(?:Z|[+-][\d:]{4,6})?)"
)
IN_JOURNAL = re.compile(rf"(?m)(?<!\w){_STAMP} (?P<name>[\w.-]+) (?=[\w./@()-]+(?:\[\d+\])?: )")
IN_UNAME = re.compile(r"(?<!\w)Linux (?P<name>[\w.-]+) (?=\d+\.\d+\.\d+\S* #)")
BY_LABEL = re.compile(
    r"(?i)(?:\b(?:static |transient |pretty )?host ?name|\bnodename|\bnode name|\b_HOSTNAME)"
    r"[\"']?[ \t]{0,20}[:=][ \t]{0,20}[\"']?(?P<name>[^\s\"',;|<>]+)"
)
PROMPT = re.compile(
    r"(?m)^(?P<before>(?:\([\w.-]+\) ?)?\[?)(?P<name>[\w.-]+)@(?P<host>[\w.-]+)"
    r"(?=(?::[~/]| [~/\w.-]+\])[^\n]{0,200}[$#%>])"
)
BEHIND_USER = re.compile(r"(?<=\bUSER@)(?P<name>[\w-][\w.-]*)(?=[\s:~)\]]|$)", re.MULTILINE)
UID = re.compile(
    r"(?:(?<=/run/user/)|(?<=user@)|(?<=user-)"
    r"|(?i:(?<=\b[ug]id[=: ])|(?<=auid=)|(?<=e[ug]id=)|(?<=\b[ug]id = )|(?<=\b[ug]id: )))"
    r"(?P<name>\d{4,10})(?!\d)"
)
"""The number of an account of a person; numbers of the system have three digits."""
IN_IDS = re.compile(r"(?:(?<=\d\()|(?<=UID\())(?P<name>[^()\s,]+)(?=\))")
"""A name in the output of ``id``."""


def of_person(user: str) -> re.Pattern[str]:
    """Finds a name that is a common word where it stands for a person all the same."""
    name = "|".join(map(re.escape, spellings(user)))
    return re.compile(
        rf"(?<=/home/)(?:{name}){_END}|(?<=/Users/)(?:{name}){_END}|(?<=/mnt/)(?:{name}){_END}"
        rf"|(?<=/media/)(?:{name}){_END}|(?<=[\\/]Users\\)(?:{name}){_END}|(?<=/mail/)(?:{name}){_END}"
        rf"|(?<![\w.+-])(?:{name})(?=@[\w.-])"
        rf"|(?<=\d\()(?:{name})(?=\))"
        rf"|(?i:(?<=\buser=)|(?<=\buser: )|(?<=\blogname=)|(?<=\bby user )|(?<=\bfor user ))[\"']?"
        rf"(?:{name}){_END}"
    )


def of_machine(host: str) -> re.Pattern[str]:
    """Finds a machine's name that is a common word where it stands for a machine all the same."""
    name = "|".join(map(re.escape, spellings(host)))
    return re.compile(rf"(?<=\w@)(?:{name}){_END}(?=[\s:~)\]]|$)", re.IGNORECASE | re.MULTILINE)
