"""What is installed in a site folder, as its files tell it; nothing in it is started."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from packaging.utils import canonicalize_name

from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.host.metadata_headers import header, header_values

_TORCHES = ("torch", "torchvision", "torchaudio")


@dataclass(frozen=True, slots=True)
class Distribution:
    """One installed distribution, as its metadata tells it."""

    name: str
    """In its canonical form, for example ``typing-extensions``."""
    version: str
    requires: tuple[str, ...]
    """Its ``Requires-Dist`` lines."""
    requested: bool
    """True when somebody asked for it by name."""
    installer: str
    """``pip``, ``uv``, ``conda`` or what else its INSTALLER file says; ``""`` without one."""
    recorded: bool
    """True when its RECORD lists its files."""
    source: str
    """Where it came from when that was no index: a folder or an address; ``""`` otherwise."""
    twice: bool = False
    """True when another version of it is installed beside."""


def read_distributions(host: Host, site: str) -> tuple[Distribution, ...]:
    """Every distribution of a site folder, by name; one that names itself twice is taken once."""
    names = host.names(site) if site else ()
    # What begins with ~ is what an interrupted pip has left of an older one: installed no more.
    known = [name for name in (() if isinstance(names, Unknown) else names) if name[0] != "~"]
    found = (_distribution(host, f"{site}/{i}") for i in known if i.endswith(".dist-info"))
    by_name: dict[str, Distribution] = {}
    for each in found:
        if each is not None:
            by_name[each.name] = replace(each, twice=each.name in by_name)
    return (*by_name.values(), *_unlisted(host, site, known, by_name))


def _unlisted(
    host: Host, site: str, names: Collection[str], listed: Collection[str]
) -> Iterator[Distribution]:
    """torch and its siblings as older tools installed them: they load, and no list tells their
    files. Of other packages that need not be known, for they stay."""
    for torch in (name for name in _TORCHES if name not in listed):
        eggs = [name for name in names if re.fullmatch(rf"{torch}(-.+)?\.egg-(info|link)", name)]
        if eggs or host.is_file(f"{site}/{torch}/__init__.py"):
            info = "".join(_text(host, f"{site}/{egg}/PKG-INFO") for egg in eggs[:1])
            version = header(info, "Version") or "?"
            yield Distribution(torch, version, (), True, "", False, "")


def _distribution(host: Host, info: str) -> Distribution | None:
    headers = _text(host, f"{info}/METADATA")
    name, version = header(headers, "Name"), header(headers, "Version")
    if not name or not version:
        return None
    installer = _text(host, f"{info}/INSTALLER").strip()
    return Distribution(
        name=canonicalize_name(name),
        version=version,
        requires=tuple(header_values(headers, "Requires-Dist")),
        # uv writes it for every package, also for those that nobody named.
        requested=installer != "uv" and host.is_file(f"{info}/REQUESTED"),
        installer=installer,
        recorded=host.is_file(f"{info}/RECORD"),
        source=_source(_text(host, f"{info}/direct_url.json")),
    )


def _source(text: str) -> str:
    try:
        found = json.loads(text)["url"] if text else ""
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    return str(found)


def _text(host: Host, path: str) -> str:
    text = host.read(path)
    return "" if isinstance(text, Unknown) else text
