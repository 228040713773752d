"""What applications leave on a disk, by which they are recognised, and how each is started."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from wizard.knowledge.tables import read_table


class Trace(NamedTuple):
    """How one application is recognised: by files in its folder, or by a package of Python's.

    No dataclass, like all that detection keeps to itself: this takes an eighth of the time to
    define, in every start.
    """

    id: str
    """Of an application to choose where there is one of that name."""
    title: str
    files: tuple[str, ...]
    """Files that its folder holds, all of them; empty when it is found by its package."""
    packages: tuple[str, ...]
    """Names of distributions, normalised; empty when it is found by its files."""
    root: str
    """A file in the folder beside its environment by which that folder is known as its own."""
    program: str
    """Program in the environment's ``bin`` that starts it."""
    start: str
    """Line for a shell, with ``{folder}``, ``{python}`` and ``{program}``; ``""`` for a library."""
    source: str
    date: str


@cache
def load_traces() -> tuple[Trace, ...]:
    """All traces, in the order of the file."""
    # Not read_rows: it makes data classes, and this is no data class (see Trace).
    return tuple(
        Trace(
            id=row["id"],
            title=row["title"],
            files=tuple(row.get("files", ())),
            packages=tuple(row.get("packages", ())),
            root=row.get("root", ""),
            program=row.get("program", ""),
            start=row.get("start", ""),
            source=row["source"],
            date=row["date"],
        )
        for row in read_table("applications.toml")["trace"]
    )
