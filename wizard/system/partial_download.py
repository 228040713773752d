"""The start of a file that is being fetched, and what the server said of the whole of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.system.whole_file import sync, write_whole

if TYPE_CHECKING:
    from email.message import Message


@dataclass(frozen=True, slots=True)
class Mark:
    """What tells whether the file on the server is still the one that we began."""

    expected: str
    """SHA-256 that the file must have; ``""`` when nobody published one."""
    etag: str
    last_modified: str
    size: int | None

    @property
    def validator(self) -> str:
        """What If-Range may carry: a strong ETag, else a date; ``""`` without either."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified


@dataclass(frozen=True, slots=True)
class PartialDownload:
    """One file's three names in the folder."""

    whole: Path

    @property
    def part(self) -> Path:
        """Where the bytes go until all are there and checked."""
        return self.whole.with_name(f"{self.whole.name}.part")

    @property
    def state(self) -> Path:
        """Where the Mark is kept, or the hash that we computed ourselves."""
        return self.whole.with_name(f"{self.whole.name}.json")

    def mark(self) -> Mark | None:
        """The Mark as it was left; None for none and for anything that is not one."""
        kept = self._kept()
        try:
            mark = Mark(**kept)
        except TypeError:
            return None
        texts = (mark.expected, mark.etag, mark.last_modified)
        sized = mark.size is None or (type(mark.size) is int and mark.size >= 0)
        return mark if sized and all(_plain(text) for text in texts) else None

    def computed(self) -> str:
        """The SHA-256 that was recorded because no hash was published; ``""`` for none."""
        found = self._kept().get("computed", "")
        return found if isinstance(found, str) else ""

    def _kept(self) -> dict[str, Any]:
        try:
            kept = json.loads(self.state.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}  # never written, cut off, or not ours: the file simply starts again
        return kept if isinstance(kept, dict) else {}

    def remember(self, mark: Mark) -> None:
        """Keep the Mark for the next run."""
        write_whole(self.state, json.dumps(asdict(mark)))

    def record(self, computed: str) -> None:
        """Keep the hash that we computed, beside the finished file."""
        write_whole(self.state, json.dumps({"computed": computed}))

    def usable(self, expected: str) -> int:
        """How many bytes of the part may be kept if the server still has the same file."""
        mark = self.mark()
        if mark is None or mark.expected != expected or not (expected or mark.validator):
            return 0
        have = self.part.stat().st_size if self.part.is_file() else 0
        if mark.size is None:
            return have
        # With no hash to check against, the server must confirm at least the last byte.
        return 0 if have > mark.size else have if expected else min(have, max(mark.size - 1, 0))

    def forget(self) -> None:
        """Remove the part and what is known of it."""
        self.part.unlink(missing_ok=True)
        self.state.unlink(missing_ok=True)

    def settle(self, computed: str, *, published: bool) -> None:
        """Give the finished part, which is on the disk, its name, safe against a power cut."""
        if not published:
            self.record(computed)
        self.part.replace(self.whole)
        sync(self.whole.parent)
        if published:
            self.state.unlink(missing_ok=True)


def _plain(text: object) -> bool:
    """Fit for a header: an ASCII text without line ends."""
    return isinstance(text, str) and text.isascii() and (text.isprintable() or not text)


def mark_of(expected: str, headers: Message, size: int | None) -> Mark:
    """The Mark of the file that an answer belongs to."""
    etag, modified = headers.get("ETag", ""), headers.get("Last-Modified", "")
    return Mark(expected, etag if _plain(etag) else "", modified if _plain(modified) else "", size)
