"""Progress as apt and pip tell it: the lines of ``APT::Status-Fd`` and ``--progress-bar raw``.

apt writes ``kind:name:percent:text`` to a descriptor of its own, in the language of its locale;
the text may hold colons too. pip, from 24.1 on, writes ``Progress 262144 of 731418`` among its
other lines. Whatever else comes is no news, and never an error: newer releases may say more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Union

from wizard.run.lines import Lines, clean

_PERCENT = re.compile(r"\d{1,3}(?:\.\d{1,9})?", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_PIP = re.compile(r"Progress (\d{1,18}) of (\d{1,18})", re.ASCII)
FETCHES = "Retrieving file "
"""How apt begins the text of a download in the locale C.UTF-8, which its callers set."""


@dataclass(frozen=True, slots=True)
class Retrieving:
    """apt downloads: the percent of all bytes that are there."""

    file: int
    percent: float
    text: str


@dataclass(frozen=True, slots=True)
class Changing:
    """dpkg works on a package, or is started (``dpkg-exec``): the percent of all its small steps.

    It need not reach 100: the last thing that dpkg tells is not always the last thing it does.
    """

    package: str
    percent: float
    text: str


@dataclass(frozen=True, slots=True)
class PackageFailed:
    """dpkg could not deal with a package, or with a package file named by its path."""

    package: str
    percent: float
    text: str


@dataclass(frozen=True, slots=True)
class SettingsDiffer:
    """A settings file was changed by hand; with ``--force-confold`` it is kept unasked."""

    path: str
    percent: float
    text: str


@dataclass(frozen=True, slots=True)
class MediumWanted:
    """apt waits for a disc: nobody will put it in, so that this will never end well."""

    medium: str
    drive: str
    text: str


@dataclass(frozen=True, slots=True)
class PipReceived:
    """pip downloads a file: bytes that are there, and in all (0 when the server does not say)."""

    done: int
    total: int


AptNews = Union[  # noqa: UP007 - one closed union, matched exhaustively
    Retrieving, Changing, PackageFailed, SettingsDiffer, MediumWanted
]


class StatusLines:
    """What comes out of ``APT::Status-Fd``, as news; where its chunks are cut does not matter."""

    def __init__(self) -> None:
        self._lines = Lines()

    def feed(self, chunk: bytes, *, final: bool = False) -> tuple[AptNews, ...]:
        """The news that this chunk completed; with ``final``, what stands on the open line too."""
        lines = self._lines.feed(chunk, final=final)
        return tuple(news for news in map(apt_news, lines) if news is not None)


def apt_news(line: str) -> AptNews | None:
    """What a line of ``APT::Status-Fd`` tells; None for any other line."""
    fields = clean(line).split(":", 3)
    if len(fields) != 4:
        return None
    kind, name, number, text = (field.strip() for field in fields)
    if not name:
        return None
    if kind == "media-change":
        return MediumWanted(name, number, text)
    if not _PERCENT.fullmatch(number):
        return None
    return _with_percent(kind, name, min(100.0, float(number)), text)


def _with_percent(kind: str, name: str, percent: float, text: str) -> AptNews | None:
    match kind:
        case "dlstatus" if _NUMBER.fullmatch(name):
            return Retrieving(int(name), percent, text)
        case "pmstatus":
            return Changing(name, percent, text)
        case "pmerror":
            return PackageFailed(name, percent, text)
        case "pmconffile":
            return SettingsDiffer(name, percent, text)
        case _:
            return None


def pip_received(line: str) -> PipReceived | None:
    """What a line of ``--progress-bar raw`` tells; None for any other line."""
    found = _PIP.fullmatch(clean(line).strip())
    if found is None:
        return None
    done, total = int(found[1]), int(found[2])
    return PipReceived(min(done, total) if total else done, total)
