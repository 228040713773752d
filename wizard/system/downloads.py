"""Files brought to a folder, several at a time: whole, checked, and gone on with after a break.

What a dropped line or a kill leaves of a file is used, and never trusted: only its SHA-256 is.
"""

from __future__ import annotations

import http.client
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Union
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit

from wizard.core.amounts import counted, listed, size_text
from wizard.core.events import Output, Progress
from wizard.core.lines import clean
from wizard.core.time_left import Pace
from wizard.core.trouble import Trouble
from wizard.host.files import HASH_CHUNK, digest
from wizard.system.crew import Crew, Left
from wizard.system.partial_download import Mark, PartialDownload, mark_of
from wizard.system.space import require, write_failure
from wizard.system.web import Broken, Web, content_length, name_failure, open_web, worth_retrying
from wizard.system.whole_file import sync

if TYPE_CHECKING:
    from wizard.system.lock import Wheel

AT_ONCE = 4
"""Files that come at the same time; a server that asks for fewer is obeyed."""
NAMED = 3
"""Of the files that are still to come so many are named."""
CHUNK = 1 << 18
PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Waits before the next try; after the last one it is Trouble."""
WORTH_A_NEW_COUNT = 1 << 16
"""A try that brought this many bytes starts the count of tries again."""
_TOO_MANY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|\?xml)", re.IGNORECASE)
_ZIP = b"PK\x03\x04"

News = Iterator[Union[Progress, Output]]  # noqa: UP007 - read at run time on 3.10


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file on a server or on this machine, and where it shall be."""

    address: str
    path: Path
    sha256: str
    """``""`` when nobody published one."""
    size: int | None = None
    """In bytes, where it was published."""

    @property
    def source(self) -> Path | None:
        """Where a file lies that is on this machine anyway."""
        parts = urlsplit(self.address)
        return Path(unquote(parts.path)) if parts.scheme == "file" else None


@dataclass(slots=True)
class Received:
    """What came of fetching, for whoever asked for it."""

    count: int = 0
    """Bytes that came over the line."""
    seconds: float = 0.0
    """How long they took, waits included."""
    hashes: dict[str, str] = field(default_factory=dict)
    """The SHA-256 that each file was found to have, by its name."""

    @property
    def words(self) -> str:
        """The end of a step's outcome, as ``line_speed`` reads it; ``""`` where nothing came."""
        return f", {self.count} of them came in {self.seconds:.1f} s" if self.count else ""


def wanted_in(staging: Path, wheels: Iterable[Wheel]) -> list[Wanted]:
    """The files of wheels, each with its place in a folder."""
    return [Wanted(each.address, staging / each.file, each.sha256, each.size) for each in wheels]


def fetch_files(
    files: Sequence[Wanted],
    folder: Path,
    noun: str = "wheel",
    *,
    cancelled: Callable[[], bool],
    environ: Mapping[str, str],
    indexes: tuple[str, ...] = (),
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] | None = None,
    received: Received | None = None,
) -> News:
    """Bring every file into a folder; raises Trouble, and ends early when cancelled.

    ``noun`` is what one of them is. ``indexes``: addresses whose logins serve for files on the same
    servers. ``received`` is complete when this has ended and was not cancelled.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        downloads = tuple(_Download(each) for each in files)
        web, looking = open_web(environ, indexes), Crew[Output](AT_ONCE)
        for _ in looking.run([partial(each.look, looking) for each in downloads], cancelled):
            pass
        _ask_sizes(downloads, web, cancelled)
        if cancelled():
            return
        size = _whole_size(downloads)
        unknown = "size unknown, because not every server reports it"
        told = unknown if size is None else f"{size_text(size)} in all"
        yield Output((f"{counted(len(files), noun)}, {told}",))
        require(sum(each.missing for each in downloads), folder)
        yield from _all(downloads, web, cancelled, clock, wait, received or Received())
    except OSError as error:
        raise write_failure(error, folder, None) from None


def size_on_servers(wheels: Sequence[Wheel], web: Web, cancelled: Callable[[], bool]) -> int | None:
    """Bytes of all wheels that are not on this machine; None where a server does not tell."""
    files = (each for each in wanted_in(Path(), wheels) if each.source is None)
    downloads = tuple(map(_Download, files))
    _ask_sizes(downloads, web, cancelled)
    return _whole_size(downloads)


def _ask_sizes(downloads: Sequence[_Download], web: Web, cancelled: Callable[[], bool]) -> None:
    crew = Crew[Output](AT_ONCE)
    jobs = [partial(each.ask_size, web, crew) for each in downloads if each.size is None]
    # A download will meet the same failure, try again and name it.
    with suppress(OSError, http.client.HTTPException):
        for _ in crew.run(jobs, cancelled):
            pass


def _whole_size(downloads: Sequence[_Download]) -> int | None:
    sizes = [each.size for each in downloads]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _lacking(downloads: Sequence[_Download]) -> int | None:
    whole = _whole_size(downloads)
    return None if whole is None else whole - sum(each.done for each in downloads)


def _all(
    downloads: Sequence[_Download],
    web: Web,
    cancelled: Callable[[], bool],
    clock: Callable[[], float],
    wait: Callable[[float], None] | None,
    received: Received,
) -> News:
    for each in downloads:
        if each.sha256:
            name = each.wanted.path.name
            yield Output((f"{name} is already downloaded, and its SHA-256 matches",))
    crew, pace, began = Crew[Output](AT_ONCE), Pace(clock), clock()
    # The largest first: at the end several small ones are under way rather than a large one.
    missing = [each for each in downloads if not each.sha256]
    missing.sort(key=lambda each: -1 if each.size is None else -each.size)
    line = _Line(web, crew, wait or crew.pause, lambda: _lacking(missing))
    for news in crew.run([partial(each.fetch, line) for each in missing], cancelled):
        if news is not None:
            yield news
        if missing and (progress := _progress(downloads, missing, pace)):
            yield progress
    if cancelled():
        return
    if missing and (progress := _progress(downloads, missing, pace, always=True)):
        yield progress
    if count := sum(each.came for each in downloads):
        received.count += count
        received.seconds += max(0.0, clock() - began)
    received.hashes.update({each.wanted.path.name: each.sha256 for each in downloads})


def _progress(
    downloads: Sequence[_Download],
    missing: Sequence[_Download],
    pace: Pace,
    *,
    always: bool = False,
) -> Progress | None:
    """One sum over all files, and which of them is still to come."""
    coming = [each.wanted.path.name for each in missing if not each.sha256]
    if len(coming) > 1:
        what = listed([name.partition("-")[0] for name in coming], NAMED)
    else:
        what = coming[0] if coming else missing[-1].wanted.path.name
    done, total = sum(each.done for each in downloads), _whole_size(downloads) or 0
    return pace.tell(done, total, what, always=always)


@dataclass(frozen=True, slots=True)
class _Line:
    """What a download works with."""

    web: Web
    crew: Crew[Output]
    wait: Callable[[float], None]
    lacking: Callable[[], int | None]
    """Bytes of all files that are still to come, where that is known."""


class _Crowded(Exception):
    """The server takes fewer downloads at once."""


class _Download:
    """One file on its way, in a thread of its own; others read how far it is."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.partial = PartialDownload(wanted.path)
        self.size = wanted.size
        self.done = 0
        """Bytes on the disk."""
        self.came = 0
        """Bytes that came over the line."""
        self.sha256 = ""
        """As it was found, once the whole file is there and right."""
        self._hash, self._hashed = sha256(), 0
        """Of the first bytes of the part, and how many."""

    @property
    def missing(self) -> int:
        """Bytes that still have to be written, as far as that is known."""
        if self.size is None or (self.wanted.source and self._same_disk(self.wanted.source)):
            return 0
        return self.size - self.done

    def _same_disk(self, source: Path) -> bool:
        """True where a second name for the file is enough; elsewhere it must be copied."""
        return source.stat().st_dev == self.wanted.path.parent.stat().st_dev

    def look(self, crew: Crew[Output]) -> None:
        """See what is in the folder; a file with another content is removed."""
        path, source = self.wanted.path, self.wanted.source
        with crew.lane():
            if path.is_file():
                found = digest(path, crew.left)
                if found and found == (self.wanted.sha256 or self.partial.computed()):
                    self.size = self.done = path.stat().st_size
                    self.sha256 = found
                    return
                with crew.changing():
                    path.unlink()
            if source is None:
                self.done = self.partial.usable(self.wanted.sha256)
            else:
                self.size = source.stat().st_size if source.is_file() else None

    def ask_size(self, web: Web, crew: Crew[Output]) -> None:
        """Ask the server for the size that nobody published."""
        with crew.lane():
            self.size = None if self.wanted.source else web.size(self.wanted.address)

    def fetch(self, line: _Line) -> None:
        """Everything until the file is whole, checked and at its place; raises Trouble."""
        name = self.wanted.path.name
        while not self.sha256:
            with line.crew.lane(), suppress(_Crowded):
                line.crew.tell(Output((self._announcement(),)))
                if self.wanted.source:
                    self._take_local(self.wanted.source, line)
                else:
                    self._download(line)
        if self.wanted.sha256:
            line.crew.tell(Output((f"{name}: the SHA-256 matches",)))
            return
        computed = f"Its SHA-256 {self.sha256} was computed and recorded here"
        line.crew.tell(Output((f"{name}: no hash was published to check it against. {computed}",)))

    def _announcement(self) -> str:
        size = "unknown size" if self.size is None else size_text(self.size)
        place = clean(urlsplit(self.wanted.address).hostname or "this machine")
        going_on = f", resuming after {size_text(self.done)}" if self.done else ""
        return f"{self.wanted.path.name}: {size} from {place}{going_on}"

    def _take_local(self, source: Path, line: _Line) -> None:
        with self._disk(line):
            self.partial.forget()
        try:
            source = source.resolve(strict=True)
            with line.crew.changing():
                linked = _linked(source, self.partial.part)
            if linked:
                self._hash_up_to(source.stat().st_size, line)
                self.done = self._hashed
            else:
                with source.open("rb") as file:
                    self._write_all(file.read, file.read(CHUNK), 0, None, line)
        except FileNotFoundError:
            raise Trouble(
                f"{clean(str(source))} no longer exists.",
                "It was there when the versions were chosen, but it has been moved or removed "
                "since.",
                "Put the file back, then run the same command again.",
            ) from None
        except OSError as error:
            raise Trouble(
                f"{clean(str(source))} could not be read: {error.strerror or error}.",
                "The file belongs to another user, or its disk is failing.",
                "Fix the cause, then run the same command again.",
            ) from None
        self._settle_or_forget(line)
        if not self.sha256:
            raise self._wrong_hash()

    def _download(self, line: _Line) -> None:
        resumed = self.partial.usable(self.wanted.sha256) > 0
        self._until_whole(line)
        self._settle_or_forget(line)
        if self.sha256:
            return
        if not resumed:
            raise self._wrong_hash()
        damaged = "the partial download from an earlier run was damaged"
        line.crew.tell(
            Output((f"{self.wanted.path.name}: {damaged}. Downloading the file again.",))
        )
        self._download(line)

    def _settle_or_forget(self, line: _Line) -> None:
        found = self._hash.hexdigest()
        right = self.wanted.sha256 in ("", found)
        if right:
            sync(self.partial.part)  # may take long, and changes nothing that anybody reads
        with self._disk(line):
            if right:
                self.partial.settle(found, published=bool(self.wanted.sha256))
                self.sha256 = found
                self.size = self.done
            else:
                self.partial.forget()
                self.done = 0

    def _wrong_hash(self) -> Trouble:
        expected, found = self.wanted.sha256, self._hash.hexdigest()
        return Trouble(
            f"{self.wanted.path.name} has the wrong SHA-256: expected {expected}, got {found}.",
            "The file was damaged in transit, or replaced on the server. It was deleted without "
            "being installed.",
            "Run the same command again. If it fails a second time, use another network or index.",
        )

    def _until_whole(self, line: _Line) -> None:
        pauses = iter(PAUSES_S)
        while True:
            before = self.partial.usable(self.wanted.sha256)
            try:
                self._receive(line)
                return
            except (OSError, http.client.HTTPException) as error:
                if self.partial.usable(self.wanted.sha256) - before >= WORTH_A_NEW_COUNT:
                    pauses = iter(PAUSES_S)
                trouble = name_failure(error, self.wanted.address, line.web.environ)
                if isinstance(error, HTTPError) and error.code in _TOO_MANY and line.crew.narrow():
                    wait = "Waiting until another download has finished."
                    line.crew.tell(Output((f"{trouble.happened} {wait}",)))
                    raise _Crowded from None
                pause = next(pauses, None)
                if pause is None or not worth_retrying(error):
                    raise trouble from None
                again = f"{trouble.happened} Trying again in {pause:.0f} s."
                line.crew.tell(Output((again,)))
                line.wait(pause)

    def _receive(self, line: _Line) -> None:
        """Ask for what is missing and write it; raises OSError or HTTPException when it breaks."""
        start = self.partial.usable(self.wanted.sha256)
        mark = self.partial.mark() if start else None
        self._hash_up_to(start, line)
        self.done = start
        if mark is not None and start == mark.size:
            return  # killed between the last byte and the rename
        with self._ask(start, mark, line) as answer:
            start, size = self._place(answer, start, mark, line)
            first = answer.read1(CHUNK)
            self._refuse_a_page(answer, first)
            if start == 0 and not self.wanted.sha256:
                self._refuse_other_content(first)
            if start == 0:
                self._begin(mark_of(self.wanted.sha256, answer.headers, size), line)
            self.size = size if size is not None else self.size
            before = self.done
            try:
                self._write_all(answer.read1, first, start, size, line)
            finally:
                self.came += self.done - before

    def _ask(self, start: int, mark: Mark | None, line: _Line) -> http.client.HTTPResponse:
        headers = {"Range": f"bytes={start}-"} if start else {}
        if mark is not None and mark.validator:
            headers["If-Range"] = mark.validator
        try:
            return line.web.get(self.wanted.address, headers)
        except HTTPError as error:
            error.close()
            if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                with self._disk(line):
                    self.partial.forget()  # it is shorter than what we hold: it is another one
            raise

    def _place(
        self,
        answer: http.client.HTTPResponse,
        start: int,
        mark: Mark | None,
        line: _Line,
    ) -> tuple[int, int | None]:
        """Where in the file the body belongs, and the size of the whole."""
        if answer.status != HTTPStatus.PARTIAL_CONTENT:
            # Changed, or the server knows no ranges.
            length = content_length(answer)
            return 0, self.wanted.size if length is None else length
        found = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        etag = answer.headers.get("ETag", "")
        if (
            found is None
            or mark is None
            or int(found[1]) != start
            or mark.size not in (None, int(found[2]))
            or (etag and mark.etag and etag != mark.etag)
        ):
            with self._disk(line):
                self.partial.forget()
            raise Broken("the file on the server has changed, so its download starts again")
        return start, int(found[2])

    def _refuse_a_page(self, answer: http.client.HTTPResponse, first: bytes) -> None:
        if answer.headers.get_content_maintype() != "text" and not _PAGE.match(first):
            return
        host = clean(urlsplit(answer.url).hostname or "")
        raise Trouble(
            f"{host} sent a web page (HTML) instead of {self.wanted.path.name}.",
            "The page is a network's login page (captive portal) or a proxy's message.",
            "Open any page in a browser, log in to the network, then run the same command again. "
            "Anything already downloaded is kept.",
        )

    def _refuse_other_content(self, first: bytes) -> None:
        if first and not first.startswith(_ZIP):
            raise Trouble(
                f"The file downloaded for {self.wanted.path.name} is not a wheel.",
                "The file does not begin like a zip archive, and no hash was published to check it "
                "against.",
                "Check the index address, then run the same command again.",
            )

    def _begin(self, mark: Mark, line: _Line) -> None:
        with self._disk(line):
            self.partial.forget()  # never write into what may be another name of somebody's file
            self.partial.remember(mark)
            self._hash, self._hashed, self.done = sha256(), 0, 0

    def _hash_up_to(self, count: int, line: _Line) -> None:
        """Hash what the part holds already, unless that was done while it was written."""
        if self._hashed == count:
            return
        self._hash, self._hashed = sha256(), 0
        if count == 0:
            return
        with self._disk(line), self.partial.part.open("rb") as file:
            while chunk := file.read(min(HASH_CHUNK, count - self._hashed)):
                if line.crew.left():
                    raise Left
                self._hash.update(chunk)
                self._hashed += len(chunk)

    def _write_all(
        self,
        read: Callable[[int], bytes],
        chunk: bytes,
        at: int,
        size: int | None,
        line: _Line,
    ) -> None:
        """Write and hash what comes from there on; unbuffered, so that a kill loses nothing."""
        with self._disk(line):
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            part = FileIO(os.open(self.partial.part, flags, 0o644), "wb")
        with part:
            with self._disk(line):
                part.truncate(at)
                part.seek(at)
            while chunk:
                with self._disk(line):
                    left = memoryview(chunk)
                    while left:
                        left = left[part.write(left) or 0 :]
                self._hash.update(chunk)
                self.done = self._hashed = at = at + len(chunk)
                chunk = read(CHUNK)
        if size is not None and at != size:
            raise Broken(f"only {at} of {size} bytes arrived")

    @contextmanager
    def _disk(self, line: _Line) -> Iterator[None]:
        """Where the folder is changed: not after stopping, and with a name for what fails."""
        with line.crew.changing():
            try:
                yield
            except OSError as error:
                raise write_failure(error, self.partial.part.parent, line.lacking()) from None


def _linked(source: Path, target: Path) -> bool:
    """True where a second name for the file could be made, which costs no space."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        return False
    return True
