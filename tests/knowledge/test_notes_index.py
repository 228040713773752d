"""Every statement of the five notes became a claim, or was left out for a written reason.

``pytest -s tests/knowledge/test_notes_index.py -k count`` prints how many.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from wizard.knowledge.claims import load_claims

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INDEX = tomllib.loads(Path(__file__).with_name("notes_index.toml").read_text("utf-8"))
REASONS: dict[str, str] = INDEX["reasons"]
COUNTED = {"row": "rows", "bold": "bolds", "mark": "marks"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement of the notes, and what became of it."""

    notes: str
    heading: str
    kind: str
    label: str
    claims: tuple[str, ...] = ()
    left_out: str = ""


ENTRIES = [
    Entry(notes["number"], part["heading"], **{**each, "claims": tuple(each.get("claims", ()))})
    for notes in INDEX["notes"]
    for part in notes["headings"]
    for each in part["entries"]
]


def repeated(items: list[object]) -> list[object]:
    """What is there more than once."""
    return [item for item, count in Counter(items).items() if count > 1]


def test_the_five_notes_are_there() -> None:
    assert [n["number"] for n in INDEX["notes"]] == ["000", "001", "002", "003", "004"]


def test_an_entry_has_either_claims_that_exist_or_a_reason_that_is_written() -> None:
    known = {claim.id for claim in load_claims()}
    wrong = [
        entry
        for entry in ENTRIES
        if bool(entry.claims) is bool(entry.left_out)
        or not set(entry.claims) <= known
        or len(entry.claims) != len(set(entry.claims))
        or (entry.left_out and entry.left_out not in REASONS)
    ]
    assert wrong == []


def test_an_entry_says_what_it_is() -> None:
    kinds = (*COUNTED, "said")
    wrong = [
        e for e in ENTRIES if e.kind not in kinds or not e.heading.strip() or not e.label.strip()
    ]
    assert wrong == []


def test_every_reason_is_a_sentence_and_in_use() -> None:
    assert {entry.left_out for entry in ENTRIES if entry.left_out} == REASONS.keys()
    sentence = re.compile(r"[A-Z].*\.", re.DOTALL)
    wrong = [r for r in REASONS.values() if not sentence.fullmatch(r) or len(r.split()) <= 5]
    assert wrong == []


def test_no_statement_is_there_twice() -> None:
    assert repeated([(e.notes, e.heading, e.kind, e.label) for e in ENTRIES]) == []
    for notes in INDEX["notes"]:
        assert repeated([part["heading"] for part in notes["headings"]]) == []


def test_there_are_as_many_entries_as_the_original_has_statements() -> None:
    found = Counter((entry.notes, entry.kind) for entry in ENTRIES)
    wrong = [
        f"notes {notes['number']}: {found[notes['number'], kind]} of {notes[many]} {many}"
        for notes in INDEX["notes"]
        for kind, many in COUNTED.items()
        if found[notes["number"], kind] != notes[many]
    ]
    assert wrong == []


def test_every_row_of_a_table_became_a_claim() -> None:
    assert [entry for entry in ENTRIES if entry.kind == "row" and entry.left_out] == []


def test_every_claim_from_the_notes_comes_from_a_statement_of_the_same_notes() -> None:
    reached = {(entry.notes, claim) for entry in ENTRIES for claim in entry.claims}
    from_notes = {
        (notes["number"], claim.id)
        for claim in load_claims()
        for notes in INDEX["notes"]
        if f"(notes {notes['number']})" in claim.source
    }
    assert from_notes - reached == set()


def test_most_statements_became_claims_and_the_count_is_told() -> None:
    for notes in INDEX["notes"]:
        mine = [entry for entry in ENTRIES if entry.notes == notes["number"]]
        kinds = Counter(entry.kind for entry in mine)
        reached = {claim for entry in mine for claim in entry.claims}
        left_out = sum(bool(entry.left_out) for entry in mine)
        print(
            f"\nnotes {notes['number']} ({notes['file']}): {len(mine)} statements, "
            f"{kinds['row']} rows, {kinds['bold']} bold, {kinds['mark']} marked, "
            f"{kinds['said']} others; {left_out} left out, the others in {len(reached)} claims",
            end="",
        )
        assert left_out < len(mine) / 2
    print(f"\n{len(ENTRIES)} statements in all, {len(load_claims())} claims")
