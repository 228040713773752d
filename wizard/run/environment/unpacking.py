"""How far an installation is, seen on the disk: pip and uv say nothing while they are at it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.core.events import Output, Progress
from wizard.core.sizes import counted, size_text
from wizard.host.wheel_files import contents, version_of
from wizard.plan.steps import InstallWheels

LOOK_S = 1.0
"""Time without a line of output after which the disk is looked at."""

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


def parcels(step: InstallWheels) -> tuple[Parcel, ...]:
    """What the wheels of a step bring."""
    wheels = sorted(Path(step.staging).glob("*.whl"))
    return tuple(_parcel(Path(step.venv), wheel, step.site) for wheel in wheels)


def _beginning(wheels: Sequence[Parcel], meanwhile: str) -> Output:
    names = ", ".join(parcel.name for parcel in wheels)
    size = size_text(sum(parcel.size for parcel in wheels))
    return Output(
        (
            f"Installing {counted(len(wheels), 'package')}, {size} on disk: {names}",
            f"Large packages can take several minutes: {meanwhile}",
        )
    )


class UnpackingAtOnce:
    """The wheels of an installation by uv: it unpacks all into its cache, then compiles all."""

    def __init__(self, wheels: tuple[Parcel, ...], cache: Path) -> None:
        self._cache = cache
        self._wheels = wheels
        self._size = sum(parcel.size for parcel in wheels)
        files = [file for parcel in wheels for file in parcel.files]
        sources = [(path, size) for path, size in files if path.suffix == ".py"]
        self._sources = len(sources)
        # Byte code takes about as much room as its source.
        self._compiled_size = sum(size for _, size in sources)
        self._folders = {path.parent / "__pycache__" for path, _ in sources}
        self._compiled_before = self._compiled()

    def beginning(self) -> Output:
        """What is going to be installed."""
        return _beginning(self._wheels, "uv unpacks all of them, then compiles their Python files.")

    def look(self) -> News:
        """How far all of it is."""
        compiled = self._compiled() - self._compiled_before
        if compiled > 0:
            what = f"compiling {counted(self._sources, 'Python file')}"
            done = self._size + round(min(1.0, compiled / self._sources) * self._compiled_size)
        else:
            what = f"unpacking {counted(len(self._wheels), 'package')}"
            done = min(self._size, _bytes_in(self._cache))
        return (Progress(done, self._size + self._compiled_size, "bytes", what, None),)

    def _compiled(self) -> int:
        return sum(1 for folder in self._folders for _ in folder.glob("*.pyc"))


class Unpacking:
    """The wheels of an installation by pip, and what was told of each so far."""

    def __init__(self, wheels: tuple[Parcel, ...]) -> None:
        self._left = list(wheels)
        # Of another version that pip will replace, such as the setuptools of a new venv.
        self._there_before = {each.name: each.unpacked() for each in self._left}
        self._done = 0
        self._total = sum(parcel.size for parcel in self._left)
        self._told: set[tuple[str, str]] = set()

    def beginning(self) -> Output:
        """What is going to be installed."""
        return _beginning(self._left, "pip unpacks each one, then compiles its Python files.")

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


def _bytes_in(folder: Path) -> int:
    """Bytes of all files in a folder that is being written."""
    found = (Path(at, name) for at, _, names in os.walk(folder) for name in names)
    return sum(map(_size, found))


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
