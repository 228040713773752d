"""Facts leave by the form of their field; what has another form stays."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args, get_type_hints

import pytest

from tests.handmade import clean_jammy
from tests.machine.records import NAMES, seen
from wizard.apt.sources import AptSource
from wizard.machine.disclosure import FORMS, told_machine
from wizard.machine.facts import Machine, Process, Setting


def texts(kind: Any, name: str) -> set[str]:
    """The fields that hold a text, of a type and of all that is in it."""
    if inside := get_args(kind):
        return {found for one in inside for found in texts(one, name)}
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        names = [one.name for one in fields(kind)] if is_dataclass(kind) else kind._fields
        hints = get_type_hints(kind)
        return {found for one in names for found in texts(hints[one], f"{kind.__name__}.{one}")}
    return {name} if kind is str else set()


def test_each_field_with_a_text_has_its_form_and_no_form_is_left_over() -> None:
    assert texts(Machine, "") - {"Setting.value"} == set(FORMS)


@pytest.mark.parametrize("name", NAMES)
def test_the_facts_of_a_recorded_machine_are_told_as_they_are(name: str) -> None:
    assert told_machine(seen(name)) == seen(name)


def test_a_text_of_another_form_is_not_told() -> None:
    machine = replace(
        clean_jammy(),
        processes=(Process(7, 'x"; token=<abc>', "D", ("/dev/kfd",), compute=True),),
        apt_sources=(
            AptSource("/etc/apt/x.list", 1, ("deb",), ("https://h/x?sig=abc",), ("a b",), (), "",
                      enabled=True, amd=True),
        ),
        settings=(
            Setting("HIP_PASSWORD", "hunter2", "", 0, ""),
            Setting("HIP_VISIBLE_DEVICES", "0", "", 0, ""),
            Setting("HIP_OWN", "hunter2", "", 0, ""),
            Setting("MIOPEN_USER_DB_PATH", "/srv/db", "", 0, ""),
        ),
    )  # fmt: skip
    told = told_machine(machine)
    assert isinstance(told.processes, tuple)
    assert told.processes[0].name == "(not told)"
    assert told.apt_sources[0].uris == told.apt_sources[0].suites == ("(not told)",)
    values = [one.value for one in told.settings]
    assert values == ["SECRET", "0", "(not told)", "/srv/db"]
