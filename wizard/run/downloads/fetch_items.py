"""The wheels of one fetch: what is there already, how big the rest is, how far all of it is."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from wizard.core.stoppable import Aside, Left
from wizard.run.downloads.download import Patience
from wizard.run.downloads.partial import Staged, digest
from wizard.run.downloads.resolution import Wheel
from wizard.run.downloads.web import Web


@dataclass(frozen=True, slots=True)
class Item:
    """One wheel on its way into the staging folder."""

    wheel: Wheel
    path: Path
    kept: str = ""
    """SHA-256 of the right file, when it is in staging already."""
    size: int | None = None
    """In bytes, as far as it is known beforehand."""

    @property
    def source(self) -> Path | None:
        """Where a wheel lies that is on this machine anyway."""
        parts = urlsplit(self.wheel.address)
        return Path(unquote(parts.path)) if parts.scheme == "file" else None

    @property
    def missing(self) -> int:
        """Bytes that still have to be written, as far as that is known."""
        if self.size is None or (self.source and _same_disk(self.source, self.path.parent)):
            return 0
        return self.size - self.present

    @property
    def present(self) -> int:
        """Bytes that are in staging already."""
        if self.kept:
            return self.size or 0
        return 0 if self.source else Staged(self.path).usable(self.wheel.sha256)


def _same_disk(file: Path, folder: Path) -> bool:
    """True where a second name for the file is enough; elsewhere it must be copied."""
    return file.stat().st_dev == folder.stat().st_dev


def with_known_hashes(wheels: Iterable[Wheel], known: Mapping[str, str]) -> tuple[Wheel, ...]:
    """The wheels with our own SHA-256 wherever we have one."""
    return tuple(replace(wheel, sha256=known.get(wheel.file, wheel.sha256)) for wheel in wheels)


def as_found(wheel: Wheel, staging: Path, patience: Patience) -> Item:
    """The wheel as staging has it; a file with another content is removed."""
    item = Item(wheel, staging / wheel.file)
    if not item.path.is_file():
        return item
    expected = wheel.sha256 or Staged(item.path).computed()
    found = digest(item.path, patience.cancelled)
    if found and found == expected:
        return replace(item, kept=found, size=item.path.stat().st_size)
    if found:
        item.path.unlink()
    return item


def with_sizes(
    items: tuple[Item, ...], web: Web, cancelled: Callable[[], bool]
) -> tuple[Item, ...]:
    """The items with the sizes that their servers announce; without them where that fails."""
    try:
        with Aside(cancelled) as aside:
            return tuple(_sized(item, web, aside) for item in items)
    except (OSError, http.client.HTTPException):
        return items  # the download itself will meet the same failure, retry it and name it
    except Left:
        return items


def _sized(item: Item, web: Web, aside: Aside) -> Item:
    return item if item.kept else replace(item, size=aside.call(lambda: _size(item, web)))


def _size(item: Item, web: Web) -> int | None:
    if item.source:
        return item.source.stat().st_size
    return web.size(item.wheel.address)


def whole_size(sizes: Iterable[int | None]) -> int | None:
    """Bytes of all of them; None where one size is not known."""
    told = tuple(sizes)
    return None if None in told else sum(size or 0 for size in told)


class Tally:
    """Bytes on the disk and bytes in all, over every item."""

    def __init__(self, items: tuple[Item, ...]) -> None:
        self._sizes = {item.wheel.file: item.size for item in items}
        self._done = {item.wheel.file: item.present for item in items}

    def reached(self, file: str, done: int, size: int | None) -> None:
        """Note how far one file is."""
        self._done[file] = done
        if size is not None:
            self._sizes[file] = size

    @property
    def done(self) -> int:
        """Bytes on the disk."""
        return sum(self._done.values())

    @property
    def total(self) -> int:
        """Bytes in all; 0 while one size is unknown."""
        return whole_size(self._sizes.values()) or 0
