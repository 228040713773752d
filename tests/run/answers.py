"""How the tests' server answers one request, and how it misbehaves when told to."""

from __future__ import annotations

import re
import socket
import struct
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import ClassVar
from urllib.parse import unquote

PIECE = 1 << 14


@dataclass(frozen=True, slots=True)
class Manner:
    """How one address is answered."""

    drop_at: float | None = None
    """Cut the first whole answer at this share of its body."""
    drop_always: bool = False
    cuts: frozenset[int] = frozenset()
    """Break off at these bytes of the file, at each of them once."""
    reset: bool = False
    """Break off so that what was sent and not yet received is lost."""
    most: int = 99
    """How many bodies are sent at once; who asks for another gets 429."""
    hold_at: float | None = None
    """Send this share of the first whole answer, set ``held``, and send no more."""
    rest_s: float = 0.0
    """Wait so long after each piece, as on a slow line."""
    ranges: bool = True
    head: bool = True
    status: int = 200
    content_type: str = "application/zip"
    etag: str | None = '"one"'
    last_modified: str | None = None
    location: str = ""
    login: str = ""
    """The Authorization header without which the answer is 401."""
    announce: int | None = None
    """The size that HEAD pretends."""
    chunked: bool = False
    """Tell no length: the end of the connection is the end of the body."""


@dataclass(slots=True)
class Served:
    """What a server offers, and what became of it."""

    files: dict[str, tuple[bytes, Manner]] = field(default_factory=dict)
    sent: Counter[str] = field(default_factory=Counter)
    """Body bytes by path."""
    cut: set[tuple[str, int]] = field(default_factory=set)
    """Path and byte of what broke off."""
    at_once: int = 0
    """GETs that are being answered."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and Range header."""
    spoilt: set[str] = field(default_factory=set)
    held: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)


class Answer(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    served: ClassVar[Served]

    def setup(self) -> None:
        # Small buffers: what is counted as sent must be close to what the client has seen.
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, PIECE)
        super().setup()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing: pytest shows what matters."""

    def do_HEAD(self) -> None:
        """Headers of the file."""
        self._answer(body=False)

    def do_GET(self) -> None:
        """The file, or the part that was asked for."""
        with self.served.lock:
            self.served.at_once += 1
        try:
            self._answer(body=True)
        finally:
            with self.served.lock:
                self.served.at_once -= 1

    def _answer(self, *, body: bool) -> None:
        path, asked = unquote(self.path), self.headers.get("Range", "")
        self.served.requests.append((self.command, path, asked))
        content, manner = self.served.files.get(path, (b"", Manner(status=404)))
        if manner.login and self.headers.get("Authorization") != manner.login:
            self._refuse(401, manner)
            return
        if body and self.served.at_once > manner.most:
            self._refuse(429, manner)
            return
        if manner.status != 200 or (not body and not manner.head):
            self._refuse(manner.status if manner.status != 200 else 501, manner)
            return
        start, end = self._span(asked, len(content), manner)
        if start > end >= 0 or (asked and start >= len(content)):
            self._refuse(416, manner)
            return
        self._headers(manner, start, end, len(content), partial=bool(asked) and self._fits(manner))
        if body:
            cut = self._cut(path, start, end, manner)
            self._send(path, content[start : end + 1 if cut is None else cut], manner)
            if cut is not None:
                self._break_off(manner)

    def _cut(self, path: str, start: int, end: int, manner: Manner) -> int | None:
        """The next byte at which this answer breaks off."""
        left = [
            at for at in manner.cuts if start <= at <= end and (path, at) not in self.served.cut
        ]
        if not left:
            return None
        self.served.cut.add((path, min(left)))
        return min(left)

    def _break_off(self, manner: Manner) -> None:
        self.close_connection = True
        if manner.reset:
            self.wfile.flush()
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()

    def _fits(self, manner: Manner) -> bool:
        """True when the client still means this very file."""
        wanted = self.headers.get("If-Range")
        return manner.ranges and wanted in (None, manner.etag, manner.last_modified)

    def _span(self, asked: str, size: int, manner: Manner) -> tuple[int, int]:
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", asked)
        if not found or not self._fits(manner):
            return 0, size - 1
        if not found[1]:
            return size - int(found[2]), size - 1
        return int(found[1]), min(int(found[2] or size), size - 1)

    def _refuse(self, status: int, manner: Manner) -> None:
        self.send_response(status)
        if manner.location:
            self.send_header("Location", manner.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _headers(self, manner: Manner, start: int, end: int, size: int, *, partial: bool) -> None:
        self.send_response(206 if partial else 200)
        self.send_header("Content-Type", manner.content_type)
        if manner.chunked:
            self.close_connection = True
        else:
            pretended = manner.announce if self.command == "HEAD" else None
            self.send_header("Content-Length", str(pretended or end - start + 1))
        if manner.ranges:
            self.send_header("Accept-Ranges", "bytes")
        if partial:
            self.send_header("Content-Range", f"bytes {start}-{end}/{size}")
        for name, value in (("ETag", manner.etag), ("Last-Modified", manner.last_modified)):
            if value is not None:
                self.send_header(name, value)
        self.end_headers()

    def _send(self, path: str, body: bytes, manner: Manner) -> None:
        share = manner.drop_at if manner.drop_at is not None else manner.hold_at
        spoil = share is not None and (manner.drop_always or path not in self.served.spoilt)
        limit = int(len(body) * (share or 0)) if spoil else len(body)
        self.served.spoilt.add(path)
        try:
            for at in range(0, limit, PIECE):
                piece = body[at : min(at + PIECE, limit)]
                self.wfile.write(piece)
                self.served.sent[path] += len(piece)
                if manner.rest_s:
                    time.sleep(manner.rest_s)
        except OSError:
            self.close_connection = True  # the client was killed: that is what the test is about
            return
        if spoil:
            self.close_connection = True
            if manner.hold_at is not None:
                self.served.held.set()
                self.served.released.wait(60)
