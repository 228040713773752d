"""The road of the screens to a report for others: gathered, redacted, shown, written."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from screens.report.draft import ReportDraft

if TYPE_CHECKING:
    from wizard.machine.host import Host
    from wizard.places import Places
    from wizard.report.papers import Papers


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
