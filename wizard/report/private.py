"""Texts and facts without what tells who somebody is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from wizard.credentials import redact
from wizard.machine.facts import Access, Fact, Machine, Unknown

_PATH = re.compile(r"[^\s\"']*/[^\s\"']*")


def redacted(text: str, access: Access) -> str:
    """The text without logins in addresses, the home folder, and the user's name in paths.

    Elsewhere the name stays: a user may be called "a" or "render".
    """
    text = redact(text)
    if len(access.home) > 1:
        text = re.sub(rf"{re.escape(access.home)}(?![\w.-])", "~", text)
    if not access.user:
        return text
    name = re.compile(rf"\b{re.escape(access.user)}\b")
    return _PATH.sub(lambda path: name.sub("USER", path[0]), text)


def redacted_form(form: Any, access: Access) -> Any:
    """The JSON form with every text in it redacted; keys stay as they are."""
    if isinstance(form, dict):
        return {key: redacted_form(value, access) for key, value in form.items()}
    if isinstance(form, list):
        return [redacted_form(value, access) for value in form]
    return redacted(form, access) if isinstance(form, str) else form


def without_name(machine: Machine) -> Machine:
    """The machine with the user's name, and the group that is called like the user, left out."""
    access = machine.access
    shared = ("render", "video")
    names = {access.user: "USER"} if access.user not in shared else {}

    def others(groups: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
        if isinstance(groups, Unknown):
            return groups
        return tuple(names.get(group, group) for group in groups)

    in_force, in_file = others(access.groups_in_force), others(access.groups_in_file)
    hidden = replace(access, user="USER", groups_in_force=in_force, groups_in_file=in_file)
    return replace(machine, access=hidden)
