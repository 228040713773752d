"""Whether the wheels of torch that a plan names are still to be had: its index is asked once."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit

from packaging.requirements import Requirement

from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.host.live import LiveHost
from wizard.host.pip_settings import PipSettings, pip_settings
from wizard.knowledge.stacks import find_stack
from wizard.machine.facts import Interpreter, Machine
from wizard.operations.create_environment import CreateEnvironment
from wizard.plan.steps import Plan
from wizard.preflight.index_page import Listed, fitting, read_page, wheels_in
from wizard.preflight.refusal import Refusal
from wizard.system.web import Web, name_failure, open_web

FAMILY = ("torch", "torchvision", "torchaudio")
"""What comes from the index of a stack; the rest comes from PyPI too."""
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


class Standing(Enum):
    """What came of asking."""

    LISTED = "listed"
    GONE = "gone"
    NOT_ASKED = "could not be asked"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a place said of the wheels, or why it could not be asked."""

    standing: Standing
    detail: str


@dataclass(frozen=True, slots=True)
class Wheels:
    """Wheels that are looked for, and where."""

    place: str
    """Address of an index, or a folder of wheels."""
    in_folder: bool
    requirements: tuple[str, ...]
    python: str
    """Minor version, for example ``3.10``."""
    glibc: str
    """For example ``2.39``; ``""`` where it is not known."""

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

    refusal: Refusal | None = None
    note: str = ""


async def seek_wheels(
    plan: Plan, machine: Machine, environ: Mapping[str, str], patience: Patience = USUAL
) -> WheelsSought:
    """Ask for the wheels of a plan: what is gone is refused, who could not be asked is named."""
    resolve = plan.resolve
    if resolve is None:
        return WheelsSought()
    settings = PipSettings()
    if not resolve.wishes.wheelhouse:
        try:
            settings = await asyncio.to_thread(pip_settings, LiveHost(environ), resolve.venv)
        except Trouble as trouble:
            told = (trouble.happened, trouble.meaning, trouble.next_step)
            return WheelsSought(Refusal(*told))
    wanted = wheels_of(plan, machine)
    if wanted is None or settings.no_index:
        return WheelsSought()
    answer = await ask(wanted, environ, patience)
    match answer.standing:
        case Standing.LISTED:
            return WheelsSought()
        case Standing.NOT_ASKED:
            asked = f"rdna1-setup could not check whether {wanted.host} has the wheels."
            return WheelsSought(note=f"{asked} {answer.detail}")
        case Standing.GONE:
            more = settings.extra_indexes or settings.find_links
            if more and resolve.wishes.index_replaces_pypi:
                note = (
                    f"{answer.detail} pip is configured to use other package sources too. "
                    "They will be tried."
                )
                return WheelsSought(note=note)
            return WheelsSought(Refusal(answer.detail, NOTHING_CHANGED, _what_to_do(plan, wanted)))


def wheels_of(plan: Plan, machine: Machine) -> Wheels | None:
    """The torch that is looked for; None without one, or where only resolving can say."""
    if plan.resolve is None:
        return None
    wishes = plan.resolve.wishes
    folder, place = wishes.wheelhouse, wishes.wheelhouse or wishes.index
    wanted = tuple(text for text in wishes.requirements if Requirement(text).name in FAMILY)
    python, glibc = python_of(plan, machine.interpreters), machine.system.glibc
    if not wanted or not python or not (folder or place.startswith(("http://", "https://"))):
        return None
    return Wheels(place, bool(folder), wanted, python, glibc if isinstance(glibc, str) else "")


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


async def ask(wanted: Wheels, environ: Mapping[str, str], patience: Patience = USUAL) -> Answer:
    """What the place says, in time; never raises for what a server, a network or a folder does.

    In a thread of its own, which holds up nothing: a name look-up or a handshake knows no
    deadline, and the end of a program waits for the threads of a pool.
    """
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[Answer] = loop.create_future()

    def put(answer: Answer | Exception) -> None:
        if answered.done():
            return  # nobody waits any more
        if isinstance(answer, Exception):
            answered.set_exception(answer)  # a bug: in its thread nobody would see it
        else:
            answered.set_result(answer)

    def work() -> None:
        answer: Answer | Exception
        try:
            answer = _look(wanted, environ, patience)
        except Exception as error:  # raised again where it is waited for
            answer = error
        with suppress(RuntimeError):  # the program has gone on, or ended
            loop.call_soon_threadsafe(put, answer)

    threading.Thread(target=work, daemon=True, name="asks").start()
    try:
        return await asyncio.wait_for(answered, patience.all_s)
    except asyncio.TimeoutError:
        return Answer(Standing.NOT_ASKED, f"No answer within {patience.all_s:g} seconds.")


def _look(wanted: Wheels, environ: Mapping[str, str], patience: Patience) -> Answer:
    if wanted.in_folder:
        found = _in_folder(wanted)
    else:
        try:
            web = open_web(environ, (wanted.place,), stall_s=patience.stall_s, redirects=REDIRECTS)
        except Trouble as trouble:
            return Answer(Standing.NOT_ASKED, clean(f"{trouble.happened} {trouble.meaning}"))
        found = _on_index(wanted, web, time.monotonic() + patience.all_s)
    return Answer(found.standing, clean(found.detail))


def _in_folder(wanted: Wheels) -> Answer:
    try:
        names = os.listdir(wanted.place)  # noqa: PTH208 - names, no paths
    except OSError as error:
        why = f"The folder {wanted.place} cannot be read: {error.strerror or error}."
        return Answer(Standing.GONE, why)
    for text in wanted.requirements:
        project = Requirement(text)
        wheels = wheels_in(names, project.name)
        if not fitting(wheels, project, wanted.python, wanted.glibc):
            return _missing(text, wanted, bool(wheels))
    return Answer(Standing.LISTED, "")


def _on_index(wanted: Wheels, web: Web, ends: float) -> Answer:
    """Reads the page of each project, then asks for the first file itself."""
    first: Listed | None = None
    for text in wanted.requirements:
        project = Requirement(text)
        address = f"{wanted.place.rstrip('/')}/{project.name}/"
        found = _page_at(web, address, ends)
        if isinstance(found, Answer):
            return found
        page = read_page(found.text, found.address, project.name)
        if not page.is_index:
            return Answer(Standing.NOT_ASKED, _no_index(found, address))
        fits = fitting(page.wheels, project, wanted.python, wanted.glibc)
        if not fits:
            return _missing(text, wanted, bool(page.wheels))
        first = first or fits[0]
    fault = None if first is None else _file_fault(web, first.address)
    if first is None or fault is None:
        return Answer(Standing.LISTED, "")
    return Answer(
        fault.standing, f"{first.file} is listed, but the server did not offer it. {fault.detail}"
    )


def _missing(requirement: str, wanted: Wheels, some: bool) -> Answer:
    others = (
        "The index has other wheels for this package."
        if some
        else ("The index has no wheel for this package.")
    )
    here = f"for Python {wanted.python} on a 64-bit PC with Linux"
    text = f"{wanted.host} has no {requirement} {here}. {others}"
    return Answer(Standing.GONE, text)


def _no_index(found: Text, asked: str) -> str:
    host, asked_host = urlsplit(found.address).hostname, urlsplit(asked).hostname
    led = (
        f"{asked_host} redirected to {host}, which sent a"
        if host != asked_host
        else f"{asked_host} sent a"
    )
    return f"{led} page that is not an index. {PORTAL}"


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a page, and where redirects led for it."""

    text: str
    address: str


def _page_at(web: Web, address: str, ends: float) -> Text | Answer:
    try:
        with web.get(address, PAGE_FORM) as answer:
            body = _read(answer, ends)
            return Text(body.decode("utf-8", "replace"), answer.geturl())
    except FAILURES as error:
        return _failed(error, address)


def _read(answer: http.client.HTTPResponse, ends: float) -> bytes:
    """The body, as far as it is wanted; a server that drips is not waited for."""
    pieces, size = [], 0
    while size < PAGE_BYTES and (piece := answer.read1(min(PIECE, PAGE_BYTES - size))):
        if time.monotonic() > ends:
            raise TimeoutError
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _file_fault(web: Web, address: str) -> Answer | None:
    """What HEAD says against a file; None where nothing does, or the server knows no HEAD."""
    try:
        web.head(address).close()
    except HTTPError as error:
        if error.code in NO_HEAD:
            error.close()
            return None
        return _failed(error, address)
    except FAILURES as error:
        return _failed(error, address)
    return None


def _failed(error: Exception, address: str) -> Answer:
    """What a request that failed means, in words without any login.

    What follows ``?`` may be a key: a link that is signed is shown without it.
    """
    address = urlunsplit((*urlsplit(address)[:3], "", ""))
    host = clean(urlsplit(address).hostname or "The server")
    if isinstance(error, HTTPError):
        error.close()
        return _by_status(error, address, host)
    if isinstance(error, http.client.HTTPException) and not isinstance(error, OSError):
        if isinstance(error, http.client.IncompleteRead):
            return Answer(
                Standing.NOT_ASKED, f"{host} closed the connection while it was responding."
            )
        return Answer(Standing.NOT_ASKED, f"{host} did not respond like a web server.")
    cause = error.reason if isinstance(error, URLError) else error
    if not isinstance(cause, OSError):  # a redirect to what is not http
        return Answer(
            Standing.NOT_ASKED,
            f"{host} redirected the request to something other than a web address.",
        )
    trouble = name_failure(error, address)
    return Answer(Standing.NOT_ASKED, f"{trouble.happened} {trouble.meaning}")


def _by_status(error: HTTPError, address: str, host: str) -> Answer:
    trouble = name_failure(error, address)
    if error.code in NOTHING_THERE:
        return Answer(Standing.GONE, f"{trouble.happened} There is nothing at this address.")
    if error.code < 400:
        text = f"{host} redirected the request (HTTP {error.code}), but never returned a page."
        return Answer(Standing.NOT_ASKED, text)
    said = f"{trouble.happened} {trouble.meaning}"
    return Answer(Standing.NOT_ASKED, said + (WORDS_OF_403 if error.code == 403 else ""))
