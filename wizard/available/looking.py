"""Answers one question by looking: at a page, at a file's first lines, or into a folder."""

from __future__ import annotations

import http.client
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit

from packaging.requirements import Requirement

from wizard.available.answers import Answer, Standing
from wizard.available.failing import failed
from wizard.available.listing import Listed, fitting, read_page, wheels_in
from wizard.available.questions import Question, Suites, Wheels
from wizard.run.lines import clean
from wizard.run.trouble import Trouble
from wizard.run.web import Web

PAGE_BYTES = 8 << 20
"""The largest page of an index that is read; PyPI's of torch has some hundred kilobytes."""
HEAD_BYTES = 4096
PIECE = 1 << 16
PAGE_FORM = {"Accept": "application/vnd.pypi.simple.v1+html, text/html;q=0.9"}
NO_HEAD = frozenset({400, 403, 405, 501})
"""Answers of servers that know no HEAD, or refuse it while they serve the file."""
SIGNED = b"-----BEGIN PGP SIGNED MESSAGE-----"
FIELDS = re.compile(rb"^(Origin|Label|Suite|Codename|Components|Architectures):", re.MULTILINE)
PORTAL = (
    "It is a page of somebody in between, such as the login page of this network or a proxy's: "
    "open any page in a browser, then ask again."
)

Found = tuple[Standing, str]


@dataclass(frozen=True, slots=True)
class Deadline:
    """When an answer comes too late."""

    ends: float
    clock: Callable[[], float]

    def require(self) -> None:
        """Raises TimeoutError when it is over."""
        if self.clock() > self.ends:
            raise TimeoutError("the answer took too long")


def look(question: Question, web: Web, deadline: Deadline, now: Callable[[], str]) -> Answer:
    """What is there; never raises for what a server, a network or a folder does."""
    standing, detail = _found(question, web, deadline)
    return Answer(standing, clean(detail), now())


def _found(question: Question, web: Web, deadline: Deadline) -> Found:
    match question:
        case Suites():
            return _in_repository(question, web, deadline)
        case Wheels(place=""):
            return Standing.NOT_ASKED, "pip decides where to look, by its own settings."
        case Wheels(in_folder=True):
            return _in_folder(question)
        case Wheels():
            return _on_index(question, web, deadline)


def _in_folder(question: Wheels) -> Found:
    try:
        names = os.listdir(question.place)  # noqa: PTH208 - names, no paths
    except OSError as error:
        return Standing.ABSENT, f"The folder cannot be read: {error.strerror or error}."
    found: list[Listed] = []
    for text in question.requirements:
        wanted = Requirement(text)
        fits = fitting(wheels_in(names, wanted.name), wanted, question.python, question.glibc)
        if not fits:
            return Standing.ABSENT, _missing(text, question, bool(names))
        found.append(fits[0])
    return Standing.THERE, _listed(found)


def _on_index(question: Wheels, web: Web, deadline: Deadline) -> Found:
    found: list[Listed] = []
    for text in question.requirements:
        wanted = Requirement(text)
        address = f"{question.place.rstrip('/')}/{wanted.name}/"
        answer = _page(web, address, deadline)
        if isinstance(answer, tuple):
            return answer
        page = read_page(answer.text, answer.address, wanted.name)
        if not page.is_index:
            return Standing.OTHER, _no_index(answer, address)
        fits = fitting(page.wheels, wanted, question.python, question.glibc)
        if not fits:
            return Standing.ABSENT, _missing(text, question, bool(page.wheels))
        found.append(fits[0])
    return _file_there(web, found[0], deadline) or (Standing.THERE, _listed(found))


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a page, and where redirects led for it."""

    text: str
    address: str


def _page(web: Web, address: str, deadline: Deadline) -> _Text | Found:
    parts = urlsplit(address)
    if parts.scheme == "file":
        return _local_page(unquote(parts.path))
    try:
        with web.get(address, PAGE_FORM) as answer:
            body = _read(answer, PAGE_BYTES, deadline)
            return _Text(body.decode("utf-8", "replace"), answer.geturl())
    except (OSError, http.client.HTTPException, Trouble, ValueError) as error:
        return _failed(error, address)


def _local_page(path: str) -> _Text | Found:
    page = Path(path) / "index.html"
    try:
        return _Text(page.read_text("utf-8", "replace"), f"file://{path}")
    except OSError as error:
        return Standing.ABSENT, f"{page} cannot be read: {error.strerror or error}."


def _read(answer: http.client.HTTPResponse, limit: int, deadline: Deadline) -> bytes:
    """The body, as far as it is wanted; a server that drips is not waited for."""
    pieces, size = [], 0
    while size < limit and (piece := answer.read1(min(PIECE, limit - size))):
        deadline.require()
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _failed(error: Exception, address: str) -> Found:
    if isinstance(error, Trouble):  # a bundle of certificates that cannot be read
        return Standing.UNTRUSTED, f"{error.happened} {error.meaning}"
    if isinstance(error, ValueError) and not isinstance(error, OSError):
        return Standing.OTHER, "The server led to an address that is none."
    return failed(error, address)


def _file_there(web: Web, wheel: Listed, deadline: Deadline) -> Found | None:
    """What speaks against the file itself; None where nothing does, or nobody tells."""
    if not wheel.address.startswith(("http://", "https://")):
        return None
    deadline.require()
    try:
        web.head(wheel.address).close()
    except HTTPError as error:
        if error.code in NO_HEAD:
            error.close()
            return None
        standing, detail = failed(error, wheel.address)
        return standing, f"{wheel.file} is listed, but: {detail}"
    except (OSError, http.client.HTTPException, ValueError) as error:
        standing, detail = _failed(error, wheel.address)
        return standing, f"{wheel.file} is listed, but: {detail}"
    return None


def _no_index(answer: _Text, asked: str) -> str:
    host, asked_host = urlsplit(answer.address).hostname, urlsplit(asked).hostname
    led = f"{asked_host} led to {host}, whose" if host != asked_host else f"{asked_host} sent a"
    return f"{led} page lists no wheels. {PORTAL}"


def _missing(requirement: str, question: Wheels, some: bool) -> str:
    others = "other wheels of it are" if some else "no wheel of it is"
    return f"No {requirement} for Python {question.python} on a 64-bit PC; {others} there."


def _listed(found: list[Listed]) -> str:
    return f"{', '.join(each.file for each in found)}."


def _in_repository(question: Suites, web: Web, deadline: Deadline) -> Found:
    """The first suite that is there; else what is worst to be told of them."""
    worst: Found = (Standing.ABSENT, f"No suite {' and no suite '.join(question.suites)} is there.")
    for suite in question.suites:
        standing, detail = _suite(f"{question.place}/dists/{suite}", suite, web, deadline)
        if standing is Standing.THERE:
            return standing, detail
        if standing is not Standing.ABSENT and worst[0] is Standing.ABSENT:
            worst = standing, detail
        if standing in (Standing.NO_NETWORK, Standing.SLOW, Standing.UNTRUSTED):
            break  # the same server would answer the same
    return worst


def _suite(place: str, suite: str, web: Web, deadline: Deadline) -> Found:
    """GET and not HEAD: a login page answers HEAD with 200 as a repository does."""
    found: Found = (Standing.ABSENT, f"{suite} is not there.")
    for name in ("InRelease", "Release"):
        beginning = _beginning(f"{place}/{name}", web, deadline)
        if isinstance(beginning, tuple):
            found = beginning
            if found[0] not in (Standing.ABSENT, Standing.REFUSED):
                break
        elif beginning.lstrip().startswith(SIGNED) or FIELDS.search(beginning):
            return Standing.THERE, f"suite {suite}, by its file {name}."
        else:
            host = urlsplit(place).hostname
            return Standing.OTHER, f"{host} sent something that is no {name}. {PORTAL}"
    return found


def _beginning(address: str, web: Web, deadline: Deadline) -> bytes | Found:
    parts = urlsplit(address)
    try:
        if parts.scheme == "file":
            with Path(unquote(parts.path)).open("rb") as file:
                return file.read(HEAD_BYTES)
        with web.get(address, {}) as answer:
            return _read(answer, HEAD_BYTES, deadline)
    except FileNotFoundError:
        return Standing.ABSENT, f"{parts.path} is not there."
    except (OSError, http.client.HTTPException, Trouble, ValueError) as error:
        return _failed(error, address)
