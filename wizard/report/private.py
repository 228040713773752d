"""The one place that takes out of texts what tells who somebody is, or lets strangers in.

What is replaced: passwords, keys, tokens, logins and proxies; serial numbers and ids; addresses of
mail and network; home folders; names of users and of the machine; numbers of accounts. The same
thing has the same stand-in everywhere. A name that is a common word (root, render, torch), or has
less than three letters, is replaced only where it stands for a person or a machine: below
``/home`` and the like, before or behind ``@``, in lists of ids, in a journal's prefix.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

from wizard.core.lines import clean
from wizard.machine.facts import Access, Fact, Machine, Unknown
from wizard.redaction import names, rules
from wizard.redaction.names import EVERYBODYS, USER
from wizard.redaction.rules import SECRET, SECRET_KIND, Rule, StandIns, tells_a_secret
from wizard.report.identity import Identity, identity_by

T = TypeVar("T")
SHORT = 400
"""Texts up to so many letters come again and again in a form: each is looked through once."""


@dataclass(slots=True)
class Redaction:
    """Redacts texts, remembers which stand-in is whose, and counts what it took out."""

    identity: Identity
    used: StandIns = field(default_factory=StandIns)
    _rules: tuple[Rule, ...] = ()
    _known: dict[str, tuple[str, Counter[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rules = tuple(_rules_for(self.identity))

    @property
    def counts(self) -> Counter[str]:
        """How often something of a kind was replaced."""
        return self.used.counts

    def text(self, text: str) -> str:
        """The text without any of it, and without escapes: one could stand inside of a secret."""
        if text in self._known:
            left, taken = self._known[text]
            self.counts.update(taken)
            return left
        before, left = Counter(self.counts), clean(text)
        left = self.used.applied(self._rules, left)
        if len(text) <= SHORT:
            self._known[text] = left, self.counts - before
        return left

    def form(self, form: Any) -> Any:
        """The JSON form with every text in it redacted; keys stay as they are."""
        if isinstance(form, dict):
            named = isinstance(form.get("name"), str) and tells_a_secret(form["name"])
            return {
                key: self._field(form["name"] if named and key == "value" else key, value)
                for key, value in form.items()
            }
        if isinstance(form, list):
            return [self.form(value) for value in form]
        return self.text(form) if isinstance(form, str) else form

    def value(self, value: T) -> T:
        """The value, whatever it is made of, with every text in it redacted.

        Before it is laid out: a line break could cut a secret in two that nothing knows again.
        """
        return cast("T", self._any(value))

    def taken_since(self, before: Counter[str]) -> tuple[tuple[str, int], ...]:
        """What was taken out since then, by kind."""
        return tuple(sorted((self.counts - before).items()))

    def _any(self, value: Any) -> Any:
        if isinstance(value, (Enum, type)):
            return value
        if isinstance(value, str):
            return self.text(value)
        if is_dataclass(value):
            told = {one.name: self._any(getattr(value, one.name)) for one in fields(value)}
            return replace(cast("Any", value), **told)
        if hasattr(value, "_replace"):  # a named tuple
            return value._replace(**{n: self._any(v) for n, v in value._asdict().items()})
        if isinstance(value, (tuple, list)):
            return type(value)(self._any(each) for each in value)
        if isinstance(value, Mapping):
            return {key: self._field(key, each, self._any) for key, each in value.items()}
        return value

    def _field(self, key: object, value: Any, inside: Callable[[Any], Any] | None = None) -> Any:
        if isinstance(key, str) and tells_a_secret(key) and isinstance(value, str) and value:
            return self.used.put(SECRET_KIND, value, SECRET)
        return (inside or self.form)(value)


def _rules_for(who: Identity) -> Iterator[Rule]:
    """All rules: secrets first, since names and numbers may be parts of them."""
    if who.secrets:
        told = names.spellings(who.secrets)
        yield Rule(SECRET_KIND, re.compile(rf"(?P<x>{told})"), SECRET)
    yield from rules.SECRET_RULES
    yield from rules.NUMBER_RULES
    if who.numbers:
        told = names.spellings(rules.spelled(who.numbers))
        known = re.compile(rf"(?P<x>{told})", re.IGNORECASE)
        yield Rule(rules.SERIAL_KIND, known, "SERIAL-#")
    yield rules.CHANCE
    homes = (who.home, who.real_home, who.own_home)
    yield from names.rules_of(who.user, homes, who.full_names, who.others, who.hosts)


def redaction_by(access: Access) -> Redaction:
    """A redaction that knows as much as the facts of a machine tell of its user."""
    return Redaction(identity_by(access))


def without_name(machine: Machine) -> Machine:
    """The machine without the user's name, and without groups that are not everybody's."""
    access = machine.access
    shared = ("render", "video")
    own = {access.user: USER} if access.user not in shared else {}

    def others(groups: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
        if isinstance(groups, Unknown):
            return groups
        return tuple(own.get(g, g if g in EVERYBODYS else "GROUP") for g in groups)

    in_force, in_file = others(access.groups_in_force), others(access.groups_in_file)
    hidden = replace(access, user=USER, groups_in_force=in_force, groups_in_file=in_file)
    return replace(machine, access=hidden)
