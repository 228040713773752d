"""Looking for a text in a log that goes on: its hits, and the one that is looked at."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from screens.run.kept_lines import KeptLines


class LogSearch:
    """The lines in which a text stands, oldest first; new lines add to them, forgotten ones go."""

    def __init__(self, lines: KeptLines) -> None:
        self._lines = lines
        self._searched = 0
        self._hits: list[int] = []
        self.text = ""
        self.current: int | None = None
        """The number of the line that is looked at."""

    def begin(self, text: str, near: int) -> None:
        """Looks for another text; the last hit up to the line ``near`` comes first."""
        self.text, self._hits, self._searched, self.current = text, [], 0, None
        self.go_on()
        if self._hits:
            self.current = self._hits[max(0, bisect_right(self._hits, near) - 1)]

    def go_on(self) -> None:
        """Looks at the lines that came since."""
        if self.text:
            self._hits += self._lines.having(self.text, self._searched)
        self._searched = self._lines.end
        del self._hits[: bisect_left(self._hits, self._lines.first)]
        if self.current is not None and self.current < self._lines.first:
            self.current = self._hits[0] if self._hits else None

    def move(self, by: int) -> None:
        """Looks at another hit; beyond the oldest and the newest there is none."""
        if self.current is None:
            self.current = self._hits[-1] if self._hits else None
            return
        place = bisect_left(self._hits, self.current) + by
        self.current = self._hits[min(max(place, 0), len(self._hits) - 1)]

    def is_hit(self, number: int) -> bool:
        """True where the text stands."""
        place = bisect_left(self._hits, number)
        return place < len(self._hits) and self._hits[place] == number

    def __str__(self) -> str:
        if not self.text:
            return ""
        if not self._hits:
            return "in no line"
        count = f"{len(self._hits):,} line{'' if len(self._hits) == 1 else 's'}"
        if self.current is None:
            return count
        return f"{bisect_left(self._hits, self.current) + 1:,} of {count}"
