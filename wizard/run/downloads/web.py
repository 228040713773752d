"""HTTP as downloads need it: the user's proxies, certificates and logins, and no other scheme."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast
from urllib.error import HTTPError
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
)

from wizard.core.credentials import authorization, without_login
from wizard.core.trouble import Trouble

STALL_S = 30.0
"""A server that sends nothing for this long counts as gone."""

REDIRECTS = 10
"""How often a server may send us elsewhere."""

CERTIFICATE_VARIABLES = ("PIP_CERT", "REQUESTS_CA_BUNDLE")
"""Bundles that pip would use; ``SSL_CERT_FILE`` is read by OpenSSL itself."""

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
    """The web as this environment reaches it."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(_proxies(environ)),
        HTTPHandler(),
        HTTPSHandler(context=_trust(environ)),
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
    return context


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
