"""A record keeps of settings what detection takes from them, on the same lines."""

from __future__ import annotations

import pytest

from tests.machine.test_own_runs import journal as journal_text
from tests.machine.test_setting_formats import COMPOSE, CONDA, KERNEL, MODULE, UNIT
from wizard.core.journal import SCHEMA, older_run_of, record_of
from wizard.machine.assignments import (
    Reader,
    compose_environment,
    fish_universals,
    imported_modules,
    json_variables,
    python_environ,
    unit_environment,
    unit_files,
)
from wizard.machine.recording.excerpts import (
    Excerpt,
    compose_file,
    fish_universal_file,
    journal,
    json_file,
    pth_file,
    python_file,
    unit_file,
)
from wizard.redaction.rules import told_value

FISH = "# x\nSETUVAR --export HSA_X:10\\x2e3 \\x1e\\x24y\nSETUVAR --export TOKEN:secret\n"
TWO_ON_A_LINE = '{"env": {"HSA_A": "1", "HSA_B": "a b\\"c"}}'


@pytest.mark.parametrize(
    ("keep", "read", "text"),
    [
        (fish_universal_file, fish_universals, FISH),
        (json_file("env"), json_variables("env"), KERNEL),
        (json_file("env"), json_variables("env"), TWO_ON_A_LINE),
        (json_file("env_vars"), json_variables("env_vars"), CONDA),
        (unit_file, unit_environment, UNIT),
        (unit_file, unit_environment, "Environment='HSA_X=a \"b\"' HSA_Y=\n"),
        (python_file, python_environ, MODULE),
        (pth_file, python_environ, MODULE),
        (compose_file, compose_environment, COMPOSE),
    ],
)
def test_what_is_kept_reads_as_the_file_did_and_holds_no_secret(
    keep: Excerpt, read: Reader, text: str
) -> None:
    kept = keep(text)

    assert read(kept) == [(name, told_value(name, value), line) for name, value, line in read(text)]
    assert "secret" not in kept.lower()
    assert "TOKEN" not in kept


@pytest.mark.parametrize("keep", [fish_universal_file, unit_file, python_file, compose_file])
def test_a_file_without_settings_leaves_nothing(keep: Excerpt) -> None:
    assert keep("TOKEN=secret\npassword: secret\n").strip() == ""


def test_files_that_a_unit_names_are_kept_below_etc_alone() -> None:
    text = "EnvironmentFile=/etc/default/ollama\nEnvironmentFile=/home/me/secret.env\n"

    assert unit_files(unit_file(text)) == ("/etc/default/ollama",)


def test_imports_of_a_pth_file_are_kept() -> None:
    assert imported_modules(pth_file("import rdna1_x\n/home/me/secret\n")) == ("rdna1_x",)


OLDER = journal_text("finished").replace(f'"schema": {SCHEMA}', f'"schema": {SCHEMA - 1}')


@pytest.mark.parametrize(
    "text", [journal_text(), journal_text("finished"), OLDER, "damaged\n", "", "{"]
)
def test_a_journal_keeps_how_its_run_stands(text: str) -> None:
    kept, told = journal(text), record_of("", "", text.split("\n")[:-1])
    again = record_of("", "", kept.split("\n")[:-1])

    assert (again is None) == (told is None)
    older = [older_run_of("", "", each.split("\n")[:-1]) is not None for each in (text, kept)]
    assert older == [text == OLDER] * 2
    if told is not None and again is not None:
        assert again.state == told.state
        assert (again.name, again.kind) == (told.name, told.kind)
        assert again.plan["venv"] == told.plan["venv"]
    assert "WriteFile" not in kept
