"""The plain road to a cause: a file by its path, or lines that are pasted."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from wizard.commands.choosing import absolute
from wizard.plain.asking import Option

if TYPE_CHECKING:
    from wizard.plain.road import Road

WHERE = "Where is the text (a log, a traceback, a program's output)?"
PATH = "Path to the file:"
WHERE_MORE = """\
The text is compared with the error messages that this program knows. It is not sent anywhere.
1 asks for the path to a text file, such as a log.
2 lets you paste the lines here."""
PATH_MORE = "Type the path to a text file, such as ~/error.log. The file is read but not changed."
PASTE = "Paste the text now. End with a line that contains only a period."
END = "."


def walk(road: Road) -> int:
    """Ask for the text, then tell what it proves."""
    options = [Option("in a file", True), Option("I will paste it here", False)]
    if road.ask.choose(WHERE, options, explain=WHERE_MORE):
        path = road.ask.text(PATH, explain=PATH_MORE)
        return road.carry_out("explain", absolute(path), *road.app_words) if path else 0
    from wizard.diagnose.explain import explain_file
    from wizard.report.findings import explanation_lines

    road.say(PASTE)
    text = road.ask.lines(END)
    road.say()
    for line in explanation_lines(explain_file(io.BytesIO(text.encode("utf-8", "replace")))):
        road.say(line)
    return 0
