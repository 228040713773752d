"""Where apt takes its packages from: sources, keys and pins, and which of them are AMD's.

Read from files alone, in both formats: one line an entry, and deb822 paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from assets.root.places import OWN_SOURCE
from wizard.apt.openpgp import NotAKey, binary
from wizard.core.fact import Unknown, known
from wizard.host.host import Host

KEYRING = "/etc/apt/keyrings/rdna1-setup-rocm.asc"
SOURCE = OWN_SOURCE
PIN = "/etc/apt/preferences.d/rdna1-setup-rocm"
PROFILE = "/etc/profile.d/rdna1-setup-rocm.sh"
OURS = (KEYRING, SOURCE, PIN, PROFILE)
"""Where our own files in the system's folders go."""
APT = "/etc/apt"
PARTS = f"{APT}/sources.list.d"
SOURCE_NAME = re.compile(r"[\w.-]+\.(?:list|sources)", re.ASCII)
"""apt passes over every other name, such as ``rocm.list.save``."""
LISTS = "/var/lib/apt/lists"
SOURCE_LIMIT = 256 * 1024
QUOTED = re.compile(r"[\\|{}\[\]<>\"^~_=!@#$%&*]")
"""Characters that apt writes as ``%5f`` in the names of its lists."""
LOGIN = re.compile(r"(?<=//)[^/@\s]*@")
"""A name and password in an address: no fact, and nothing to show."""
TYPES = ("deb", "deb-src")
OPTIONS = re.compile(r"\[([^\]]*)\]\s*")
WORD = re.compile(r'(?:\[[^\]]*\]|"[^"]*"|[^\s\["])+')
"""A bracket or quotes may hold spaces: ``cdrom:[Ubuntu 24.04 LTS - Release amd64]/``."""
COMMENT = re.compile(r"(?P<kept>(?:\[[^\]]*\]|[^#])*)(?:#.*)?", re.DOTALL)
"""A hash inside brackets begins no comment."""
LINE_LIMIT = 1000
"""Longer is no entry; and brackets that nobody closes are looked for again and again."""
OFF = ("no", "false", "without", "off", "disable", "0")
"""What apt takes for no."""
INLINE_KEY = "a key in the entry"
ORIGIN = "repo.radeon.com"
"""What the Release files of both of AMD's repositories say as Origin and as Label.

https://github.com/ROCm/ROCm/issues/4022 quotes those of ROCm 6.2.4.
"""
RELEASE_HEAD = 4096
"""Origin and Label stand at the top; the hashes below them can be long."""
KEY_FOLDERS = ("/etc/apt/keyrings", "/etc/apt/trusted.gpg.d", "/usr/share/keyrings")
OLD_RING = "/etc/apt/trusted.gpg"
"""Where ``apt-key add`` put keys."""
KEY_NAME = re.compile(r"(?:^|[._-])(?:rocm|amdgpu|radeon)", re.IGNORECASE)
KEY_ID = bytes.fromhex("9386B48A1A693C5C")
"""End of the fingerprint of AMD's ROCm release key, CA8BB4727A47B4D09B4EE8969386B48A1A693C5C.

A key names itself in its own signature, so the bytes stand in the file.
"""
KEY_BYTES = 256 * 1024
PREFERENCES = "/etc/apt/preferences"
PIN_NAME = re.compile(r"[\w.-]+(?<!\.)", re.ASCII)
"""apt reads names without an ending and those in ``.pref``."""
AMD_WORDS = re.compile(r"repo\.radeon\.com|\bamd\.com|rocm|amdgpu", re.IGNORECASE)
PIN_LIMIT = 64 * 1024

Paragraph = dict[str, str]
"""Field names in lower case, and values with their folded lines."""


class AptSource(NamedTuple):
    """One entry of apt's sources, of either format."""

    file: str
    line: int
    """1-based line at which the entry starts."""
    types: tuple[str, ...]
    """``deb``, ``deb-src`` or both."""
    uris: tuple[str, ...]
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str
    """Files or fingerprints as they stand there, ``a key in the entry``, or ``""``."""
    enabled: bool
    amd: bool = False
    """True when it is a repository of AMD's, or a mirror of one by its Release file."""


def apt_sources(host: Host) -> tuple[tuple[AptSource, ...], tuple[Unknown, ...]]:
    """Every entry of ``sources.list`` and ``sources.list.d``, disabled ones of deb822 too.

    With them, the files that could not be read.
    """
    names = host.names(PARTS)
    listed = filter(SOURCE_NAME.fullmatch, known(names, ()))
    sources: list[AptSource] = []
    unread = []
    for path in (f"{APT}/sources.list", *(f"{PARTS}/{name}" for name in listed)):
        text = host.read(path)
        if isinstance(text, str):
            sources.extend(_source(host, entry) for entry in entries_of(path, text[:SOURCE_LIMIT]))
        elif host.is_file(path):
            unread.append(text)
    return tuple(sources), tuple(unread)


def _source(host: Host, entry: AptSource) -> AptSource:
    return entry._replace(
        uris=tuple(LOGIN.sub("", uri) for uri in entry.uris),
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


def is_amd_host(name: str) -> bool:
    """True for a server of AMD's, also with a port."""
    host = name.partition(":")[0].lower()
    return host == ORIGIN or host.endswith(".amd.com")


def is_amd_release(host: Host, path: str) -> bool:
    """True for a Release file of AMD's, also when a mirror hands it out."""
    head = host.head(path, RELEASE_HEAD)
    if isinstance(head, Unknown):
        return False
    for line in head.decode("utf-8", "replace").splitlines():
        field, _, value = line.partition(":")
        if field in ("Origin", "Label") and value.strip() == ORIGIN:
            return True
    return False


def entries_of(path: str, text: str) -> Iterator[AptSource]:
    """The entries of a file as they stand there, logins and all."""
    entries = deb822_entries(text) if path.endswith(".sources") else line_entries(text)
    return (entry._replace(file=path) for entry in entries)


def line_entries(text: str) -> Iterator[AptSource]:
    """Entries of a ``.list`` file; one that is commented out is none."""
    for number, line in enumerate(text.split("\n"), 1):
        kept = COMMENT.match(line[:LINE_LIMIT])
        kind, rest = (*(kept["kept"] if kept else "").split(None, 1), "", "")[:2]
        if kind in TYPES and (entry := _line_entry(number, kind, rest)):
            yield entry


def _line_entry(number: int, kind: str, rest: str) -> AptSource | None:
    options = OPTIONS.match(rest)
    words = [word.strip('"') for word in WORD.findall(rest[options.end() :] if options else rest)]
    if len(words) < 2 or words[0].startswith("[") or (rest.startswith("[") and not options):
        return None
    return AptSource(
        file="",
        line=number,
        types=(kind,),
        uris=(words[0],),
        suites=(words[1],),
        components=tuple(words[2:]),
        signed_by=_option(options[1] if options else "", "signed-by"),
        enabled=True,
    )


def _option(options: str, name: str) -> str:
    pairs = (option.partition("=") for option in options.split())
    return next((value for key, _, value in pairs if key.lower() == name), "")


def deb822_entries(text: str) -> Iterator[AptSource]:
    """Entries of a ``.sources`` file.

    Not by python-debian: it does not tell the line of an entry, and importing it takes half as
    long as starting Python with psutil.
    """
    for number, fields in paragraphs(text):
        types = tuple(fields.get("types", "").split())
        uris, suites = fields.get("uris", "").split(), fields.get("suites", "").split()
        if uris and suites and any(kind in TYPES for kind in types):
            yield AptSource(
                file="",
                line=number,
                types=types,
                uris=tuple(uris),
                suites=tuple(suites),
                components=tuple(fields.get("components", "").split()),
                signed_by=_signed_by(fields.get("signed-by", "")),
                enabled=fields.get("enabled", "yes").strip().lower() not in OFF,
            )


def paragraphs(text: str) -> Iterator[tuple[int, Paragraph]]:
    """The paragraphs of a deb822 text, each with the line of its first field."""
    start, field, fields = 0, "", Paragraph()
    for number, line in enumerate((*text.split("\n"), ""), 1):
        if line.startswith("#"):
            continue
        if not line.strip("\r"):  # to apt, spaces alone continue the field above
            if fields:
                yield start, fields
            start, field, fields = 0, "", {}
        elif line[0] in " \t":
            if field:
                fields[field] += f"\n{line}"
        else:
            name, _, value = line.partition(":")
            field, start = name.strip().lower(), start or number
            fields[field] = value


def _signed_by(value: str) -> str:
    return INLINE_KEY if "BEGIN PGP" in value else " ".join(value.split())


def amd_pins(host: Host) -> Iterator[tuple[str, str]]:
    """Each file that prefers or refuses something of AMD's, and what it says."""
    for path in _pin_files(host):
        text = host.read(path)
        if isinstance(text, str) and (pins := list(_pins(text[:PIN_LIMIT]))):
            yield path, "; ".join(pins[:3])


def _pin_files(host: Host) -> Iterator[str]:
    yield PREFERENCES
    names = host.names(f"{PREFERENCES}.d")
    for name in known(names, ()):
        if PIN_NAME.fullmatch(name) and (name.endswith(".pref") or "." not in name):
            yield f"{PREFERENCES}.d/{name}"


def _pins(text: str) -> Iterator[str]:
    for _, fields in paragraphs(text):
        package, pin, priority = (
            " ".join(fields.get(name, "").split())[:80]
            for name in ("package", "pin", "pin-priority")
        )
        if priority and (AMD_WORDS.search(pin) or AMD_WORDS.search(package)):
            yield f"priority {priority} for {package} ({pin})"


def amd_keys(host: Host) -> Iterator[tuple[str, str]]:
    """Keys that are AMD's by content, by name, or because a source of AMD's names them.

    Each with what there is to say of it.
    """
    named = _named_by_sources(host)
    for path in dict.fromkeys((*_key_files(host), *named)):
        if detail := _key(host, path, named):
            yield path, detail


def _key_files(host: Host) -> Iterator[str]:
    if host.is_file(OLD_RING):
        yield OLD_RING
    for folder in KEY_FOLDERS:
        yield from (f"{folder}/{name}" for name in known(host.names(folder), ()))


def _named_by_sources(host: Host) -> tuple[str, ...]:
    """Files after ``signed-by`` in AMD's sources; a fingerprint there is no file."""
    values = (source.signed_by for source in apt_sources(host)[0] if source.amd)
    words = (word for value in values for word in re.split(r"[\s,]+", value))
    return tuple(word for word in words if word.startswith("/"))


def _key(host: Host, path: str, named: tuple[str, ...]) -> str:
    head = host.head(path, KEY_BYTES)
    if isinstance(head, Unknown):
        wanted = path in named or KEY_NAME.search(path.rpartition("/")[2])
        return head.because if wanted else ""
    if holds_amds_key(head):
        return "contains AMD's ROCm release key" + _reach(path)
    if path in named:
        return "used by an AMD source, but not ROCm's key"
    if KEY_NAME.search(path.rpartition("/")[2]):
        return "named like AMD's, but not ROCm's key" + _reach(path)
    return ""


def holds_amds_key(head: bytes) -> bool:
    """True when the key file, binary or in letters, has AMD's ROCm release key in it."""
    with suppress(NotAKey):
        return KEY_ID in binary(head)
    return False


def _reach(path: str) -> str:
    everywhere = path == OLD_RING or path.startswith(KEY_FOLDERS[1])
    return ", trusted for every source" if everywhere else ""
