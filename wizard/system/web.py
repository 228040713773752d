"""HTTP as pip is configured to use it: proxies, certificates, logins; what fails has a name."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
    getproxies,
    proxy_bypass,
)

from wizard.core.credentials import authorization, redact, without_login
from wizard.core.lines import clean
from wizard.core.trouble import CHECK, NOT_ANSWERED, NOT_KNOWN, Trouble, host_words

STALL_S = 30.0
"""A server that sends nothing for this long counts as gone."""

REDIRECTS = 10
"""How often a server may send us elsewhere."""

CERTIFICATE_VARIABLES = ("PIP_CERT", "REQUESTS_CA_BUNDLE")
"""Bundles that pip would use; ``SSL_CERT_FILE`` is read by OpenSSL itself."""

OWN_CERTIFICATE = "PIP_CLIENT_CERT"
"""With which the user shows who they are; certificate and key in one file."""
TRUSTED_HOSTS = "PIP_TRUSTED_HOST"
"""Servers whose certificates the user does not want to have checked."""

SYSTEM_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")
"""For a Python that was built elsewhere and looks in folders that this system lacks."""


@dataclass(frozen=True, slots=True)
class Web:
    """A way to ask for files: one opener, and what is needed to log in."""

    opener: OpenerDirector
    environ: Mapping[str, str]
    indexes: tuple[str, ...]
    """Index addresses whose logins hold for files on the same server."""
    stall_s: float = STALL_S

    def get(self, address: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """The answer to a GET, body unread; raises HTTPError, URLError or OSError."""
        return self._open("GET", address, headers)

    def head(self, address: str) -> http.client.HTTPResponse:
        """The answer to a HEAD; raises as ``get`` does."""
        return self._open("HEAD", address, {})

    def size(self, address: str) -> int | None:
        """What HEAD says of the size; None where a server does not tell or refuses HEAD."""
        try:
            with self.head(address) as answer:
                return content_length(answer)
        except HTTPError as error:
            error.close()
            return None

    def _open(
        self, method: str, address: str, headers: Mapping[str, str]
    ) -> http.client.HTTPResponse:
        request = Request(  # noqa: S310 - the opener below knows http and https only
            without_login(address), method=method, headers=dict(headers)
        )
        request.add_header("Accept-Encoding", "identity")  # ranges count the file's own bytes
        request.add_header("User-Agent", "rdna1-setup")
        for name, value in authorization(address, self.indexes, self.environ):
            request.add_unredirected_header(name, value)  # not for whom a redirect leads to
        return cast(http.client.HTTPResponse, self.opener.open(request, timeout=self.stall_s))


class _Tls(HTTPSHandler):
    """HTTPS, where servers that the user trusts without a certificate need none that is known."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__()
        self._checked = _trust(environ)
        self._unchecked = _trust(environ)
        self._unchecked.check_hostname = False
        self._unchecked.verify_mode = ssl.CERT_NONE
        self._trusted = frozenset(environ.get(TRUSTED_HOSTS, "").split())

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        """The answer to a request."""
        parts = urlsplit(req.full_url)
        names = {parts.hostname or "", parts.netloc}
        context = self._unchecked if names & self._trusted else self._checked
        try:
            return self.do_open(http.client.HTTPSConnection, req, context=context)
        except URLError as error:
            error.filename = req.full_url  # a redirect may have led to another server
            raise


class _SameMethod(HTTPRedirectHandler):
    """Follows a redirect of HEAD with HEAD: urllib turns it into a GET of the whole file."""

    def __init__(self, redirects: int) -> None:
        self._redirects = redirects

    def redirect_request(
        self,
        req: Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> Request | None:
        if len(getattr(req, "redirect_dict", ())) >= self._redirects:
            raise HTTPError(req.full_url, code, "redirected too often", headers, fp)
        follow = super().redirect_request(req, fp, code, msg, headers, newurl)
        if follow is not None:
            follow.method = req.get_method()
        return follow


def open_web(
    environ: Mapping[str, str],
    indexes: tuple[str, ...] = (),
    *,
    stall_s: float = STALL_S,
    redirects: int = REDIRECTS,
) -> Web:
    """The web as this environment reaches it: its variables, pip's among them, are the settings."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(_proxies(environ)),
        HTTPHandler(),
        _Tls(environ),
        _SameMethod(redirects),
        HTTPErrorProcessor(),
        HTTPDefaultErrorHandler(),
        UnknownHandler(),
    ):
        opener.add_handler(handler)
    return Web(opener, environ, indexes, stall_s)


def content_length(answer: http.client.HTTPResponse) -> int | None:
    """The announced length of the body."""
    text = answer.headers.get("Content-Length", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else None


def _proxies(environ: Mapping[str, str]) -> dict[str, str] | None:
    """pip's own proxy for everything; else None: the usual variables, ``no_proxy`` among them."""
    own = environ.get("PIP_PROXY")
    return {"http": own, "https": own} if own else None


def _trust(environ: Mapping[str, str]) -> ssl.SSLContext:
    context = ssl.create_default_context()
    for name in CERTIFICATE_VARIABLES:
        if path := environ.get(name):
            _add_bundle(context, name, path)
    if not context.cert_store_stats()["x509_ca"]:
        for bundle in SYSTEM_BUNDLES:
            if Path(bundle).is_file():
                context.load_verify_locations(bundle)
    if path := environ.get(OWN_CERTIFICATE):
        _add_own(context, path)
    return context


def _add_own(context: ssl.SSLContext, path: str) -> None:
    try:
        context.load_cert_chain(path, password="")
    except (OSError, ssl.SSLError):
        raise Trouble(
            f"{OWN_CERTIFICATE} points to {clean(path)}, which cannot be read as a certificate "
            "with its key.",
            "The file is missing, holds no key, or its key is protected by a password.",
            f"Correct or unset {OWN_CERTIFICATE}, then run the same command again.",
        ) from None


def _add_bundle(context: ssl.SSLContext, name: str, path: str) -> None:
    folder = Path(path).is_dir()
    try:
        context.load_verify_locations(
            cafile=None if folder else path, capath=path if folder else None
        )
    except (OSError, ssl.SSLError):
        raise Trouble(
            f"{name} points to {path}, which cannot be read as a certificate file.",
            "Without the certificates in that file, servers reached through your proxy cannot be "
            "verified.",
            f"Correct or unset {name}, then run the same command again.",
        ) from None


AGAIN = "then run the same command again. Anything already downloaded is kept."

_PASSING = frozenset((408, 416, 425, 429, 500, 502, 503, 504))
"""HTTP answers that may be different a little later."""

_BY_STATUS = {
    401: (
        "a login is missing or wrong",
        "Put your user name and password into ~/.netrc or the index URL",
    ),
    403: (
        ("the server does not let you download this file"),
        "Check your login and VPN, and whether the file was blocked",
    ),
    404: ("the file no longer exists", "Check --torch-index, because the index may have moved"),
    407: ("the proxy needs a login", "Put your user name and password into the proxy variable"),
    410: ("the file was removed permanently", "Choose another stack or index"),
    429: ("the server asks you to slow down", "Wait a few minutes"),
    511: ("this network wants you to log in first (captive portal)", "Log in with a browser"),
}


class Broken(OSError):
    """An answer that ended early or did not hold what was asked for; asking again may help."""


def worth_retrying(error: Exception) -> bool:
    """True when the same request may work a little later."""
    cause = _cause(error)
    if isinstance(cause, HTTPError):
        return cause.code in _PASSING
    if isinstance(cause, ssl.SSLCertVerificationError) or "Tunnel connection" in str(cause):
        return False
    return isinstance(cause, (OSError, http.client.HTTPException))


def name_failure(
    error: Exception, address: str, environ: Mapping[str, str] = os.environ
) -> Trouble:
    """The failure of one request as a person can act on it."""
    if isinstance(error, URLError) and not isinstance(error, HTTPError):
        address = error.filename or address
    host = clean(urlsplit(address).hostname or address)
    cause = _cause(error)
    if isinstance(cause, HTTPError):
        return _status(cause.code, host, redact(clean(address)))
    proxy = _proxy_for(address, environ)
    if isinstance(cause, socket.gaierror):
        return _lookup(cause, host, proxy)
    through = f" (through the proxy {redact(proxy)})" if proxy else ""
    return _tunnel(cause, host) or _connection(cause, f"{host}{through}")


def _cause(error: Exception) -> Exception:
    """The error below urllib's wrapping."""
    if isinstance(error, URLError) and not isinstance(error, HTTPError):
        reason = error.reason
        return reason if isinstance(reason, Exception) else OSError(str(reason))
    return error


def _proxy_for(address: str, environ: Mapping[str, str]) -> str:
    parts = urlsplit(address)
    proxy = environ.get("PIP_PROXY") or getproxies().get(parts.scheme)
    return "" if not proxy or proxy_bypass(parts.hostname or "") else proxy


def _lookup(cause: socket.gaierror, host: str, proxy: str) -> Trouble:
    """A name that was not found: the proxy's where there is one, as nobody else is asked for."""
    if not proxy:
        words = host_words((host,))
    else:
        own = clean(urlsplit(proxy if "//" in proxy else f"//{proxy}").hostname or proxy)
        words = host_words((own,), f"{own} (the proxy to {host})")
    happened, meaning = NOT_ANSWERED if cause.errno == socket.EAI_AGAIN else NOT_KNOWN
    by = " This proxy is set in HTTPS_PROXY, HTTP_PROXY or PIP_PROXY." if proxy else ""
    return Trouble(happened.format(**words), f"{meaning}{by}", f"{CHECK.format(**words)}, {AGAIN}")


def _status(code: int, host: str, address: str) -> Trouble:
    if code >= 500 and code not in _BY_STATUS:
        meaning, remedy = "the server has a problem", "Wait a few minutes"
    else:
        meaning, remedy = _BY_STATUS.get(
            code, ("the server rejects the request", "Open the address in a browser")
        )
    return Trouble(
        f"{host} answered HTTP {code} for {address}.",
        f"This means that {meaning}.",
        f"{remedy}, {AGAIN}",
    )


def _tunnel(cause: Exception, host: str) -> Trouble | None:
    if "Tunnel connection failed" not in str(cause):
        return None
    wants_login = " 407" in str(cause)
    return Trouble(
        f"The proxy did not allow the connection to {host}: {clean(str(cause))}.",
        "The proxy requires a login."
        if wants_login
        else "The proxy does not allow connections to this server.",
        f"Correct HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT), {AGAIN}",
    )


def _connection(cause: Exception, host: str) -> Trouble:
    match cause:
        case ssl.SSLError():
            words = _certificate(cause, host)
        case ConnectionRefusedError():
            words = (
                f"{host} refused the connection.",
                "The server is down, or a firewall or a wrong proxy setting blocks the connection.",
                f"Check the address and the proxy variables, {AGAIN}",
            )
        case TimeoutError():
            words = (
                f"{host} did not answer in time (timeout).",
                "The connection is slow or down, or a firewall is dropping the packets.",
                f"Wait a moment or use another network, {AGAIN}",
            )
        case _:
            words = (
                f"The connection to {host} was lost: {clean(str(cause)) or type(cause).__name__}.",
                "The connection or the server is unstable.",
                f"Wait a moment, {AGAIN}",
            )
    return Trouble(*words)


def _certificate(cause: ssl.SSLError, host: str) -> tuple[str, str, str]:
    why = getattr(cause, "verify_message", "") or clean(str(cause))
    return (
        f"The TLS certificate of {host} was not accepted: {why}.",
        "The clock is wrong, a proxy is intercepting TLS connections, or this is the wrong server.",
        f"Check the date, and behind a company proxy set SSL_CERT_FILE to its certificate, {AGAIN}",
    )
