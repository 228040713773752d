"""Programs and servers that answer as a test says, and keys that were made for tests."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import cast
from urllib.error import HTTPError

from tests.machine.records import make
from tests.root.mutating import KEY
from wizard.apt.programs import Answer
from wizard.apt.view import Asking
from wizard.host.host import Host
from wizard.machine.recorded import RecordedHost
from wizard.system.web import Web

NOW = datetime(2026, 11, 22, tzinfo=timezone.utc)
VALID_FINGERPRINT = "91E592715A5620CA4D13852D071126399FCA592B"
EXPIRED_FINGERPRINT = "D4658354AD4BA445EA02EFF554B7EBC720F9A7B3"
EXPIRED = b"""\
-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEXgvhABYJKwYBBAHaRw8BAQdAIUGWjv4Ll3nePUroEK0GhQgxLMOeyRyfWcPJ
TnA09Zq0DkV4cGlyZWQgKHRlc3QpiJYEExYIAD4WIQTUZYNUrUukReoC7/VUt+vH
IPmnswUCXgvhAAIbAwUJAeEzgAULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAKCRBU
t+vHIPmns1eWAP4yFFgXk/uVK/PJ2R4EjEYJkZBO1tpURLHPbX42QTS94QEA3So7
idjGnLHbrIyrsVHhxS026t4Nw9yIUgVBX6YTEgI=
-----END PGP PUBLIC KEY BLOCK-----
"""
WITH_CHECKSUM = KEY.encode()
VALID = WITH_CHECKSUM.replace(b"=zrSv\n", b"")
"""Both made by gpg with a clock that said 2020; the first was valid for a year."""

Reply = Callable[[tuple[str, ...]], Answer | None]


def said(*lines: str, code: int = 0) -> Answer:
    """What a program printed; one text may hold several lines."""
    whole = [row for line in lines for row in line.splitlines() if row]
    return Answer(code, tuple(whole))


def when(*words: str, answer: Answer) -> Reply:
    """Answers so for calls that hold all of these words."""
    return lambda argv: answer if set(words) <= set(argv) else None


@dataclass
class Scripted:
    """Programs that answer by the first reply that fits, and are asked nothing else."""

    replies: list[Reply]
    asked: list[tuple[str, ...]] = field(default_factory=list)

    async def ask(
        self, argv: tuple[str, ...], deadline_s: float, environment: Mapping[str, str] | None = None
    ) -> Answer:
        self.asked.append(argv)
        found = (reply(argv) for reply in self.replies)
        answer = next((one for one in found if one is not None), None)
        assert answer is not None, f"nobody expected {argv}"
        return answer


@dataclass
class Shelf:
    """A server with these files; errors are raised for what names one."""

    files: dict[str, bytes | Exception]
    asked: list[str] = field(default_factory=list)

    def get(self, address: str, headers: Mapping[str, str]) -> io.BytesIO:
        self.asked.append(address)
        found = self.files.get(address)
        if isinstance(found, Exception):
            raise found
        if found is None:
            raise HTTPError(address, 404, "Not Found", None, io.BytesIO())  # type: ignore[arg-type]
        return io.BytesIO(found)


def asking(
    folder: Path,
    *replies: Reply,
    shelf: Shelf | None = None,
    host: Host | None = None,
    rows: tuple[str, ...] = (),
) -> Asking:
    """All that preflight asks with; ``rows`` is what dpkg-query lists."""
    machine = host or listed(folder / "machine", *rows)
    web = cast(Web, shelf or Shelf({}))
    return Asking(machine, Scripted(list(replies)), web, folder / "view", NOW)


def listed(
    folder: Path, *rows: str, files: Mapping[str, str] | None = None, **record: object
) -> RecordedHost:
    """A machine with these rows of dpkg's and these files."""
    shown = {"/etc/hostname": "", **(files or {})}
    return make(folder, shown, answers={"DPKG_PACKAGES": list(rows)}, **record)
