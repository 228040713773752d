"""What pip, venv and uv say when they fail, and what it means: the first match counts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wizard.run.unreached import CHECK, NOT_ANSWERED, NOT_KNOWN


@dataclass(frozen=True, slots=True)
class Known:
    """One failure that can be recognised.

    ``{found[name]}`` repeats what the pattern caught, ``{hosts}``, ``{server}`` name servers.
    """

    pattern: re.Pattern[str]
    happened: str
    meaning: str
    next: str


def _known(pattern: str, happened: str, meaning: str, next_step: str) -> Known:
    return Known(re.compile(pattern, re.MULTILINE), happened, meaning, next_step)


# A network failure also shows up as a warning of a try that later worked: causes that pip names
# as final come first. "No matching distribution" comes last, because a dead network ends in it.

_AGAIN = "then run the same command again: what was finished is kept."

KNOWN = (
    _known(
        r"No space left on device|\[Errno 28\]|Disk quota exceeded|\[Errno 122\]",
        "The disk became full.",
        "The file system of the folder that is filled, or of temporary files, has no room left.",
        f"Free some space (`df -h` shows where), {_AGAIN}",
    ),
    _known(
        r"externally-managed-environment",
        "The system's own Python refuses packages from pip (PEP 668).",
        "It belongs to the distribution; forcing pip into it can break the system.",
        "Give a folder for a venv with --venv DIR; never use --break-system-packages.",
    ),
    _known(
        r"ensurepip is not\s+available|No module named '?(?:ensurepip|venv)\b",
        "This Python cannot make a venv with pip: ensurepip is missing.",
        "Debian and Ubuntu keep it in a package of its own.",
        "Run `sudo apt install python3-venv` (for another Python: python3.X-venv), or let uv bring "
        "a Python; then run the same command again.",
    ),
    _known(
        r"DO NOT MATCH THE HASHES(?:.*\n)*?\s*(?P<file>\S+) from .*\n"
        r"\s*Expected sha256 (?P<expected>\w+)\n\s*Got\s+(?P<got>\w+)",
        "{found[file]} has the wrong SHA-256: expected {found[expected]}, got {found[got]}.",
        "The file is damaged, or is not the one that was meant; it was not installed.",
        "Remove the staging folder and run the same command again; if it happens twice, another "
        "index or network is needed.",
    ),
    _known(  # where a constraint of pip's own settings names it too, pip speaks of a conflict
        r"\A(?:(?!Looking in indexes).*\n)*?Looking in links: (?P<folder>/.*)\n(?:.*\n)*?"
        r".*no matching distributions available for your environment:\n\s+(?P<wanted>\S+)",
        "{found[folder]} has no wheel for {found[wanted]} that fits.",
        "With --wheelhouse pip looks in that folder alone, which must hold all that the stack "
        "depends on, for this Python and machine.",
        "Put it there too (`rdna1-setup fetch` fills such a folder where there is internet), "
        f"{_AGAIN}",
    ),
    _known(
        r"no matching distributions available for your environment:\n\s+(?P<wanted>\S+)",
        "{found[wanted]} was not found.",
        "The index has no wheel of it for this Python and machine.",
        "Check --torch-index, and that the stack lists this Python.",
    ),
    _known(
        r"ResolutionImpossible(?:.*)|No solution found when resolving",
        "The wanted versions exclude one another.",
        "Two packages ask for different versions of a third; the lines above name them.",
        "Take the stack's own versions, or leave out what you added.",
    ),
    _known(
        r"^ERROR: (?P<file>\S+) is not a supported wheel on this platform",
        "{found[file]} is not for this Python or this machine.",
        "The tags in a wheel's name say which Python and platform it was built for; "
        "torch 1.13.1+rocm5.2, for example, ends at Python 3.10.",
        "Choose a Python that the stack lists; the wizard can bring it with uv.",
    ),
    _known(
        r"Wheel '(?P<name>[^']+)' located at \S+ is invalid|File is not a zip file|BadZipFile",
        "What came in place of a wheel is no archive.",
        "A log-in page answered in its place (captive portal), or the file is damaged.",
        f"Open any page in a browser and log in to the network, {_AGAIN}",
    ),
    _known(
        r"No download found for request: (?P<wanted>\S+)",
        "uv knows no Python of this kind: {found[wanted]}.",
        "Its list has no build of that version for this machine.",
        "Choose another Python that the stack lists.",
    ),
    _known(
        r"failed to query metadata of file `(?P<file>[^`\n]+/cpython-[^`\n]+)`: No such file",
        "uv asks for a Python that is not there: {found[file]}.",
        "Each version of uv knows one build of a Python. Another version filled that folder, or "
        "the folder was not copied whole.",
        "Fetch it again with the uv that is installed here, or install the uv here that fetched "
        f"it, {_AGAIN}",
    ),
    _known(
        r"compiled using NumPy 1\.x cannot be run in\s+NumPy 2",
        "torch was built for NumPy 1, and NumPy 2 is installed.",
        "Something installed numpy 2 after the stack.",
        "Install the stack again: it holds numpy below 2.",
    ),
    _known(
        r"cannot enable executable stack",
        "glibc refuses a library of this torch: it asks for an executable stack.",
        "glibc 2.41 and later load no such library.",
        "Run the same command again: the plan clears that flag on such systems.",
    ),
    _known(
        r"Permission denied|\[Errno 13\]|Read-only file system|\[Errno 30\]",
        "A file or folder could not be written.",
        "It belongs to somebody else, or its file system is read-only.",
        "Choose a folder of your own with --venv DIR.",
    ),
    _known(
        r"CERTIFICATE_VERIFY_FAILED|confirming the ssl certificate",
        "The server's certificate was not accepted.",
        "A proxy that opens TLS connections, a wrong clock, or missing certificates.",
        "Check the date; behind a company proxy point PIP_CERT and SSL_CERT_FILE at its "
        "certificate. Do not switch the check off.",
    ),
    _known(
        r"407 Proxy Authentication Required",
        "The proxy wants a login.",
        "HTTP_PROXY or HTTPS_PROXY names a proxy that does not know you.",
        "Put user and password into the proxy variable, or unset it where no proxy is needed; "
        f"{_AGAIN}",
    ),
    _known(
        r"ProxyError|Cannot connect to proxy|Tunnel connection failed",
        "The proxy could not be reached, or refused the connection.",
        "HTTP_PROXY, HTTPS_PROXY or pip's own setting names it.",
        f"Correct or unset the proxy, {_AGAIN}",
    ),
    _known(
        r"Temporary failure in name resolution",
        *NOT_ANSWERED,
        f"{CHECK}, {_AGAIN}",
    ),
    _known(
        r"Name or service not known|Failed to resolve '(?:[^']*)'"
        r"|No address associated with hostname|dns error",
        *NOT_KNOWN,
        f"{CHECK}, {_AGAIN}",
    ),
    _known(
        r"Connection refused|Network is unreachable|No route to host",
        "No connection to {server} could be made: {found[0]}.",
        "The address, a firewall or the proxy setting is wrong, or the server is down.",
        f"Check the connection and the index address, {_AGAIN}",
    ),
    _known(
        r"ReadTimeoutError|Read timed out|ConnectTimeoutError|not enough bytes were received"
        r"|IncompleteRead|Connection broken|Connection reset by peer",
        "The connection broke off, or nothing came for too long.",
        "The line is slow or unstable; the server may be busy.",
        f"Wait a little, {_AGAIN}",
    ),
    _known(
        r"(?P<code>40[134]|5\d\d) (?:Client|Server) Error: [^\n]*?for url: (?P<url>\S+)"
        r"|too many (?P<many>5\d\d) error responses",
        "The server refused a file with an HTTP error: {found[0]}.",
        "401 and 403: it wants a login; 404: the file has moved; 501: it refuses range requests; "
        "other 5xx: it is in trouble itself.",
        f"Check the index address and your login, or wait if it is a 5xx, {_AGAIN}",
    ),
    _known(
        r"\A(?:(?!Looking in indexes).*\n)*?Looking in links: (?P<folder>/.*)\n(?:.*\n)*?"
        r".*requirement (?P<wanted>\S+)(?: \(from [^\n]*?\))? "
        r"\(from versions: (?P<versions>[^)\n]*)",
        "{found[folder]} has no wheel for {found[wanted]} that fits.",
        "The versions that pip saw: {found[versions]}. With --wheelhouse it looks in that folder "
        "alone, which must hold all that the stack depends on, for this Python and machine.",
        "Put it there too (`rdna1-setup fetch` fills such a folder where there is internet), "
        f"{_AGAIN}",
    ),
    _known(
        r"requirement (?P<wanted>\S+) \(from versions: none\)",
        "No file at all was found for {found[wanted]}.",
        "The index does not know it for this Python, wants a login, or a log-in page answered in "
        "its place (captive portal).",
        "Open the index address in a browser; check --torch-index, and that the stack lists this "
        "Python.",
    ),
    _known(
        r"requirement (?P<wanted>\S+) \(from versions: (?P<versions>[^)]*)\)",
        "{found[wanted]} was not found; there is: {found[versions]}.",
        "The index has no wheel of that version for this Python and machine. A +rocm version is "
        "never on PyPI; torch 1.13.1+rocm5.2 ends at Python 3.10.",
        "Check --torch-index, and that the stack lists this Python.",
    ),
    _known(
        r"No matching distribution found for (?P<wanted>\S+)",
        "{found[wanted]} was not found.",
        "The index has no wheel of it for this Python and machine.",
        "Check --torch-index, and that the stack lists this Python.",
    ),
)
