"""Whether the wheels of torch that a plan names are still to be had: its index is asked once."""

from __future__ import annotations

import asyncio
import html
import http.client
import os
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from packaging.requirements import Requirement
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.host.distributions import TORCH_FAMILY
from wizard.host.environment import Target, tags
from wizard.host.live import LiveHost
from wizard.host.pip_settings import PipSettings, pip_settings
from wizard.knowledge.stacks import find_stack
from wizard.machine.facts import Interpreter, Machine
from wizard.operations.create_environment import CreateEnvironment
from wizard.plan.steps import Plan
from wizard.system.web import Web, name_failure, open_web

REDIRECTS = 5
"""More than any index needs; a login page may send us round and round."""
PAGE_BYTES = 8 << 20
"""The largest page of an index that is read; PyPI's of torch has some hundred kilobytes."""
PIECE = 1 << 16
PAGE_FORM = {"Accept": "application/vnd.pypi.simple.v1+html, text/html;q=0.9"}
NO_HEAD = frozenset({400, 403, 405, 501})
"""Answers of servers that know no HEAD, or refuse it while they serve the file."""
NOTHING_THERE = frozenset({404, 410})
WORDS_OF_403 = (
    " Some servers return 403 for a file that does not exist. The file may be missing, or you "
    "may not have permission to read "
    "it."
)
PORTAL = (
    "The page comes from this network or a proxy, and may be a login page. Open any page in "
    "a browser to check."
)
FAILURES = (OSError, http.client.HTTPException, ValueError)
"""What a request may raise; an address that is none, after a redirect, is a ValueError."""
NOTHING_CHANGED = "What this plan installs cannot be downloaded. Nothing was changed."
LINK = re.compile(r"<a\b[^>]*?\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
IS_INDEX = re.compile(r"pypi:repository-version|<title>\s*Links for ", re.IGNORECASE)
"""What pages of an index carry that list nothing."""


@dataclass(frozen=True, slots=True)
class Wheels:
    """Wheels that are looked for, and where."""

    place: str
    """Address of an index, or a folder of wheels."""
    in_folder: bool
    requirements: tuple[str, ...]
    target: Target
    """Of its Python, the minor version is known."""

    @property
    def host(self) -> str:
        """The server, or the folder, as it may be shown: an address may hold a login."""
        return clean(self.place if self.in_folder else urlsplit(self.place).hostname or "The index")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited: for a sign of life, and for all of it."""

    stall_s: float = 6.0
    all_s: float = 12.0


USUAL = Patience()


@dataclass(frozen=True, slots=True)
class WheelsSought:
    """What speaks against a plan, or what is to be known beside it."""

    refusal: Trouble | None = None
    note: str = ""


async def seek_wheels(
    plan: Plan, machine: Machine, environ: Mapping[str, str], patience: Patience = USUAL
) -> WheelsSought:
    """Ask for the wheels of a plan: what is gone is refused, who could not be asked is named."""
    resolve = plan.resolve
    if resolve is None:
        return WheelsSought()
    settings = PipSettings()
    if not resolve.manifest.wheelhouse:
        try:
            settings = await asyncio.to_thread(pip_settings, LiveHost(environ), resolve.venv)
        except Trouble as trouble:
            return WheelsSought(trouble)
    wanted = wheels_of(plan, machine)
    if wanted is None or settings.no_index:
        return WheelsSought()
    try:
        await ask(wanted, environ, patience)
    except NotAsked as failure:
        asked = f"rdna1-setup could not check whether {wanted.host} has the wheels."
        return WheelsSought(note=f"{asked} {failure}")
    except Gone as gone:
        if resolve.manifest.index_replaces_pypi and (settings.extra_indexes or settings.find_links):
            more = "pip is configured to use other package sources too. They will be tried."
            return WheelsSought(note=f"{gone} {more}")
        return WheelsSought(Trouble(str(gone), NOTHING_CHANGED, _what_to_do(plan, wanted)))
    return WheelsSought()


def wheels_of(plan: Plan, machine: Machine) -> Wheels | None:
    """The torch that is looked for; None without one, or where only resolving can say."""
    if plan.resolve is None:
        return None
    manifest = plan.resolve.manifest
    folder, place = manifest.wheelhouse, manifest.wheelhouse or manifest.index
    wanted = tuple(text for text in manifest.requirements if Requirement(text).name in TORCH_FAMILY)
    python, glibc = python_of(plan, machine.interpreters), machine.system.glibc
    if not wanted or not python or not (folder or place.startswith(("http://", "https://"))):
        return None
    target = Target(python, glibc if isinstance(glibc, str) else "")
    return Wheels(place, bool(folder), wanted, target)


def python_of(plan: Plan, interpreters: tuple[Interpreter, ...]) -> str:
    """The minor version of the Python that the wheels are for; ``""`` where a plan has none."""
    if plan.resolve is not None and plan.resolve.site:
        found = re.search(r"/python(3\.\d+)/", f"{plan.resolve.site}/")
        return found[1] if found else ""
    for step in plan.steps:
        if isinstance(step, CreateEnvironment):
            versions = {each.path: each.version for each in interpreters}
            found = re.search(r"python(3\.\d+)\Z", step.python)
            version = versions.get(step.python, found[1] if found else "")
            return ".".join(version.split(".")[:2])
    return ""


def _what_to_do(plan: Plan, wanted: Wheels) -> str:
    if wanted.in_folder:
        return "Fill the folder with `rdna1-setup fetch`, or omit --wheelhouse to use an index."
    stack = find_stack(plan.stack)
    others = [each for each in stack.other_indexes if each != wanted.place] if stack else []
    known = f" These indexes had the same wheels: {', '.join(others)}." if others else ""
    return (
        "Use another stack, or name an index or a folder that has these wheels, with "
        f"--torch-index URL or --wheelhouse DIR.{known}"
    )


class NotFound(Exception):
    """Why the wheels were not found, fit to show."""

    def __init__(self, said: str) -> None:
        super().__init__(clean(said))


class Gone(NotFound):
    """The place answers, and has not what is looked for."""


class NotAsked(NotFound):
    """The place gives no answer that could be believed."""


async def ask(wanted: Wheels, environ: Mapping[str, str], patience: Patience = USUAL) -> None:
    """Ask the place for all of it; raises Gone, or NotAsked where a server or a network fails.

    In a thread of its own, which holds up nothing: a name look-up or a handshake knows no
    deadline, and the end of a program waits for the threads of a pool.
    """
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[None] = loop.create_future()

    def put(failure: Exception | None) -> None:
        if answered.done():
            return  # nobody waits any more
        if failure is None:
            answered.set_result(None)
        else:
            answered.set_exception(failure)

    def work() -> None:
        failure: Exception | None = None
        try:
            _look(wanted, environ, patience)
        except NotFound as error:
            failure = type(error)(str(error))  # without its frames, which hold a connection
        except Exception as error:  # a bug, raised again where it is waited for
            failure = error
        with suppress(RuntimeError):  # the program has gone on, or ended
            loop.call_soon_threadsafe(put, failure)

    threading.Thread(target=work, daemon=True, name="asks").start()
    try:
        await asyncio.wait_for(answered, patience.all_s)
    except asyncio.TimeoutError:
        raise NotAsked(f"No answer within {patience.all_s:g} seconds.") from None


def _look(wanted: Wheels, environ: Mapping[str, str], patience: Patience) -> None:
    """Look for all of it; raises Gone or NotAsked."""
    if wanted.in_folder:
        try:
            names = os.listdir(wanted.place)  # noqa: PTH208 - names, no paths
        except OSError as error:
            why = f"The folder {wanted.place} cannot be read: {error.strerror or error}."
            raise Gone(why) from None
        for text in wanted.requirements:
            _first(text, wheels_in(names, Requirement(text).name), wanted)
        return
    try:
        web = open_web(environ, (wanted.place,), stall_s=patience.stall_s, redirects=REDIRECTS)
    except Trouble as trouble:
        raise NotAsked(f"{trouble.happened} {trouble.meaning}") from None
    ends = time.monotonic() + patience.all_s
    found = [_on_index(text, wanted, web, ends) for text in wanted.requirements]
    try:
        web.head(found[0].address).close()
    except HTTPError as error:
        error.close()
        if error.code not in NO_HEAD:
            raise _listed_only(found[0], _by_status(error, found[0].address)) from None
    except FAILURES as error:
        raise _listed_only(found[0], _failure(error, found[0].address)) from None


def _listed_only(wheel: Listed, why: NotFound) -> NotFound:
    return type(why)(f"{wheel.file} is listed, but the server did not offer it. {why}")


def _first(requirement: str, wheels: tuple[Listed, ...], wanted: Wheels) -> Listed:
    """The newest of these wheels that fits."""
    fits = fitting(wheels, Requirement(requirement), wanted.target)
    if fits:
        return fits[0]
    others = "other wheels" if wheels else "no wheel"
    raise Gone(
        f"{wanted.host} has no {requirement} for Python {wanted.target.python} on a 64-bit PC with "
        f"Linux. The index has {others} for this package."
    )


def _on_index(requirement: str, wanted: Wheels, web: Web, ends: float) -> Listed:
    """What the page of a project lists that fits."""
    name = Requirement(requirement).name
    asked = f"{wanted.place.rstrip('/')}/{name}/"
    try:
        with web.get(asked, PAGE_FORM) as answer:
            text, address = _body(answer, ends).decode("utf-8", "replace"), answer.geturl()
    except HTTPError as error:
        error.close()
        raise _by_status(error, asked) from None
    except FAILURES as error:
        raise _failure(error, asked) from None
    page = read_page(text, address, name)
    if page.is_index:
        return _first(requirement, page.wheels, wanted)
    host, asked_host = urlsplit(address).hostname, urlsplit(asked).hostname
    led = (
        f"{asked_host} redirected to {host}, which sent a"
        if host != asked_host
        else f"{asked_host} sent a"
    )
    raise NotAsked(f"{led} page that is not an index. {PORTAL}")


def _body(answer: http.client.HTTPResponse, ends: float) -> bytes:
    """The body, as far as it is wanted; a server that drips is not waited for."""
    pieces, size = [], 0
    while size < PAGE_BYTES and (piece := answer.read1(min(PIECE, PAGE_BYTES - size))):
        if time.monotonic() > ends:
            raise TimeoutError
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _failure(error: Exception, address: str) -> NotAsked:
    """What a request that failed means."""
    address, host = _shown(address)
    if isinstance(error, http.client.IncompleteRead):
        return NotAsked(f"{host} closed the connection while it was responding.")
    if isinstance(error, http.client.HTTPException) and not isinstance(error, OSError):
        return NotAsked(f"{host} did not respond like a web server.")
    cause = error.reason if isinstance(error, URLError) else error
    if not isinstance(cause, OSError):  # a redirect to what is not http
        return NotAsked(f"{host} redirected the request to something other than a web address.")
    trouble = name_failure(error, address)
    return NotAsked(f"{trouble.happened} {trouble.meaning}")


def _by_status(error: HTTPError, address: str) -> NotFound:
    address, host = _shown(address)
    trouble = name_failure(error, address)
    if error.code in NOTHING_THERE:
        return Gone(f"{trouble.happened} There is nothing at this address.")
    if error.code < 400:
        return NotAsked(
            f"{host} redirected the request (HTTP {error.code}), but never returned a page."
        )
    more = WORDS_OF_403 if error.code == 403 else ""
    return NotAsked(f"{trouble.happened} {trouble.meaning}{more}")


def _shown(address: str) -> tuple[str, str]:
    """An address without what follows ``?``, which may be a key, and its server without a login."""
    host = clean(urlsplit(address).hostname or "The server")
    return urlunsplit((*urlsplit(address)[:3], "", "")), host


@dataclass(frozen=True, slots=True)
class Listed:
    """A wheel that is listed."""

    file: str
    address: str
    version: Version
    tags: frozenset[Tag]


@dataclass(frozen=True, slots=True)
class Page:
    """What the page of one project lists."""

    is_index: bool
    """False for a page that lists no file and does not say that it is one of an index."""
    wheels: tuple[Listed, ...]


def read_page(text: str, address: str, project: str) -> Page:
    """The wheels of a project that a page lists; the address is where it came from."""
    links = [html.unescape(next(filter(None, found), "")) for found in LINK.findall(text)]
    named = [(_file_of(link), urljoin(address, link)) for link in links]
    wheels = tuple(_wheels(named, project))
    files = any(name.endswith((".whl", ".tar.gz", ".zip")) for name, _ in named)
    return Page(bool(wheels) or files or IS_INDEX.search(text) is not None, wheels)


def wheels_in(names: Iterable[str], project: str) -> tuple[Listed, ...]:
    """The wheels of a project among the files of a folder."""
    return tuple(_wheels(((name, "") for name in names), project))


def fitting(wheels: tuple[Listed, ...], wanted: Requirement, target: Target) -> tuple[Listed, ...]:
    """Those that a target takes for a requirement, newest first.

    A version before its release counts where there is no other, as with pip: nightly indexes.
    """
    here = [each for each in wheels if not each.tags.isdisjoint(tags(target))]
    versions = set(wanted.specifier.filter(each.version for each in here))
    found = (each for each in here if each.version in versions)
    return tuple(sorted(found, key=lambda each: each.version, reverse=True))


def _file_of(link: str) -> str:
    return unquote(urlsplit(link).path).rpartition("/")[2]


def _wheels(named: Iterable[tuple[str, str]], project: str) -> Iterator[Listed]:
    for file, address in named:
        try:
            name, version, _, its = parse_wheel_filename(file)
        except InvalidWheelFilename:
            continue
        if name == canonicalize_name(project):
            yield Listed(file, address, version, its)
