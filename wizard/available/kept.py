"""The last good answer of each place, kept with its date: what is known when nobody answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wizard.available.answers import Answer, Entry, Standing
from wizard.available.questions import key_of
from wizard.jsonform import SCHEMA
from wizard.private_files import read_private
from wizard.run.lines import clean
from wizard.run.whole_file import write_whole

FILE = "available.json"
MOST_BYTES = 1 << 20
MOST_KEPT = 500
OWN = 0o600


@dataclass(frozen=True, slots=True)
class Kept:
    """What was kept, and why it could not be read where it could not."""

    good: Mapping[str, Answer] = field(default_factory=dict)
    trouble: str = ""


def read_kept(folder: Path) -> Kept:
    """The good answers of earlier days; what is damaged or not ours is left alone, with a word."""
    path = folder / FILE
    try:
        content = json.loads(read_private(path, MOST_BYTES))
    except FileNotFoundError:
        return Kept()
    except OSError as error:
        return Kept(trouble=f"{path} is not used: {error.strerror or error}.")
    except (ValueError, RecursionError):
        return Kept(trouble=f"{path} is not used: it is damaged.")
    match content:
        case {"schema": int(schema), "good": dict(rows)} if schema == SCHEMA:
            return Kept(dict(_rows(rows)))
        case _:
            return Kept(trouble=f"{path} is not used: it is none that this version wrote.")


def _rows(rows: Mapping[object, object]) -> Iterable[tuple[str, Answer]]:
    for key, row in rows.items():
        match row:
            case {"when": str(when), "detail": str(detail)} if isinstance(key, str):
                yield key, Answer(Standing.THERE, clean(detail), clean(when))
            case _:
                continue


def keep(folder: Path, entries: Iterable[Entry]) -> str:
    """Add the good answers to those that are kept; why that could not be done, ``""`` if it was.

    What cannot be read is written over, but for what is not ours.
    """
    now = {
        key_of(each.question): each.now
        for each in entries
        if each.now is not None and each.now.standing is Standing.THERE
    }
    if not now:
        return ""
    good = {**read_kept(folder).good, **now}
    latest = sorted(good.items(), key=lambda item: item[1].when)[-MOST_KEPT:]
    rows = {key: {"when": answer.when, "detail": answer.detail} for key, answer in latest}
    text = json.dumps({"schema": SCHEMA, "good": rows}, indent=1)
    try:
        write_whole(folder / FILE, f"{text}\n", OWN)
    except OSError as error:
        return f"It could not be kept: {error.strerror or error}."
    return ""
