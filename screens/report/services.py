"""A report for others, as the screens are given it: gathered, redacted, shown, written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.machine.host import Host
    from wizard.places import Places
    from wizard.report.papers import Papers


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
    write: Callable[[str], str] | None
    """Into a new folder at this path, and as one file beside it; gives their paths. Raises Trouble.
    None where nothing may be written: in a dry run and a demo."""


def draft_report(host: Host, places: Places, *, live: bool) -> ReportDraft:
    """Looks at the machine, which takes a while; writes nothing."""
    from wizard.report.gathered import gather
    from wizard.report.papers import papers_of
    from wizard.report.preview import preview_lines, whole_lines

    papers = papers_of(gather(host, places))
    path = f"{places.home}/rdna1-report-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    return ReportDraft(
        path=path,
        lines=tuple(whole_lines(papers)),
        about=tuple(preview_lines(papers)),
        command="rdna1-setup report --folder DIR --zip",
        write=partial(_write, papers, places) if live else None,
    )


def _write(papers: Papers, places: Places, typed: str) -> str:
    from wizard.conv2d.cards.handed_out import place_of
    from wizard.report.writing import write_folder

    return " and ".join(map(str, write_folder(papers, place_of(typed, places.home), zipped=True)))
