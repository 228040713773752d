"""Plain values become typed ones, and nothing else does."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest

from wizard.core.json_form import WrongForm, to_json, typed


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Leaf:
    colour: Colour
    green: bool = True


@dataclass(frozen=True)
class Stone:
    weight: float

    def __post_init__(self) -> None:
        if self.weight < 0:
            raise ValueError("lighter than nothing")


@dataclass(frozen=True)
class Tree:
    name: str
    age: int
    leaves: tuple[Leaf, ...]
    place: tuple[float, float]
    paths: dict[str, tuple[str, ...]]
    beside: Stone | Leaf
    nest: Leaf | None = None


TREE = Tree("oak", 90, (Leaf(Colour.RED, False),), (1.5, 2.0), {"up": ("a", "b")}, Leaf(Colour.RED))


def form_of(tree: Tree, **changes: Any) -> dict[str, Any]:
    form = json.loads(json.dumps(to_json(tree)))
    return {**form, "beside": {"kind": "Leaf", **form["beside"]}, **changes}


def test_a_value_is_read_from_its_form() -> None:
    assert typed(form_of(TREE), Tree) == TREE


def test_of_several_data_classes_the_form_names_its_own() -> None:
    tree = typed(form_of(TREE, beside={"kind": "Stone", "weight": 3}), Tree)
    assert tree.beside == Stone(3)


def test_what_is_not_said_has_its_default_and_unknown_fields_are_left_out() -> None:
    assert typed({"colour": "red", "later": 1}, Leaf) == Leaf(Colour.RED)


def test_an_exact_form_has_no_unknown_fields_however_deep() -> None:
    leaf = {"colour": "red", "later": 1}
    with pytest.raises(WrongForm, match="later"):
        typed(leaf, Leaf, exact=True)
    with pytest.raises(WrongForm, match="later"):
        typed(form_of(TREE, nest=leaf), Tree, exact=True)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": 1},
        {"name": None},
        {"age": "90"},
        {"age": True},
        {"age": 90.5},
        {"leaves": {}},
        {"leaves": "red"},
        {"leaves": [{"green": True}]},
        {"leaves": [{"colour": "blue"}]},
        {"leaves": [{"colour": ["red"]}]},
        {"leaves": [{"colour": "red", "green": 1}]},
        {"place": [1.5]},
        {"place": "12"},
        {"place": [1.5, "2"]},
        {"paths": []},
        {"paths": {"up": [1]}},
        {"beside": {"weight": 3}},
        {"beside": {"kind": "Stone", "weight": 10**400}},
        {"beside": {"kind": "Stone", "weight": -1}},
        {"beside": {"kind": "Tree"}},
        {"beside": {"kind": ["Leaf"]}},
        {"beside": None},
        {"nest": 0},
    ],
    ids=str,
)
def test_another_form_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(WrongForm):
        typed(form_of(TREE, **changes), Tree)


@pytest.mark.parametrize("form", [None, 1, "oak", [], {}], ids=str)
def test_what_is_no_table_or_an_empty_one_is_refused(form: object) -> None:
    with pytest.raises(WrongForm):
        typed(form, Tree)


def test_a_kind_without_a_form_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError):
        typed({}, set)


def test_what_the_class_itself_refuses_is_said() -> None:
    with pytest.raises(WrongForm, match=r"^Stone: lighter than nothing$"):
        typed({"weight": -1}, Stone)


def test_a_form_of_any_depth_is_refused_in_a_line() -> None:
    deep: object = []
    for _ in range(sys.getrecursionlimit() + 10):
        deep = [deep]
    with pytest.raises(WrongForm) as refused:
        typed({"colour": deep}, Stone)
    assert len(str(refused.value)) < 200


def test_what_a_form_lacks_is_named() -> None:
    with pytest.raises(WrongForm, match=r"^Tree lacks age, name: \{"):
        typed({key: value for key, value in form_of(TREE).items() if key not in "name age"}, Tree)
