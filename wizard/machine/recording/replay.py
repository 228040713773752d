"""Looks at a record just made, and says in which facts it differs from the machine itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wizard.jsonform import to_json
from wizard.machine.detect import detect
from wizard.machine.disclosure import told_machine
from wizard.machine.facts import Machine
from wizard.machine.recorded import RecordedHost
from wizard.machine.recording.disguise import Disguise


def differences(machine: Machine, folder: Path, disguise: Disguise) -> tuple[str, ...]:
    """Names of the facts that the record does not give as the machine did, in any order."""
    live = disguised(machine, disguise)
    replayed = disguised(detect(RecordedHost(folder)), disguise)
    return tuple(name for name in live if name != "recorded" and live[name] != replayed[name])


def disguised(machine: Machine, disguise: Disguise) -> dict[str, Any]:
    """The facts as a record may tell them; lists in an order that no name decides."""
    form = _texts(to_json(told_machine(machine)), disguise)
    form["access"]["user"] = disguise.owner
    access = form["access"]
    for name in ("groups_in_force", "groups_in_file"):
        access[name] = _grouped(access[name], disguise)
    for node in (access["kfd"], *access["render_nodes"]):
        (node["group"],) = _grouped([node["group"]], disguise)
    return {name: _sorted(value) for name, value in form.items()}


def _texts(form: Any, disguise: Disguise) -> Any:
    if isinstance(form, dict):
        return {name: _texts(value, disguise) for name, value in form.items()}
    if isinstance(form, list):
        return [_texts(value, disguise) for value in form]
    return disguise.path(form) if isinstance(form, str) else form


def _grouped(groups: Any, disguise: Disguise) -> Any:
    """The names of groups as a record has them; what is not known stays so."""
    if not isinstance(groups, list):
        return groups
    return [disguise.group(group) if isinstance(group, str) else group for group in groups]


def _sorted(form: Any) -> Any:
    if isinstance(form, dict):
        return {name: _sorted(value) for name, value in form.items()}
    if isinstance(form, list):
        return sorted(map(_sorted, form), key=lambda value: json.dumps(value, sort_keys=True))
    return form
