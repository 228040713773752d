"""The held-out texts are what they claim to be; how well they are read is measured elsewhere."""

from __future__ import annotations

from collections import Counter

from tests.diagnose.reading import (
    FAULTLESS,
    HELD_OUT,
    LISTING,
    load_causes,
    load_corpus,
    load_held_out,
    load_sources,
)
from tests.diagnose.test_corpus import (
    causes_without,
    is_said_in_known_words,
    values_of_public_notes,
)

CASES = load_held_out()


def test_every_cause_has_two_texts_and_a_near_miss() -> None:
    assert causes_without(CASES, texts=2, near_misses=1) == []


def test_some_texts_are_healthy_and_some_mix_many_things() -> None:
    folders = Counter(case.folder for case in CASES)

    assert set(folders) == {*load_causes(), "healthy", "reports"}
    assert folders["healthy"] >= 10
    assert folders["reports"] >= 8
    assert not any(case.expected for case in CASES if case.folder in FAULTLESS)


def test_every_file_is_listed_once_and_every_listed_file_is_there() -> None:
    there = [
        str(path.relative_to(HELD_OUT))
        for path in HELD_OUT.rglob("*")
        if path.is_file() and path.name not in (LISTING, ".gitattributes")
    ]

    assert Counter(case.file for case in CASES) == Counter(there)


def test_a_case_is_said_in_known_words() -> None:
    wrong = [c.file for c in CASES if not is_said_in_known_words(c) or not c.text.strip()]
    assert wrong == []


def test_no_text_is_also_in_the_corpus_nor_twice_here() -> None:
    texts = Counter(case.text.strip() for case in (*CASES, *load_corpus()))

    assert [text for text, count in texts.items() if count > 1] == []


def test_no_text_holds_a_value_of_public_notes() -> None:
    assert values_of_public_notes(CASES) == []


def test_the_formats_of_every_folder_have_a_public_source() -> None:
    sources = load_sources(HELD_OUT)

    assert set(sources) == {case.folder for case in CASES}
    assert all(link.startswith("https://") for links in sources.values() for link in links)
