"""How far an installation is, seen on the disk: pip says nothing while it unpacks and compiles."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.run.environment.wheel_files import contents, version_of
from wizard.run.events import Output, Progress
from wizard.sizes import counted, size_text

LOOK_S = 1.0
"""Time without a line of pip's after which the disk is looked at."""

News = tuple[Output | Progress, ...]


@dataclass(frozen=True, slots=True)
class Parcel:
    """What a wheel brings into a venv."""

    name: str
    files: tuple[tuple[Path, int], ...]
    """Each with its size in bytes."""
    size: int
    mark: Path
    """pip writes this file when it is done with the wheel."""

    def unpacked(self) -> int:
        """Bytes that are there now."""
        return sum(min(_size(path), size) for path, size in self.files)


class Unpacking:
    """The wheels of one installation, and what was told of each so far."""

    def __init__(self, venv: Path, staging: Path, site: str = "") -> None:
        self._left = [_parcel(venv, wheel, site) for wheel in sorted(staging.glob("*.whl"))]
        # Of another version that pip will replace, such as the setuptools of a new venv.
        self._there_before = {each.name: each.unpacked() for each in self._left}
        self._done = 0
        self._total = sum(parcel.size for parcel in self._left)
        self._told: set[tuple[str, str]] = set()

    def beginning(self) -> Output:
        """What is going to be installed."""
        names = ", ".join(parcel.name for parcel in self._left)
        return Output(
            (
                f"Installing {counted(len(self._left), 'package')}, {size_text(self._total)} on "
                f"disk: {names}",
                "Large packages can take several minutes: pip unpacks each one, then compiles its "
                "Python files.",
            )
        )

    def look(self) -> News:
        """What pip is at, and how far all of it is."""
        for parcel in [each for each in self._left if each.mark.exists()]:
            self._left.remove(parcel)
            self._done += parcel.size
        begun = [
            (each, found)
            for each in self._left
            if (found := each.unpacked()) not in (0, self._there_before[each.name])
        ]
        done = self._done + sum(found for _, found in begun)
        what = _what(*begun[0]) if begun else ("", "")
        return (
            *self._new(what),
            Progress(done, self._total, "bytes", " ".join(what).strip(), None),
        )

    def _new(self, what: tuple[str, str]) -> tuple[Output, ...]:
        if what in self._told or not any(what):
            return ()
        self._told.add(what)
        return (Output((" ".join(what),)),)


def _what(parcel: Parcel, unpacked: int) -> tuple[str, str]:
    if unpacked < parcel.size:
        return f"{parcel.name}:", f"unpacking {len(parcel.files)} files, {size_text(parcel.size)}"
    sources = sum(path.suffix == ".py" for path, _ in parcel.files)
    return f"{parcel.name}:", f"compiling {sources} Python file{'' if sources == 1 else 's'}"


def _parcel(venv: Path, wheel: Path, site: str) -> Parcel:
    name, version = version_of(wheel)
    files = tuple(contents(venv, wheel, site))
    info = next((path.parent for path, _ in files if path.name == "METADATA"), venv)
    size = sum(size for _, size in files)
    return Parcel(f"{canonicalize_name(name)} {version}", files, size, info / "INSTALLER")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


async def with_looks(
    outputs: AsyncGenerator[Output, None], look: Callable[[], News], every_s: float = LOOK_S
) -> AsyncGenerator[Output | Progress, None]:
    """The output as it comes, and what a look shows whenever none comes for a while."""
    async with aclosing(outputs):
        coming = asyncio.ensure_future(_next(outputs))
        try:
            while True:
                await asyncio.wait({coming}, timeout=every_s)
                if not coming.done():
                    for news in await asyncio.to_thread(look):
                        yield news
                elif (item := coming.result()) is None:
                    return
                else:
                    coming = asyncio.ensure_future(_next(outputs))
                    yield item
        finally:
            if not coming.done():
                coming.cancel()
                with suppress(asyncio.CancelledError):
                    await coming


async def _next(outputs: AsyncGenerator[Output, None]) -> Output | None:
    return await anext(outputs, None)
