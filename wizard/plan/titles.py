"""How long the title of a step may be, and how one is made that names something."""

from __future__ import annotations

LONGEST = 40
"""Characters of a title."""


def first_that_fits(*titles: str) -> str:
    """The first of these titles that is short enough; the last one, whatever its length."""
    return next((title for title in titles if len(title) <= LONGEST), titles[-1])


def about_path(verb: str, path: str, otherwise: str) -> str:
    """A title that names a path, or its last part, or says ``otherwise``."""
    name = path.rstrip("/").rpartition("/")[2]
    return first_that_fits(f"{verb} {path}", f"{verb} {name}", f"{verb} {otherwise}")
