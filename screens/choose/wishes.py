"""What the user wants to run: the row of ticks on top of Choose."""

from __future__ import annotations

from textual.content import Content

from screens.clicks import tagged
from screens.words import shown
from wizard.knowledge.applications import Application

WISH = "wish"
"""What a click finds the application by."""
LEAD = "I want "


def wish_lines(
    applications: tuple[Application, ...], ticked: tuple[str, ...], current: int, cells: int
) -> Content:
    """The ticks, wrapped to a width; ``>`` marks where Space ticks.

    The place of that mark is the gap between two wishes: so eleven of them fit on two lines of 80.
    """
    lines: list[list[Content]] = [[]]
    room = cells - len(LEAD)
    for index, application in enumerate(applications):
        wish = _wish(application, application.id in ticked, index == current)
        if room < len(wish.plain):
            lines.append([])
            room = cells - len(LEAD)
        lines[-1].append(wish)
        room -= len(wish.plain)
    heads = [LEAD, *[" " * len(LEAD)] * (len(lines) - 1)]
    return Content("\n").join(
        Content.assemble((head, "bold"), *line) for head, line in zip(heads, lines, strict=True)
    )


def _wish(application: Application, ticked: bool, current: bool) -> Content:
    mark = "[x]" if ticked else "[ ]"
    pointer = ">" if current else " "
    style = "bold reverse" if current else ("bold" if ticked else "")
    wish = Content.styled(f"{pointer}{mark} {shown(application.title)}", style)
    return tagged(wish, WISH, application.id)
