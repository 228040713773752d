"""Numbers that belong to one machine alone: of its network, its parts and its installation."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator

from wizard.redaction.rules import Found, Rule, bare

MAC_KIND, IP_KIND, SERIAL_KIND = "MAC address", "IP address", "serial number or id"
EMAIL_KIND, NETWORK_KIND = "e-mail address", "name of a network"
MAC = re.compile(
    r"(?<![0-9A-Za-z:.-])(?:[0-9A-Fa-f]{2}[:-]){5,19}[0-9A-Fa-f]{2}(?![0-9A-Za-z]|[:-][0-9A-Za-z])"
    r"|(?<![A-Za-z0-9])(?:enx|wlx|wwx)(?P<x>[0-9a-f]{12})(?![0-9a-f])"
)
EVERYBODYS = frozenset({"000000000000", "ffffffffffff", "8be4df6193ca11d2aa0d00e098032b8c"})
"""What stands in place of an address, and the id of the firmware's own variables."""
IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d|-\d{1,6}(?![\d.]))")
IPV6 = re.compile(
    r"(?<![\w:.])(?=[0-9A-Fa-f]*:[0-9A-Fa-f]*:)(?:[0-9A-Fa-f]{0,4}:){2,7}"
    r"(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{1,4}|(?<=::))(?:%[\w.-]+)?(?!\w|:\w)"
)
VERSION_BEFORE = re.compile(
    r"(?:version\w*|==|[<>~!]=|release|driver|firmware|\bv"
    r"|(?:^|[\s\"'(/])(?:nvidia|rocm|hip|hsa|miopen|roc|lib|torch|triton|numpy|python|linux|cuda|cudnn"
    r"|opencv|pip|amdgpu|comgr|tensor|onnx)[a-z0-9.+_-]*)[\"']?[\s:=(\"']{0,40}\Z",
    re.IGNORECASE,
)
NOBODYS = tuple(map(ipaddress.IPv4Network, ("0.0.0.0/8", "127.0.0.0/8")))
"""The machine itself."""
AT_HOME = ipaddress.IPv4Network("192.168.0.0/16")
"""Of no version ever: whatever word stands before it."""
EMAIL = re.compile(
    r"(?<![\w.+-])(?:mailto:)?[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+"
    r"(?!(?:service|slice|scope|socket|target|mount|timer|device)\b)[A-Za-z]{2,24}(?![\w-])"
)
PUBLIC = r"user@\d|git@git(?:hub|lab)\.com\Z"
"""A unit of systemd, and servers of everybody's."""
UUID = re.compile(
    r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Za-z])"
    r"|(?:UUID|\bLABEL)[=:]\s{0,3}[\"']?(?P<x>[^\s\"',;|<>/]{4,80})"
)
LABELLED = re.compile(
    r"(?:(?:serial(?:[ _-]?(?:number|num|no|short|nr)\b)?\.?|S/N|\bSN|unique[ _]?id|hive[ _]?id"
    r"|(?:machine|boot|product|chassis|system|hardware|asset)[ _-]?(?:id|uuid|tag)"
    r"|\bwwi?d|\bwwn|asic[ _]serial|\bEDID)"
    r"[\"']?\s{0,40}(?::|=|\s(?=0x|\d{8,}))\s{0,40}"
    r"|\bS/N\s{1,10}(?=[\w-]*\d)|\bserial (?:number|no\.?)\s{1,10}(?=[\w-]{0,20}\d)"
    r"|by-id/|(?<![\w-])(?=(?:wwn-0x|eui\.|naa\.|nvme\.)[0-9a-f.-]{8})"
    r"|(?<![A-Za-z0-9])[GC]PU-(?=[0-9A-Fa-f]{16}(?![0-9A-Za-z])))"
    r"[\"']?(?P<x>[^\s\"',;<>|]{3,200})",
    re.IGNORECASE,
)
BYTES = re.compile(
    r"(?<!Code: )(?<![0-9A-Fa-f ]{3})\b(?P<x>[0-9a-f]{2}(?:,? (?:0x)?<?[0-9a-f]{2}>?){7,})\b"
)
"""Many bytes after one another: what a screen says of itself, a number of a card on its bus."""
NETWORK = re.compile(
    r"\bE?SSID(?:[\"']?\s{0,3}[=:]\s{0,3}|\s{1,3}(?=[\"']))(?P<x>\"[^\"\n]+\"|'[^'\n]+'|[^\s,;]+)"
    r"|\bconnection (?P<y>'[^'\n]+'|\"[^\"\n]+\")",
    re.IGNORECASE,
)
STANDS_IN = r"(?:SERIAL|UUID|MAC|IP|EMAIL|NETWORK|HOST|OTHER|GROUP)-\d+"
NO_NUMBERS = re.compile(
    r"(?i)(?:to|not|none|n/?a|unknown|default|unspecified|system|o\.e\.m|null|true|false"
    rf"|8250/16550|0+|{STANDS_IN}|[GC]PU-{STANDS_IN}|\d{{1,2}}"
    r"|[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d|[(\[{].*)\Z"
)
"""What stands in place of a serial number, and what is none."""


def is_address(found: Found) -> bool:
    """True for four numbers with dots that are an address; four numbers may be a version too.

    A version stands behind a word that says so, or behind the name of a package of ours. Without
    any such word, four single digits are taken for a version.
    """
    text, begin, end = found.string, found.start(), found.end()
    try:
        address = ipaddress.IPv4Address(found[0])
    except ValueError:
        return False
    if found[0] == "255.255.255.255" or any(address in net for net in NOBODYS):
        return False
    if address in AT_HOME:
        return True
    if re.match("-[A-Za-z]", text[end : end + 2]) and not address.is_private:
        return False  # 5.15.167.4-microsoft-standard-WSL2
    if VERSION_BEFORE.search(text[max(0, begin - 80) : begin]):
        return False
    if any(len(part) > 1 for part in found[0].split(".")):
        return True
    before = text[max(0, begin - 2) : begin]
    return before == "//" or before.endswith("@") or bool(re.match(r"[:/]\d", text[end : end + 2]))


def _is_long_address(found: Found) -> bool:
    """True for an address of IPv6 that is somebody's."""
    try:
        address = ipaddress.IPv6Address(found[0].partition("%")[0])
    except ValueError:
        return False
    return len(re.findall("[^:]+", found[0])) > 1 and not address.is_loopback


def spelled(known: Iterable[str]) -> Iterator[str]:
    """Numbers with and without what stands between their digits."""
    for number in known:
        plain = bare(number)
        pairs = [plain[at : at + 2] for at in range(0, len(plain), 2)]
        yield from (number, plain)
        if MAC.fullmatch(number) or UUID.fullmatch(number):
            yield from (":".join(pairs), "-".join(pairs))


def is_no_mac(found: Found) -> bool:
    """False for a hardware address: it is counted as one."""
    return MAC.match(found.string, found.start()) is None and not re.search(
        "(?:en|wl|ww)x\\Z", found.string[max(0, found.start() - 3) : found.start()]
    )


def _is_somebodys(found: Found) -> bool:
    """True for a number that is not what stands in place of one."""
    number = bare(found[found.lastgroup or 0])
    return number not in EVERYBODYS and len(set(number)) > 1


def _tells(found: Found) -> bool:
    return NO_NUMBERS.match(found[found.lastgroup or 0].strip("\"'")) is None


RULES = (
    Rule(SERIAL_KIND, LABELLED, "SERIAL-#", _tells),
    Rule(SERIAL_KIND, BYTES, "SERIAL-#"),
    Rule(SERIAL_KIND, UUID, "UUID-#", lambda found: _tells(found) and _is_somebodys(found)),
    Rule(NETWORK_KIND, NETWORK, "NETWORK-#", _tells),
    Rule(EMAIL_KIND, EMAIL, "EMAIL-#", lambda f: re.match(PUBLIC, f[0]) is None),
    Rule(MAC_KIND, MAC, "MAC-#", _is_somebodys),
    Rule(IP_KIND, IPV6, "IP-#", _is_long_address, str.lower),
    Rule(IP_KIND, IPV4, "IP-#", is_address, str),
)
"""In the order in which they are looked for."""
