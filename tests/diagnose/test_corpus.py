"""The corpus itself: that it covers every cause, and that its texts are what they claim to be."""

from __future__ import annotations

import re
from collections import Counter

import pytest

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


@pytest.mark.parametrize("cause", load_causes())
def test_every_cause_has_three_texts_and_two_near_misses(cause: str) -> None:
    cases = [case for case in CASES if case.folder == cause]
    near = [case for case in cases if case.near_miss]

    assert len(cases) - len(near) >= 3
    assert len(near) >= 2
    assert all(cause in case.forbidden for case in near)
    assert all(cause in case.expected for case in cases if not case.near_miss)


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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_a_case_is_said_in_known_words(case: Case) -> None:
    named = (*case.expected, *case.forbidden, *case.tolerated)

    assert case.kind in KINDS
    assert set(named) <= set(load_causes())
    assert len(named) == len(set(named)), "a cause is both wanted and unwanted"
    assert case.gpus is None or set(case.gpus) <= TARGETS
    assert case.note


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_a_text_is_short_and_not_empty(case: Case) -> None:
    assert case.text.strip()
    assert len(read_bytes(case)) < LARGEST


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


@pytest.mark.parametrize("value", PUBLIC_VALUES)
def test_no_text_holds_a_value_of_public_notes(value: str) -> None:
    assert [case.file for case in CASES if value in case.text] == []


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("lines ended as on Windows", rb"\r\n"),
        ("colours", rb"\x1b\[[0-9;]+m"),
        ("quoted mail", rb"(?m)^>+ ?\S"),
        ("a fenced block", rb"(?m)^```"),
        ("seconds since the start", rb"(?m)^\[ *\d+\.\d{6}\]"),
        ("ISO dates", rb"(?m)^20\d\d-\d\d-\d\dT"),
        ("French months", r"(?m)^(févr|juil)\.".encode()),
        ("German months", rb"(?m)^Mai \d\d"),
        ("several starts of the machine", rb"(?m)^-- Boot [0-9a-f]{32} --"),
        ("a redrawn line", rb"[^\n]\r[^\n]"),
        ("bytes that are no UTF-8", rb"\xfc[a-z]"),
        ("a missing last line end", rb"[^\n]\Z"),
    ],
)
def test_texts_are_pasted_in_many_ways(what: str, pattern: bytes) -> None:
    assert any(re.search(pattern, read_bytes(case)) for case in CASES), what
