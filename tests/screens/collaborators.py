"""Collaborators of the screens with answers of a test's own."""

from __future__ import annotations

from copy import copy
from dataclasses import fields, replace
from typing import Any, TypeVar

from wizard.services import Services

T = TypeVar("T")
GROUPS = ("knowledge", "plans", "runs", "experiments", "diagnostics", "reports", "past")


def fake(kind: type[T], **answers: Any) -> T:
    """A collaborator with these answers to everything that is asked of it."""
    names = {name for each in kind.__mro__[:-1] for name in vars(each) if name[0] != "_"}
    asked = names - (set(vars(kind)) if kind.__module__.startswith("tests") else set())
    assert asked <= set(answers), f"{kind.__name__} is asked too: {asked - set(answers)}"
    made = object.__new__(kind)
    vars(made).update(answers)
    return made


def but(given: T, **answers: Any) -> T:
    """The same, but for these answers, of one collaborator or of whichever has them."""
    if isinstance(given, Services):
        own = {name: answers.pop(name) for name in _names(given) & set(answers)}
        for group in GROUPS:
            there = own.get(group, getattr(given, group))
            its = {name: answers.pop(name) for name in tuple(answers) if hasattr(there, name)}
            own[group] = but(there, **its)
        assert not answers, f"nobody is asked: {answers}"
        return replace(given, **own)
    other = copy(given)
    for name in answers:
        assert hasattr(given, name), f"{type(given).__name__} is not asked {name}"
    vars(other).update(answers)
    return other


def _names(given: Services) -> set[str]:
    return {each.name for each in fields(given)}
