"""Runs that are over: their list, one of them whole, what is damaged among them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conv2d.made import CARD, made
from tests.conv2d.planting_runs import plant
from tests.conv2d.test_files_command import HUNG, PASS, RIGHT, Wizard, journal, wizard
from tests.run.places import places_below
from wizard.conv2d.cards.result_card import read_card_file
from wizard.conv2d.journal import open_journal, read_journal
from wizard.conv2d.runs.events import EventFile
from wizard.conv2d.runs.folders import Run, kept_runs, runs_of
from wizard.conv2d.runs.history import BROKEN_OFF, FINISHED, earlier_alike, read_status
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest
from wizard.conv2d.shapes import Row, square
from wizard.conv2d.sweep import DeviceFound, StopReason, Sweep, WorkerStarted, event_of
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.core.json_form import to_json
from wizard.core.own_files import Places
from wizard.report.conv2d_runs import NO_VERDICT, past_runs, run_lines

__all__ = ["wizard"]

DEEP = b"[" * 200_000
DAMAGES = (b"", b"{", b"[]", b'{"schema": 9}', DEEP, b"\xff\xfe")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return places_below(tmp_path)


def whole(run: Run) -> str:
    return "\n".join(run_lines(run))


def test_a_run_tells_what_it_was_measured_with(places: Places) -> None:
    status = read_status(plant(places, 0, PASS, HUNG))
    assert status.state == FINISHED
    assert status.counts == ((Verdict.PASS, 1), (Verdict.HUNG, 1))
    assert status.loaded.device == "AMD Radeon RX 5600 XT"


def test_one_run_whole_is_told_in_the_words_of_the_command(places: Places) -> None:
    text = whole(plant(places, 0, PASS, HUNG))
    assert "finished: 2 shapes on cuda" in text
    assert "on AMD Radeon RX 5600 XT, torch 2.2.2+rocm5.7, with /v/bin/python" in text
    assert "16->32 3x3 @44x44  hung" in text
    assert "2 shapes: 1 right, 0 wrong, 1 hung" in " ".join(text.split())
    assert max(map(len, text.splitlines())) < 80


def test_a_run_that_broke_off_tells_why_after_what_it_has(places: Places) -> None:
    trouble = StopReason("It broke.", "That is bad.", "Mend it.")
    run = plant(places, 0, PASS, trouble=trouble)
    assert read_status(run).state == BROKEN_OFF
    assert whole(run).endswith("It broke.\nThat is bad.\nMend it.")


def test_verdicts_of_a_dead_runner_are_there_without_its_journal(places: Places) -> None:
    run = plant(places, 0, PASS, HUNG, ended=False)
    status = read_status(run)
    assert (status.state, len(status.counts)) == (BROKEN_OFF, 2)
    assert "The process that ran the measurement has ended." in whole(run)


def test_a_run_without_a_verdict_tells_what_was_loaded_for_it(places: Places) -> None:
    run = plant(places, 0, request=Sweep("/v/bin/python", (Row(PASS.shape),)), ended=False)
    assert read_status(run).loaded == Loaded()
    assert "    with /v/bin/python\n" in whole(run)
    with EventFile(run) as file:
        file.add(WorkerStarted(7, Loaded(torch="2.2.2"), "fork"))
    assert "on torch 2.2.2, with /v/bin/python" in whole(run)
    with EventFile(run) as file:
        file.add(DeviceFound(CARD))
        file.add(WorkerStarted(8, Loaded(torch="2.2.2"), "fork"))
    assert read_status(run).loaded == CARD


def test_a_run_without_verdicts_says_so(places: Places) -> None:
    sweep = Sweep("/v/bin/python", (Row(PASS.shape),))
    around = WorkaroundRequest(sweep, 1)
    assert NO_VERDICT in whole(plant(places, 0, request=sweep))
    assert NO_VERDICT in whole(plant(places, 1, request=around))


@pytest.mark.parametrize("content", DAMAGES, ids=lambda content: repr(content[:12]))
def test_a_damaged_run_is_named_and_the_others_are_told(
    tmp_path: Path, places: Places, content: bytes, wizard: Wizard
) -> None:
    good, bad = plant(places, 0, PASS), plant(places, 1, PASS)
    (bad.folder / "request.json").write_bytes(content)
    kept = kept_runs(places)
    assert [run.id for run in kept.runs] == [good.id]
    assert kept.unreadable == (str(bad.folder),)
    told = wizard(tmp_path, "conv2d", "--list").stdout
    assert f"{bad.folder} cannot be read: damaged, another user's" in told
    form = json.loads(wizard(tmp_path, "conv2d", "--list", "--json").stdout)
    assert form["unreadable"] == [str(bad.folder)]


@pytest.mark.parametrize("content", DAMAGES, ids=lambda content: repr(content[:12]))
def test_damaged_events_and_journals_end_no_reading(places: Places, content: bytes) -> None:
    run = plant(places, 0, PASS, ended=False)
    run.events.write_bytes(content + b"\n")
    run.journal.write_bytes(content + b"\n")
    assert event_of(content) is None
    assert read_status(run).state == BROKEN_OFF


def test_a_run_whose_events_cannot_be_read_tells_that_and_no_other_end(places: Places) -> None:
    run = plant(places, 0, PASS)
    run.events.unlink()
    run.events.symlink_to("/dev/null")  # nothing of ours is a link
    status = read_status(run)
    assert status.state == BROKEN_OFF
    assert status.why == f"{run.events} cannot be read: it is a link."
    assert "Take ownership of the file and make it readable" in whole(run)


def test_a_journal_that_cannot_be_read_hides_no_other(tmp_path: Path, places: Places) -> None:
    journal(tmp_path, "good", PASS)
    Path(places.conv2d, "folder.jsonl").mkdir()
    Path(places.conv2d, "gone.jsonl").symlink_to("/nowhere")
    assert [run.results for run in past_runs(places)] == [(PASS,)]


def test_of_runs_of_one_minute_the_later_is_the_newer(places: Places) -> None:
    for seconds, results in enumerate(((PASS,), (HUNG,), (PASS, HUNG))):
        plant(places, 0, *results, seconds=seconds)
    assert [run.results for run in past_runs(places)] == [(PASS, HUNG), (HUNG,), (PASS,)]


def test_where_runs_lie_that_cannot_be_opened_is_named(places: Places) -> None:
    folder = Path(places.conv2d) / "runs"
    folder.parent.mkdir(parents=True)
    folder.write_text("no folder")
    assert kept_runs(places).unreadable == (str(folder),)
    assert runs_of(places) == ()


def test_a_verdict_of_another_version_is_not_there_and_the_journal_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    later = {**to_json(PASS), "verdict": "splendid"}
    lines = ({"journal": 1}, {"outcome": 0, "result": later}, {"outcome": 1, "result": None})
    good = {"outcome": 2, "result": to_json(PASS)}
    path.write_text("".join(f"{json.dumps(line)}\n" for line in (*lines, good)))
    path.chmod(0o600)
    assert dict(read_journal(path).results) == {2: PASS}
    journal = open_journal(path, resume=True)
    assert journal.results == {2: PASS}
    journal.close()


def test_the_run_before_is_the_last_that_asked_the_same_of_the_same_device(
    places: Places,
) -> None:
    sweep = Sweep("/v/bin/python", (Row(PASS.shape),))
    limit = LimitRequest(sweep, "size", 1, 9, 1)
    first = plant(places, 0, PASS)
    plant(places, 1, HUNG)
    plant(places, 2, PASS, request=limit)
    on_cpu = Sweep("/v/bin/python", (Row(PASS.shape),), "cpu")
    plant(places, 3, PASS, request=on_cpu)
    other_torch = plant(places, 4, PASS, request=Sweep("/w/bin/python", (Row(PASS.shape),)))
    plant(places, 5, PASS)
    runs = runs_of(places)
    assert [run.id for run in earlier_alike(other_torch, runs)] == [first.id]
    assert list(earlier_alike(first, runs)) == []


def test_a_run_that_is_named_counts_as_the_last(
    tmp_path: Path, places: Places, wizard: Wizard
) -> None:
    old = plant(places, 0, PASS, RIGHT)
    middle = plant(places, 1, PASS, HUNG)
    plant(places, 2, made(square(3, 3, 9)))
    path = tmp_path / "card.json"
    done = wizard(tmp_path, "conv2d", "--export", str(path), "--run", middle.id)
    assert done.returncode == 0, done.stderr
    assert [result.verdict for result in read_card_file(path).results][1] is Verdict.HUNG
    script = wizard(tmp_path, "conv2d", "--repro", str(tmp_path / "r.py"), "--run", old.id)
    assert "This script measures 16->32 3x3 @32x32." in script.stdout
    compared = wizard(tmp_path, "conv2d", "--compare", "--run", middle.id)
    assert "* 16->32 3x3 @44x44  pass  hung" in compared.stdout
    assert wizard(tmp_path, "conv2d", "--compare", old.id, middle.id).stdout == compared.stdout
    assert wizard(tmp_path, "conv2d", "--compare", old.id, str(path)).stdout == compared.stdout
    refused = wizard(tmp_path, "conv2d", "--export", str(tmp_path / "x"), "--run", "7")
    assert refused.returncode == 2
    assert "no run with results is called '7'" in refused.stderr
