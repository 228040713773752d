"""The step that downloads what pip's installation report names, and writes the hashed lock."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wizard.core.events import Output, Progress
from wizard.core.lines import clean
from wizard.core.sizes import counted
from wizard.core.trouble import Trouble
from wizard.plan.steps import FetchWheels
from wizard.system.downloads import Received, fetch_wheels
from wizard.system.lock import (
    Wheel,
    not_a_wheel,
    remarks,
    wheel_at,
    with_known_hashes,
    write_requirements,
)

FORMAT = "1"


def read_report(path: Path) -> tuple[Wheel, ...]:
    """Every wheel of the report; raises Trouble for anything that is not a wheel."""
    return tuple(found for found, _ in _rows(path))


def fetch_reported(
    step: FetchWheels,
    *,
    cancelled: Callable[[], bool],
    environ: Mapping[str, str],
    indexes: tuple[str, ...] = (),
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] | None = None,
    received: Received | None = None,
) -> Iterator[Progress | Output]:
    """Carry the step out; raises Trouble, and ends early, without a lock, when cancelled.

    pip's report carries no logins: those in ``indexes`` serve for files on the same servers.
    """
    rows, received, lock = _rows(Path(step.report)), received or Received(), Path(step.lock)
    published = tuple(found for found, _ in rows)
    wheels = with_known_hashes(published, step.hashes)
    for remark in remarks(published, wheels):
        yield Output((remark,))
    for found, yanked in rows:
        if yanked:
            yield Output((f"{found.file} was withdrawn by its publisher (yanked).",))
    yield from fetch_wheels(
        wheels,
        Path(step.staging),
        cancelled=cancelled,
        environ=environ,
        indexes=indexes,
        clock=clock,
        wait=wait,
        received=received,
    )
    if not cancelled():
        write_requirements(lock, ((each, received.hashes[each.file]) for each in wheels))
        yield Output((f"{lock} lists {counted(len(wheels), 'wheel')}, each with its SHA-256",))


def _rows(path: Path) -> tuple[tuple[Wheel, bool], ...]:
    """Every wheel, and whether its publisher withdrew it."""
    try:
        report = json.loads(path.read_text("utf-8"))
        if report["version"] != FORMAT:
            raise _unreadable(path, f"its format is {report['version']!r}, not {FORMAT!r}")
        return tuple((_wheel(item), bool(item.get("is_yanked"))) for item in report["install"])
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _unreadable(path, f"its structure is unknown ({type(error).__name__})") from None


def _unreadable(path: Path, why: str) -> Trouble:
    return Trouble(
        f"pip's report {path} cannot be used: {clean(why)}.",
        "pip's report lists what to download. Without it, nothing can be downloaded.",
        "Delete the report and run the same command again. pip then writes a new report.",
    )


def _wheel(item: Mapping[str, Any]) -> Wheel:
    name, version = str(item["metadata"]["name"]), str(item["metadata"]["version"])
    place = item["download_info"]
    address = str(place["url"])
    if "archive_info" not in place:
        raise not_a_wheel(address)
    archive = place["archive_info"]
    hashes = archive.get("hashes") or {}
    sha256 = str(hashes.get("sha256", "")) or str(archive.get("hash", "")).removeprefix("sha256=")
    return wheel_at(name, version, address, sha256)
