"""Names network failures: what broke, what that means, what to do."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from wizard.core.credentials import redact
from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.core.unreached import CHECK, NOT_ANSWERED, NOT_KNOWN, host_words

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


def name_failure(error: Exception, address: str) -> Trouble:
    """The failure of one request as a person can act on it."""
    host = clean(urlsplit(address).hostname or address)
    cause = _cause(error)
    if isinstance(cause, HTTPError):
        return _status(cause.code, host, redact(clean(address)))
    proxy = _proxy_for(address)
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


def _proxy_for(address: str) -> str:
    parts = urlsplit(address)
    proxy = os.environ.get("PIP_PROXY") or getproxies().get(parts.scheme)
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
