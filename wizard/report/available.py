"""What is to be had, as lines: a table first, then each place with all that is known of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from wizard.available.answers import Answer, Entry
from wizard.available.questions import shown_place
from wizard.available.session import Known
from wizard.report.units import WIDTH
from wizard.run.lines import clean

NEVER = "never seen by this program"
LEGEND = (
    "'there' means: listed for your Python, and the first file answers. Whether it runs on your "
    "card is another question. The last word is pip's and apt's, when they fetch."
)


def available_lines(known: Known, asking: bool = False, width: int = WIDTH) -> Iterator[str]:
    """Everything that is known now; ``asking`` while answers are still to come."""
    yield f"{'SOURCE':<12}{'NOW':<28}LAST SEEN THERE"
    for entry in known.entries:
        yield _row(entry, asking)
    yield ""
    yield from textwrap.wrap(LEGEND, width)
    if known.trouble:
        yield from textwrap.wrap(f"Kept answers: {clean(known.trouble)}", width)
    for entry in known.entries:
        yield ""
        yield from _details(entry, width)


def _row(entry: Entry, asking: bool) -> str:
    waiting = "asking ..." if asking else "not asked"
    now = entry.now.standing.value if entry.now is not None else waiting
    return f"{entry.question.name:<12}{now:<28}{when_text(entry.good) or NEVER}".rstrip()


def when_text(answer: Answer | None) -> str:
    """The date and time of an answer for people; ``""`` for none."""
    return answer.when[:16].replace("T", " ") if answer is not None else ""


def _details(entry: Entry, width: int) -> Iterator[str]:
    question = entry.question
    yield from _told("", f"{question.name}: {question.what}", width, "  ")
    yield from _told("  ", clean(shown_place(question)), width, "  ")
    if entry.now is not None:
        said = f"{entry.now.standing.value}. {entry.now.detail}"
        yield from _told(f"  now ({when_text(entry.now)}): ", said, width)
    if entry.good is not None and entry.good != entry.now:
        yield from _told(f"  there on {when_text(entry.good)}: ", entry.good.detail, width)
    yield from _told("  our data: ", question.shipped, width)


def _told(head: str, text: str, width: int, indent: str = "    ") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False
    )
