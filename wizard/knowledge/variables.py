"""Variables of ROCm, MIOpen and the loader: what each value really does."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

from wizard.knowledge.tables import read_table

OVERRIDE, LIBRARY_PATH = "HSA_OVERRIDE_GFX_VERSION", "LD_LIBRARY_PATH"


@dataclass(frozen=True, slots=True)
class Effect:
    """What one value of one variable does, and who says so."""

    kind: str
    """``effective``, ``no-op``, ``build-time``, ``invented``, or ``""`` when not known to us."""
    text: str
    source: str

    def __str__(self) -> str:
        """For a line on the screen: the kind first."""
        return f"{self.kind}: {self.text}" if self.kind else self.text


UNKNOWN = Effect("", "", "")
NODE_NUMBER = re.compile(r"_\d+\Z")
"""The table writes ``_N`` for the number of a node at the end of a name."""


def effect_of(name: str, value: str, beside: Collection[str] = ()) -> Effect:
    """What ``name=value`` does; ``UNKNOWN`` for a variable that the table does not have.

    ``beside`` are settings in the form ``NAME=VALUE`` that are in force with it: some matter.
    """
    row = _variables().get(name) or _variables().get(general(name))
    if row is None:
        return UNKNOWN
    word = value.strip().lower()
    for effect in row["effect"]:
        if _applies(effect, word, beside):
            return Effect(effect["kind"], effect["text"], row["source"])
    return UNKNOWN


def general(name: str) -> str:
    """The name as the table has it: ``_N`` for the number of a node."""
    return NODE_NUMBER.sub("_N", name)


def _applies(effect: dict[str, Any], word: str, beside: Collection[str]) -> bool:
    if word not in effect.get("values", (word,)) or effect.get("beside", "") not in (*beside, ""):
        return False
    return "pattern" not in effect or re.fullmatch(effect["pattern"], word) is not None


def empty_element(value: str) -> Effect:
    """What the empty element of this ``LD_LIBRARY_PATH`` does, which may refer to its old value."""
    key = "empty_element_when_unset" if "$" in value else "empty_element"
    return Effect(**read_table("variables.toml")[key])


def known_names() -> tuple[str, ...]:
    """Every variable that the table explains."""
    return tuple(_variables())


@cache
def _variables() -> dict[str, dict[str, Any]]:
    return {name: row for row in read_table("variables.toml")["variable"] for name in row["names"]}
