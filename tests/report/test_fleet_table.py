"""One table of a fleet's results: many machines, long names, foreign files, other versions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.conv2d.made import made
from tests.conv2d.sweeping import environ
from tests.conv2d.test_command import Home
from tests.handmade import clean_jammy
from wizard import __version__
from wizard.conv2d.cards.card_form import card_text
from wizard.conv2d.cards.result_card import Here, ResultCard, Stack, make_card
from wizard.conv2d.verdicts import Verdict
from wizard.report.fleet import Entry, fleet_lines

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc)


def card(*verdicts: Verdict, finished: bool = True) -> ResultCard:
    machine = clean_jammy()
    here = Here(machine.gpus, machine.driver, machine.system)
    results = [made(verdict=verdict) for verdict in verdicts or (Verdict.PASS,)]
    return make_card(results, WHEN, here, finished=finished)


def fleet(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-m", "wizard", "fleet", *words),
        env=Home(home).variables(environ()),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    """Two cards in a folder, with what else may lie there."""
    folder = tmp_path / "cards"
    (folder / "older.json").mkdir(parents=True)
    (folder / "lab-1.json").write_text(card_text(card()))
    (folder / "lab-2.json").write_text(card_text(card()))
    (folder / "notes.txt").write_text("not a card")
    os.mkfifo(folder / "pipe.json")
    return folder


def test_a_folder_gives_its_cards_and_is_right(cards: Path, tmp_path: Path) -> None:
    done = fleet(tmp_path, str(cards))
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()[1:3]] == ["lab-1", "lab-2"]
    assert "2 of 2 machines with every shape right" in done.stdout


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{}", "it is no result card"),
        (b"\xff\xfe", "it is no JSON"),
        (b"", "it is no JSON"),
        (card_text(card()).encode()[:200], "it is no JSON"),
        (card_text(card()).replace('"schema": 1', '"schema": 9').encode(), "its schema is 9"),
        (b"[" * 100_000, "it is nested too deep"),
    ],
)
def test_a_foreign_file_is_named_with_its_reason_and_the_rest_is_told(
    cards: Path, tmp_path: Path, content: bytes, why: str
) -> None:
    (cards / "lab-3.json").write_bytes(content)
    done = fleet(tmp_path, str(cards))
    assert done.returncode == 2
    assert f"{cards / 'lab-3.json'} is no card that can be read: {why}" in done.stderr
    assert "2 of 2 machines" in done.stdout
    form = json.loads(fleet(tmp_path, str(cards), "--json").stdout)
    assert [machine["name"] for machine in form["machines"]] == ["lab-1", "lab-2"]
    assert [left["file"] for left in form["left_out"]] == [str(cards / "lab-3.json")]
    assert why in form["left_out"][0]["why"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_and_a_folder_that_may_not_be_read_are_named(cards: Path, tmp_path: Path) -> None:
    (cards / "lab-2.json").chmod(0)
    done = fleet(tmp_path, str(cards))
    assert done.returncode == 2
    assert "lab-2.json cannot be read: Permission denied." in done.stderr
    assert "1 of 1 machine " in done.stdout
    cards.chmod(0)
    done = fleet(tmp_path, str(cards))
    assert f"{cards} cannot be read: Permission denied." in done.stderr
    cards.chmod(0o700)


def test_a_link_to_nowhere_is_named(cards: Path, tmp_path: Path) -> None:
    (cards / "lab-3.json").symlink_to(tmp_path / "gone.json")
    done = fleet(tmp_path, str(cards))
    assert (done.returncode, "lab-3.json cannot be read" in done.stderr) == (2, True)


def test_a_link_to_a_pipe_in_a_folder_is_not_waited_for(cards: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (cards / "lab-3.json").symlink_to(tmp_path / "pipe")
    done = fleet(tmp_path, str(cards))
    assert (done.returncode, "2 of 2 machines" in done.stdout) == (0, True)


@pytest.mark.parametrize("name", ["empty", "absent"])
def test_a_folder_without_cards_says_how_one_is_made(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    done = fleet(tmp_path, str(tmp_path / name))
    assert (done.returncode, done.stdout) == (2, "")
    assert "`rdna1-setup conv2d --export FILE` writes one" in done.stderr
    form = json.loads(fleet(tmp_path, str(tmp_path / name), "--json").stdout)
    assert form["machines"] == []
    assert len(form["left_out"]) == (name == "absent")


def test_a_card_that_is_named_twice_counts_once(cards: Path, tmp_path: Path) -> None:
    done = fleet(tmp_path, str(cards), str(cards / "lab-1.json"))
    assert "2 of 2 machines" in done.stdout


def test_a_machine_with_another_version_and_one_that_was_cut_off_are_named() -> None:
    old = Entry("lab-2", replace(card(), version="0.0.1"))
    entries = (Entry("lab-1", card()), old, Entry("lab-3", card(finished=False)))
    text = " ".join(fleet_lines(entries))
    assert f"another version of this program than {__version__}" in text
    assert "lab-2 (0.0.1)." in text
    assert "Not measured to the end: lab-3." in text
    assert "version" not in " ".join(fleet_lines(entries[:1]))


def test_the_names_of_a_note_are_counted_where_they_are_many() -> None:
    entries = [Entry(f"lab-{number}", card(finished=False)) for number in range(9)]
    text = " ".join(fleet_lines(entries))
    assert "Not measured to the end: lab-0, lab-1, lab-2, lab-3, lab-4 and 4 more." in text


@pytest.mark.parametrize(
    "name", ["workstation-of-the-laboratory-{}", "実験室の計算機その番号は長い名前{}"]
)
def test_a_thousand_machines_with_long_names_fit_and_are_told_apart(name: str) -> None:
    long = replace(card(), stack=Stack(torch="2.13.0a0+git0123456789.rocm7.14.0.dev20261001"))
    lines = list(fleet_lines([Entry(name.format(number), long) for number in range(1000)]))
    rows = lines[1:1001]
    assert max(map(cell_len, lines)) <= 79
    assert len({row.split()[0] for row in rows}) == 1000
    assert all(row.split()[-5:] == ["1", "1", "0", "0", "0"] for row in rows)
