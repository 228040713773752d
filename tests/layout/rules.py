"""What must hold of every screen at every size; each breach as a sentence with its cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from rich.cells import cell_len

from tests.layout.seen import Box, Label, Seen, Shown

MARKS = ("…", "...")
"""What says that a text goes on: the second one where the locale knows ASCII alone."""


def breaches(shown: Shown) -> tuple[str, ...]:
    """All that is wrong with a screen."""
    rules = (outside, cut, dialogs_outside, overlapping, keys_missing)
    return tuple(f"{shown.name}: {each}" for rule in rules for each in rule(shown))


def outside(shown: Shown) -> Iterator[str]:
    """Widgets of which a part is outside the screen and comes into view by no scrolling."""
    for each in shown.widgets:
        columns, lines = each.unseen
        if columns or lines:
            what = "takes keys or clicks, and" if each.takes_input else "has"
            yield (
                f"{each.name} {what} {columns} columns and {lines} lines that never come into "
                f"view: it lies at {_at(each.box)}, and {_at(each.clip)} is let through"
            )
        elif each.takes_input and not each.box.cells:
            yield f"{each.name} takes keys or clicks, and has no room at all: {_at(each.box)}"


def cut(shown: Shown) -> Iterator[str]:
    """Texts of which something is missing with no mark, or that stick out of their box."""
    for label in shown.labels:
        for line in label.lines:
            if cell_len(line) > label.cells:
                yield f"{label.owner}: {line!r} is wider than its {label.cells} cells"
        if missing := lost(label):
            yield (
                f"{label.owner}: {missing!r} is cut without a mark; in {label.cells} cells are "
                f"{list(label.lines)}"
            )


def lost(label: Label) -> str:
    """The first words of a text that are not drawn though no mark stands for them."""
    rest = [line for line in map(_dense, label.text.splitlines()) if line]
    for line in filter(None, map(_dense, label.lines)):
        if not rest:
            return ""  # more than the text: a frame, a tick
        if rest[0].startswith(line):
            rest[0] = rest[0][len(line) :]
            rest = rest if rest[0] else rest[1:]
        elif (begun := _before_mark(line)) is not None and rest[0].startswith(begun):
            rest = rest[1:]
        elif line.startswith(MARKS) and _behind_mark(line) in rest[0]:
            rest = rest[1:]  # a path that was scrolled to its end
        else:
            return rest[0]
    return rest[0] if rest else ""


def dialogs_outside(shown: Shown) -> Iterator[str]:
    """Parts of a dialog that stand over its edge."""
    if shown.is_dialog:
        for each in shown.widgets:
            if each.parent == 0 and not shown.size.holds(each.box):
                yield f"the dialog {each.name} at {_at(each.box)} is not whole on {_at(shown.size)}"


def overlapping(shown: Shown) -> Iterator[str]:
    """Siblings that lie over one another, and are not meant to."""
    for one, other in _siblings(shown.widgets):
        shared = one.box.shared(one.clip).shared(other.box.shared(other.clip))
        if shared.cells:
            yield f"{one.name} and {other.name} lie over one another at {_at(shared)}"


def keys_missing(shown: Shown) -> Iterator[str]:
    """Keys that the footer does not show, where nothing says how to see them."""
    for key in shown.keys:
        if (key.box is None or not shown.size.holds(key.box)) and not shown.key_hint:
            place = "has no place in the footer" if key.box is None else f"is at {_at(key.box)}"
            yield f"the key {key.text!r} {place}, and nothing says how to see the rest"


def differing_rows(shown: Shown, terminal: Iterable[str]) -> tuple[str, ...]:
    """Lines that the terminal shows otherwise than the program believes."""
    there = [row.rstrip() for row in terminal]
    meant = [row.rstrip() for row in shown.rows]
    longest = max(len(there), len(meant))
    there += [""] * (longest - len(there))
    meant += [""] * (longest - len(meant))
    return tuple(
        f"{shown.name}: line {number} should be {one!r} and is {other!r} in the terminal"
        for number, (one, other) in enumerate(zip(meant, there, strict=True))
        if one != other
    )


def _siblings(widgets: tuple[Seen, ...]) -> Iterator[tuple[Seen, Seen]]:
    families: dict[int, list[Seen]] = {}
    for each in widgets:
        if not each.layered:
            families.setdefault(each.parent, []).append(each)
    for family in families.values():
        yield from combinations(family, 2)


def _dense(text: str) -> str:
    return "".join(text.split())


def _before_mark(line: str) -> str | None:
    return next((line.removesuffix(mark) for mark in MARKS if line.endswith(mark)), None)


def _behind_mark(line: str) -> str:
    begun = next(line.removeprefix(mark) for mark in MARKS if line.startswith(mark))
    return begun if (whole := _before_mark(begun)) is None else whole


def _at(box: Box) -> str:
    return f"columns {box.x} to {box.right}, lines {box.y} to {box.bottom}"
