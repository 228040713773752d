"""A Python for machines that have none that fits: the archive that uv would fetch there."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import shutil
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from wizard.core.events import Done, Output, Progress
from wizard.core.trouble import Trouble
from wizard.system.downloads import Wanted, fetch_files
from wizard.system.system import News, System
from wizard.system.uv import install_python, list_pythons
from wizard.system.web import Web, name_failure, open_web

LISTED_S = 60.0
INSTALLED_S = 600.0
LONGEST = 1 << 20
QUIET = (("UV_NO_CONFIG", "1"), ("NO_COLOR", "1"))


@dataclass(frozen=True, slots=True)
class Archive:
    """One archive of a Python, and where uv looks for it below a mirror."""

    address: str

    @property
    def place(self) -> str:
        """Its path below a mirror: the day of the release, and the file."""
        return "/".join(unquote(urlsplit(self.address).path).split("/")[-2:])

    @property
    def file(self) -> str:
        """Its name."""
        return self.place.rpartition("/")[2]


async def bring_python(
    uv: str, minor: str, architecture: str, mirror: Path, installed: Path, system: System
) -> News:
    """Fetch the archive into the mirror, and install it from there: so uv checks it.

    The installed one chooses the wheels here. Raises Trouble.
    """
    archive = await _archive(uv, minor, architecture, system)
    path = mirror / archive.place
    path.parent.mkdir(parents=True, exist_ok=True)
    async with aclosing(_fetched(archive, path, system)) as news:
        async for each in news:
            yield each
    try:
        async for output in _install(uv, minor, mirror, installed, system):
            yield output
    except Trouble as trouble:
        path.unlink(missing_ok=True)
        shutil.rmtree(installed, ignore_errors=True)
        raise Trouble(
            f"uv could not install Python {minor} from {path.name}: {trouble.happened}",
            "The archive was damaged in transit, or was changed on the server. It was deleted.",
            "Run the same command again. If it fails a second time, use another network.",
        ) from None
    yield Done(f"{path.name} is downloaded, and uv can install Python {minor} from it")


async def _archive(uv: str, minor: str, architecture: str, system: System) -> Archive:
    argv = list_pythons(uv, minor)
    text = ""
    async for output in system.run(argv, system.environment(QUIET), LISTED_S):
        text += "\n".join(output.lines)
    try:
        rows = json.loads(text)
        found = [str(row["url"]) for row in rows if _fits(row, architecture)]
    except (ValueError, LookupError, TypeError) as error:
        raise _no_python(
            minor, f"uv's list of Pythons could not be read ({type(error).__name__})"
        ) from None
    if not found:
        raise _no_python(minor, f"uv has none for Linux on {architecture}")
    return Archive(found[0])


def _fits(row: dict[str, str], architecture: str) -> bool:
    wanted = {"implementation": "cpython", "os": "linux", "libc": "gnu", "variant": "default"}
    return row["arch"] == architecture and all(row[name] == text for name, text in wanted.items())


def _no_python(minor: str, why: str) -> Trouble:
    return Trouble(
        f"Python {minor} cannot be downloaded: {why}.",
        "The machines that this folder is for have no suitable Python, so the folder must "
        "include one.",
        f"Install Python {minor} and its venv module on the target machines, and record one of "
        "them again. Or update uv here.",
    )


async def _fetched(
    archive: Archive, path: Path, system: System
) -> AsyncGenerator[Progress | Output, None]:
    news = _downloaded(archive, path, system)
    while (each := await asyncio.to_thread(next, news, None)) is not None:
        yield each


def _downloaded(archive: Archive, path: Path, system: System) -> Iterator[Progress | Output]:
    if path.is_file():
        yield Output((f"{path.name} is already downloaded",))
        return
    sha256 = _published(archive, open_web(system.environ))
    yield from fetch_files(
        [Wanted(archive.address, path, sha256)],
        path.parent,
        "file",
        cancelled=system.cancelled,
        environ=system.environ,
    )


def _published(archive: Archive, web: Web) -> str:
    """The SHA-256 that stands beside the archive. Raises Trouble."""
    address = f"{archive.address.rpartition('/')[0]}/SHA256SUMS"
    try:
        with web.get(address, {}) as answer:
            text = answer.read(LONGEST).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        raise name_failure(error, address) from None
    rows = (line.split() for line in text.splitlines())
    hashes = [row[0] for row in rows if len(row) == 2 and row[1].lstrip("*") == archive.file]
    if not hashes or not re.fullmatch(r"[0-9a-f]{64}", hashes[0]):
        raise _no_python(archive.file, f"{address} has no hash for it")
    return hashes[0]


async def _install(
    uv: str, minor: str, mirror: Path, installed: Path, system: System
) -> AsyncGenerator[Output, None]:
    argv = install_python(uv, minor, str(installed), mirror.as_uri())
    async for output in system.run(argv, system.environment(QUIET), INSTALLED_S):
        yield output


def installed_python(installed: Path, minor: str) -> Path | None:
    """The Python that uv put there; None where it did not."""
    found = installed.glob(f"cpython-{minor}*/bin/python{minor}")
    return next((path for path in sorted(found) if path.exists()), None)
