"""Reads where apt takes its packages from, in both formats, and which of it is AMD's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.apt.entries import Entry, deb822_entries, line_entries
from wizard.machine.apt.indexes import LISTS, is_amd_host, is_amd_release
from wizard.machine.facts import AptSource
from wizard.machine.part import Found, Part

APT = "/etc/apt"
PARTS = f"{APT}/sources.list.d"
NAME = re.compile(r"[\w.-]+\.(?:list|sources)", re.ASCII)
"""apt passes over every other name, such as ``rocm.list.save``."""
TEXT_LIMIT = 256 * 1024
QUOTED = re.compile(r"[\\|{}\[\]<>\"^~_=!@#$%&*]")
"""Characters that apt writes as ``%5f`` in the names of its lists."""
LOGIN = re.compile(r"(?<=//)[^/@\s]*@")
"""A name and password in an address: no fact, and nothing to show."""


def read_apt_sources(host: Host) -> Found[tuple[AptSource, ...]]:
    """Every entry of ``sources.list`` and ``sources.list.d``, disabled ones of deb822 too."""
    names = host.names(PARTS)
    listed = () if isinstance(names, Unknown) else filter(NAME.fullmatch, names)
    sources: list[AptSource] = []
    unread = []
    for path in (f"{APT}/sources.list", *(f"{PARTS}/{name}" for name in listed)):
        text = host.read(path)
        if isinstance(text, str):
            entries = _form(path)(text[:TEXT_LIMIT])
            sources.extend(_source(host, path, entry) for entry in entries)
        elif host.is_file(path):
            unread.append(text)
    return Found(tuple(sources), tuple(unread))


def _form(path: str) -> Callable[[str], Iterator[Entry]]:
    return deb822_entries if path.endswith(".sources") else line_entries


def _source(host: Host, path: str, entry: Entry) -> AptSource:
    return AptSource(
        file=path,
        line=entry.line,
        types=entry.types,
        uris=tuple(LOGIN.sub("", uri) for uri in entry.uris),
        suites=entry.suites,
        components=entry.components,
        signed_by=entry.signed_by,
        enabled=entry.enabled,
        amd=any(_is_amd(host, uri, entry.suites) for uri in entry.uris),
    )


def _is_amd(host: Host, uri: str, suites: tuple[str, ...]) -> bool:
    """By server; a mirror's by the Release file that apt has fetched from it."""
    if is_amd_host(_place(uri).partition("/")[0]):
        return True
    lists = list_names(uri, suites)
    files = (f"{LISTS}/{name}_{kind}" for name in lists for kind in ("InRelease", "Release"))
    return any(is_amd_release(host, file) for file in files)


def list_names(uri: str, suites: tuple[str, ...]) -> list[str]:
    """What apt's copies of a source's lists begin with, such as ``host_ubuntu_dists_noble``."""
    return [_list_name(_place(uri), suite) for suite in suites]


def _place(uri: str) -> str:
    """Server and path of an address, without scheme and login."""
    return LOGIN.sub("", uri).partition(":")[2].removeprefix("//")


def _list_name(place: str, suite: str) -> str:
    # A suite that ends in a slash is a folder itself, without dists.
    folder = suite if suite.endswith("/") else f"dists/{suite}"
    path = f"{place.rstrip('/')}/{folder}".rstrip("/")
    return QUOTED.sub(lambda found: f"%{ord(found[0]):02x}", path).replace("/", "_")


def _tell(sources: tuple[AptSource, ...]) -> tuple[str, tuple[str, ...]]:
    amd = [source for source in sources if source.amd]
    off = sum(not source.enabled for source in amd)
    entries = "1 entry" if len(sources) == 1 else f"{len(sources)} entries"
    summary = f"{entries}, {len(amd)} from AMD" + (f" ({off} disabled)" if off else "")
    return summary if sources else "none", tuple(_line(source) for source in amd)


def _line(source: AptSource) -> str:
    words = " ".join((*source.uris, *source.suites, *source.components))
    key = f"signed by {source.signed_by}" if source.signed_by else "signed by any key apt trusts"
    return f"{source.file}:{source.line}: {words}; {key}{'' if source.enabled else '; disabled'}"


APT_SOURCES: Part[tuple[AptSource, ...]] = Part(
    title="Package sources",
    source=f"{APT}/sources.list, {PARTS}, {LISTS}",
    read=read_apt_sources,
    tell=_tell,
)
"""Where apt takes packages from."""
