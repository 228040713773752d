"""What a failed request means for the question that it was to answer."""

from __future__ import annotations

import http.client
import ssl
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit

from wizard.available.answers import Standing
from wizard.run.downloads.network import name_failure
from wizard.run.lines import clean


class TooLate(TimeoutError):
    """The whole answer took longer than it may, although something came all the time."""


REFUSALS = frozenset({401, 403, 407, 451})
GONE = frozenset({404, 410})
LOGIN_FIRST = 511
"""The HTTP status by which a captive portal says that it is one."""
SLOW = frozenset({408, 504})
WORDS_OF_403 = (
    " Storage servers say 403 of what they do not hold, too: it may be missing, or you may not "
    "have it."
)


def failed(error: Exception, address: str) -> tuple[Standing, str]:
    """The outcome of a request that failed, and what happened in words without any login.

    What follows ``?`` may be a key: a link that is signed is shown without it.
    """
    address = urlunsplit((*urlsplit(address)[:3], "", ""))
    if isinstance(error, HTTPError):
        error.close()
        return _by_status(error, address)
    if isinstance(error, http.client.HTTPException) and not isinstance(error, OSError):
        return _not_http(error, address)
    cause = error.reason if isinstance(error, URLError) else error
    if not isinstance(cause, OSError):  # a redirect to what is not http
        return Standing.OTHER, f"{_host(address)} led to an address that is no web page."
    if isinstance(cause, TooLate):
        return Standing.SLOW, f"{_host(address)} answers, but too slowly to wait for the end."
    trouble = name_failure(error, address)
    return _by_cause(cause), f"{trouble.happened} {trouble.meaning}"


def _by_status(error: HTTPError, address: str) -> tuple[Standing, str]:
    code = error.code
    trouble = name_failure(error, address)
    said = f"{trouble.happened} {trouble.meaning}"
    if code in GONE:
        return Standing.ABSENT, f"{trouble.happened} Nothing is at this address."
    if code in REFUSALS:
        return Standing.REFUSED, said + (WORDS_OF_403 if code == 403 else "")
    if code in SLOW:
        return Standing.SLOW, said
    if code == LOGIN_FIRST or code < 400:
        return Standing.OTHER, said if code == LOGIN_FIRST else _elsewhere(code, address)
    return (Standing.FAILING if code >= 500 or code == 429 else Standing.OTHER), said


def _elsewhere(code: int, address: str) -> str:
    return f"{_host(address)} sent us elsewhere (HTTP {code}), and never to a page."


def _host(address: str) -> str:
    return clean(urlsplit(address).hostname or "The server")


def _not_http(error: http.client.HTTPException, address: str) -> tuple[Standing, str]:
    if isinstance(error, http.client.IncompleteRead):
        return Standing.NO_NETWORK, f"{_host(address)} broke off in the middle of its answer."
    return Standing.OTHER, f"{_host(address)} answered, but not as a web server does."


def _by_cause(cause: object) -> Standing:
    if "Tunnel connection failed" in str(cause):
        return _tunnel(str(cause))
    match cause:
        case TimeoutError():
            return Standing.SLOW
        case ssl.SSLError():
            return Standing.UNTRUSTED
        case _:
            return Standing.NO_NETWORK


def _tunnel(text: str) -> Standing:
    return Standing.FAILING if " 5" in text.partition("failed:")[2][:3] else Standing.REFUSED
