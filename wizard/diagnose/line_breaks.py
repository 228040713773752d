"""Lines that a mail program or a terminal broke, put together where the whole text proves it."""

from __future__ import annotations

import re
from itertools import pairwise

from wizard.knowledge.causes import load_beginning

WIDTHS = range(60, 85)
"""Where lines are broken. In a text of these, no line with a blank is longer."""
TERMINAL = 80
"""Where terminals break lines, also in the middle of a word."""
HANGING = 6
"""How far what goes on a line is indented at most."""
PART = "\v"
"""Stands in place of a line that went to the one before it: the others keep their numbers."""
KEY = re.compile(r"\s{1,40}[\w -]{3,30} ?: ")
CELL = re.compile(r"(?:\S {2,}|\t)(?=\S)")
RULED = re.compile(r"\s*[=+*~_-]{3}")
NUMBER = re.compile(r"\d[0-9a-f]*")


def rejoined(text: str) -> str:
    """The text with its broken lines put together; as it is where nothing proves that they are."""
    lines = text.split("\n")
    width = max((len(line.rstrip()) for line in lines if len(line.split()) > 1), default=0)
    if width not in WIDTHS:
        return text
    broken = [n for n, two in enumerate(pairwise(lines), 1) if _is_broken(*two, width)]
    exact = [n for n in broken if len(lines[n - 1]) == TERMINAL == width]
    within = any((lines[n - 1][-1] + lines[n][0]).isalnum() for n in exact)
    anywhere = within and len(exact) > len(broken) / 2
    broken = exact if anywhere else broken
    begun = [load_beginning().match(lines[n - 1].lstrip()) for n in broken]
    proofs = [found for found in begun if not found or not found["command"]]
    if len(proofs) > (not anywhere) or any(proofs):
        for n in reversed(broken):
            line, rest = lines[n - 1 : n + 1]
            lines[n - 1] = line + rest if anywhere else f"{line.rstrip()} {rest.lstrip()}"
            lines[n] = PART
    return "\n".join(lines)


def _is_broken(line: str, rest: str, width: int) -> bool:
    """True where the next word had no place in the line, and begins nothing of its own."""
    words, further = line.split(), rest.split()
    if not words or not further or load_beginning().match(rest.lstrip()):
        return False
    room = width - len(line.rstrip()) - line.endswith(" ")  # format=flowed leaves that blank
    if room > len(further[0]) or RULED.match(line) or RULED.match(rest):
        return False
    before, after = (len(each) - len(each.lstrip()) for each in (line, rest))
    alike = NUMBER.sub("0", words[0]) == NUMBER.sub("0", further[0])
    keys = before == after and KEY.match(line) and KEY.match(rest)
    if alike or keys or after > HANGING or 0 < after < before:
        return False
    cells = {found.end() for found in CELL.finditer(line)}
    names = len(words) + len(further) == 2 and "/" in words[0]  # one a line
    return not names and cells.isdisjoint(found.end() for found in CELL.finditer(rest))
