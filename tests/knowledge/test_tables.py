"""Tables of ours as typed values: a mistake in one is told with its file, its row and its key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import pytest

from wizard.core.json_form import WrongForm
from wizard.knowledge.tables import typed_rows


class Part(NamedTuple):
    """A named tuple in a row."""

    name: str
    size: int = 1


@dataclass(frozen=True)
class Row:
    """A row with everything that our tables hold beside plain values."""

    title: ClassVar[str] = "no field"
    id: str
    form: re.Pattern[str]
    words: frozenset[str] = frozenset()
    parts: tuple[Part, ...] = ()


def test_rows_become_values_with_their_defaults() -> None:
    row = {"id": "a", "form": "x+", "words": ["y", "y"], "parts": [{"name": "p"}]}
    assert typed_rows("some.toml, row", [row, {"id": "b", "form": ""}], Row) == (
        Row("a", re.compile("x+"), frozenset({"y"}), (Part("p"),)),
        Row("b", re.compile("")),
    )


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"form": "("}, "form must be a regular expression, not '(' (missing )"),
        ({"form": 1}, "form must be a regular expression, not 1"),
        ({"words": "y"}, "words must be a list, not 'y'"),
        ({"parts": [{"name": "p", "size": "2"}]}, "parts.size must be a whole number, not '2'"),
        ({"parts": [{}]}, "parts Part lacks name: {}"),
        ({"colour": "red"}, "unknown keys in Row: {'colour'}"),
    ],
    ids=str,
)
def test_a_mistake_is_told_with_file_row_and_key(wrong: dict[str, Any], told: str) -> None:
    rows = [{"id": "right", "form": ""}, {"id": "wrong", "form": "", **wrong}]
    with pytest.raises(WrongForm) as refused:
        typed_rows("some.toml, row", rows, Row)
    assert str(refused.value).startswith(f"assets/some.toml, row wrong: {told}")


def test_a_row_without_an_id_is_told_by_its_number() -> None:
    with pytest.raises(WrongForm, match=r"^assets/some\.toml, row number 2: Row lacks form, id: "):
        typed_rows("some.toml, row", [{"id": "right", "form": ""}, {}], Row)
