"""The stand-in archive on the network, under AMD's own name, with http and https.

It listens at an address of 127.0.0.0/8 of its own, so that sources in a root need no port and read
exactly as on a user's machine; a root learns the address through its ``/etc/hosts``.
"""

from __future__ import annotations

import errno
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from email.utils import formatdate
from http.server import ThreadingHTTPServer
from typing import Literal

from tests.e2e.system.authority import authority
from tests.e2e.system.rocm_archive import KEY_FILE, STALE, STRANGER, Archive
from tests.run.answers import Answer, Manner, Served

HTTP, HTTPS = 80, 443
ADDRESSES = [f"127.87.{third}.{fourth}" for third in range(4) for fourth in range(1, 255)]
FILES = Manner(
    content_type="application/octet-stream", etag=None, last_modified=formatdate(0, usegmt=True)
)
Signer = Literal["own", "stranger"]
KeyShown = Literal["own", "stale", "stranger"]


@dataclass(frozen=True, slots=True)
class ArchiveServer:
    """Serves the archive, and misbehaves when told to; every path begins with a slash."""

    archive: Archive
    address: str
    served: Served
    contents: Mapping[str, bytes]
    """Everything as it should be, with what is shown instead of it at times."""

    def restore(self) -> None:
        """Serve everything rightly again, and forget what was asked so far."""
        self.served.released.set()
        self.served.files.clear()
        self.served.requests.clear()
        self.served.spoilt.clear()
        self.served.sent.clear()
        self.served.held.clear()
        self.served.released.clear()
        for path, content in self.contents.items():
            if not path.endswith((STRANGER, STALE)):
                self.served.files[path] = (content, FILES)

    def find(self, *words: str) -> list[str]:
        """Paths that hold all these words, such as a package's name and ``5.2``."""
        return [path for path in self.served.files if all(word in path for word in words)]

    def behave(self, manner: Manner, *words: str) -> None:
        """Answer these paths in a manner: dropped, stalled, refused."""
        for path in self.find(*words):
            self.served.files[path] = (self.served.files[path][0], manner)

    def drop(self, share: float, *words: str) -> None:
        """Cut every answer at this share of it, as a network does that fails."""
        self.behave(replace(FILES, drop_at=share, drop_always=True), *words)

    def stall(self, share: float, *words: str) -> None:
        """Send this share of the first answer, set ``held``, and no more until ``release``."""
        self.behave(replace(FILES, hold_at=share), *words)

    @property
    def held(self) -> threading.Event:
        """Set when an answer stalls."""
        return self.served.held

    def release(self) -> None:
        """End all stalls; the connections close."""
        self.served.released.set()

    def remove(self, *words: str) -> None:
        """Answer 404, as for a suite or a package that is not there."""
        self.behave(Manner(status=404), *words)

    def corrupt(self, *words: str) -> None:
        """Change one byte in the middle: the size stays right, the hash does not."""
        for path in self.find(*words):
            content, manner = self.served.files[path]
            middle = len(content) // 2
            changed = bytes((content[middle] ^ 1,))
            spoilt = content[:middle] + changed + content[middle + 1 :]
            self.served.files[path] = (spoilt, manner)

    def sign(self, signer: Signer) -> None:
        """Whose signature every suite bears from now on."""
        ending = {"own": "", "stranger": STRANGER}[signer]
        for path in self.find("/InRelease"):
            self._show(path, ending)
        if ending:
            self.remove("/Release.gpg")  # apt would fall back to it

    def show_key(self, which: KeyShown) -> None:
        """Which key file is published; ``stale`` is ours in a copy that has expired."""
        self._show(f"/{KEY_FILE}", {"own": "", "stale": STALE, "stranger": STRANGER}[which])

    def _show(self, path: str, ending: str) -> None:
        self.served.files[path] = (self.contents[f"{path}{ending}"], FILES)

    def asked(self, *words: str) -> list[str]:
        """Paths with these words that were asked for since the last ``restore``."""
        paths = (path for _, path, _ in self.served.requests)
        return [path for path in paths if all(word in path for word in words)]


@contextmanager
def archive_server(archive: Archive) -> Iterator[ArchiveServer]:
    """The archive, served until this is left."""
    served = Served()
    with ExitStack() as stack:
        servers = _bound(served)
        for server in servers:
            stack.callback(server.server_close)
            thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
        stack.callback(served.released.set)
        address = str(servers[0].server_address[0])
        shown = ArchiveServer(archive, address, served, archive.contents())
        shown.restore()
        yield shown


def _bound(served: Served) -> tuple[ThreadingHTTPServer, ...]:
    """Servers at the first address at which nobody else listens."""
    answer = type("Bound", (Answer,), {"served": served})
    for address in ADDRESSES:
        with ExitStack() as stack:
            try:
                plain = stack.enter_context(ThreadingHTTPServer((address, HTTP), answer))
                secure = stack.enter_context(ThreadingHTTPServer((address, HTTPS), answer))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                _secure(secure)
                stack.pop_all()
                return plain, secure
    raise OSError("every address for the stand-in archive is taken")


def _secure(server: ThreadingHTTPServer) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority().chain)
    # The handshake in the connection's own thread: a client that says nothing stops no other.
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
