"""What must not leave a machine: secrets and numbers in texts, and values of settings.

A rule replaces something: the same for the same thing, numbered, counted.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from wizard.knowledge.variables import general, known_names

Found = re.Match[str]
STANDS_IN = re.compile(
    r"(?:[GC]PU-)?(?:SERIAL|UUID|MAC|IP|EMAIL|NETWORK|HOST|OTHER|GROUP)-\d+"
    r"|SECRET|QUERY|USER|HOST|UID|~|\*+|\(?not told\)?|owner|other\d+|this-machine"
)
"""What was put in the place of something."""
NOTHING = re.compile(r"(?i)(?:true|false|none|null|yes|no|on|off|unset|\d{1,2}|\W*)\Z")
"""A value that tells nothing, whatever stands before it: so a switch that is called so stays."""
_QUOTE = r"\\{0,3}[\"'`]|&quot;"
_SIGN = r"=>|:=|==(?=[\"'])|=(?!=)|:(?!:)|%3D|,(?= ?\\{0,3}[\"'])|(?<!-)[^<>\n]{0,40}(?<!-)>"
_WORD = r"[ \t]{1,4}(?:(?:is|was|given|provided)[ \t:]{1,3})?(?=\\{0,3}[\"'`]|[^\s:(]*\d)"


def behind(label: str, after_blank: str = r"[^\n]+") -> re.Pattern[str]:
    """A value behind a name that holds such a label, in whatever syntax they are written down.

    Between them stands a sign, or ``value`` and a sign, or a blank if the value is quoted or has a
    digit. What is quoted ends with its quote, other values with a blank; those of a file of
    settings, where a blank stands behind the sign, as ``after_blank`` says.
    """
    closed = rf"(?:{_QUOTE}|[\])}}]){{0,3}}"
    named = rf"(?:,?\s{{1,20}}(?:- )?\\{{0,3}}[\"']?value{closed})?\s{{0,3}}"
    form = (
        rf"(?:(?P<open>[\"'`])[\w.-]{{0,60}}?)?{label}{closed}"
        rf"(?:{named}(?:{_SIGN})(?P<blank>[ \t]{{1,40}})?[\[({{]?|{_WORD})"
        rf"(?:(?:basic|bearer|token|digest)\s{{1,3}})?(?P<quote>{_QUOTE})?"
        r"(?P<x>(?(quote)(?:(?!(?P=quote))(?:\\.|[^\n])|(?P=quote)(?:\"'\"|'\"')?(?P=quote))+"
        rf"|(?(open)[^\"'`\n]+|(?(blank){after_blank}|(?:\$\([^)\n]*\)|(?:\\[ \t]|\S)+)))))"
    )
    return re.compile(form, re.IGNORECASE)


def bare(text: str) -> str:
    """The same for all spellings of one thing."""
    return re.sub(r"\W|_", "", text).lower()


def tells(value: str) -> bool:
    """False for a value that gives nothing away, or stands in for one."""
    plain = value.strip("\"',;)]}")
    return NOTHING.match(plain) is None and STANDS_IN.fullmatch(plain) is None


@dataclass(frozen=True, slots=True)
class Rule:
    """What is found, and what comes in place of its named group; without one it is left alone."""

    kind: str
    form: re.Pattern[str]
    now: str
    """With ``#`` for the number of this very thing."""
    is_one: Callable[[str], bool] = tells
    """Whether what was found there is to be replaced."""
    same: Callable[[str], str] = bare


@dataclass(frozen=True, slots=True)
class StandIns:
    """All stand-ins of one text, or of all texts that belong together."""

    counts: Counter[str] = field(default_factory=Counter)
    """How often something of a kind was replaced."""
    numbered: dict[tuple[str, str], str] = field(default_factory=dict)

    def applied(self, rules: Iterable[Rule], text: str) -> str:
        """The text after all these rules."""
        for rule in rules:
            text = rule.form.sub(lambda found, rule=rule: self._instead(rule, found), text)  # type: ignore[misc]
        return text

    def put(self, kind: str, was: str, now: str) -> str:
        """``now``, counted unless it stood there already."""
        if was != now:
            self.counts[kind] += 1
        return now

    def _instead(self, rule: Rule, found: Found) -> str:
        if found.lastgroup is None or not rule.is_one(found[found.lastgroup]):
            return found[0]
        begin, end = found.span(found.lastgroup)
        was = found.string[begin:end]
        now = self._number(rule, was) if "#" in rule.now else rule.now
        before, after = found.string[found.start() : begin], found.string[end : found.end()]
        return f"{before}{self.put(rule.kind, was, now)}{after}"

    def _number(self, rule: Rule, value: str) -> str:
        key = rule.now, rule.same(value)
        if key not in self.numbered:
            count = sum(prefix == rule.now for prefix, _ in self.numbered)
            self.numbered[key] = rule.now.replace("#", str(count + 1))
        return self.numbered[key]


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


SECRET_RULES = (
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


MAC_KIND, IP_KIND, SERIAL_KIND = "MAC address", "IP address", "serial number or id"
EMAIL_KIND, NETWORK_KIND = "e-mail address", "network name"
MAC = re.compile(
    r"(?<![0-9A-Za-z:.-])(?P<x>(?:[0-9A-Fa-f]{2}[:-]){5,19}[0-9A-Fa-f]{2})(?![0-9A-Za-z]|[:-]\w)"
    r"|(?<![A-Za-z0-9])(?:enx|wlx|wwx)(?P<y>[0-9a-f]{12})(?![0-9a-f])"
)
UUID = re.compile(
    r"(?<![0-9A-Za-z])(?!8be4df61-93ca)"  # variables of every firmware
    r"(?P<x>[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12})(?![0-9A-Za-z])"
)
LABEL = (
    r"(?:serial(?:[ _-]?(?:number|num|no|short|nr|\d)\b)?\.?|\bs/n|\bsn|\bmac|imei|edid|uuid"
    r"|(?:unique|hive|machine|boot|hardware|product|chassis|system|asset)[ _-]?(?:id|uuid|tag)"
    r"|service tag|\bwwi?d|\bwwn(?: device id)?)"
)
MARKED = re.compile(
    r"(?:by-(?:id|\w{0,4}uuid|\w{0,4}label)/|(?<![\w-])(?=(?:wwn-|eui\.|naa\.|nvme\.)[\w.-]{8})"
    r"|(?<![A-Za-z0-9])[GC]PU-(?=[0-9A-Fa-f]{16}(?![0-9A-Za-z])))(?P<x>[^\s\"',;<>|]{3,200})"
    r"|/system-connections/(?P<y>[^/\n\"']{1,200})"
)
"""Where only ids and given names stand, and what begins like an id."""
GIVEN = r"(?:\be?ssid|(?-i:LABEL)|\bconnection(?:\.id|(?= [\"']))|wifi connect|(?<=\.ssid))"
"""Before names that people give to networks and disks."""
_FOUR = r"(?:\d{1,3}\.){3}\d{1,3}"
IPV4 = re.compile(
    r"(?:version\w*|[=<>~!]=|release|driver|firmware|\bv|(?<![^\s\"'(/])(?:nvidia|rocm|opencv|lib)"
    rf"[a-z0-9.+_-]{{0,40}})[\"']?[\s:=(\"']{{0,40}}(?!192\.168\.){_FOUR}"
    rf"|(?<![\w.])(?:(?<!//)(?<!@)\d(?:\.\d){{3}}(?![:/.]?\d)|(?!10\.){_FOUR}-[A-Za-z])"
    rf"|(?<![\w.])(?P<x>{_FOUR})(?!\w|\.\d|-\d{{1,6}}(?![\d.]))",
    re.IGNORECASE,
)
"""Four numbers that are no version: no word of versions stands before them, nor are all short."""
IPV6 = re.compile(
    r"(?<![\w:.])(?=[0-9A-Fa-f]*:[0-9A-Fa-f]*:)(?P<x>(?:[0-9A-Fa-f]{0,4}:){2,7}"
    r"(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{1,4}|(?<=::))(?:%[\w.-]+)?)(?!\w|:\w)"
)
EMAIL = re.compile(
    r"(?<![\w.+-])(?!git@git(?:hub|lab)\.com)(?P<x>(?:mailto:)?[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+"
    r"(?!(?:service|slice|scope|socket|mount|device)\b)[A-Za-z]{2,24})(?![\w-])"
)
"""Not a server of everybody's, nor a unit of systemd."""


def is_address(value: str) -> bool:
    """True for an address of a network that is somebody's, and not of this machine for itself."""
    try:
        address = ipaddress.ip_address(value.partition("%")[0])
    except ValueError:
        return False
    several = len(re.findall("[^:.]+", value)) > 1
    return several and not address.is_loopback and value[:2] != "0." and value != "255.255.255.255"


def is_id(value: str) -> bool:
    """True for what a maker may have called one thing: no slot and no other device."""
    slot = re.match(r"[0-9a-f]{4}:[0-9a-f]{2}:|8250/", value)
    return tells(value) and any(map(str.isdecimal, value)) and _several(value) and not slot


def _several(number: str) -> bool:
    """False for what stands in place of a number: nothing but 0 or f."""
    return len(set(bare(number))) > 1


def spelled(known: Iterable[str]) -> Iterator[str]:
    """Numbers with and without what stands between their digits."""
    for number in known:
        plain = bare(number)
        pairs = [plain[at : at + 2] for at in range(0, len(plain), 2)]
        yield from (number, plain)
        if MAC.fullmatch(number) or UUID.fullmatch(number):
            yield from (":".join(pairs), "-".join(pairs))


NUMBER_RULES = (
    Rule(SERIAL_KIND, MARKED, "SERIAL-#"),
    Rule(SERIAL_KIND, UUID, "UUID-#", _several),
    Rule(MAC_KIND, MAC, "MAC-#", _several),
    Rule(SERIAL_KIND, behind(LABEL, r"\S+(?: [0-9a-f]{2,})*"), "SERIAL-#", is_id),
    Rule(NETWORK_KIND, behind(GIVEN), "NETWORK-#"),
    Rule(EMAIL_KIND, EMAIL, "EMAIL-#"),
    Rule(IP_KIND, IPV6, "IP-#", is_address, str.lower),
    Rule(IP_KIND, IPV4, "IP-#", is_address, str),
)
"""In the order in which they are looked for."""


HIDDEN = "(not told)"
SWITCH = re.compile(
    r"-?[0-9][0-9.,:]{0,39}"
    r"|(?i:on|off|yes|no|true|false|enabled?|disabled?|none|normal|fast|hybrid|dynamic_hybrid"
    r"|fast_hybrid|db_update|search|search_db_update|db_clean|amd)"
    r"|gfx[0-9a-f]{3,5}(?:[;,]gfx[0-9a-f]{3,5})*"
    r"|(?:Conv|Gemm|Bwd|Fwd|Direct|Winograd|fft)[A-Za-z0-9]{0,60}"
)
"""Values that are words of the programs themselves, and numbers."""
TOLD_BEFORE_TABLE = re.compile(r"MIOPEN_(?:DEBUG|FIND|LOG|ENABLE|DISABLE)_[A-Z0-9_]{1,60}")
"""Switches of MIOpen: hundreds of names, of which our table explains some."""
_PLACE = r"(?:(?:[/~.]|\$\w|\$\{[\w:+$-]{0,80}\})[^:;|<>\"'`\n]*)?"
PLACES = re.compile(rf"{_PLACE}(?:[:;]{_PLACE})*")
"""Folders and files, and references to other variables."""
WORD = re.compile(r"[\w.,:;+=\"' -]{0,40}")


def is_known(name: str) -> bool:
    """True for a variable that a released program reads."""
    known = {name, general(name)} & set(known_names())
    return bool(known) or TOLD_BEFORE_TABLE.fullmatch(name) is not None


def told_value(name: str, value: str) -> str:
    """The value of a variable where its form is known, else what stands in its place."""
    if SWITCH.fullmatch(value):
        return HIDDEN if _is_address(value) else value
    if tells_a_secret(name):
        return SECRET if tells(value) else value
    if PLACES.fullmatch(value) or (is_known(name) and WORD.fullmatch(value)):
        chance = any(map(is_chance, re.split(r"[/:;]", value)))
        return HIDDEN if chance else value
    return value if value == HIDDEN else HIDDEN


def _is_address(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return not value.isdecimal()
