"""The corpus itself: that it covers every cause, and that its texts are what they claim to be."""

from __future__ import annotations

import re
from collections import Counter

from tests.diagnose.reading import (
    CORPUS,
    FAULTLESS,
    LISTING,
    Case,
    load_causes,
    load_corpus,
    load_sources,
    read_bytes,
)

CASES = load_corpus()
KINDS = {
    "apt",
    "dnf",
    "dpkg",
    "environment",
    "kernel log",
    "lspci",
    "miopen log",
    "mixed report",
    "pip",
    "rocminfo",
    "traceback",
}
GENERAL = {*FAULTLESS, "reports"}
TARGETS = {"gfx1010", "gfx1011", "gfx1012"}
LARGEST = 6000
LARGEST_OF_ALL = 300_000

PUBLIC_VALUES = (
    "16866",
    "5.2.0.50200-65",
    "5.2.21151",
    "5.16.9.22.20",
    "5.19.0-76051900",
    "6.14.0-34-generic",
    "6.2.41133",
    "6.2.41134-65d174c3e",
    "6.8.0-52-generic",
    "14.0.0.22204",
    "1.0.0.50200-65",
    "5.7.1-3build1",
    "6.3-2ubuntu0.3",
    "871920D1991BC93C",
    "libMIOpen.so.2",
    "rocm-rdna1-52.sh",
    "rocm-miopen-rdna1",
    "2.2.2+rocm5.7",
    "2.5.1+rocm6.2",
    "torch==1.13.1+rocm5.2",
    "torch 1.13.1+rocm5.2",
)
"""Values of public notes and threads that rules may have been written from."""


def causes_without(cases: tuple[Case, ...], texts: int, near_misses: int) -> list[str]:
    """Causes without so many texts that prove them, and so many that only look like it."""
    lacking = []
    for cause in load_causes():
        near = [case for case in cases if case.folder == cause and case.near_miss]
        proofs = [case for case in cases if case.folder == cause and not case.near_miss]
        if len(proofs) < texts or len(near) < near_misses:
            lacking.append(f"{cause}: {len(proofs)} texts, {len(near)} near misses")
        lacking += [
            f"{case.file}: does not forbid it" for case in near if cause not in case.forbidden
        ]
        lacking += [
            f"{case.file}: does not expect it" for case in proofs if cause not in case.expected
        ]
    return lacking


def is_said_in_known_words(case: Case) -> bool:
    """Its kind, causes and cards exist; no cause is both wanted and unwanted; it has a note."""
    named = (*case.expected, *case.forbidden, *case.tolerated)
    return (
        case.kind in KINDS
        and set(named) <= load_causes().keys()
        and len(named) == len(set(named))
        and set(case.gpus or ()) <= TARGETS
        and bool(case.note)
    )


def values_of_public_notes(cases: tuple[Case, ...]) -> list[str]:
    """Where one of them stands."""
    return [
        f"{case.file}: {value}" for case in cases for value in PUBLIC_VALUES if value in case.text
    ]


def test_every_cause_has_three_texts_and_two_near_misses() -> None:
    assert causes_without(CASES, texts=3, near_misses=2) == []


def test_there_is_no_folder_for_anything_else() -> None:
    folders = {path.name for path in CORPUS.iterdir() if path.is_dir()}

    assert folders == {*load_causes(), *GENERAL}


def test_every_file_is_listed_once_and_every_listed_file_is_there() -> None:
    listed = Counter(case.file for case in CASES)
    there = {
        str(path.relative_to(CORPUS))
        for path in CORPUS.rglob("*")
        if path.is_file() and path.name not in (LISTING, ".gitattributes")
    }

    assert set(listed) == there
    assert max(listed.values()) == 1


def test_a_case_is_said_in_known_words() -> None:
    assert [case.file for case in CASES if not is_said_in_known_words(case)] == []


def test_a_text_is_short_and_not_empty() -> None:
    sizes = {case.file: len(read_bytes(case)) for case in CASES}
    assert [file for file, size in sizes.items() if size >= LARGEST] == []
    assert [case.file for case in CASES if not case.text.strip()] == []


def test_the_whole_corpus_is_small() -> None:
    assert sum(len(read_bytes(case)) for case in CASES) < LARGEST_OF_ALL


def test_no_two_texts_are_alike() -> None:
    texts = Counter(case.text.strip() for case in CASES)

    assert [text for text, count in texts.items() if count > 1] == []


def test_healthy_machines_are_many_and_show_no_fault() -> None:
    healthy = [case for case in CASES if case.folder == "healthy"]

    assert len(healthy) >= 25
    assert {cause for case in healthy for cause in case.expected} <= {"benign-kdb-warning"}


def test_texts_that_only_show_hardware_name_no_cause_but_cards() -> None:
    hardware = [case for case in CASES if case.folder == "hardware"]

    assert all(case.gpus is not None and not case.expected for case in hardware)
    assert {gpu for case in hardware for gpu in case.gpus or ()} == TARGETS


def test_every_text_of_lspci_says_which_cards_it_shows() -> None:
    silent = [case.file for case in CASES if case.kind == "lspci" and case.gpus is None]

    assert silent == []


def test_the_formats_of_every_folder_have_a_public_source() -> None:
    sources = load_sources()

    assert set(sources) == {case.folder for case in CASES}
    assert all(links for links in sources.values())
    assert all(link.startswith("https://") for links in sources.values() for link in links)


def test_no_text_holds_a_value_of_public_notes() -> None:
    assert values_of_public_notes(CASES) == []


WAYS_OF_PASTING = {
    "lines ended as on Windows": rb"\r\n",
    "colours": rb"\x1b\[[0-9;]+m",
    "quoted mail": rb"(?m)^>+ ?\S",
    "a fenced block": rb"(?m)^```",
    "seconds since the start": rb"(?m)^\[ *\d+\.\d{6}\]",
    "ISO dates": rb"(?m)^20\d\d-\d\d-\d\dT",
    "French months": r"(?m)^(févr|juil)\.".encode(),
    "German months": rb"(?m)^Mai \d\d",
    "several starts of the machine": rb"(?m)^-- Boot [0-9a-f]{32} --",
    "a redrawn line": rb"[^\n]\r[^\n]",
    "bytes that are no UTF-8": rb"\xfc[a-z]",
    "a missing last line end": rb"[^\n]\Z",
}


def test_texts_are_pasted_in_many_ways() -> None:
    texts = [read_bytes(case) for case in CASES]
    ways = WAYS_OF_PASTING.items()
    assert [way for way, seen in ways if not any(re.search(seen, text) for text in texts)] == []
