"""Texts for others: a report, gathered, redacted, shown, written; and what a screen shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.commands.looking import places_of

if TYPE_CHECKING:
    from wizard.host.host import Host


@dataclass(frozen=True, slots=True)
class ReportDraft:
    """What would leave this machine, and how to write it."""

    path: str
    """The folder where it would go, unless its owner says otherwise."""
    lines: tuple[str, ...]
    """Each file with what was replaced in it, then the whole text of each."""
    about: tuple[str, ...]
    """The files with what was replaced in each, alone."""
    command: str
    """The shell line that writes the same."""
    write: Callable[[str], str]
    """Into a new folder at this path, and as one file beside it; gives both. Raises Trouble."""


class Reports:
    """Texts about one machine. Nothing is written but in a live start."""

    def __init__(self, host: Host, *, live: bool) -> None:
        self._host, self._places, self._live = host, places_of(host), live

    def draft(self) -> ReportDraft:
        """Looks at the machine, which takes a while; writes nothing."""
        from wizard.conv2d.cards.card_form import place_of
        from wizard.report.bundle import papers_of, preview_lines, whole_lines, write_folder
        from wizard.report.sources import gather

        home, papers = self._places.home, papers_of(gather(self._host, self._places))

        def write(typed: str) -> str:
            self._check_live()
            return " and ".join(map(str, write_folder(papers, place_of(typed, home), zipped=True)))

        return ReportDraft(
            path=f"{home}/rdna1-report-{_now()}",
            lines=tuple(whole_lines(papers)),
            about=tuple(preview_lines(papers)),
            command="rdna1-setup report --folder DIR --zip",
            write=write,
        )

    def save(self, name: str, text: str) -> str:
        """Writes a text under a name and gives its path."""
        self._check_live()
        folder = Path(self._places.state) / "saved"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{_now()}-{Path(name).name}"
        path.write_text(text, "utf-8", "backslashreplace")  # a name in it may be of any bytes
        return str(path)

    def _check_live(self) -> None:
        if not self._live:
            raise ValueError("a dry run writes nothing")


def _now() -> str:
    return f"{datetime.now().astimezone():%Y%m%d-%H%M%S}"
