"""Numbers that belong to one machine alone: of its network, its parts and its installation."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator

from wizard.redaction.rules import Rule, bare, behind, tells

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


RULES = (
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
