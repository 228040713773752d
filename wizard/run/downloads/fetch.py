"""Fetches every wheel of pip's report into the staging folder and writes the hashed lock."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from wizard.core.events import Output, Progress
from wizard.core.lines import clean
from wizard.core.sizes import counted
from wizard.core.stoppable import pause
from wizard.core.time_left import Pace
from wizard.core.trouble import Trouble
from wizard.plan.steps import FetchWheels
from wizard.run.downloads.download import Patience, Wanted, download, wrong_hash
from wizard.run.downloads.fetch_items import (
    Item,
    Tally,
    as_found,
    whole_size,
    with_known_hashes,
    with_sizes,
)
from wizard.run.downloads.hashed import write_lock
from wizard.run.downloads.line_speed import Received
from wizard.run.downloads.partial import Staged, digest
from wizard.run.downloads.receive import Reached
from wizard.run.downloads.resolution import Wheel, read_report, unlabelled
from wizard.run.downloads.space import in_words, require, write_failure
from wizard.run.downloads.web import Web, open_web

Fetching = Iterator[Progress | Output]


def fetch_wheels(
    step: FetchWheels,
    *,
    cancelled: Callable[[], bool],
    indexes: tuple[str, ...] = (),
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] | None = None,
    received: Received | None = None,
) -> Fetching:
    """Carry the step out; raises Trouble, and ends early, without a lock, when cancelled.

    pip's report carries no logins: those in ``indexes`` serve for files on the same servers.
    ``received`` counts what came over the line.
    """
    staging, patience = Path(step.staging), Patience(cancelled, wait or partial(pause, cancelled))
    try:
        staging.mkdir(parents=True, exist_ok=True)
        published = read_report(Path(step.report))
        wheels = with_known_hashes(published, dict(step.hashes))
        yield from _warnings(published, wheels)
        web = open_web(os.environ, indexes)
        items = with_sizes(
            tuple(as_found(wheel, staging, patience) for wheel in wheels), web, cancelled
        )
        yield Output((f"{counted(len(items), 'wheel')}, {_all_told(items)}",))
        require(sum(item.missing for item in items), staging)
        yield from _all(items, web, patience, clock, received or Received())
        if not cancelled():
            yield _locked(Path(step.lock), items)
    except OSError as error:
        raise write_failure(error, staging, None) from None


def _warnings(published: tuple[Wheel, ...], wheels: tuple[Wheel, ...]) -> Iterator[Output]:
    for theirs, ours in zip(published, wheels, strict=True):
        if theirs.sha256 not in ("", ours.sha256):
            yield Output(
                (
                    f"The index lists a different SHA-256 for {ours.file}. rdna1-setup uses the "
                    "one in the plan.",
                )
            )
        if ours.yanked:
            yield Output((f"{ours.file} was withdrawn by its publisher (yanked).",))
    for wheel in unlabelled(wheels):
        yield Output(
            (
                f"{wheel.file} has no label such as +rocm5.2 in its version. It may come from "
                "PyPI and may have been built for other hardware.",
            )
        )


def _all_told(items: tuple[Item, ...]) -> str:
    size = whole_size(item.size for item in items)
    return (
        ("size unknown, because not every server reports it")
        if size is None
        else f"{in_words(size)} in all"
    )


def _all(
    items: tuple[Item, ...],
    web: Web,
    patience: Patience,
    clock: Callable[[], float],
    received: Received,
) -> Fetching:
    tally = Tally(items)
    pace = Pace(clock)
    for item in items:
        if patience.cancelled():
            return
        before, began = tally.done, clock()
        yield from _one(item, web, patience, tally, pace)
        if not item.kept and not item.source:
            received.add(tally.done - before, clock() - began)


def _one(item: Item, web: Web, patience: Patience, tally: Tally, pace: Pace) -> Fetching:
    file = item.wheel.file
    if item.kept:
        yield Output((f"{file} is already downloaded, and its SHA-256 matches",))
        return
    yield Output((_announcement(item),))
    if item.source:
        _take_local(item, item.source, patience)
    else:
        yield from _download(item, web, patience, tally, pace)
    if item.path.is_file():
        size = item.path.stat().st_size
        tally.reached(file, size, size)
        if progress := pace.tell(tally.done, tally.total, file, always=True):
            yield progress
        yield Output((_checked(item),))


def _download(item: Item, web: Web, patience: Patience, tally: Tally, pace: Pace) -> Fetching:
    wanted = Wanted(item.wheel.address, item.path, item.wheel.sha256)
    for news in download(wanted, web, patience):
        match news:
            case Reached(done, size):
                tally.reached(item.wheel.file, done, size)
                if progress := pace.tell(tally.done, tally.total, item.wheel.file):
                    yield progress
            case Output():
                yield news


def _announcement(item: Item) -> str:
    size = "unknown size" if item.size is None else in_words(item.size)
    place = clean(urlsplit(item.wheel.address).hostname or "this machine")
    going_on = f", resuming after {in_words(item.present)}" if item.present else ""
    return f"{item.wheel.file}: {size} from {place}{going_on}"


def _checked(item: Item) -> str:
    if item.wheel.sha256:
        return f"{item.wheel.file}: the SHA-256 matches"
    computed = Staged(item.path).computed()
    return (
        f"{item.wheel.file}: no hash was published to check it against. Its SHA-256 {computed} "
        "was computed and recorded here"
    )


def _take_local(item: Item, source: Path, patience: Patience) -> None:
    staged = Staged(item.path)
    staged.forget()
    try:
        _link_or_copy(source.resolve(strict=True), staged.part)
    except FileNotFoundError:
        raise Trouble(
            f"{clean(str(source))} no longer exists.",
            "pip found it a moment ago, but it has been moved or removed since.",
            "Put the file back, then run the same command again.",
        ) from None
    found = digest(staged.part, patience.cancelled)
    if found and item.wheel.sha256 not in ("", found):
        staged.forget()
        raise wrong_hash(item.wheel.file, item.wheel.sha256, found)
    if found:
        staged.settle(found, published=bool(item.wheel.sha256))


def _link_or_copy(source: Path, target: Path) -> None:
    """A second name for the file costs no space; across file systems it takes a copy."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)


def _locked(lock: Path, items: tuple[Item, ...]) -> Output:
    write_lock(lock, ((item.wheel, _proven(item)) for item in items))
    return Output((f"{lock} lists {counted(len(items), 'wheel')}, each with its SHA-256",))


def _proven(item: Item) -> str:
    return item.kept or item.wheel.sha256 or Staged(item.path).computed()
