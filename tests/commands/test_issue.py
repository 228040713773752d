"""What `report` tells: the last verdicts first, and no more than a reader of an issue needs."""

import json
import os
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, wizard
from tests.commands.test_conv2d_lines import result
from tests.run.places import places_below, plan_of
from wizard.conv2d.runs.history import sweeps
from wizard.conv2d.shapes import square
from wizard.conv2d.verdicts import Verdict
from wizard.core.json_form import to_json
from wizard.run.journal import Journal


def journal(home: Path, name: str, *lines: object, age_s: int = 0) -> Path:
    path = Path(places_below(home).conv2d, f"{name}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in ({"journal": 1}, *lines)))
    os.utime(path, (1_800_000_000 - age_s,) * 2)
    return path


def outcome(index: int, verdict: Verdict, size: int = 32) -> dict[str, object]:
    return {"outcome": index, "result": to_json(result(verdict, square(16, 32, size)))}


def test_the_last_verdicts_come_first(tmp_path: Path) -> None:
    journal(tmp_path, "old", outcome(0, Verdict.CRASHED), {"finished": True}, age_s=60)
    new = (outcome(0, Verdict.PASS), outcome(1, Verdict.HUNG, 44), {"finished": True})
    journal(tmp_path, "new", *new)
    told = wizard(tmp_path, "report").stdout
    assert told.index("## Conv2d") < told.index("## Machine")
    assert "2 shapes: 1 right, 0 wrong, 1 hung, on AMD Radeon RX 5600 XT" in told
    assert "16->32 3x3 @44x44  hung" in told
    assert "16->32 3x3 @32x32  crashed" not in told


def test_what_changed_since_the_sweep_before_is_told(tmp_path: Path) -> None:
    journal(tmp_path, "old", outcome(0, Verdict.PASS), {"finished": True}, age_s=60)
    assert "Since the previous run" not in wizard(tmp_path, "report").stdout
    journal(tmp_path, "new", outcome(0, Verdict.HUNG), {"finished": True})
    told = wizard(tmp_path, "report").stdout
    assert "Since the previous run: 1 of 1 shape measured in both has a different verdict." in told
    assert "16->32 3x3 @32x32: pass, now hung" in told


def test_a_sweep_that_was_cut_off_says_so(tmp_path: Path) -> None:
    journal(tmp_path, "new", outcome(0, Verdict.PASS), {"launch": 1, "process": "fork"})
    told = " ".join(wizard(tmp_path, "report").stdout.split())
    assert "Shape number 2 was launched but has no result" in told


@pytest.mark.parametrize("junk", ["{", "[]", '{"outcome": 0, "result": {"shape": 1}}', "\x00"])
def test_a_damaged_journal_is_no_obstacle(tmp_path: Path, junk: str) -> None:
    with journal(tmp_path, "new", outcome(0, Verdict.PASS)).open("a") as file:
        file.write(f"{junk}\n")
    done = wizard(tmp_path, "report")
    assert done.returncode == 0
    assert "1 shape: 1 right" in done.stdout


def test_results_of_another_torch_are_forgotten_as_the_sweep_forgot_them(tmp_path: Path) -> None:
    journal(tmp_path, "x", outcome(0, Verdict.HUNG), {"forget": True}, outcome(0, Verdict.PASS))
    found = next(sweeps(Path(places_below(tmp_path).conv2d)), None)
    assert found is not None
    assert [each.verdict for each in found.results] == [Verdict.PASS]


def test_without_a_sweep_it_says_how_to_make_one(tmp_path: Path) -> None:
    assert "No verdicts yet. To measure: rdna1-setup conv2d" in wizard(tmp_path, "report").stdout


def test_it_is_short_also_where_a_machine_has_much_to_tell(tmp_path: Path) -> None:
    noble = Path(MACHINE).with_name("rx5600xt-noble-rocm57")
    told = wizard(tmp_path, "report", "--machine", str(noble)).stdout
    machine = told.partition("## Machine")[2].partition("## Runs")[0]
    assert len(machine.splitlines()) < 60
    assert len(told.splitlines()) < 150
    assert "RECORDED MACHINE" in told
    assert "RX 5600 XT" in told
    assert "HSA_OVERRIDE_GFX_VERSION=10.3.0" in told
    assert machine.count("HSA_OVERRIDE_GFX_VERSION") == 1
    assert "## Recommended" in told
    assert "AUTOMATIC1111" not in told


def test_a_run_that_failed_repeats_why(tmp_path: Path) -> None:
    folder = Path(places_below(tmp_path).runs, "20260101-a")
    run = Journal(folder)
    folder.parent.mkdir(parents=True)
    run.begin(plan_of(tmp_path), "t")
    (folder / "log.txt").write_text(
        "a\nfailed: The disk became full.\nmeaning\nnext\nnot finished\n"
    )
    told = wizard(tmp_path, "report").stdout
    assert "20260101-a cpu ~/venv unfinished" in told
    assert "  failed: The disk became full." in told


def test_json_holds_the_verdicts_and_the_whole_machine(tmp_path: Path) -> None:
    journal(tmp_path, "new", outcome(0, Verdict.HUNG))
    form = json.loads(wizard(tmp_path, "report", "--format", "json").stdout)
    assert form["conv2d"]["results"][0]["verdict"] == "hung"
    assert form["conv2d"]["finished"] is False
    assert "interpreters" in form["machine"]
