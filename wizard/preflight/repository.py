"""Asks a repository for the suite and the key of a release, before either is written anywhere."""

from __future__ import annotations

from datetime import datetime

from wizard.core.trouble import Trouble
from wizard.knowledge.releases import Release, Repository
from wizard.preflight.key import BYTES_LIMIT, WrongKey, checked_key
from wizard.preflight.web_files import content_at
from wizard.system.web import Web

HEAD_BYTES = 4096


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
