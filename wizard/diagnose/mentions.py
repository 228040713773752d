"""Lines that only speak of a message or a setting: source code, comments, advice, what is over."""

from __future__ import annotations

from wizard.diagnose.decoding import as_text
from wizard.diagnose.lines import LONGEST, Line
from wizard.knowledge.causes import load_line_mentions, load_mentions

SOON = 3
"""Lines after an error in which somebody may tell that it is over."""
LONGEST_BEFORE = 120
"""Characters before a setting that may propose it."""


def only_mentions(line: Line) -> bool:
    """True when this line speaks of a message and is none."""
    mention = any(form.search(line.text) for form in load_line_mentions())
    change = in_difference(line, "-", "+") or _of_message(line)
    return mention or change or _is_over(line)


def is_mention(text: str, *names: str) -> bool:
    """True when this text speaks of something in one of these ways."""
    return any(load_mentions()[name].search(text) for name in names)


def _is_over(line: Line) -> bool:
    """True where one of the next lines tells that the error is gone."""
    following = line.near[line.here + 1 : line.here + 1 + SOON]
    return any(is_mention(as_text(each[:LONGEST]), "over-since") for each in following)


def _of_message(line: Line) -> bool:
    """True for a line of the message of a change."""
    return line.text.startswith("    ") and any(
        is_mention(as_text(near[:LONGEST]), "change") for near in line.near
    )


def in_difference(line: Line, *marks: str) -> bool:
    """True for a line of a difference that begins with one of these marks."""
    return line.text.startswith(marks) and any(b"@@ -" in near for near in line.near)


def spoken_of(before: str, after: str) -> bool:
    """True where somebody proposes or explains the setting between these."""
    return is_mention(before[-LONGEST_BEFORE:], "proposed") or is_mention(after[:40], "explained")
