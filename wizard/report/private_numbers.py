"""Numbers that belong to one machine alone: of its network, its parts and its installation."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

MAC_KIND, IP_KIND, SERIAL_KIND = "MAC address", "IP address", "serial number or id"
EMAIL_KIND, NETWORK_KIND = "e-mail address", "name of a network"

PAIRS = r"(?:[0-9A-Fa-f]{2}[:-]){5,19}[0-9A-Fa-f]{2}"
MAC = re.compile(rf"(?<![0-9A-Za-z:.-]){PAIRS}(?![0-9A-Za-z]|[:-][0-9A-Za-z])")
INTERFACE = re.compile(r"(?<![A-Za-z0-9])(?P<kind>enx|wlx|wwx)(?P<number>[0-9a-f]{12})(?![0-9a-f])")
EVERYBODYS_MACS = frozenset({"000000000000", "ffffffffffff"})
"""What stands in place of an address."""

IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d|-\d{1,6}(?![\d.]))")
IPV6 = re.compile(
    r"(?<![\w:.])(?=[0-9A-Fa-f]*:[0-9A-Fa-f]*:)[0-9A-Fa-f:]{3,39}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?"
    r"(?:%[\w.-]+)?(?![\w:])"
)
VERSION_BEFORE = re.compile(
    r"(?:version\w*|==|[<>~!]=|release|driver|firmware|\bv"
    r"|(?:^|[\s\"'(/])(?:nvidia|rocm|hip|hsa|miopen|roc|lib|torch|triton|numpy|python|linux|cuda|cudnn"
    r"|opencv|pip|amdgpu|comgr|tensor|onnx)[a-z0-9.+_-]*)[\"']?[\s:=(\"']{0,40}\Z",
    re.IGNORECASE,
)
BEFORE_CHARS = 80
NOBODYS = tuple(
    ipaddress.IPv4Network(net)
    for net in ("0.0.0.0/8", "127.0.0.0/8", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
)
"""The machine itself, and what texts give as examples."""
AT_HOME = ipaddress.IPv4Network("192.168.0.0/16")
"""Of no version ever: whatever word stands before it."""

EMAIL = re.compile(
    r"(?<![\w.+-])(?:mailto:)?[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+(?P<last>[A-Za-z]{2,24})"
    r"(?![\w-])"
)
NO_MAIL = frozenset({"service", "slice", "scope", "socket", "target", "mount", "timer", "device"})
"""Ends of the names of systemd's units."""
NO_MAIL_BEFORE = ("git@github.com", "git@gitlab.com")

UUID = re.compile(
    r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Za-z])"
)
GPU_NUMBER = re.compile(r"(?<![A-Za-z0-9])(?:GPU|CPU)-(?P<number>[0-9A-Fa-f]{16})(?![0-9A-Za-z])")
LABELLED = re.compile(
    r"(?:serial(?:[ _-]?(?:number|num|no|short|nr)\b)?\.?|S/N|\bSN|unique[ _]?id|hive[ _]?id"
    r"|(?:machine|boot|product|chassis|system|hardware|asset)[ _-]?(?:id|uuid|tag)"
    r"|\bwwi?d|\bwwn|asic[ _]serial)"
    r"[\"']?\s{0,40}(?::|=|\s(?=0x|\d{8,}))\s{0,40}[\"']?(?P<number>[^\s\"',;<>|]{3,80})",
    re.IGNORECASE,
)
BARE = re.compile(
    r"(?:\bS/N|\bSN|(?i:\bserial (?:number|no\.?)))\s{1,10}"
    r"(?P<number>(?=[\w-]*\d)[A-Z0-9-]{6,40})\b"
)
NETWORK = re.compile(r"\bE?SSID[\"']?\s{0,3}[=:]\s{0,3}(?P<number>\"[^\"\n]+\"|[^\s,;]+)")
BY_ID = re.compile(
    r"(?<=by-id/)(?P<number>[\w.:@+-]{6,200})|(?<![\w-])(?P<wide>(?:wwn-0x|eui\.|naa\.|nvme\.)[0-9a-f.-]{8,})"
)
OF_EDID = re.compile(
    r"\[[0-9a-f]{2}\] (?:BAD|GOOD|ZERO)\s+(?P<number>(?:[0-9a-f]{2} ?){8,16})", re.IGNORECASE
)
OF_PCI = re.compile(r"Serial Number (?P<number>(?:[0-9a-f]{2}-){7}[0-9a-f]{2})", re.IGNORECASE)
EDID = re.compile(
    r"(?P<number>00[\s,x0]{0,4}(?:ff[\s,x0]{0,4}){6}00(?:[\s,]{0,12}(?:0x)?[0-9A-Fa-f]{2})*)",
    re.IGNORECASE,
)
NO_NUMBERS = re.compile(
    r"(?i)(?:to|not|none|n/?a|unknown|default|unspecified|system|o\.e\.m|null|true|false|8250/16550|0+"
    r"|SERIAL-\d+|UUID-\d+|MAC-\d+|\d{1,2}|[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d|[(\[{].*)\Z"
)
"""What stands in place of a serial number, and what is none."""


def is_address(found: re.Match[str]) -> bool:
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
    if VERSION_BEFORE.search(text[max(0, begin - BEFORE_CHARS) : begin]):
        return False
    if any(len(part) > 1 for part in found[0].split(".")):
        return True
    before = text[max(0, begin - 2) : begin]
    return before == "//" or before.endswith("@") or bool(re.match(r"[:/]\d", text[end : end + 2]))


def is_long_address(found: re.Match[str]) -> bool:
    """True for an address of IPv6 that is somebody's."""
    plain = found[0].partition("%")[0]
    try:
        address = ipaddress.IPv6Address(plain)
    except ValueError:
        return False
    groups = [group for group in plain.split(":") if group]
    return len(groups) > 1 and not address.is_loopback and not plain.startswith("c10::")


def is_hardware_address(found: str) -> bool:
    """True for one that is not what stands in place of an address."""
    plain = bare(found)
    return plain not in EVERYBODYS_MACS and len(set(plain)) > 1


def is_mail(found: re.Match[str]) -> bool:
    """True for an address of a person."""
    unit = found["last"].lower() in NO_MAIL
    return not unit and found[0] not in NO_MAIL_BEFORE and not found[0].startswith("user@1")


def bare(number: str) -> str:
    """The same for all spellings of one number."""
    return re.sub(r"[^0-9A-Za-z]", "", number).lower()


def spelled(number: str) -> Iterator[str]:
    """A number with and without what stands between its digits."""
    plain = bare(number)
    yield from (number, plain)
    if MAC.fullmatch(number) or UUID.fullmatch(number):
        pairs = [plain[at : at + 2] for at in range(0, len(plain), 2)]
        yield from (":".join(pairs), "-".join(pairs))
