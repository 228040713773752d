"""Secrets in texts: tokens, passwords, keys and logins, by their form or by their name."""

from __future__ import annotations

import re
from typing import NamedTuple

from wizard.credentials import HIDDEN_LOGIN

SECRET = "SECRET"  # noqa: S105 - what stands in place of one
QUERY = "QUERY"
"""Stands in place of the query of an address that lets whoever has it in."""
TOKEN_KIND = "password, key or token"  # noqa: S105 - what is counted
LOGIN_KIND = "login in an address"

_NAME = (
    r"(?:token(?!i[sz]|s\b|s_|[_.]?(?:embed|count|type))|secret|passw(?:or)?[dt]|passphrase|passcode|(?<=[\w-])pwd"
    r"|api[ _-]?key|(?:access|private|secret|auth|account|storage|master|license)[ _-]?key"
    r"|credential|signature|cookie|webhook|(?<=[_-])key(?![a-z])|(?<![a-z])auth(?![a-z])"
    r"|(?<=_)(?:pass|pat|psk)(?![a-z])|\bpsk(?=[\"']?\s?=)|(?-i:\bPASS)(?=\s?=))"
    r"(?![\w-]{0,20}(?:fingerprint|provider|path|file|sock|ring|chain|error|type|length))"
    r"[\w.-]{0,40}"
)
"""Words in a name that say so, and the rest of the name."""
SECRET_NAME = re.compile(
    r"(?:^|[_.-])(?:tokens?|secrets?|pat|psk|pass(?:word|wd|phrase|code)?|pwd|credentials?|auth|cookie"
    r"|signature|(?:api|access|private|secret)?key)(?:$|[_.-])|password|token$|apikey|passwd",
    re.IGNORECASE,
)
"""Names of variables and fields whose value is nobody's business."""
NO_SECRETS = frozenset({"PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY"})
LONG = 24
"""Characters of a value in a query that are taken for a secret, whatever its name."""
HARMLESS = re.compile(r"(?i)(?:true|false|none|null|yes|no|on|off|unset|\*+|SECRET|\d{1,2})\Z")
"""Values that give nothing away; so a switch that is called like a secret stays."""


class Form(NamedTuple):
    """How a secret is known; what stands before and after it stays."""

    pattern: re.Pattern[str]
    kind: str = TOKEN_KIND
    instead: str = SECRET


def tells_a_secret(name: str) -> bool:
    """True for a name whose value is nobody's business."""
    return name not in NO_SECRETS and SECRET_NAME.search(name) is not None


def _form(pattern: str, flags: int = 0, kind: str = TOKEN_KIND, instead: str = SECRET) -> Form:
    return Form(re.compile(pattern, flags), kind, instead)


_VALUE = r"(?P<secret>\$\([^)\n]*\)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[^\s\"'`;|<>]+)"
_LINE_VALUE = r"(?P<secret>[^\n]+)"
_I, _M = re.IGNORECASE, re.MULTILINE

TOKENS = "|".join(
    (
        r"hf_[A-Za-z0-9]{12,}",
        r"gh[opsru]_[A-Za-z0-9]{16,}",
        r"github_pat_\w{16,}",
        r"gl(?:pat|dt|rt|cbt)-[\w-]{12,}",
        r"(?<![A-Za-z0-9])sk-(?=[\w-]{0,80}\d)[A-Za-z0-9][\w-]{15,}",
        r"xox[abeprs]-[\w-]{8,}",
        r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        r"AIza[\w-]{30,}",
        r"npm_[A-Za-z0-9]{24,}",
        r"(?<![A-Za-z0-9])(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{12,}",
        r"(?<![A-Za-z0-9])r8_[A-Za-z0-9]{30,}",
        r"nvapi-[\w-]{16,}",
        r"tskey-[a-z]{2,12}-[\w-]{8,}",
        r"\bhv[bs]\.[\w-]{12,}",
        r"shp(?:at|ca|pa|ss)_[A-Za-z0-9]{16,}",
        r"pypi-[A-Za-z0-9_-]{40,}",
        r"dckr_pat_[\w-]{12,}",
        r"(?<!\d)\d{8,10}:AA[\w-]{30,}",
        r"(?<=hooks\.slack\.com/)services/\S+",
        r"(?<=/api/webhooks/)\d+/[\w-]+",
        r"ya29\.[\w-]{16,}",
        r"SG\.[\w-]{16,}\.[\w-]{16,}",
        r"eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?",
        r"(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-ssh-ed25519@openssh\.com) +AAAA[\w+/=]+"
        r"(?: [^\s\"']+@[^\s\"']+)?",
    )
)

_BASE64 = r"[\w+/=:,.-]"
_END_OF_KEY = r"-----END[A-Z0-9 ]{0,40}KEY[A-Z ]{0,10}-----"

FORMS = (
    _form(
        r"(?P<secret>-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----"
        rf"(?:[\s\S]{{0,20000}}?{_END_OF_KEY}"
        rf"|(?:(?:\\n|\s){{1,4}}(?={_BASE64}{{8}}){_BASE64}+(?=\s|\\|\Z))*))"
    ),
    _form(rf"(?P<secret>(?:^[ \t]*[\w+/=]{{16,}}[ \t]*\n){{1,120}}{_END_OF_KEY})", _M),
    _form(rf"(?P<secret>{TOKENS})"),
    _form(
        r"authorization\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}\\{0,3}[\"']?"
        r"(?:(?:basic|bearer|token|digest|apikey|negotiate)\s+)?(?P<secret>[^\s\"'\\]+)",
        _I,
    ),
    _form(r"\b(?:bearer|basic)\s+(?P<secret>(?=[\w.~+/-]*\d)[\w.~+/=-]{12,})", _I),
    _form(r"cookie[\"']?\s{0,3}:\s{0,3}(?P<secret>[^\n\"']+)", _I),
    _form(r"(?<=[\w/.])[?#](?P<secret>[\w.%-]{1,40}=[^\s\"'<>)\]]+)", instead=QUERY),
    _form(
        rf"^[ \t]*(?:export[ \t]+)?[\w.-]*?{_NAME}[ \t]*[=:][ \t]+(?![\"'\[{{]){_LINE_VALUE}",
        _I | _M,
    ),
    _form(
        rf"{_NAME}(?:\\{{1,3}}[\"'])?\s{{0,3}}[:=]\s{{0,3}}\\{{1,3}}[\"'](?P<secret>[^\"'\\\n]+)",
        _I,
    ),
    _form(rf"(?<=[\"'])[\w.-]{{0,60}}?{_NAME}=(?P<secret>[^\"'\n]+)(?=[\"'])", _I),
    _form(rf"{_NAME}[\"']?,?\s{{1,20}}(?:- )?[\"']?value[\"']?\s{{0,3}}[=:]\s{{0,3}}{_VALUE}", _I),
    _form(rf"{_NAME}[\"']?\]?\s{{0,3}}(?:=>|:=|[=:])[ \t]{{0,8}}{_VALUE}", _I),
    _form(rf"--[\w-]{{0,80}}?{_NAME}[ \t]+(?!-){_VALUE}", _I),
    _form(
        r"\b(?:set(?:env)?|SETUVAR)(?:[ \t]+-{1,2}[a-z-]+){0,4}[ \t]+\w*?"
        rf"{_NAME}[ \t:]+{_VALUE}",
        _I,
    ),
    _form(r"\bmachine\s+(?P<secret>[^\s#]+(?:\s+(?:login|password|account)\s+[^\s#]+)+)", _I),
    _form(r"^[ \t]*(?:login|password|account|token|secret)[ \t]+(?P<secret>\S+)[ \t]*$", _I | _M),
    _form(r"\bsshpass[ \t]+-p[ \t]*(?P<secret>\S+)"),
    _form(r"\bmysql\w*[ \t](?:[^\n]{0,200}[ \t])?-p(?P<secret>\S+)"),
    _form(r"\bcurl\b[^\n]{0,200}?[ \t](?:-u|--user)[ =]?(?P<secret>[^\s\"']+)"),
    _form(rf"(?<![a-z])(?:\w{{2,5}}[_.-])?proxy[\"']?\s{{0,3}}[=:]\s{{0,3}}{_VALUE}", _I),
    _form(r"proxy[ \t]+[\"']?(?P<secret>[^\s\"';]*(?://|:\d)[^\s\"';]*)", _I),
    _form(
        r"(?<=://)(?P<secret>(?!\*\*\*@)[^\s/?#@'\"]+(?:@[^\s/?#@]*)*@)",
        kind=LOGIN_KIND,
        instead=HIDDEN_LOGIN,
    ),
)
"""In the order in which they are looked for."""
_QUERY_NAMES = re.compile(
    r"(?i)(?:^|[&;])(?:[\w.-]*(?:token|sig|signature|key|auth|secret|pass\w*|credential|code|expires"
    r"|policy)|x-\w+-[\w-]+|s[vterp])="
)


def is_secret(form: Form, value: str) -> bool:
    """True unless what stands there gives nothing away."""
    if form.instead == QUERY:
        return value != QUERY and _is_signed(value)
    return HARMLESS.fullmatch(value.strip("\"',;)]}")) is None


def stand_in_for(form: Form, value: str) -> str:
    """What stands there in its place; quotes stay."""
    quote = value[0] if value[0] in "\"'" and value[-1] == value[0] and len(value) > 1 else ""
    return f"{quote}{form.instead}{quote}"


def _is_signed(query: str) -> bool:
    """True for a query that lets whoever has it in; not for the hash of a wheel."""
    if re.match(r"(?:sha\d+|md5|egg|subdirectory)=", query):
        return False
    long = any(len(part.partition("=")[2]) >= LONG for part in re.split("[&;]", query))
    return long or _QUERY_NAMES.search(query) is not None
