"""Small requests with a deadline: the text of a page, the first lines of a file, a HEAD."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit

from wizard.available.answers import Standing
from wizard.available.failing import TooLate, failed
from wizard.run.downloads.web import Web

PAGE_BYTES = 8 << 20
"""The largest page of an index that is read; PyPI's of torch has some hundred kilobytes."""
PIECE = 1 << 16
PAGE_FORM = {"Accept": "application/vnd.pypi.simple.v1+html, text/html;q=0.9"}
NO_HEAD = frozenset({400, 403, 405, 501})
"""Answers of servers that know no HEAD, or refuse it while they serve the file."""
PORTAL = (
    "It is a page of somebody in between, such as the login page of this network or a proxy's: "
    "open any page in a browser, then ask again."
)
FAILURES = (OSError, http.client.HTTPException, ValueError)
"""What a request may raise; an address that is none, after a redirect, is a ValueError."""

Found = tuple[Standing, str]


@dataclass(frozen=True, slots=True)
class Deadline:
    """When an answer comes too late."""

    ends: float
    clock: Callable[[], float]

    def require(self) -> None:
        """Raises TooLate when it is over."""
        if self.clock() > self.ends:
            raise TooLate


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a page, and where redirects led for it."""

    text: str
    address: str


def page_at(web: Web, address: str, deadline: Deadline) -> Text | Found:
    """A page of an index; where the index is a folder, the page in it."""
    parts = urlsplit(address)
    if parts.scheme == "file":
        return _local_page(Path(unquote(parts.path)))
    try:
        with web.get(address, PAGE_FORM) as answer:
            body = _read(answer, PAGE_BYTES, deadline)
            return Text(body.decode("utf-8", "replace"), answer.geturl())
    except FAILURES as error:
        return failed(error, address)


def _local_page(folder: Path) -> Text | Found:
    page = folder / "index.html"
    try:
        return Text(page.read_text("utf-8", "replace"), f"file://{folder}/")
    except OSError as error:
        return Standing.ABSENT, f"{page} cannot be read: {error.strerror or error}."


def beginning_of(web: Web, address: str, limit: int, deadline: Deadline) -> bytes | Found:
    """The first bytes of a file, with GET: a login page answers HEAD with 200 like any server."""
    parts = urlsplit(address)
    if parts.scheme == "file":
        return _local_beginning(Path(unquote(parts.path)), limit)
    try:
        with web.get(address, {}) as answer:
            return _read(answer, limit, deadline)
    except FAILURES as error:
        return failed(error, address)


def _local_beginning(path: Path, limit: int) -> bytes | Found:
    try:
        with path.open("rb") as file:
            return file.read(limit)
    except OSError as error:
        return Standing.ABSENT, f"{path} cannot be read: {error.strerror or error}."


def file_fault(web: Web, address: str, deadline: Deadline) -> Found | None:
    """What HEAD says against a file; None where nothing does, or the server knows no HEAD."""
    try:
        deadline.require()
        web.head(address).close()
    except HTTPError as error:
        if error.code in NO_HEAD:
            error.close()
            return None
        return failed(error, address)
    except FAILURES as error:
        return failed(error, address)
    return None


def _read(answer: http.client.HTTPResponse, limit: int, deadline: Deadline) -> bytes:
    """The body, as far as it is wanted; a server that drips is not waited for."""
    pieces, size = [], 0
    while size < limit and (piece := answer.read1(min(PIECE, limit - size))):
        deadline.require()
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)
