"""Asks a repository for the suite and the key of a release, before either is written anywhere."""

from __future__ import annotations

import asyncio
import http.client
from datetime import datetime, timezone
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit

from wizard.apt.openpgp import NotAKey, PublicKey, in_letters, public_keys
from wizard.core.trouble import Trouble
from wizard.knowledge.stacks import Release, Repository
from wizard.system.web import Web, name_failure

BYTES_LIMIT = 256 * 1024
REMEDY = (
    "Check what is at the address. If the mirror intentionally uses another key, specify that "
    "key's fingerprint with --rocm-key-fingerprint."
)
HEAD_BYTES = 4096
ABSENT = frozenset({403, 404, 410})
"""Answers for what is not there: storage services say 403."""


class WrongKey(Trouble):
    """Why a key is not taken."""


async def find_suite(
    web: Web, repository: Repository, entry: Release, suites: tuple[str, ...]
) -> str:
    """The first of the suites whose InRelease is there; raises Trouble where none is."""
    place = f"{repository.address}/{entry.directory}/dists"
    for suite in suites:
        if await content_at(web, f"{place}/{suite}/InRelease", HEAD_BYTES):
            return suite
    raise Trouble(
        f"{repository.address}/{entry.directory} has no suite for this system (tried: "
        f"{', '.join(suites)}).",
        f"ROCm {entry.version} has moved, or this mirror does not have it. Nothing was changed.",
        f"Open {place}/ in a browser to see its suites. Name another mirror with --rocm-repo, "
        "or use --footprint venv, which needs no repository.",
    )


async def fetch_key(web: Web, repository: Repository, now: datetime) -> str:
    """The key in letters, its fingerprint and validity checked; raises Trouble.

    The places are asked in order. What a key that was found is refused for is told before what
    keeps another place from answering.
    """
    unreached = Trouble(
        f"There is no key at {' or '.join(repository.keys)}.",
        "Without a key, apt cannot check who made the packages. Nothing was changed.",
        "Save the key as rocm.gpg.key next to the copy of the repository, or use AMD's server.",
    )
    wrong: Trouble | None = None
    for address in repository.keys:
        try:
            content = await content_at(web, address, BYTES_LIMIT)
            if content:
                return checked_key(content, repository.fingerprint, address, now)
        except WrongKey as trouble:
            wrong = wrong or trouble
        except Trouble as trouble:
            unreached = trouble
    raise wrong or unreached


def checked_key(content: bytes, fingerprint: str, address: str, now: datetime) -> str:
    """The key in letters; raises WrongKey."""
    wanted = plain_fingerprint(fingerprint)
    try:
        keys = public_keys(content[:BYTES_LIMIT])
    except NotAKey as error:
        raise WrongKey(
            f"{address} has no readable key: {error}.",
            "That address returned something other than a key, such as a login page or a proxy's "
            "message. Nothing was changed.",
            f"Open the address in a browser. {REMEDY}",
        ) from None
    # One more key in the file would be trusted just as much.
    others = [key.fingerprint for key in keys if key.fingerprint != wanted]
    if others:
        raise WrongKey(
            f"{address} contains the key {spaced(others[0])} instead of {spaced(wanted)}.",
            "This is someone else's key, and its owner could put anything into these packages. "
            "Nothing was changed.",
            REMEDY,
        )
    return _valid(keys[0], content, address, now)


def plain_fingerprint(text: str) -> str:
    """A fingerprint as it is compared, however somebody writes it."""
    return "".join(text.split()).replace(":", "").upper().removeprefix("0X")


def spaced(fingerprint: str) -> str:
    """A fingerprint for people, in groups of four."""
    return " ".join(fingerprint[start : start + 4] for start in range(0, len(fingerprint), 4))


def _valid(key: PublicKey, content: bytes, address: str, now: datetime) -> str:
    if key.expires is not None and key.expires <= now.timestamp():
        end = datetime.fromtimestamp(key.expires, timezone.utc)
        raise WrongKey(
            f"The key at {address} was valid until {end:%Y-%m-%d}, but today is {now:%Y-%m-%d}.",
            "apt would refuse everything signed with it. Either the file is an old copy, or this "
            "machine's clock is wrong. Nothing was changed.",
            "Check the date. Then ask the operator of the mirror for the newer key, or use AMD's "
            "server.",
        )
    if key.created > now.timestamp():
        raise WrongKey(
            f"The key at {address} has a creation date later than today's date, {now:%Y-%m-%d}.",
            "This machine's clock is slow, so apt would refuse signatures from the future. "
            "Nothing was changed.",
            "Set the clock (timedatectl shows it), then run the same command again.",
        )
    return in_letters(content)


async def content_at(web: Web, address: str, limit: int) -> bytes | None:
    """The beginning of a file, None where there is none; raises Trouble when nobody answers."""
    return await asyncio.to_thread(_content, web, address, limit)


def _content(web: Web, address: str, limit: int) -> bytes | None:
    parts = urlsplit(address)
    try:
        if parts.scheme == "file":
            with Path(unquote(parts.path)).open("rb") as file:
                return file.read(limit)
        with web.get(address, {}) as answer:
            return answer.read(limit)
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()
        if parts.scheme == "file" or (isinstance(error, HTTPError) and error.code in ABSENT):
            return None
        why = name_failure(error, address)
        meaning = f"{why.meaning} Nothing was changed."
        raise Trouble(why.happened, meaning, why.next_step) from None
