"""Logins for wheel servers: found where pip finds them, and never shown."""

from __future__ import annotations

import base64
import netrc
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

_LOGIN_IN_ADDRESS = re.compile(
    r"(?P<scheme>[a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/?#@'\"]+(?:@[^\s/?#@]*)*@"
)

HIDDEN_LOGIN = "***@"
"""What stands in an address in place of its login."""
INDEX_VARIABLES = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS")


def redact(text: str) -> str:
    """The text with every login inside an address replaced by ``HIDDEN_LOGIN``."""
    if "@" not in text:
        return text  # nearly every line of a long log
    return _LOGIN_IN_ADDRESS.sub(rf"\g<scheme>{HIDDEN_LOGIN}", text)


def without_login(address: str) -> str:
    """The address as it goes over the line: no login, no fragment."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, _place(parts), parts.path, parts.query, ""))


def _place(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def authorization(
    address: str, indexes: Iterable[str], environ: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """The header that logs in at this address, if a login is known for exactly this server."""
    named = " ".join(environ.get(name, "") for name in INDEX_VARIABLES).split()
    for source in (address, *indexes, *named):
        parts = urlsplit(source)
        if parts.username is not None and _same_server(parts, urlsplit(address)):
            return _basic(unquote(parts.username), unquote(parts.password or ""))
    return _from_netrc(urlsplit(address).hostname or "", environ)


def _same_server(one: SplitResult, other: SplitResult) -> bool:
    return (one.scheme, _place(one)) == (other.scheme, _place(other))


def _from_netrc(host: str, environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    path = environ.get("NETRC") or Path(environ.get("HOME", "/")) / ".netrc"
    try:
        entry = netrc.netrc(str(path)).authenticators(host)
    except (OSError, netrc.NetrcParseError, UnicodeDecodeError):
        return ()  # no such file, or none that can be read: then there is no login in it
    return _basic(entry[0], entry[2] or "") if entry else ()


def _basic(user: str, password: str) -> tuple[tuple[str, str], ...]:
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return (("Authorization", f"Basic {token}"),)
