"""Expected failures, told so that a person can act on them."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from wizard.core.credentials import redact
from wizard.core.lines import clean, shown

NOT_KNOWN = (
    "{hosts} {were} not found: DNS returned no address.",
    "The address is misspelled, or this name exists only on another network (such as a VPN).",
)
NOT_ANSWERED = (
    "{hosts} {were} not found: no name server answered.",
    "This computer is offline, or its name server is down.",
)
"""Nobody has seen which of the two it is: a computer without any network ends here as well."""
CHECK = "Check the address and the connection{ask}"

_ADDRESS = re.compile(r"https?://[^\s`'\"(),]+")


def host_words(hosts: Iterable[str], shown: str = "") -> dict[str, str]:
    """What fills the texts above; without any host they speak of a server."""
    names = tuple(hosts)
    return {
        "hosts": shown or ", ".join(names) or "A server",
        "were": "were" if len(names) > 1 else "was",
        "server": ", ".join(names) or "the server",
        "ask": f" (to test: `getent hosts {' '.join(names)}`)" if names else "",
    }


def hosts_in(output: str, failure: re.Pattern[str]) -> tuple[str, ...]:
    """The hosts of which the output of uv tells such a failure, each once."""
    return tuple(dict.fromkeys(filter(None, _each_host(output, failure))))


def _each_host(output: str, failure: re.Pattern[str]) -> Iterator[str]:
    for found in failure.finditer(output):
        end = output.find("\n", found.end())
        if before := _ADDRESS.findall(output[: end if end >= 0 else len(output)]):
            yield _host(before[-1])  # uv names the address first, then the reason


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:  # as of an address with half a pair of brackets
        return ""


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


_WRONG_HASH = (
    "{found[file]} has the wrong SHA-256: expected {found[expected]}, got {found[got]}.",
    "The file is damaged, or is the wrong file. It was not installed.",
    "Delete the download folder and run the same command again. If it fails a second time, "
    "use another index or network.",
)
_AGAIN = "then run the same command again. Finished steps are kept."

_CONFLICT = (
    "The requested versions conflict.",
    "uv explains it like this, and calls the plan a project: {found[why]}",
    "Use the stack's own versions, or leave out the packages and constraints that you added.",
)

KNOWN = (
    _known(
        r"No space left on device|\[Errno 28\]|Disk quota exceeded|\[Errno 122\]",
        "The disk is full.",
        "The file system that holds the folder or temporary files has no space left.",
        f"Free up some space (`df -h` shows which disks are full), {_AGAIN}",
    ),
    _known(  # uv before 0.13 draws lines before each of these
        r"Hash mismatch for `(?P<file>[^`]+)`\W+Expected:\W+sha256:(?P<expected>\w+)"
        r"\W+Computed:\W+sha256:(?P<got>\w+)",
        *_WRONG_HASH,
    ),
    _known(  # in a long chain the rows below would tell one link of it as the cause
        r"No solution found when resolving[^\n]*\n\W*(?:cause: )?"
        r"(?P<why>Because [^\n]*(?:\n\s+And [^\n]*){2,})",
        *_CONFLICT,
    ),
    _known(
        r"(?P<wanted>\S+) has no (?:wheels with a matching|`[^`\n]+`-compatible wheels)",
        "{found[wanted]} has no wheel for this Python and machine.",
        "The tags in a wheel's name show which Python and platform it is for. For example, torch "
        "1.13.1+rocm5.2 supports Python up to 3.10.",
        "Choose a Python version listed for the stack. The wizard can install it with uv.",
    ),
    _known(
        r"(?P<wanted>\S+) has an invalid package format|Failed to unzip wheel: (?P<file>\S+)",
        "This wheel cannot be read: {found[wanted]}{found[file]}.",
        "The file is damaged, or a network's login page (captive portal) came in its place.",
        "Delete the damaged file or use another index, then run the same command again.",
    ),
    _known(
        r"(?P<wanted>\S+) has no usable wheels",
        "{found[wanted]} has no wheel for this Python and machine, only its source code.",
        "Source archives run their own code when they are built, so rdna1-setup installs only "
        "wheels.",
        "Use a version that has a wheel for this Python, or an index that has such a wheel.",
    ),
    _known(
        r"(?P<wanted>\S+) requires Python (?P<python>[^\s,]+)",
        "{found[wanted]} needs Python {found[python]}.",
        "The environment has another Python, and no other version of this package can be used.",
        "Choose a Python version listed for the stack. The wizard can install it with uv.",
    ),
    _known(
        r"(?P<wanted>\S+) was not found in the package registry",
        "{found[wanted]} was not found on the package index.",
        "The index does not have this package, or does not show it without a login.",
        "Check --torch-index, pip's index settings and your login, then run the same command "
        "again.",
    ),
    _known(
        r"there (?:is|are) no versions? of (?P<wanted>[^\s,]+)",
        "{found[wanted]} was not found on the package index.",
        "The index does not have this version, or a network's login page (captive portal) "
        "answered instead. PyPI never has +rocm versions.",
        "Open the index address in a browser. Check --torch-index and pip's index settings.",
    ),
    _known(
        r"Unsupported `Content-Type` \"(?P<type>[^\"\n]*)\" for `?(?P<address>[^\s`]+)`?\. Expe",
        "{found[address]} is not the page of a package index.",
        "Its type is {found[type]}. The address may be wrong, or a network's login page (captive "
        "portal) answered instead.",
        "Open the address in a browser. Check --torch-index and pip's index settings.",
    ),
    _known(
        r"Because (?P<wanted>\S+) was not found in the provided package locations",
        "{found[wanted]} is no longer in the download folder.",
        "The file was downloaded and checked, and was deleted or renamed since.",
        "Delete the download folder and run the same command again.",
    ),
    _known(
        r"No solution found when resolving[^\n]*\n\W*(?:cause: )?"
        r"(?P<why>Because [^\n]*(?:\n\s+And [^\n]*)*)",
        *_CONFLICT,
    ),
    _known(
        r"Failed to extract archive: \S+\n(?!.*I/O operation)",
        "The downloaded file is not a wheel.",
        "The file is a network's login page (captive portal), or it is damaged.",
        f"Open any page in a browser and log in to the network, {_AGAIN}",
    ),
    _known(
        r"No interpreter found at path `(?P<python>[^`\n]+)`",
        "There is no Python at {found[python]}.",
        "It was removed or moved since the plan was made.",
        "Make the plan again.",
    ),
    _known(
        r"Failed to inspect Python interpreter from \S+ path at `(?P<python>[^`\n]+)`",
        "{found[python]} is not a Python that works.",
        "It did not answer as a Python does. It may be damaged, or be another program.",
        f"Choose another Python, {_AGAIN}",
    ),
    _known(
        r"No download found for request: (?P<wanted>\S+)",
        "uv does not know this Python: {found[wanted]}.",
        "uv's list has no build of that Python version for this machine.",
        "Choose another Python version listed for the stack.",
    ),
    _known(
        r"failed to query metadata of file `(?P<file>[^`\n]+/cpython-[^`\n]+)`: No such file",
        "uv looks for a Python that does not exist: {found[file]}.",
        "Each version of uv recognizes only one build of each Python version. Another version of "
        "uv downloaded the Python in this folder, "
        "or the folder was not copied completely.",
        "Download it again with the uv installed here, or install the version of uv that "
        f"downloaded it, {_AGAIN}",
    ),
    _known(
        r"compiled using NumPy 1\.x cannot be run in\s+NumPy 2",
        "torch was built for NumPy 1, and NumPy 2 is installed.",
        "Something installed numpy 2 after the stack was installed.",
        "Install the stack again. It keeps numpy below version 2.",
    ),
    _known(
        r"cannot enable executable stack",
        "glibc refuses to load a library of this torch: the library asks for an executable stack.",
        "glibc 2.41 and later do not load such libraries.",
        "Run the same command again. The plan clears the library's executable-stack flag on "
        "systems with glibc 2.41 or later.",
    ),
    _known(
        r"Permission denied|\[Errno 13\]|Read-only file system|\[Errno 30\]",
        "A file or folder could not be created or changed.",
        "The file or folder belongs to another user, or its file system is read-only.",
        "Choose a folder of your own with --venv DIR.",
    ),
    _known(
        r"invalid peer certificate",
        "The certificate of {server} was not accepted.",
        "A proxy is intercepting TLS connections, the clock is wrong, or certificates are missing.",
        "Check the date on this machine. If you are behind a company proxy, set PIP_CERT and "
        "SSL_CERT_FILE to its certificate. Do not turn off certificate checks.",
    ),
    _known(
        r"received corrupt message of type InvalidContentType",
        "{server} did not answer in TLS.",
        "The address begins with https, and this port of the server does not understand it.",
        f"Check the index address, {_AGAIN}",
    ),
    _known(
        r"proxy authorization required",
        "The proxy needs a login.",
        "HTTP_PROXY or HTTPS_PROXY points to a proxy that denies you access.",
        "Put your user name and password into the proxy variable, or unset it if you need no "
        f"proxy, {_AGAIN}",
    ),
    _known(
        r"tunnel error:",
        "The proxy could not be reached, or refused the connection.",
        "HTTP_PROXY, HTTPS_PROXY or pip's own configuration points to this proxy.",
        f"Correct or unset the proxy, {_AGAIN}",
    ),
    _known(
        r"Temporary failure in name resolution",
        *NOT_ANSWERED,
        f"{CHECK}, {_AGAIN}",
    ),
    _known(
        r"Name or service not known|No address associated with hostname|dns error",
        *NOT_KNOWN,
        f"{CHECK}, {_AGAIN}",
    ),
    _known(
        r"Connection refused|Network is unreachable|No route to host",
        "Cannot connect to {server}: {found[0]}.",
        "The address, a firewall or the proxy setting is wrong, or the server is down.",
        f"Check the connection and the index address, {_AGAIN}",
    ),
    _known(
        r"Connection reset by peer|operation timed out|connection closed before message completed"
        r"|end of file before message length reached",
        "The connection was lost, or the server did not answer in time.",
        "The connection is slow or unstable, or the server is busy.",
        f"Wait a moment, {_AGAIN}",
    ),
    _known(
        r"HTTP status (?:client|server) error \((?P<status>[^)\n]+)\)",
        "{server} responded with an HTTP error: {found[status]}.",
        "401 and 403 mean that it needs a login, 404 that the file has moved, 501 that it refuses "
        "HEAD or range requests, and other 5xx codes that it has a problem.",
        f"Check the index address and your login, or wait a few minutes after a 5xx code, {_AGAIN}",
    ),
)


class Trouble(Exception):
    """A failure that was foreseen: what happened, what it means, what to do next."""

    def __init__(self, happened: str, meaning: str, next_step: str) -> None:
        super().__init__(happened)
        self.happened = happened
        self.meaning = meaning
        self.next_step = next_step


class NoRollback(Trouble):
    """Packages would go that rollback could not put back; the user may choose that."""


def as_trouble(error: Trouble | OSError) -> Trouble:
    """A failed look or write as Trouble; Trouble as it is."""
    if isinstance(error, Trouble):
        return error
    return Trouble(
        f"{clean(str(error.filename or 'A file'))} could not be changed: "
        f"{error.strerror or error}.",
        "The disk may be full or read-only, or the folder may belong to another user.",
        "Fix the problem, then run the same command again. Finished steps are kept.",
    )


LAST_WORDS = 3
"""Lines of unknown output that are worth repeating."""


def explained(output: str, code: int) -> Trouble:
    """What the output of a program that failed says, in plain words."""
    output = redact(output)
    for known in KNOWN:
        if found := known.pattern.search(output):
            servers = host_words(hosts_in(output, known.pattern))
            caught: dict[str | int, str] = {0: found[0]}
            caught |= {name: shown(text or "") for name, text in found.groupdict().items()}
            texts = (known.happened, known.meaning, known.next)
            filled: dict[str, object] = {"found": caught, **servers}
            return Trouble(*(text.format_map(filled) for text in texts))
    return _unknown(output, code)


def _unknown(output: str, code: int) -> Trouble:
    if code == -signal.SIGKILL:
        return Trouble(
            "The program was killed (signal 9).",
            "The system kills programs when memory runs out, or someone killed it.",
            "Close other programs, then run the same command again. Finished steps are kept.",
        )
    ended = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    said = " / ".join(_last_words(output))
    return Trouble(
        f"The program {ended}" + (f": {said}" if said else " without any output."),
        "rdna1-setup does not know this error. The log contains its full text.",
        "Read the log above, fix the problem it names, then run the same command again.",
    )


def _last_words(output: str) -> list[str]:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    loud = [line for line in lines if line.lower().startswith(("error", "fatal"))]
    return (loud or lines)[-LAST_WORDS:]
