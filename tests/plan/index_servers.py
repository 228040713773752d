"""Servers on 127.0.0.1 that answer as indexes do, or as what stands between us and them does."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from tests.run.server import Manner, WheelServer

Talk = Callable[[socket.socket, threading.Event], None]
"""What happens on one connection, until the event is set."""

HTML = "text/html"
PORTAL = b"<!DOCTYPE html><html><head><title>Welcome to our cafe</title></head><body>Log in</body>"
DRIP_S = 0.05
UNTRUSTED = Path(__file__).parent / "untrusted.pem"


class Listener:
    """Listens, counts, and talks to everybody in its own manner."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self.connected = threading.Event()
        self.connections = 0

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._socket.getsockname()[1])

    @property
    def address(self) -> str:
        """As an index without a path."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Listener:
        self._start(self._accept)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._socket.close()

    def _start(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            self.connected.set()
            self._start(self._one, connection)

    def _one(self, connection: socket.socket) -> None:
        with connection:
            try:
                self._talk(connection, self._over)
            except OSError:
                return  # the other end has gone: that is what most of these tests are about


def never(connection: socket.socket, over: threading.Event) -> None:
    """Listens and says nothing."""
    over.wait()


def drip_body(connection: socket.socket, over: threading.Event) -> None:
    """Promises a page and sends a byte now and then."""
    connection.recv(4096)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while not over.wait(DRIP_S):
        connection.sendall(b"<")


def drip_headers(connection: socket.socket, over: threading.Event) -> None:
    """Begins its answer and never comes to an end with it."""
    connection.recv(4096)
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Wait: ")
    while not over.wait(DRIP_S):
        connection.sendall(b"z")


def saying(answer: bytes) -> Talk:
    """The same answer for everybody."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(4096)
        connection.sendall(answer)

    return talk


def status(line: str, *headers: str) -> Talk:
    """An answer without a body, for whatever is asked."""
    lines = (f"HTTP/1.1 {line}", "Content-Length: 0", "Connection: close", *headers, "", "")
    return saying("\r\n".join(lines).encode())


def portal(connection: socket.socket, over: threading.Event) -> None:
    """A login page with 200 for everything, whatever its method."""
    asked = connection.recv(4096)
    body = b"" if asked.startswith(b"HEAD") else PORTAL
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {HTML}\r\nContent-Length: {len(PORTAL)}\r\n"
    connection.sendall(f"{head}Connection: close\r\n\r\n".encode() + body)


def untrusted_tls(connection: socket.socket, over: threading.Event) -> None:
    """Speaks TLS, with a certificate that nobody knows."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(UNTRUSTED)
    with context.wrap_socket(connection, server_side=True) as secured:
        secured.recv(4096)


def stocked(server: WheelServer, wheels: Iterable[str], simple: str = "/simple") -> str:
    """Lists these wheels on a server, as an index does; gives the address of the index."""
    pages: dict[str, list[str]] = {}
    for wheel in wheels:
        server.put(f"/files/{wheel}", b"not a wheel")
        name = wheel.replace("+", "%2B")
        row = f'<a href="../../files/{name}#sha256=00">{wheel}</a>'
        pages.setdefault(wheel.partition("-")[0], []).append(row)
    for project, rows in pages.items():
        page = f"<!DOCTYPE html><html><body>{'<br>'.join(rows)}</body></html>".encode()
        server.put(f"{simple}/{project}/", page, Manner(content_type=HTML))
    return server.url(simple)
