"""One file, whole and checked: what a dropped line or a kill leaves is used, never trusted."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.core.events import Output
from wizard.core.trouble import Trouble
from wizard.run.downloads.network import name_failure, worth_retrying
from wizard.run.downloads.partial import Staged, digest
from wizard.run.downloads.receive import Reached, receive
from wizard.run.downloads.web import Web

PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Waits before the next try; after the last one it is Trouble."""
WORTH_A_NEW_COUNT = 1 << 20
"""A try that brought this many bytes starts the count of tries again."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file on a server, and where it shall be."""

    address: str
    path: Path
    sha256: str
    """``""`` when nobody published one."""


@dataclass(frozen=True, slots=True)
class Patience:
    """When to stop, and how to wait."""

    cancelled: Callable[[], bool]
    wait: Callable[[float], None]


Download = Iterator[Reached | Output]


def download(wanted: Wanted, web: Web, patience: Patience) -> Download:
    """Everything until the file is whole, checked and at its place; ends early when cancelled."""
    staged = Staged(wanted.path)
    resumed = staged.usable(wanted.sha256) > 0
    yield from _until_whole(wanted, staged, web, patience)
    if patience.cancelled() or not (found := digest(staged.part, patience.cancelled)):
        return
    if found == wanted.sha256 or not wanted.sha256:
        staged.settle(found, published=bool(wanted.sha256))
        return
    staged.forget()
    if not resumed:
        raise wrong_hash(wanted.path.name, wanted.sha256, found)
    yield Output(
        (
            f"{wanted.path.name}: the partial download from an earlier run was damaged. "
            "Downloading the file again.",
        )
    )
    yield from download(wanted, web, patience)


def wrong_hash(name: str, expected: str, found: str) -> Trouble:
    """A file whose content is not the one that was meant."""
    return Trouble(
        f"{name} has the wrong SHA-256: expected {expected}, got {found}.",
        "The file was damaged in transit, or replaced on the server. It was deleted without being "
        "installed.",
        "Run the same command again. If it fails a second time, use another network or index.",
    )


def _until_whole(wanted: Wanted, staged: Staged, web: Web, patience: Patience) -> Download:
    pauses = iter(PAUSES_S)
    while not patience.cancelled():
        before = staged.usable(wanted.sha256)
        try:
            yield from receive(wanted.address, wanted.sha256, staged, web, patience.cancelled)
            return
        except (OSError, http.client.HTTPException) as error:
            if staged.usable(wanted.sha256) - before >= WORTH_A_NEW_COUNT:
                pauses = iter(PAUSES_S)
            trouble = name_failure(error, wanted.address)
            pause = next(pauses, None)
            if pause is None or not worth_retrying(error):
                raise trouble from None
            yield Output((f"{trouble.happened} Trying again in {pause:.0f} s.",))
            patience.wait(pause)
