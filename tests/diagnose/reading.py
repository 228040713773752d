"""The corpus: texts as people paste them, and what a careful reader finds in each.

`expected` must be found, the root first; `forbidden` must not be found; `tolerated` may be found or
not. Any other cause is surplus. `gpus` are the gfx targets of the RDNA1 cards that the text proves,
in its order; None where nothing is asked about them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
HELD_OUT = HERE / "held_out"
"""Texts by someone who has not seen the rules: they measure, and nothing is tuned to them."""

LISTING = "cases.toml"
FAULTLESS = ("hardware", "healthy")
"""Folders of texts in which no fault may be found."""


@dataclass(frozen=True, slots=True)
class Case:
    """One text of the corpus; `file` is its path below the corpus."""

    file: str
    text: str
    kind: str
    expected: tuple[str, ...]
    forbidden: tuple[str, ...]
    tolerated: tuple[str, ...]
    gpus: tuple[str, ...] | None
    note: str

    @property
    def folder(self) -> str:
        """The cause that the text is about, or what kind of folder it lies in."""
        return Path(self.file).parent.name

    @property
    def near_miss(self) -> bool:
        """It looks like the cause of its folder and is not."""
        return Path(self.file).name.startswith("near-")


@cache
def load_causes() -> Mapping[str, str]:
    """Every cause with its meaning in one line."""
    return _table(HERE / "causes.toml")


@cache
def load_corpus() -> tuple[Case, ...]:
    """All texts, by folder and in the order of their listings."""
    return _cases(CORPUS)


@cache
def load_held_out() -> tuple[Case, ...]:
    """All texts of the held-out set, by folder and in the order of their listings."""
    return _cases(HELD_OUT)


def load_sources(root: Path = CORPUS) -> Mapping[str, tuple[str, ...]]:
    """The public links that the formats of each folder come from."""
    listings = sorted(root.glob(f"*/{LISTING}"))
    return {path.parent.name: tuple(_table(path)["sources"]) for path in listings}


def read_bytes(case: Case, root: Path = CORPUS) -> bytes:
    """The text as it lies on disk, line ends and encoding included."""
    return (root / case.file).read_bytes()


def _cases(root: Path) -> tuple[Case, ...]:
    folders = sorted(path.parent for path in root.glob(f"*/{LISTING}"))
    return tuple(
        _case(folder, row) for folder in folders for row in _table(folder / LISTING)["case"]
    )


def _case(folder: Path, row: Mapping[str, Any]) -> Case:
    expected, tolerated = tuple(row["expected"]), tuple(row.get("tolerated", ()))
    return Case(
        file=f"{folder.name}/{row['file']}",
        text=(folder / row["file"]).read_bytes().decode("utf-8", "replace"),
        kind=row["kind"],
        expected=expected,
        forbidden=_all_others(expected, tolerated)
        if folder.name in FAULTLESS
        else tuple(row.get("forbidden", ())),
        tolerated=tolerated,
        gpus=tuple(row["gpus"]) if "gpus" in row else None,
        note=row["note"],
    )


def _all_others(expected: tuple[str, ...], tolerated: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cause for cause in load_causes() if cause not in (*expected, *tolerated))


def _table(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))
