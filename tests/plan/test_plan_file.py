"""A plan in a file is read to the last word, and anything that we did not write is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.plan.system_machines import recorded
from wizard.core.journal import Kind
from wizard.plan.clean_up import make_clean_up
from wizard.plan.form import with_id
from wizard.plan.plan_file import (
    SCHEMA,
    WrongPlanFile,
    plan_differences,
    plan_document,
    read_plan_document,
)
from wizard.plan.removal import make_removal

NAME = "rx5600xt-noble-rocm57"
MACHINE, FILES = recorded(NAME)
REMOVAL = make_removal(MACHINE, files=FILES)
CLEAN_UP = make_clean_up(MACHINE, FILES)


def document() -> dict[str, Any]:
    form: dict[str, Any] = json.loads(json.dumps(plan_document(CLEAN_UP, ("--clean-up",))))
    return form


@pytest.mark.parametrize("plan", [REMOVAL, CLEAN_UP], ids=lambda plan: plan.name)
def test_what_was_written_is_read_again_whole(plan: Any) -> None:
    file = read_plan_document(json.dumps(plan_document(plan, ("--remove",)), indent=1))
    assert (file.plan, file.asked) == (plan, ("--remove",))
    assert file.plan.kind is plan.kind


def changes() -> dict[str, Any]:
    """Documents that differ in one place from what we write."""
    found = {name: document() for name in (
        "path", "line", "text", "reason", "kind", "note", "id", "more", "step more", "less",
        "schema", "old schema", "true schema", "what for", "no kind", "odd kind", "cause",
        "takes back", "asked", "root", "number", "order", "venv",
    )}  # fmt: skip
    found["path"]["steps"][0]["path"] = "/home/owner/.profile"
    found["line"]["steps"][0]["lines"][0][1] = "# something else"
    found["text"]["steps"][0]["text"] = "nothing"
    found["kind"]["steps"][0]["kind"] = "RunProgram"
    found["reason"]["steps"][1]["needs_root"] = False
    found["note"]["download_bytes"] = "0"
    found["id"]["id"] = "0" * 12
    found["more"]["extra"] = 1
    found["step more"]["steps"][0]["argv"] = ["sh"]
    del found["less"]["steps"][0]
    found["schema"]["schema"] = SCHEMA + 1
    found["old schema"]["schema"] = SCHEMA - 1
    found["what for"]["kind"] = "remove"
    del found["no kind"]["kind"]
    found["odd kind"]["kind"] = ["clean-up"]
    found["cause"]["cause"] = "noop-setting"
    found["takes back"]["takes_back"] = CLEAN_UP.id
    found["true schema"]["schema"] = True
    found["asked"]["asked"] = "--clean-up"
    found["root"]["steps"][1]["path"] = "/etc/passwd"
    found["number"]["download_bytes"] = 0.5
    found["order"]["steps"].reverse()
    found["venv"]["venv"] = "/home/owner"
    return found


@pytest.mark.parametrize("name", changes())
def test_a_document_that_was_changed_is_refused(name: str) -> None:
    with pytest.raises(WrongPlanFile):
        read_plan_document(json.dumps(changes()[name]))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "[" * 100_000, '{"schema": 2, "schema": 2}', '{"schema": NaN}', "{}"],
)
def test_what_is_no_document_of_ours_is_refused(text: str) -> None:
    with pytest.raises(WrongPlanFile):
        read_plan_document(text)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (None, "not know plans of the kind None"),
        ("way back", "not know plans of the kind 'way back'"),
        ("x" * 9999, r"not know plans of the kind 'x+\.\.\.x+'$"),
    ],
)
def test_a_plan_of_a_kind_that_nobody_knows_is_refused_by_name(kind: object, words: str) -> None:
    with pytest.raises(WrongPlanFile, match=words):
        read_plan_document(json.dumps({**document(), "kind": kind}))


def test_a_plan_that_does_not_say_its_kind_is_refused_by_name() -> None:
    form = {name: value for name, value in document().items() if name != "kind"}
    with pytest.raises(WrongPlanFile, match="does not say what kind of plan it is"):
        read_plan_document(json.dumps(form))


def test_the_id_tells_plans_of_the_same_steps_apart_by_what_they_are_for() -> None:
    others = [
        {"kind": Kind.REMOVE}, {"kind": Kind.FIX, "cause": "noop-setting"},
        {"kind": Kind.FIX, "cause": "stale-override"}, {"kind": Kind.ROLLBACK, "takes_back": "a"},
        {"kind": Kind.ROLLBACK, "takes_back": "b"}, {"kind": Kind.INSTALL, "stack": "cpu"},
    ]  # fmt: skip
    ids = {with_id(replace(CLEAN_UP, **changed)).id for changed in ({}, *others)}  # type: ignore[arg-type]
    assert len(ids) == 1 + len(others)


def test_the_step_that_was_changed_is_named() -> None:
    form = document()
    form["steps"][1]["text"] = "as root, nothing"
    with pytest.raises(WrongPlanFile, match="step 2 differs from what this program writes"):
        read_plan_document(json.dumps(form))


def test_what_two_plans_do_otherwise_is_told_step_by_step() -> None:
    told = plan_differences(CLEAN_UP, REMOVAL)
    assert told[0] == f"removed: {CLEAN_UP.steps[0]}"
    assert f"new: {REMOVAL.steps[0]}" in told


def test_advice_and_what_pip_said_beside_a_plan_is_read_over() -> None:
    advice, wheels = {"headline": "x", "stacks": []}, {"wheels": 5, "bytes": None}
    document = plan_document(CLEAN_UP, ("--clean-up",), advice, wheels)
    assert document["wheels"] == wheels
    assert read_plan_document(json.dumps(document)).plan == CLEAN_UP
