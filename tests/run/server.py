"""A server of the tests' own on 127.0.0.1: it counts what it sends and can misbehave on purpose.

with WheelServer() as server:
    server.put("/files/a.whl", body, Manner(drop_at=0.4))
    ... server.url("/files/a.whl") ... server.sent("/files/a.whl") ...

with WheelIndex(make_stand_ins(folder), metadata=True) as index:
    ... pip install --index-url index.simple ...
"""

from __future__ import annotations

import re
import ssl
import threading
from collections.abc import Iterable
from hashlib import sha256
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from tests.run.answers import Answer, Manner, Served
from tests.run.wheels import make_stand_ins, make_wheel, metadata_of, sha256_of

__all__ = [
    "Manner",
    "WheelIndex",
    "WheelServer",
    "make_stand_ins",
    "make_wheel",
    "metadata_of",
    "sha256_of",
]


PLAIN = Manner()
"""As any web server does."""


class WheelServer:
    """Files at addresses, each answered in its Manner, every body byte counted."""

    answers: type[Answer] = Answer

    def __init__(self) -> None:
        self.served = Served()
        bound = type("Bound", (self.answers,), {"served": self.served})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), bound)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def speak_tls(self, context: ssl.SSLContext) -> None:
        """Answer in TLS alone; before the server starts."""
        self._http.socket = context.wrap_socket(
            self._http.socket, server_side=True, do_handshake_on_connect=False
        )

    def __enter__(self) -> WheelServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.served.released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def put(self, path: str, body: bytes, manner: Manner = PLAIN) -> str:
        """Serve a body at a path from now on; the answer is its URL."""
        self.served.files[path] = (body, manner)
        return self.url(path)

    @property
    def held(self) -> threading.Event:
        """Set when an answer stopped at its ``hold_at``."""
        return self.served.held

    def wrap(self, context: ssl.SSLContext) -> None:
        """Answer in TLS alone from now on."""
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True)

    def url(self, path: str) -> str:
        """The whole address of a path."""
        return f"http://127.0.0.1:{self._http.server_port}{quote(path)}"

    def sent(self, path: str = "") -> int:
        """Body bytes sent for one path, or for all wheels together."""
        if path:
            return self.served.sent[path]
        return sum(count for name, count in self.served.sent.items() if name.endswith(".whl"))

    def ranges_asked(self, path: str) -> list[str]:
        """The Range header of every GET for one path, ``""`` where there was none."""
        return [
            asked for method, name, asked in self.served.requests if (method, name) == ("GET", path)
        ]


class WheelIndex(WheelServer):
    """A package index (PEP 503) of wheels, with or without hashes and metadata (PEP 658)."""

    def __init__(
        self,
        wheels: Iterable[Path],
        *,
        hashes: bool = True,
        metadata: bool = False,
        manner: Manner = PLAIN,
    ) -> None:
        super().__init__()
        pages: dict[str, list[str]] = {}
        for wheel in wheels:
            self.put(f"/files/{wheel.name}", wheel.read_bytes(), manner)
            attribute = self._offer_metadata(wheel) if metadata else ""
            fragment = f"#sha256={sha256_of(wheel)}" if hashes else ""
            row = f'<a href="/files/{quote(wheel.name)}{fragment}"{attribute}>{wheel.name}</a><br>'
            project = re.sub(r"[-_.]+", "-", wheel.name.partition("-")[0]).lower()
            pages.setdefault(project, []).append(row)
        for project, rows in pages.items():
            page = f"<!DOCTYPE html><html><body>{''.join(rows)}</body></html>".encode()
            self.put(f"/simple/{project}/", page, Manner(content_type="text/html"))

    def __enter__(self) -> WheelIndex:
        super().__enter__()
        return self

    def _offer_metadata(self, wheel: Path) -> str:
        text = metadata_of(wheel)
        self.put(f"/files/{wheel.name}.metadata", text)
        digest = f"sha256={sha256(text).hexdigest()}"
        return f' data-core-metadata="{digest}" data-dist-info-metadata="{digest}"'

    @property
    def simple(self) -> str:
        """What goes after ``--index-url``."""
        return self.url("/simple/")
