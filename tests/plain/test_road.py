"""The plain road from the first question to the last, on the recorded machine of the demo."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, ROOT
from tests.conftest import Golden
from tests.plain.walking import walk
from tests.run.places import places_below
from wizard.core.journal import Kind
from wizard.plan.removal import system_plan
from wizard.run.journal import Journal

BOOKWORM = str(ROOT / "tests" / "machines" / "rx5500xt-bookworm-distro")
WAYS = {
    "set-up": "1 . ? 2 . . 0",
    "set-up-and-back": "1 1,4 b 8 {rocm62} b {rocm57} 2 . /data/ai 0",
    "measure": "2 . 1 1 0",
    "measure-a-model": "2 2 /data/ai/bin/python 2 3 . 0",
    "find-a-setting": "2 . 1 5 1 0",
    "diagnose": "3 1 1 2 a . 0",
    "clean-up": "5 . 0",
    "roll-back": "6 0",
    "wrong-answers": "x 99 -1 ? ?5 b 0",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_is_told_as_agreed(way: str, tmp_path: Path, golden: Golden) -> None:
    code, told = walk(tmp_path, WAYS[way], "--demo")
    assert code == 0
    assert told.endswith("Goodbye.\n"), "it left the way that was meant"
    assert str(ROOT) not in told
    too_long = [line for line in told.splitlines() if len(line) > 79 and len(line.split()) > 1]
    assert too_long == []
    golden.check(f"plain/{way}.txt", told)


def test_help_tells_all_that_is_said_of_one_stack(tmp_path: Path) -> None:
    _, told = walk(tmp_path, "1 0 ?{cpu} b b 0", "--demo")
    assert re.search(r"^\d\. cpu$", told, re.MULTILINE)
    assert "== What is known about cpu" in told
    assert told.endswith("Goodbye.\n")


def test_a_stack_that_cannot_run_what_is_wanted_is_taken_only_after_a_yes(tmp_path: Path) -> None:
    _, told = walk(tmp_path, "1 1 {rocm52} . {rocm52} 2 . . 0", "--demo")
    assert "rocm52 cannot run ComfyUI: ComfyUI needs torch 2.7 or newer" in told
    assert told.count("Use it anyway?") == told.count("Which stack?") == 2
    assert "--demo apply --stack rocm52 --app comfyui" in told


@pytest.mark.parametrize(("answer", "declined"), [(".", False), ("1", False), ("2", True)])
def test_who_may_not_use_the_gpu_is_asked_whether_the_plan_shall_change_that(
    tmp_path: Path, answer: str, declined: bool
) -> None:
    _, told = walk(tmp_path, f"1 1 . {answer} . 0", "--machine", MACHINE)
    assert "Should the plan give" in told
    command = told.split("The same as a command:")[1].split("\n\n")[0]
    assert ("--without-groups" in command) == declined
    assert ("as root, add owner to render" in told) != declined
    _, told = walk(tmp_path, "1 1 . . 0", "--demo")
    assert "Should the plan give" not in told, "its owner is in render"


def test_words_of_ours_are_explained_where_they_are_met_first(tmp_path: Path) -> None:
    _, told = walk(tmp_path, "1 . . . 0", "--demo")
    flat = " ".join(told.split())
    assert "recommends a stack (a PyTorch build and everything it needs)" in flat
    assert "Which stack? The recommended one comes first; native is AMD's own build." in flat
    assert "in the folder /home/owner/ai/native" in flat
    assert "footprint" not in flat


def test_the_undo_is_named_with_the_recommendation(tmp_path: Path) -> None:
    _, told = walk(tmp_path, "1 . q", "--demo")
    assert told.index("rdna1-setup rollback") < told.index("Which stack?")
    assert told.endswith("Goodbye. Nothing was changed except by plans you agreed to.\n")


def test_the_list_of_removals_names_a_half_installed_driver_that_goes_too(tmp_path: Path) -> None:
    machine = "tests/machines/rx5600xt-noble-rocm52-mix"
    _, told = walk(tmp_path, "5 q", "--machine", machine)
    assert "AMD's ROCm packages, and the half-installed amdgpu-dkms" in told
    assert "AMD's and the distribution's ROCm, and the half-installed amdgpu-dkms" in told
    _, told = walk(tmp_path, "5 q", "--demo")
    assert "half-installed" not in told


def test_a_text_is_explained_where_it_is_pasted(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("RuntimeError: HIP error: invalid device function\n")
    _, told = walk(tmp_path, f"4 1 {log} 4 2 Segfault . 0", "--demo")
    assert "[wheel-lacks-gfx-target]" in told
    assert "does not recognize any line in this text. Try" in told


def test_the_end_of_the_answers_leaves_and_changes_nothing(tmp_path: Path) -> None:
    for answers in ("", "1", "1 .", "1 . .", "5", "2 . 1"):
        code, told = walk(tmp_path, answers)
        assert code == 0
        assert told.endswith("Goodbye. Nothing was changed except by plans you agreed to.\n")
        assert list(tmp_path.iterdir()) == []


def test_answers_from_a_pipe_agree_to_no_plan(tmp_path: Path) -> None:
    """They were written before the plan was seen; ``apply --yes`` is for scripts."""
    code, told = walk(tmp_path, "1 0 {cpu} . y y 0")
    assert "Carry out this plan?" not in told
    assert "Nothing was changed, because there is no terminal in which to prompt you." in " ".join(
        told.split()
    )
    assert code == 0
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_tells_each_step_and_does_none(tmp_path: Path) -> None:
    code, told = walk(tmp_path, "1 0 {cpu} . 0", "--demo")
    assert code == 0
    assert "The same as a command:\n    $ rdna1-setup --demo apply --stack cpu" in told
    assert "Nothing was changed, because this was a dry run." in told
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_stopped_is_called_by_what_it_was_for(tmp_path: Path) -> None:
    journal = Journal(Path(places_below(tmp_path).runs) / "20260101-120000-aaaaaa")
    journal.folder.parent.mkdir(parents=True)
    journal.begin(system_plan(Kind.FIX, (), (), cause="noop-setting"), "t")
    _, told = walk(tmp_path, "6 0 0")
    assert "A run is not finished: fix noop-setting (20260101-120000-aaaaaa)." in told
    assert "1  20260101-120000-aaaaaa: fix noop-setting, unfinished" in told


def test_what_was_answered_to_be_run_holds_for_the_rest_of_the_session(tmp_path: Path) -> None:
    _, told = walk(tmp_path, "1 10 b b 7 3 a 0 0", "--machine", BOOKWORM, "--dry-run")
    page = told[told.index("== Recommended") :]
    assert "For Transformers on your RX 5500 XT" in page
    assert "--app transformers" in page
    assert "diagnose --app transformers" in " ".join(page.replace("\\\n", " ").split())
    assert "A1111 on your" not in page
    _, told = walk(tmp_path, "7 0", "--machine", BOOKWORM, "--dry-run")
    assert "For A1111 on your RX 5500 XT" in told
    _, told = walk(tmp_path, "1 10 b b 1 b 0", "--machine", BOOKWORM, "--dry-run")
    assert told.count("(Enter for 2, ") == 1
    assert "(Enter for 10, " in told


def test_none_of_the_programs_is_an_answer_too(tmp_path: Path) -> None:
    _, told = walk(tmp_path, "1 0 . . . 0", "--machine", BOOKWORM, "--dry-run")
    assert "--app own" in told
    assert "A1111 with this stack" not in told


@pytest.mark.parametrize(("columns", "width"), [("80", 79), ("200", 79), ("52", 52)])
def test_the_first_words_are_wrapped_once(columns: str, width: int, tmp_path: Path) -> None:
    _, told = walk(tmp_path, "0", "--demo", COLUMNS=columns)
    first = told[: told.index("What do you want to do?")]
    for paragraph in first.strip().split("\n\n"):
        lines = paragraph.split("\n")
        assert all(len(line) <= width and line == line.strip() for line in lines)
        for line, below in itertools.pairwise(lines):
            assert len(f"{line} {below.split()[0]}") > width
