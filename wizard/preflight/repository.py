"""Asks a repository for the suite and the key of a release, before either is written anywhere."""

from __future__ import annotations

from datetime import datetime

from wizard.knowledge.stacks import Release, Repository
from wizard.preflight.key import BYTES_LIMIT, checked_key
from wizard.preflight.refusal import Refusal, Refused
from wizard.preflight.web_files import content_at
from wizard.system.web import Web

HEAD_BYTES = 4096


async def find_suite(
    web: Web, repository: Repository, entry: Release, suites: tuple[str, ...]
) -> str:
    """The first of the suites whose InRelease is there; raises Refused where none is."""
    place = f"{repository.address}/{entry.directory}/dists"
    for suite in suites:
        if await content_at(web, f"{place}/{suite}/InRelease", HEAD_BYTES):
            return suite
    raise Refused(
        Refusal(
            f"{repository.address}/{entry.directory} has no suite for this system (tried: "
            f"{', '.join(suites)}).",
            f"ROCm {entry.version} has moved, or this mirror does not have it. Nothing was "
            "changed.",
            f"Open {place}/ in a browser to see its suites. Name another mirror with --rocm-repo, "
            "or use --footprint venv, which needs no repository.",
        )
    )


async def fetch_key(web: Web, repository: Repository, now: datetime) -> str:
    """The key in letters, its fingerprint and validity checked; raises Refused.

    The places are asked in order. What a key that was found is refused for is told before what
    keeps another place from answering.
    """
    refusal = Refusal(
        f"There is no key at {' or '.join(repository.keys)}.",
        "Without a key, apt cannot check who made the packages. Nothing was changed.",
        "Save the key as rocm.gpg.key next to the copy of the repository, or use AMD's server.",
    )
    wrong: Refusal | None = None
    for address in repository.keys:
        try:
            content = await content_at(web, address, BYTES_LIMIT)
        except Refused as refused:
            refusal = refused.refusal
            continue
        if content:
            found = checked_key(content, repository.fingerprint, address, now)
            if isinstance(found, str):
                return found
            wrong = wrong or found
    raise Refused(wrong or refusal)
