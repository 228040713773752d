"""The project that uv locks: two files in a folder of work, the environment of uv, its answer.

``uv lock`` reads the metadata that an index publishes, or the end of each wheel by range. (``uv pip
compile`` would download whole whatever has no published hash.) The files hold no login: those reach
uv through variables.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from wizard.core.credentials import without_login
from wizard.core.trouble import Trouble
from wizard.host.distributions import TORCH_FAMILY
from wizard.host.environment import Target, tags
from wizard.host.pip_settings import PipSettings
from wizard.system.lock import Wheel, wheel_at
from wizard.system.uv import without_settings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FAMILY = (*TORCH_FAMILY, "pytorch-triton-rocm")
"""What a stack's own index serves; each must be a requirement of its own for that."""
TOOLS = ("pip", "setuptools")
"""What comes from the package index where the stack's index replaces it."""
_REFUSES_UNKNOWN = ("repo.amd.com", "download.pytorch.org")
"""Servers that answer 403 for a package that they do not have."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is to be chosen, and from where."""

    requirements: tuple[str, ...]
    index: str = ""
    """The index of torch; ``""`` where everything comes from where pip is configured to look."""
    index_replaces_pypi: bool = False
    """True when that index holds every dependency too."""
    wheelhouse: str = ""
    """A folder of wheels that is the only source, without any network; ``""`` for none."""
    constraints: tuple[str, ...] = ()
    kept: str = ""
    """A folder of wheels that hold nothing but the names and versions of what stays installed."""

    @property
    def source(self) -> str:
        """Where all that comes from, in words."""
        if self.wheelhouse:
            return f"from {self.wheelhouse} alone"
        if not self.index:
            return "from where pip is configured to look"
        if self.index_replaces_pypi:
            return f"from {self.index}"
        return f"(torch from {self.index}, the rest from where pip is configured to look)"


@dataclass(frozen=True, slots=True)
class _Source:
    """One index, or one place of links."""

    name: str
    address: str
    explicit: bool = False
    """True where it serves only the packages that name it."""


def project_text(manifest: Manifest, target: Target, settings: PipSettings) -> str:
    """``pyproject.toml``: what is wanted, for which Python, and what comes from which index."""
    explicit = [each for each in _sources(manifest, settings) if each.explicit]
    limits = (*manifest.constraints, *_limits(manifest, settings))
    lines = [
        "[project]",
        'name = "rdna1-setup-environment"',
        'version = "0"',
        f"requires-python = {_toml(f'=={target.python}')}",
        f"dependencies = {_toml(manifest.requirements)}",
        "",
        "[tool.uv]",
        "package = false",
        f"environments = {_toml((_machine(target),))}",
        f"constraint-dependencies = {_toml(limits)}",
    ]
    if explicit:
        lines += ["", "[tool.uv.sources]"]
    for source in explicit:
        lines += [f"{name} = {{ index = {_toml(source.name)} }}" for name in _served(manifest)]
    for source in explicit:
        lines += ["", "[[tool.uv.index]]", *_index_lines(source), "explicit = true"]
    return "\n".join((*lines, ""))


def settings_text(manifest: Manifest, settings: PipSettings) -> str:
    """``uv.toml``: where packages come from, as pip is configured to look, and how."""
    alone, links = _alone(manifest, settings), _links(manifest, settings)
    lines = ["no-build = true", 'index-strategy = "unsafe-best-match"']
    lines += [f"find-links = {_toml(map(without_login, links))}"] if links else []
    lines += ["no-index = true"] if alone else []
    if manifest.wheelhouse:
        return "\n".join((*lines, "offline = true", ""))
    lines += ['prerelease = "allow"'] if settings.prereleases else []
    lines += ['keyring-provider = "subprocess"'] if settings.keyring else []
    if settings.trusted_hosts:
        lines.append(f"allow-insecure-host = {_toml(settings.trusted_hosts)}")
    shared = [each for each in _sources(manifest, settings) if not each.explicit]
    for place, source in enumerate(shared):
        lines += ["", "[[index]]", *_index_lines(source)]
        lines += ["default = true"] if place == 0 else []
    return "\n".join((*lines, ""))


def _index_lines(source: _Source) -> list[str]:
    lines = [f"name = {_toml(source.name)}", f"url = {_toml(without_login(source.address))}"]
    if refuses_unknown(source.address):
        lines.append("ignore-error-codes = [403]")
    return lines


def refuses_unknown(address: str) -> bool:
    """True for a server that answers 403 for a package that it does not have."""
    host = urlsplit(address).hostname or ""
    return any(host == known or host.endswith(f".{known}") for known in _REFUSES_UNKNOWN)


def pages_of(manifest: Manifest, settings: PipSettings, name: str) -> tuple[str, ...]:
    """Addresses of the pages where an index would list the wheels of a package."""
    apart = name in _served(manifest)
    sources = _sources(manifest, settings)
    places = [each.address for each in sources if each.explicit is apart] if sources else []
    return tuple(f"{place.rstrip('/')}/{name}/" for place in places)


def _sources(manifest: Manifest, settings: PipSettings) -> tuple[_Source, ...]:
    """Every index, the default one first; none where only links count."""
    if _alone(manifest, settings):
        return ()
    extra = (_Source(f"extra-{n}", each) for n, each in enumerate(settings.extra_indexes, 1))
    packages = _Source("packages", settings.index)
    if not manifest.index:
        return (packages, *extra)
    torch = _Source("torch", manifest.index)
    if manifest.index_replaces_pypi:
        return (torch, *extra, replace(packages, explicit=True))
    return (packages, *extra, replace(torch, explicit=True))


def _alone(manifest: Manifest, settings: PipSettings) -> bool:
    """True where no index is asked."""
    return bool(manifest.wheelhouse) or settings.no_index


def _links(manifest: Manifest, settings: PipSettings) -> tuple[str, ...]:
    own = (manifest.wheelhouse,) if manifest.wheelhouse else settings.find_links
    return (*own, manifest.kept) if manifest.kept else own


def _limits(manifest: Manifest, settings: PipSettings) -> tuple[str, ...]:
    """pip's own constraints; with a folder alone nothing of pip's settings counts."""
    return () if manifest.wheelhouse else settings.constraints


def _served(manifest: Manifest) -> list[str]:
    """The names of the requirements that come from the one explicit index."""
    names = dict.fromkeys(
        str(canonicalize_name(Requirement(text).name)) for text in manifest.requirements
    )
    apart = TOOLS if manifest.index_replaces_pypi else FAMILY
    return [name for name in names if name in apart]


def _machine(target: Target) -> str:
    return (
        f"sys_platform == 'linux' and platform_machine == '{target.machine}' "
        "and implementation_name == 'cpython'"
    )


def _toml(value: str | Iterable[str]) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(map(_toml, value))}]"


def variables(
    manifest: Manifest, settings: PipSettings, environ: Mapping[str, str]
) -> dict[str, str]:
    """The environment of uv: proxies, certificates and logins, and nothing that has a say else."""
    found = {**without_settings(environ), "UV_NO_WRAP": "1"}  # what it says of a failure is read
    if manifest.wheelhouse:
        return found
    found |= {"UV_SYSTEM_CERTS": "true", "UV_NATIVE_TLS": "true"}  # one word each of new and old
    if settings.certificates:
        folder = Path(settings.certificates).is_dir()
        found["SSL_CERT_DIR" if folder else "SSL_CERT_FILE"] = settings.certificates
    if settings.client_certificate:
        found["SSL_CLIENT_CERT"] = settings.client_certificate
    if settings.timeout_s is not None:
        found["UV_HTTP_TIMEOUT"] = str(settings.timeout_s)
    if settings.retries is not None:
        found["UV_HTTP_RETRIES"] = str(settings.retries)
    return {**found, **_proxy(settings), **dict(_logins(manifest, settings))}


def _proxy(settings: PipSettings) -> dict[str, str]:
    """pip's own proxy serves every address, whatever the usual variables leave out."""
    if not settings.proxy:
        return {}
    proxy = settings.proxy if "://" in settings.proxy else f"http://{settings.proxy}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    every = {each: proxy for name in names for each in (name, name.lower())}
    return {**every, "NO_PROXY": "", "no_proxy": ""}


def _logins(manifest: Manifest, settings: PipSettings) -> Iterator[tuple[str, str]]:
    for source in _sources(manifest, settings):
        parts = urlsplit(source.address)
        if parts.username is not None:
            name = source.name.replace("-", "_").upper()
            yield f"UV_INDEX_{name}_USERNAME", unquote(parts.username)
            yield f"UV_INDEX_{name}_PASSWORD", unquote(parts.password or "")
    links = _links(manifest, settings)
    if any(without_login(each) != each for each in links):
        yield "UV_FIND_LINKS", ",".join(each.replace(",", "%2C") for each in links)


@dataclass(frozen=True, slots=True)
class Wheelless:
    """A version that was chosen and has no wheel that fits."""

    name: str
    version: str
    files: tuple[str, ...]
    """Names of the wheels that it has."""

    def __str__(self) -> str:
        return f"{self.name} {self.version} has no wheel for this Python and computer"

    def trouble(self, target: Target) -> Trouble:
        """That no version has one."""
        has = f" Its wheels are: {', '.join(self.files[:4])}." if self.files else ""
        glibc = f" and glibc {target.glibc}" if target.glibc else ""
        return Trouble(
            f"{self}, and no other version can be used.",
            f"This is Python {target.python} on {target.machine}{glibc}.{has}",
            "Use another stack or another Python, or an index that has such a wheel "
            "(--torch-index URL).",
        )


def read_lock(folder: Path, target: Target) -> Iterator[Wheel | Wheelless]:
    """The best wheel of each package in ``uv.lock``; raises Trouble for a file that is none."""
    path = folder / "uv.lock"
    try:
        found = tomllib.loads(path.read_text("utf-8"))
        if found["version"] != 1:
            raise _strange(path, f"its version is {found['version']!r}")
        for package in found["package"]:
            if "virtual" not in package["source"] and _applies(package, target):
                yield _best(package, folder, target)
    except OSError as error:
        raise _strange(path, str(error.strerror)) from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _strange(path, f"its structure is unknown ({type(error).__name__})") from None


def _strange(path: Path, why: str) -> Trouble:
    return Trouble(
        f"{path} cannot be used: {why}.",
        "uv writes the chosen versions into that file. Another version of uv may write it in "
        "another way.",
        "Install the latest rdna1-setup and uv, then run the same command again.",
    )


def _applies(package: Mapping[str, Any], target: Target) -> bool:
    """Of a package that is there twice, each is for other machines."""
    markers = package.get("resolution-markers", ())
    here = {"python_full_version": target.python, "platform_machine": target.machine}
    return not markers or any(Marker(each).evaluate(here) for each in markers)


def _best(package: Mapping[str, Any], folder: Path, target: Target) -> Wheel | Wheelless:
    name, version = str(canonicalize_name(package["name"])), str(package["version"])
    rank = {tag: place for place, tag in enumerate(tags(target))}
    wheels = [_wheel(name, version, row, package, folder) for row in package.get("wheels", ())]
    fitting = []
    for each in wheels:
        _, _, build, its = parse_wheel_filename(each.file)
        if places := [rank[tag] for tag in its if tag in rank]:
            fitting.append(((-min(places), build), each))
    if not fitting:
        return Wheelless(name, version, tuple(each.file for each in wheels))
    return max(fitting, key=lambda each: each[0])[1]


def _wheel(
    name: str, version: str, row: Mapping[str, Any], package: Mapping[str, Any], folder: Path
) -> Wheel:
    address = row.get("url")
    if address is None:  # a path, absolute or below that of its source
        place = os.path.normpath(folder / package["source"]["registry"] / row["path"])
        address = Path(place).as_uri()
    kind, _, digest = str(row.get("hash", "")).partition(":")
    return wheel_at(name, version, address, digest if kind == "sha256" else "", row.get("size"))
