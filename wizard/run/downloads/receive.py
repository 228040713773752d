"""One request and its answer, byte by byte into the part of a file."""

from __future__ import annotations

import http.client
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from io import FileIO
from urllib.error import HTTPError
from urllib.parse import urlsplit

from wizard.core.lines import clean
from wizard.core.stoppable import Aside, Left
from wizard.core.trouble import Trouble
from wizard.run.downloads.network import Broken
from wizard.run.downloads.partial import Mark, Staged, from_headers
from wizard.run.downloads.space import write_failure
from wizard.run.downloads.web import Web, content_length

CHUNK = 1 << 18
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|\?xml)", re.IGNORECASE)
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Reached:
    """How much of the file is on the disk now."""

    done: int
    size: int | None


def receive(
    address: str, expected: str, staged: Staged, web: Web, cancelled: Callable[[], bool]
) -> Iterator[Reached]:
    """Ask for what is missing and write it; raises OSError or HTTPException when it breaks off."""
    start = staged.usable(expected)
    mark = staged.mark() if start else None
    if mark is not None and start == mark.size:
        return  # killed between the last byte and the rename
    with suppress(Left), Aside(cancelled) as aside:
        answer = aside.call(lambda: _ask(address, staged, web, start, mark))
        start, size = _place_in_file(answer, start, mark, staged)
        read = partial(aside.call, partial(answer.read1, CHUNK))
        first = read()
        _refuse_a_page(answer, first, staged)
        if start == 0 and not expected:
            _refuse_other_content(first, staged)
        begun = None if start else from_headers(expected, answer.headers, size)
        with _open_part(staged, start, begun) as file:
            yield from _write_all(read, first, file, Reached(start, size), staged, cancelled)


def _ask(
    address: str, staged: Staged, web: Web, start: int, mark: Mark | None
) -> http.client.HTTPResponse:
    headers = {"Range": f"bytes={start}-"} if start else {}
    if mark is not None and mark.validator:
        headers["If-Range"] = mark.validator
    try:
        return web.get(address, headers)
    except HTTPError as error:
        error.close()
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            staged.forget()  # the file is shorter than what we hold: it is another one
        raise


def _place_in_file(
    answer: http.client.HTTPResponse, start: int, mark: Mark | None, staged: Staged
) -> tuple[int, int | None]:
    """Where in the file the body belongs, and the size of the whole."""
    if answer.status != HTTPStatus.PARTIAL_CONTENT:
        return 0, content_length(answer)  # changed, or the server knows no ranges
    found = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    if found is None or mark is None or not _same_file(found, start, mark, answer):
        staged.forget()
        raise Broken("the file on the server has changed, so its download starts again")
    return start, int(found[2])


def _same_file(
    found: re.Match[str], start: int, mark: Mark, answer: http.client.HTTPResponse
) -> bool:
    etag = answer.headers.get("ETag", "")
    return (
        int(found[1]) == start
        and mark.size in (None, int(found[2]))
        and not (etag and mark.etag and etag != mark.etag)
    )


def _refuse_a_page(answer: http.client.HTTPResponse, first: bytes, staged: Staged) -> None:
    if answer.headers.get_content_maintype() != "text" and not _PAGE.match(first):
        return
    host = clean(urlsplit(answer.url).hostname or "")
    raise Trouble(
        f"{host} sent a web page (HTML) instead of {staged.whole.name}.",
        "The page is a network's login page (captive portal) or a proxy's message.",
        "Open any page in a browser, log in to the network, then run the same command again. "
        "Anything already downloaded is kept.",
    )


def _refuse_other_content(first: bytes, staged: Staged) -> None:
    if first and not first.startswith(_ZIP):
        raise Trouble(
            f"The file downloaded for {staged.whole.name} is not a wheel.",
            "The file does not begin like a zip archive, and no hash was published to check it "
            "against.",
            "Check the index address, then run the same command again.",
        )


def _open_part(staged: Staged, start: int, begun: Mark | None) -> FileIO:
    """The part, cut at ``start`` and ready to go on; unbuffered, so that a kill loses nothing."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        if begun is not None:
            staged.forget()  # never write into what may be another name of somebody's file
            staged.remember(begun)
        file = FileIO(os.open(staged.part, flags, 0o644), "wb")
        file.truncate(start)
        file.seek(start)
    except OSError as error:
        raise write_failure(error, staged.part.parent, None) from None
    return file


def _write_all(
    read: Callable[[], bytes],
    chunk: bytes,
    file: FileIO,
    at: Reached,
    staged: Staged,
    cancelled: Callable[[], bool],
) -> Iterator[Reached]:
    while chunk:
        _write(file, chunk, at, staged)
        at = Reached(at.done + len(chunk), at.size)
        yield at
        if cancelled():
            return
        chunk = read()
    if at.size is not None and at.done != at.size:
        raise Broken(f"only {at.done} of {at.size} bytes arrived")


def _write(file: FileIO, chunk: bytes, at: Reached, staged: Staged) -> None:
    left = memoryview(chunk)
    try:
        while left:
            left = left[file.write(left) or 0 :]
    except OSError as error:
        missing = None if at.size is None else at.size - at.done
        raise write_failure(error, staged.part.parent, missing) from None
