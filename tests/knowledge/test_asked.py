"""The tables of what MIOpen answers without a card: each can be read, and a wrong one is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets import FOLDER
from wizard.knowledge.solvers import Answer, WrongTable, key_of, load_table, releases

TABLE: dict[str, Any] = {
    "rocm": "7.1.1",
    "miopen": "3.5.1",
    "origin": "a package",
    "databases": "none",
    "date": "2026-11-26",
    "columns": ["gfx1010 forward float32", "gfx1010 forward float16", "gfx1030 forward float32"],
    "settings": ["", "A=1 B=0", "search"],
    "answers": ["GemmFwdRest Naive | Winograd", "miopenStatusNotImplemented:", "find-db: Naive"],
    "patterns": ["0*3", "0 1 0", "2 1*2"],
    "rows": {"16->32 3x3 @64x64": "0 1 2", "16->32 3x3 @32x32": "1*3"},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data with one table."""
    (tmp_path / "asked").mkdir()
    monkeypatch.setattr("wizard.knowledge.solvers.FOLDER", tmp_path)
    load_table.cache_clear()
    write(tmp_path, **TABLE)
    return tmp_path


@pytest.fixture(autouse=True)
def forget_tables() -> Any:
    yield
    load_table.cache_clear()


def write(folder: Path, **table: Any) -> None:
    (folder / "asked" / "rocm-7.1.1.json").write_text(json.dumps(table), "utf-8")


def said(dtype: str = "float32", *setting: tuple[str, str], search: bool = False) -> Answer | None:
    table = load_table("7.1")
    assert table is not None
    key = key_of(setting, search=search)
    return table.answer("16->32 3x3 @64x64", f"gfx1010 forward {dtype}", key)


@pytest.mark.usefixtures("folder")
def test_an_answer_has_the_solvers_in_order_and_those_without_an_estimate() -> None:
    assert said() == Answer(("GemmFwdRest", "Naive"), ("Winograd",))
    assert said(search=True) == said()


@pytest.mark.usefixtures("folder")
def test_the_order_of_a_settings_variables_does_not_matter() -> None:
    for setting in ((("A", "1"), ("B", "0")), (("B", "0"), ("A", "1"))):
        assert said("float16", *setting) == Answer(word="miopenStatusNotImplemented")


@pytest.mark.usefixtures("folder")
def test_what_was_not_asked_has_no_answer() -> None:
    assert said("bfloat16") is None
    assert said("float32", ("C", "1")) is None
    table = load_table("7.1")
    assert table is not None
    assert table.answer("1->1 1x1 @8x8", "gfx1010 forward float32", "") is None


@pytest.mark.usefixtures("folder")
def test_a_table_is_found_by_its_release_or_the_first_two_parts_of_it() -> None:
    assert load_table("7.1") == load_table("7.1.1")
    assert load_table("7.1") is not None
    assert [load_table(other) for other in ("6.0", "7", "7.1.1.1", "7.11")] == [None] * 4
    assert load_table("7.1", database=True) is None


def test_a_wrong_row_is_named_with_its_file(folder: Path) -> None:
    shape = "16->32 3x3 @64x64"
    for part, wrong, why in (
        ("rows", {shape: "0 1"}, f"row {shape}: not 3 numbers below 3: 0 1"),
        ("rows", {shape: "0 1 -1"}, f"row {shape}: not 3 numbers below 3: 0 1 -1"),
        ("rows", {shape: "3*3"}, f"row {shape}: not 3 numbers below 3: 3*3"),
        ("rows", {shape: "a b c"}, f"row {shape}: invalid literal"),
        ("patterns", ["0*3", "0 1"], "pattern 1: not 3 numbers below 3: 0 1"),
    ):
        load_table.cache_clear()
        write(folder, **{**TABLE, part: wrong})
        with pytest.raises(WrongTable) as caught:
            said()
        assert str(caught.value).startswith(f"assets/asked/rocm-7.1.1.json, {why}")


def test_a_table_without_a_part_is_named(folder: Path) -> None:
    write(folder, **{name: part for name, part in TABLE.items() if name != "date"})
    with pytest.raises(WrongTable, match=r"^assets/asked/rocm-7\.1\.1\.json: KeyError\('date'\)"):
        said()


def test_no_table_has_an_empty_answer() -> None:
    found = [load_table(each, database=kind) for each in releases() for kind in (False, True)]
    tables = [table for table in found if table is not None]
    assert len(tables) == len(list(FOLDER.glob("asked/*")))
    for table in tables:
        assert all(answer.names or answer.word for answer in table.answers), table.file


def test_all_tables_together_stay_small() -> None:
    files = list(FOLDER.glob("asked/*"))
    assert sum(file.stat().st_size for file in files) < 1_500_000
