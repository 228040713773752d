"""Secrets in texts: by the name before them, by what they are written for, and by their chance.

A name that says so counts in any syntax. A word that only chance can have made is one whoever
issued it; a few issuers are named, whose tokens look less like chance.
"""

from __future__ import annotations

import re

from wizard.redaction.rules import Found, Rule

SECRET, QUERY = "SECRET", "QUERY"  # what stands in place of one
HIDDEN_LOGIN = "***@"
SECRET_KIND = "password, key or token"  # noqa: S105 - what is counted
LOGIN_KIND = "login in an address"

NAME = (
    r"(?:token(?!i[sz]|s\b|s_|[_.]?(?:embed|count|type))|secret|passw(?:or)?[dt]|passphrase|passcode"
    r"|(?<=[\w;-])pwd|(?<=[_-])pw(?![a-z])|(?<![a-z])creds?(?![a-z])"
    r"|mot de passe|contrase(?:ñ|n|n\u0303)a|(?<!\w)has[łl]o(?!\w)|парол[ья]"
    r"|api[ _-]?key|(?:access|private|secret|auth|account|storage|master|license)"
    r"[ _-]?key|credential|signature|cookie|webhook|(?<=[_-])key(?![a-z])|(?<=[\"'])key(?=[\"'])"
    r"|(?<![a-z])auth(?![a-z])|(?<=_)(?:pass|pat|psk)(?![a-z])|\bpsk(?=[\"']?\s?=)"
    r"|(?-i:\bPASS)(?=\s?=))"
    r"(?![\w-]{0,20}(?:fingerprint|provider|path|file|sock|ring|chain|error|type|length|mgmt))"
    r"[\w.-]{0,40}"
)
"""Words in a name that say so, and the rest of the name."""
_VALUE = (
    r"(?P<x>\$\([^)\n]*\)|(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')+|[\"'][^\"'\n]+"
    r"|(?:\\[ \t]|[^\s\"'`])+(?:[\"'`](?![\s,;:)}\]]|\Z)(?:\\[ \t]|[^\s\"'`])+)*)"
)
_REST = r"(?P<x>[^\n]+)"
HARMLESS = re.compile(
    r"(?i)(?:true|false|none|null|yes|no|on|off|unset|\*+|SECRET|\(?not told\)?|\d{1,2})\Z"
)
"""Values that give nothing away; so a switch that is called like a secret stays."""
ISSUED = (
    r"(?:hf_|AIza|gh[opsru]_|github_pat_|gl(?:pat|dt|rt|cbt|soat|ft)-|npm_|dckr_pat_|nvapi-|\bhv[bs]\."
    r"|shp(?:at|ca|pa|ss)_|ya29\.|SG\.|AGE-SECRET-KEY-|(?<![A-Za-z0-9])(?:r8_|(?:sk|rk)_(?:live|test)_"
    r"|xox[abeprs]-|tskey-|sk-(?=[\w-]{0,80}\d)))[\w.-]{8,}"
    r"|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])|eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?"
    r"|\b[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,38}(?![\w-])|(?<!\d)\d{8,10}:AA[\w-]{30,}|(?<=hooks\.slack\.com/)services/\S+|(?<=/webhooks/)\d+/[\w-]+"
    r"|(?:ssh-\w+|ecdsa-sha2-\w+|sk-ssh-\w+@openssh\.com) +AAAA[\w+/=]+(?: [^\s\"']+@[^\s\"']+)?"
)
"""Tokens whose issuers begin them with a word of their own."""
_64 = r"[\w+/=:,.-]"
_END_OF_KEY = r"-----END[A-Z0-9 ]{0,40}KEY[A-Z ]{0,10}-----"
_SIGNED = re.compile(
    r"(?i)(?:^|[&;])(?:[\w.-]*(?:token|sig|signature|key|auth|secret|pass\w*|credential|code|expires"
    r"|policy)|x-\w+-[\w-]+|s[vterp])=|=[^&;]{24,}"
)
_HASH = re.compile(
    r"(?i)(?:sha\d+|md5|hash|commit|digest|revision|fingerprint|signed-by|-- boot)"
    r"[-=: (\"'#\]]{1,3}\Z"
)
"""What stands before a number that everybody may know."""


def tells_a_secret(name: str) -> bool:
    """True for a name whose value is nobody's business."""
    return _NAMED.search(f"{name}=") is not None


def is_telling(value: str) -> bool:
    """False for a value that gives nothing away, whatever its name."""
    return HARMLESS.fullmatch(value.strip("\"',;)]}")) is None


def is_chance(word: str) -> bool:
    """True for a word that only chance can have made: kinds of letters change all the time."""
    if re.match(r"_Z|Conv|Gemm|Cijk|igemm|naive|miopen", word):
        return False  # a function of C++, a solver or a kernel of MIOpen
    return any(map(_is_chance, re.findall(r"[A-Za-z0-9]{16,}", word))) or (
        len(word) >= 30 and not re.search(r"[_.-]", word) and _is_chance(re.sub(r"\W", "", word))
    )


def _is_chance(run: str) -> bool:
    if run.isdecimal() or len(run) < 16:
        return False
    if re.fullmatch(r"(?:0[xX])?[0-9A-Fa-f]+", run):  # a short one is an address in memory
        return len(run) >= 20 and len(set(run)) > 5
    changes = len(re.findall(r"(?=[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z])", run))
    digits = sum(map(str.isdecimal, run))
    long = len(run) >= 24
    return digits >= 2 - long and changes >= (0.2 if long else 0.28) * len(run)


def _is_unknown(found: Found) -> bool:
    before = found.string[max(0, found.start() - 20) : found.start()]
    return is_chance(found[0]) and _HASH.search(before) is None


def _is_telling(found: Found) -> bool:
    return is_telling(found["x"])


def _is_signed(found: Found) -> bool:
    """True for a query that lets whoever has it in; not for the hash of a wheel."""
    query, text = found["x"], found.string
    known = re.match(r"(?:sha\d+|md5|egg|subdirectory)=", query)
    in_address = "://" in text[max(0, found.start() - 200) : found.start()].rpartition(" ")[2]
    return query != QUERY and known is None and (in_address or bool(_SIGNED.search(query)))


def _rule(form: str, flags: int = re.IGNORECASE | re.MULTILINE) -> Rule:
    return Rule(SECRET_KIND, re.compile(form, flags), SECRET, _is_telling)


_NAMED = re.compile(rf"{NAME}=", re.IGNORECASE)
RULES = (
    _rule(
        r"(?P<x>-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----"
        rf"(?:[\s\S]{{0,20000}}?{_END_OF_KEY}"
        rf"|(?:(?:\\n|\s){{1,4}}(?={_64}{{8}}){_64}+(?=\s|\\|\Z))*))",
        0,
    ),
    _rule(rf"(?P<x>(?:^[ \t]*[\w+/=]{{16,}}[ \t]*\n){{1,120}}{_END_OF_KEY})", re.MULTILINE),
    _rule(rf"(?P<x>{ISSUED})", 0),
    # Headers.
    _rule(
        r"(?:authorization\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}\\{0,3}[\"']?"
        r"(?:(?:basic|bearer|token|digest|apikey|negotiate)\s+)?"
        r"|\b(?:bearer|basic)\s+(?=[\w.~+/-]*\d)(?=[\w.~+/=-]{12}))(?P<x>[^\s\"'\\]+)"
    ),
    _rule(r"cookie[\"']?\s{0,3}:\s{0,3}(?P<x>[^\n\"']+)"),
    Rule(
        SECRET_KIND,
        re.compile(r"(?<=[\w/.])[?#](?P<x>[\w.%-]{1,40}=[^\s\"'<>)\]]+)"),
        QUERY,
        _is_signed,
    ),
    # A name and a value, in any syntax.
    _rule(rf"^[ \t]*(?:export[ \t]+)?[\w.-]*?{NAME}[ \t]*[=:][ \t]+(?![\"'\[{{]){_REST}"),
    _rule(rf"{NAME}(?:\\{{1,3}}[\"'])?\s{{0,3}}[:=]\s{{0,3}}\\{{1,3}}[\"'](?P<x>[^\"'\\\n]+)"),
    _rule(rf"(?<=[\"'])[\w.-]{{0,60}}?{NAME}=(?P<x>[^\"'\n]+)(?=[\"'])"),
    _rule(rf"{NAME}[\"']?,?\s{{1,20}}(?:- )?[\"']?value[\"']?\s{{0,3}}[=:]\s{{0,3}}{_VALUE}"),
    _rule(
        rf"[\"']?value[\"']?\s{{0,3}}[=:]\s{{0,3}}{_VALUE}"
        rf"(?=,?\s{{0,20}}[\"']?name[\"']?\s{{0,3}}[=:]\s{{0,3}}[\"']?[\w.-]{{0,60}}?{NAME})"
    ),
    _rule(rf"{NAME}[\"']?\]?\s{{0,3}}(?:=>|:=|[=:])[ \t]{{0,8}}{_VALUE}"),
    _rule(rf"<[^\s<>]{{0,60}}?{NAME}>(?P<x>[^<\n]+)"),
    _rule(
        rf"(?:--[\w-]{{0,80}}?{NAME}[ \t]+(?!-)"
        r"|\b(?:set(?:env)?|SETUVAR|ENV|ARG)(?:[ \t]+-{1,2}[a-z-]+){0,4}[ \t]+"
        rf"\w*?{NAME}[ \t:]+){_VALUE}"
    ),
    # Files of logins, and programs that take them.
    _rule(r"\bmachine\s+(?P<x>[^\s#]+(?:\s+(?:login|password|account)\s+[^\s#]+)+)"),
    _rule(rf"\bnmcli\b[^\n]{{0,200}}?\bpassword[ \t]+{_VALUE}"),
    _rule(
        rf"\becho[ \t]+{_VALUE}[ \t]{{0,8}}\|[ \t]{{0,8}}"
        r"(?:sudo\b[^|\n]{0,40}?[ \t]-\w*S|[^|\n]{0,80}?--pass(?:word|phrase)-(?:stdin|fd))",
        re.MULTILINE,
    ),
    _rule(r"^[ \t]*(?:login|password|account|token|secret)[ \t]+(?P<x>\S+)[ \t]*$"),
    _rule(
        r"\b(?:(?:sshpass|mysql\w*|docker login)\b(?:[^\n]{0,200}?[ \t])??-p"
        r"|curl\b[^\n]{0,200}?[ \t](?:-u|--user))[ =]?(?P<x>[^\s\"']+)",
        0,
    ),
    _rule(
        r"proxy[\"']?(?:\s{0,3}[=:]\s{0,3}|[ \t]+(?=[\"']?[^\s\"';]{0,200}(?://|:\d)))"
        rf"{_VALUE}"
    ),
    Rule(
        LOGIN_KIND,
        re.compile(
            r"(?<=://)(?P<x>(?!\*\*\*@)(?:[^\s/?#@'\"]+(?:@[^\s/?#@]*)*"
            r"|[^\s/?#@'\":]*:(?!\d{1,5}/)[^\s@'\"]+)@)"
        ),
        HIDDEN_LOGIN,
    ),
    Rule(
        SECRET_KIND,
        re.compile(r"(?<![\w+/.=-])[A-Za-z0-9+/]{30,}={0,2}(?![\w+/.=-])|[A-Za-z0-9_-]{16,}={0,2}"),
        SECRET,
        _is_unknown,
    ),
)
"""In the order in which they are looked for."""
