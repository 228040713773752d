"""Servers that were not found by name or not reached: which ones, and the words for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

NOT_KNOWN = (
    "{hosts} {were} not found: DNS returned no address.",
    "The address is misspelled, or this name exists only on another network (such as a VPN).",
)
NOT_ANSWERED = (
    "{hosts} {were} not found: no name server answered.",
    "This computer is offline, or its name server is down.",
)
"""Nobody has seen which of the two it is: a computer without any network ends here as well."""
CHECK = "Check the address and the connection{ask}"

_ADDRESS = re.compile(r"https?://[^\s`'\"(),]+")


def host_words(hosts: Iterable[str], shown: str = "") -> dict[str, str]:
    """What fills the texts above; without any host they speak of a server."""
    names = tuple(hosts)
    return {
        "hosts": shown or ", ".join(names) or "A server",
        "were": "were" if len(names) > 1 else "was",
        "server": ", ".join(names) or "the server",
        "ask": f" (to test: `getent hosts {' '.join(names)}`)" if names else "",
    }


def hosts_in(output: str, failure: re.Pattern[str]) -> tuple[str, ...]:
    """The hosts of which the output of uv tells such a failure, each once."""
    return tuple(dict.fromkeys(filter(None, _each_host(output, failure))))


def _each_host(output: str, failure: re.Pattern[str]) -> Iterator[str]:
    for found in failure.finditer(output):
        end = output.find("\n", found.end())
        if before := _ADDRESS.findall(output[: end if end >= 0 else len(output)]):
            yield _host(before[-1])  # uv names the address first, then the reason


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:  # as of an address with half a pair of brackets
        return ""
