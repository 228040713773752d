"""Secrets in texts: by the name before them, by their place in an address, and by their chance."""

from __future__ import annotations

import re

from wizard.redaction.rules import Rule, behind

SECRET, QUERY = "SECRET", "QUERY"  # what stands in place of one
HIDDEN_LOGIN = "***@"
SECRET_KIND = "password, key or token"  # noqa: S105 - what is counted
LOGIN_KIND = "login in an address"

NAME = (
    r"(?:token(?!i[sz]|s\b|s_|[_.]?(?:embed|count|type|id))|(?<!lib)secret|passw(?:or)?[dt]"
    r"|pass(?:phrase|code)|kennwort|contrase|senha\b|mot de passe|\bhas[łl]o\b|парол[ья]"
    r"|mnemonic|credential|cookie"
    r"|webhook|(?:api|access|private|secret|auth|account|storage|master|license|wpa|wep)[ _-]?key"
    r"|(?<=[_-])key(?![a-z])|(?<=[\"'])key(?=[\"'])|authorization|\b(?:bearer|basic)(?=\s\S{12})"
    r"|(?<![a-z])(?:auth|creds|psk|pw|pwd(?!=[/~]))(?![a-z])|(?<=_)(?:pass|pat|pwd)(?![a-z])"
    r"|(?<![a-z])pass(?=\s?=|:\S))"
    r"(?![\w-]{0,20}(?:fingerprint|provider|path|file|sock|ring|chain|error|type|length|mgmt))"
    r"[\w.-]{0,40}"
)
"""Words in a name that say so, and the rest of the name."""
ISSUED = (
    r"(?<![A-Za-z0-9])(?:(?:hf_|gh[a-z]_|github_pat_|gl(?:pat|sa)[-_]|npm_|dckr_pat_|(?:g?sk|rk)_"
    r"|r8_|xox[a-z]-|nvapi-|AGE-SECRET-KEY-|tskey-|hv[bs]\.|SG\.|AIza|GOCSPX-|NRAK-|sq0[a-z]+-)"
    r"[\w.-]{16,}|sk-(?=[\w-]{0,80}\d)[\w-]{16,}|A[KS]IA[A-Z0-9]{16}|\w{5}8Q~[\w.~-]{30,}"
    r"|\d{8,10}:AA[\w-]{30,}|eyJ[\w-]{6,}\.[\w-]{6,}[\w.-]*|[\w-]{24}\.[\w-]{6}\.[\w-]{27}"
    r"|(?:ssh|ecdsa|sk)-[\w@.-]+ +AAAA[\w+/=]+(?: [^\s\"']+@[^\s\"']+)?)"
    r"|(?<=hooks\.slack\.com/)\S+|(?<=/webhooks/)\S+"
)
"""What says itself that it is one, even where it does not look like chance."""


def tells_a_secret(name: str) -> bool:
    """True for a name whose value is nobody's business."""
    return _NAMED.search(f"{name}=") is not None


def is_chance(word: str) -> bool:
    """True for a word that only chance can have made: little of it can be said."""
    if word.startswith("_Z"):
        return False  # a function of C++
    whole = [word] if len(word) >= 30 and not re.search(r"[_.-]", word) else []
    return any(map(_is_chance, [*re.findall(r"[A-Za-z0-9]{16,}", word), *whole]))


def _is_chance(run: str) -> bool:
    if run.isdecimal() or len(set(run)) <= 5:
        return False
    if re.fullmatch(r"(?:0[xX])?[0-9A-Fa-f]+", run):
        return len(run) >= 20  # a shorter one is an address in memory
    words = re.findall(r"[A-Z][a-z]{2,}|[a-z]{3,}", run if run.upper() != run else run.lower())
    said = " ".join(word for word in words if re.search(r"(?i)[aeiouy]", word))
    heard = re.sub(r"(?i)[b-df-hj-np-tv-xz]{4,}| ", "", said)
    return len(heard) < (0.6 if len(run) >= 24 else 0.5) * len(run)


_NAMED = re.compile(rf"{NAME}=", re.IGNORECASE)
_VALUE = r"(?P<quote>[\"'])?(?P<x>(?(quote)(?:(?!(?P=quote))[^\n])+|\S+))"
_END_OF_KEY = r"-----END[A-Z0-9 ]{0,40}KEY[A-Z ]{0,10}-----"
_LINE_OF_KEY = r"(?:\\n|\s){1,4}[\w+/=:,.-]{8,}(?=\s|\\|\Z)"
_HASH = (
    r"(?:(?i:sha\d+|md5|hash|commit|digest|revision|fingerprint|signed-by|-- boot)"
    r"[-=: (\"'#\]]{1,3})+"
)
"""Before a number that everybody may know."""


def _rule(form: str, now: str = SECRET, kind: str = SECRET_KIND) -> Rule:
    return Rule(kind, re.compile(form, re.MULTILINE), now)


RULES = (
    _rule(
        r"(?P<x>-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----"
        rf"(?:[\s\S]{{0,20000}}?{_END_OF_KEY}|(?:{_LINE_OF_KEY})*)"
        rf"|(?:^[ \t]*[\w+/=]{{16,}}[ \t]*\n){{1,120}}{_END_OF_KEY})"
    ),
    _rule(rf"(?P<x>{ISSUED})"),
    Rule(SECRET_KIND, behind(NAME), SECRET),
    _rule(  # the value first, then its name
        rf"(?i)[\"']?value[\"']?\s{{0,3}}[=:]\s{{0,3}}{_VALUE}"
        rf"(?=[\"']?,?\s{{0,20}}[\"']?name[\"']?\s{{0,3}}[=:]\s{{0,3}}[\"']?[\w.-]{{0,60}}?{NAME})"
    ),
    _rule(  # options, and words that set a variable
        r"(?i)(?:(?<![\w-])--?|\b(?:set\w*|env|arg)[ \t]+(?:-\S+[ \t]+){0,3})"
        rf"[\w-]*?{NAME}[ \t]+(?!-){_VALUE}"
    ),
    _rule(  # files of logins, and options of programs that take one
        r"\bmachine\s+(?P<a>\S+(?:\s+(?:login|password|account)\s+\S+)+)"
        r"|^[ \t]*(?:login|password|account)[ \t]+(?P<b>\S+)[ \t]*$"
        r"|\b(?:(?:sshpass|mysql\w*|(?:docker|podman) login|7z|unzip)\b[^\n]{0,200}?[ \t]-[pP]"
        r"|(?:curl|smbclient)\b[^\n]{0,200}?[ \t](?:-[a-zA-Z]*[buU]|--(?:proxy-)?user)"
        r"|openssl\b[^\n]{0,200}?[ \t]-k|ldap\w+\b[^\n]{0,200}?[ \t]-w|(?i:identified by)[ \t])"
        r"[ =]?[\"']?(?P<c>[^\s\"']+)"
    ),
    _rule(  # what is sent to a program that reads it
        rf"\becho[ \t]+{_VALUE}[\"']?[ \t]*\|"
        r"[^|\n]{0,80}?[ \t](?:-\w*S\b|--pass(?:word|phrase)-(?:stdin|fd))"
        r"|<<<[ \t]*[\"']?(?P<y>[^\s\"']+)"
    ),
    _rule(
        r"(?<=[\w/.])[?#](?!(?:sha\d+|md5|egg|subdirectory)=)(?P<x>[\w.%-]{1,40}=[^\s\"'<>)\]]+)",
        QUERY,
    ),
    _rule(
        r"(?<=://)(?P<x>(?:[^\s/?#@'\"]+(?:@[^\s/?#@]*)*|[^\s/?#@'\":]*:(?!\d{1,5}/)[^\s@'\"]+)@)"
        r"|(?<![\w/:.@-])(?!mailto:)(?P<y>[\w.-]{1,64}:[^\s/@:'\"]{1,64}@)(?!sha\d)(?=\w)",
        HIDDEN_LOGIN,
        LOGIN_KIND,
    ),
)
"""In the order in which they are looked for."""
CHANCE = Rule(
    SECRET_KIND,
    re.compile(
        rf"{_HASH}[A-Za-z0-9_-]+"
        r"|(?<![\w+/.=-])(?P<x>[A-Za-z0-9+/]{30,}={0,2})(?![\w+/.=-])"
        r"|(?P<y>[A-Za-z0-9_-]{16,}={0,2})"
    ),
    SECRET,
    is_chance,
)
"""Looked for after numbers, which say more of themselves."""
