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

_NAMED = re.compile(r"resolve '([\w.:-]+)'|host='([\w.:-]+)'")
"""A line of pip's that names the host itself."""
_PATH = re.compile(r"': (/\S*)$")
"""With urllib3 1.26 pip names the path alone."""
_INDEXES = re.compile(r"^Looking in indexes: (.+)$", re.MULTILINE)
_ADDRESS = re.compile(r"https?://[^\s`'\"(),]+")
_USUAL_INDEX = "https://pypi.org/simple"
"""pip does not say that it looks there when it looks nowhere else."""


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
    """The hosts of which the output of pip or uv tells such a failure, each once."""
    return tuple(dict.fromkeys(filter(None, _each_host(output, failure))))


def _each_host(output: str, failure: re.Pattern[str]) -> Iterator[str]:
    for found in failure.finditer(output):
        start = output.rfind("\n", 0, found.start()) + 1
        end = output.find("\n", found.end())
        line = output[start : end if end >= 0 else len(output)]
        if named := _NAMED.search(line):
            yield named[1] or named[2]
        elif path := _PATH.search(line):
            yield _host(_index_of(path[1], output))
        elif before := _ADDRESS.findall(output[: start + len(line)]):
            yield _host(before[-1])  # uv names the address first, then the reason


def _index_of(path: str, output: str) -> str:
    told = _INDEXES.search(output)
    indexes = told[1].split(", ") if told else [_USUAL_INDEX]
    return next((each for each in indexes if path.startswith(f"{urlsplit(each).path}/")), "")


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:  # as of an address with half a pair of brackets
        return ""
