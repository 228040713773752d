"""What would leave this machine with a report: each file, its size, and what was replaced in it."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator

from wizard.core.amounts import size_text
from wizard.core.lines import clean
from wizard.report.papers import Papers
from wizard.report.units import WIDTH

SENDS_NOTHING = (
    "This program sends nothing: you decide what to attach. Read the report before you attach it. "
    "Known forms of secrets are replaced, but some may remain. The names of folders in your home "
    "directory are not replaced."
)


def preview_lines(papers: Papers) -> Iterator[str]:
    """The files with what was replaced in each, then what is not there."""
    for paper in papers.files:
        yield f"{paper.name}  ({size_text(len(paper.raw))})"
        yield from _indented(paper.about)
        if paper.taken:
            yield from _indented(f"replaced: {paper.taken_text}")
    for name, why in papers.missing:
        yield from textwrap.wrap(f"Not included: {name} ({clean(why)})", WIDTH)
    yield from textwrap.wrap(f"Replaced in total: {total_text(papers)}.", WIDTH)
    yield from textwrap.wrap(SENDS_NOTHING, WIDTH)


def whole_lines(papers: Papers) -> Iterator[str]:
    """The preview, and then every file as it would be written."""
    yield from preview_lines(papers)
    for paper in papers.files:
        yield ""
        yield f"===== {paper.name}"
        yield from paper.text.splitlines()


def total_text(papers: Papers) -> str:
    """How many of each kind were replaced in all files."""
    total: Counter[str] = Counter()
    for paper in papers.files:
        total.update(dict(paper.taken))
    return ", ".join(f"{kind} {count}" for kind, count in sorted(total.items())) or "nothing"


def _indented(text: str) -> list[str]:
    return textwrap.wrap(clean(text), WIDTH, initial_indent="    ", subsequent_indent="    ")
