"""Choose versions: uv decides on every version and address, and fetches no wheel.

``uv lock`` reads the metadata that an index publishes, or the end of each wheel by range. (``uv pip
compile`` would download whole whatever has no published hash.) What it reads are two files in a
folder of work, without any login: those reach it through variables.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from wizard.core.credentials import without_login
from wizard.core.events import Output
from wizard.core.trouble import Trouble
from wizard.host.pip_settings import PipSettings
from wizard.host.target import Target, answered, question, tags
from wizard.system.lock import Wheel, wheel, write_wheels
from wizard.system.system import System
from wizard.system.uv import lock, without_settings

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

AS_CONFIGURED = "pip"
"""The word for "take torch from wherever pip is configured to look"."""
FAMILY = ("torch", "torchvision", "torchaudio", "pytorch-triton-rocm")
"""What a stack's own index serves; each must be a requirement of its own for that."""
TOOLS = ("pip", "setuptools")
"""What comes from the package index where the stack's index replaces it."""
_REFUSES_UNKNOWN = ("repo.amd.com",)
"""Servers that answer 403 for a package that they do not have."""
_NOT_FOUND = re.compile(
    r"(?P<wanted>\S+) was not found in the provided|there (?:is|are) no versions? of (?P<none>\S+)"
)
ROUNDS = 10
"""How often a version without a wheel for this machine is struck out before it is given up."""
DEADLINE_S = 900.0
ANSWER_S = 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be chosen, for which Python, and from where."""

    uv: str
    python: str
    """The interpreter that the wheels are for."""
    folder: str
    """A folder of work, for the files that uv reads and writes."""
    lock: str
    """Where the chosen wheels are noted."""
    requirements: tuple[str, ...]
    index: str = ""
    """The index of torch; ``""`` where everything comes from where pip is configured to look."""
    index_replaces_pypi: bool = False
    """True when that index holds every dependency too."""
    wheelhouse: str = ""
    """A folder of wheels that is the only source, without any network; ``""`` for none."""
    constraints: tuple[str, ...] = ()
    stays: tuple[tuple[str, str], ...] = ()
    """Names and versions of what is installed and stays as it is."""
    kept: str = ""
    """A folder of wheels that hold nothing but the metadata of what stays; ``""`` for none."""


@dataclass(frozen=True, slots=True)
class _Source:
    """One index, or one place of links."""

    name: str
    address: str
    explicit: bool = False
    """True where it serves only the packages that name it."""


def project_text(request: Request, target: Target, settings: PipSettings) -> str:
    """``pyproject.toml``: what is wanted, for which Python, and what comes from which index."""
    explicit = [each for each in _sources(request, settings) if each.explicit]
    stay = (f"{name}=={version}" for name, version in request.stays)
    limits = (*request.constraints, *_limits(request, settings), *stay)
    lines = [
        "[project]",
        'name = "rdna1-setup-environment"',
        'version = "0"',
        f"requires-python = {_toml(f'=={target.python}')}",
        f"dependencies = {_toml(request.requirements)}",
        "",
        "[tool.uv]",
        "package = false",
        f"environments = {_toml((_machine(target),))}",
        f"constraint-dependencies = {_toml(limits)}",
    ]
    if explicit:
        lines += ["", "[tool.uv.sources]"]
    for source in explicit:
        lines += [f"{name} = {{ index = {_toml(source.name)} }}" for name in _served(request)]
    for source in explicit:
        lines += ["", "[[tool.uv.index]]", *_index_lines(source), "explicit = true"]
    return "\n".join((*lines, ""))


def settings_text(request: Request, settings: PipSettings) -> str:
    """``uv.toml``: where packages come from, as pip is configured to look, and how."""
    alone, links = _alone(request, settings), _links(request, settings)
    lines = ["no-build = true", 'index-strategy = "unsafe-best-match"']
    lines += [f"find-links = {_toml(map(without_login, links))}"] if links else []
    lines += ["no-index = true"] if alone else []
    if request.wheelhouse:
        return "\n".join((*lines, "offline = true", ""))
    lines += ['prerelease = "allow"'] if settings.prereleases else []
    lines += ['keyring-provider = "subprocess"'] if settings.keyring else []
    if settings.trusted_hosts:
        lines.append(f"allow-insecure-host = {_toml(settings.trusted_hosts)}")
    shared = [each for each in _sources(request, settings) if not each.explicit]
    for place, source in enumerate(shared):
        lines += ["", "[[index]]", *_index_lines(source)]
        lines += ["default = true"] if place == 0 else []
    return "\n".join((*lines, ""))


def _index_lines(source: _Source) -> list[str]:
    lines = [f"name = {_toml(source.name)}", f"url = {_toml(without_login(source.address))}"]
    host = urlsplit(source.address).hostname or ""
    if any(host == known or host.endswith(f".{known}") for known in _REFUSES_UNKNOWN):
        lines.append("ignore-error-codes = [403]")
    return lines


def _sources(request: Request, settings: PipSettings) -> tuple[_Source, ...]:
    """Every index, the default one first; none where only links count."""
    if _alone(request, settings):
        return ()
    extra = (_Source(f"extra-{n}", each) for n, each in enumerate(settings.extra_indexes, 1))
    packages = _Source("packages", settings.index)
    if not request.index:
        return (packages, *extra)
    torch = _Source("torch", request.index)
    if request.index_replaces_pypi:
        return (torch, *extra, replace(packages, explicit=True))
    return (packages, *extra, replace(torch, explicit=True))


def _alone(request: Request, settings: PipSettings) -> bool:
    """True where no index is asked."""
    return bool(request.wheelhouse) or settings.no_index


def _links(request: Request, settings: PipSettings) -> tuple[str, ...]:
    own = (request.wheelhouse,) if request.wheelhouse else settings.find_links
    return (*own, request.kept) if request.kept else own


def _limits(request: Request, settings: PipSettings) -> tuple[str, ...]:
    """pip's own constraints; with a folder alone nothing of pip's settings counts."""
    return () if request.wheelhouse else settings.constraints


def _served(request: Request) -> list[str]:
    """The names of the requirements that come from the one explicit index."""
    names = dict.fromkeys(
        str(canonicalize_name(Requirement(text).name)) for text in request.requirements
    )
    apart = TOOLS if request.index_replaces_pypi else FAMILY
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
    request: Request, settings: PipSettings, environ: Mapping[str, str]
) -> dict[str, str]:
    """The environment of uv: proxies, certificates and logins, and nothing that has a say else."""
    found = {**without_settings(environ), "UV_NO_WRAP": "1"}  # what it says of a failure is read
    if request.wheelhouse:
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
    return {**found, **_proxy(settings), **dict(_logins(request, settings))}


def _proxy(settings: PipSettings) -> dict[str, str]:
    """pip's own proxy serves every address, whatever the usual variables leave out."""
    if not settings.proxy:
        return {}
    proxy = settings.proxy if "://" in settings.proxy else f"http://{settings.proxy}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    every = {each: proxy for name in names for each in (name, name.lower())}
    return {**every, "NO_PROXY": "", "no_proxy": ""}


def _logins(request: Request, settings: PipSettings) -> Iterator[tuple[str, str]]:
    for source in _sources(request, settings):
        parts = urlsplit(source.address)
        if parts.username is not None:
            name = source.name.replace("-", "_").upper()
            yield f"UV_INDEX_{name}_USERNAME", unquote(parts.username)
            yield f"UV_INDEX_{name}_PASSWORD", unquote(parts.password or "")
    links = _links(request, settings)
    if any(without_login(each) != each for each in links):
        yield "UV_FIND_LINKS", ",".join(each.replace(",", "%2C") for each in links)


async def ask_target(system: System, python: str) -> Target:
    """What an interpreter says of itself."""
    said: list[str] = []
    environment = without_settings(system.environment())
    async with aclosing(system.run(question(python), environment, ANSWER_S)) as output:
        async for lines in output:
            said += lines.lines
    try:
        return answered(said[-1])
    except (ValueError, LookupError, TypeError):
        raise Trouble(
            f"{python} did not say which Python it is.",
            "Which packages fit cannot be decided without that.",
            f"Run `{python} --version`. If that fails too, choose another Python.",
        ) from None


async def choose(
    request: Request, settings: PipSettings, target: Target, system: System
) -> AsyncGenerator[Output, None]:
    """Choose every version and write the wheels to ``request.lock``.

    Raises Trouble that says which requirement cannot be met, or who could not be asked.
    """
    struck: list[Wheelless] = []
    for _ in range(ROUNDS):
        limits = (f"{each.name}!={each.version}" for each in struck)
        asked = replace(request, constraints=(*request.constraints, *limits))
        try:
            async with aclosing(_lock(asked, settings, target, system)) as output:
                async for lines in output:
                    yield lines
        except Unsatisfiable:
            if struck:  # the versions without a wheel were the only ones
                raise struck[0].trouble(target) from None
            raise
        chosen = tuple(read_lock(Path(request.folder), target))
        without = [each for each in chosen if isinstance(each, Wheelless)]
        if not without:
            stay = {name for name, _ in request.stays}
            wheels = [each for each in chosen if isinstance(each, Wheel) and each.name not in stay]
            write_wheels(Path(request.lock), wheels)
            return
        struck += without
        yield Output(tuple(f"{each}. Looking for another version." for each in without))
    raise struck[0].trouble(target)


class Unsatisfiable(Trouble):
    """No versions meet all requirements; ``said`` is uv's explanation."""

    def __init__(self, trouble: Trouble, said: str) -> None:
        super().__init__(trouble.happened, trouble.meaning, trouble.next_step)
        self.said = said


async def _lock(
    request: Request, settings: PipSettings, target: Target, system: System
) -> AsyncGenerator[Output, None]:
    """One call of uv; raises Unsatisfiable where it found no solution."""
    folder, said = request.folder, list[str]()
    system.make_folder(folder)
    system.write(f"{folder}/pyproject.toml", project_text(request, target, settings))
    system.write(f"{folder}/uv.toml", settings_text(request, settings))
    system.remove(f"{folder}/uv.lock")  # uv would keep to the versions of an earlier one
    environment = variables(request, settings, system.environment())
    argv = lock(request.uv, request.python, folder)
    try:
        async with aclosing(system.run(argv, environment, DEADLINE_S)) as output:
            async for lines in output:
                said += lines.lines
                yield lines
    except Trouble as trouble:
        text = "\n".join(said)
        if "No solution found" not in text:
            raise
        raise Unsatisfiable(_in_folder(request, text) or trouble, text) from None


def _in_folder(request: Request, said: str) -> Trouble | None:
    """What a folder of wheels lacks; None where it lacks nothing, or there is none."""
    found = _NOT_FOUND.search(said) if request.wheelhouse else None
    if found is None:
        return None
    return Trouble(
        f"{request.wheelhouse} has no suitable wheel for {found['wanted'] or found['none']}.",
        "With --wheelhouse, packages come only from that folder. It must contain all of the "
        "stack's dependencies for this Python and machine.",
        "Put it there too (`rdna1-setup fetch` fills such a folder on a machine with internet), "
        "then run the same command again. Finished steps are kept.",
    )


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
    return wheel(name, version, address, digest if kind == "sha256" else "", row.get("size"))
