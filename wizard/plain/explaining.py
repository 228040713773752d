"""The plain road to a cause: a file by its path, or lines that are pasted."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from wizard.commands.choosing import absolute
from wizard.plain.asking import Option

if TYPE_CHECKING:
    from wizard.plain.road import Road

WHERE = "Where is the text (a log, a traceback, a program's output)?"
PATH = "The path of the file:"
PASTE = "Paste it now. End it with a line that contains only a full stop."
END = "."


def walk(road: Road) -> int:
    """Ask for the text, then tell what it proves."""
    options = [Option("in a file", True), Option("I will paste it here", False)]
    if road.ask.choose(WHERE, options):
        path = road.ask.text(PATH)
        return road.carry_out("explain", absolute(path)) if path else 0
    from wizard.diagnose.explain import explain_file
    from wizard.report.findings import explanation_lines

    road.say(PASTE)
    text = road.ask.lines(END)
    road.say()
    for line in explanation_lines(explain_file(io.BytesIO(text.encode("utf-8", "replace")))):
        road.say(line)
    return 0
