"""Asks apt's programs as the ordinary user, and says in plain words what their errors mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from wizard.core.process import Exited, stream
from wizard.core.trouble import CHECK, NOT_ANSWERED, NOT_KNOWN, Trouble

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
PASSED_ON = ("HOME", "TMPDIR", "LANG")
"""No proxies: root's apt will not see the user's either, so only apt's own settings count."""
NOTHING = "Nothing was changed."
LAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program said, both streams in order, and its exit code."""

    code: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines)


class Programs(Protocol):
    """A way to ask programs; raises Trouble for one that cannot be started or does not end."""

    async def ask(
        self, argv: tuple[str, ...], deadline_s: float, environment: Mapping[str, str] | None = None
    ) -> Answer:
        """What it said; ``environment`` comes on top of a plain one."""


class Children:
    """Asks them as children of our own."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """With so much of the user's environment as matters."""
        self._environment = {
            **{name: environ[name] for name in PASSED_ON if name in environ},
            "PATH": PATH,
            "LC_ALL": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
        }

    async def ask(
        self, argv: tuple[str, ...], deadline_s: float, environment: Mapping[str, str] | None = None
    ) -> Answer:
        """What it said."""
        whole = {**self._environment, **(environment or {})}
        lines: list[str] = []
        code = -1
        async with aclosing(stream(argv, environment=whole, deadline_s=deadline_s)) as output:
            async for item in output:
                if isinstance(item, Exited):
                    code = item.code
                else:
                    lines += item
        return Answer(code, tuple(lines))


async def told(
    programs: Programs,
    argv: tuple[str, ...],
    deadline_s: float,
    environment: Mapping[str, str] | None = None,
) -> Answer:
    """The answer of a program that must succeed; raises Trouble with what its error means."""
    answer = await programs.ask(argv, deadline_s, environment)
    if answer.code != 0:
        raise explained(answer)
    return answer


@dataclass(frozen=True, slots=True)
class Known:
    """An error of apt's that we know; ``{0}`` and so on stand for what the pattern found."""

    pattern: re.Pattern[str]
    happened: str
    meaning: str
    next_step: str


def _known(pattern: str, happened: str, meaning: str, next_step: str) -> Known:
    return Known(re.compile(pattern, re.MULTILINE), happened, meaning, next_step)


PROXY_WANTED = "It is also possible that apt needs a proxy that is not configured."
PROXY_REMEDY = (
    "If apt needs a proxy, set it in /etc/apt/apt.conf.d "
    '(Acquire::https::Proxy "http://HOST:PORT";). Then run the same command again.'
)
NAME_REMEDY = f"{CHECK.format(ask=' (to test: `getent hosts {0}`)')}. {PROXY_REMEDY}"
KNOWN = (
    _known(
        r"Could not resolve '([\w.:-]+)'",
        NOT_KNOWN[0].format(hosts="{0}", were="was"),
        f"{NOT_KNOWN[1]} {PROXY_WANTED}",
        NAME_REMEDY,
    ),
    _known(
        r"Temporary failure resolving '([\w.:-]+)'",
        NOT_ANSWERED[0].format(hosts="{0}", were="was"),
        f"{NOT_ANSWERED[1]} {PROXY_WANTED}",
        NAME_REMEDY,
    ),
    _known(
        r"(?:Could not connect to|Unable to connect to|Cannot initiate the connection to) "
        r"([^\s']+?):? |://([^/\s]+)/\S*\s+Connection (?:failed|timed out)",
        "apt cannot reach {0}.",
        f"The server is down, or a firewall blocks the connection. {PROXY_WANTED}",
        f"Check the connection. {PROXY_REMEDY}",
    ),
    _known(
        r"(?:EXPKEYSIG|EXPSIG|KEYEXPIRED) ?(\w*)",
        "The repository's signing key {0} has expired.",
        "This copy of the key is old, or this machine's clock is wrong.",
        "Check the date, then run the same command again. It downloads the newest key.",
    ),
    _known(
        r"NO_PUBKEY (\w+)|is not signed\.|BADSIG (\w+)",
        "The repository is not signed with the key that was checked.",
        "It is a different copy of the repository, or was changed in transit.",
        "If the mirror has its own key, specify that key's fingerprint with "
        "--rocm-key-fingerprint.",
    ),
    _known(
        r"is not valid yet \(invalid for another ([^)]*)\)",
        "The repository's lists are dated {0} in the future.",
        "This machine's clock is slow.",
        "Set the clock (timedatectl shows it), then run the same command again.",
    ),
    _known(
        r"Release file for \S+ is expired \(invalid since ([^)]*)\)",
        "The repository's lists expired {0} ago.",
        "The mirror is out of date, or this machine's clock is fast.",
        "Check the date on this machine, then use another mirror.",
    ),
    _known(
        r"The repository '([^']*)' (?:does not have|no longer has) a Release file",
        "{0} is no longer an apt repository.",
        "The suite or the release does not exist at this address.",
        "Name another copy of the repository with --rocm-repo, or use another ROCm release.",
    ),
    _known(
        r"Hash Sum mismatch|File has unexpected size",
        "The repository sent a file that does not match its own lists.",
        "The mirror is being updated, or a proxy is serving old files.",
        "Wait a few minutes, then run the same command again.",
    ),
    _known(
        r"[Cc]ertificate verification failed|SSL connection failed",
        "apt did not accept the certificate of the repository's server.",
        "The clock is wrong, a proxy is intercepting TLS connections, or this is the wrong server.",
        "Check the date. If you are behind a company proxy, install its certificate system-wide.",
    ),
    _known(
        r"Conflicting values set for option Signed-By regarding source (\S+)",
        "Another apt source file on this system also lists {0}, with a different key.",
        "apt does not accept two keys for one source.",
        "Use --system-removal amd to have the plan move AMD's apt sources out of the way.",
    ),
    _known(
        r"Held packages were changed",
        "The plan would change packages that are on hold.",
        "apt was told to keep these packages unchanged.",
        "List the held packages with `apt-mark showhold`, and release them with `sudo apt-mark "
        "unhold NAME`.",
    ),
    _known(
        r"^E: Unmet dependencies\.|apt --fix-broken install",
        "Some packages on this system are already missing dependencies.",
        "apt changes nothing else until this is fixed.",
        "Run `sudo apt --fix-broken install`, check what it will do, then start again.",
    ),
    _known(
        r"Unable to locate package (\S+)|Version '[^']*' for '([^']*)' was not found",
        "No package source on this system provides {0}.",
        "The repository does not have the package, or its lists were not read.",
        "Use another release or package set. `apt-cache policy NAME` shows which versions are "
        "available to apt.",
    ),
    _known(
        r"^E: (.*?) (?:in (?:source list|list file) )?/\S*?/(sources\.list(?:\.d/\S+)?)",
        "apt cannot read /etc/apt/{1}: {0}.",  # it was shown a copy
        "One broken line in an apt source file stops apt from doing anything.",
        "Fix the file, or move it out of the way. `sudo apt-get update` shows whether apt can "
        "read it.",
    ),
)


def explained(answer: Answer) -> Trouble:
    """Why apt failed."""
    for known in KNOWN:
        if found := known.pattern.search(answer.text):
            what = [*filter(None, found.groups()), "it"]
            happened = known.happened.format(*what)
            next_step = known.next_step.format(*what)
            return Trouble(happened, f"{known.meaning} {NOTHING}", next_step)
    return Trouble(
        f"apt failed with exit code {answer.code}: {' / '.join(_last_words(answer))}",
        f"rdna1-setup does not know this error. {NOTHING}",
        "Fix the problem that apt reports, then run the same command again.",
    )


def _last_words(answer: Answer) -> list[str]:
    loud = [line for line in answer.lines if line.startswith("E:")]
    return (loud or [line for line in answer.lines if line.strip()])[-LAST_WORDS:] or ["no output"]
