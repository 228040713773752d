"""What ``?`` tells: each question explains itself, and what each of its answers does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.running import MACHINE
from tests.plain.walking import walk
from wizard.cli.questions import HOW_TO_ANSWER

TWO_CARDS = "tests/machines/rx5700-rx5500xt-noble"


@pytest.mark.parametrize(
    ("answers", "machine", "told"),
    [
        ("1 ? q", "", "Type 0 to get a recommendation for PyTorch in general."),
        ("1 0 ? q", TWO_CARDS, "Enter selects the card that suits PyTorch best."),
        ("1 1 {rocm52} ? q", "", "1 goes back to the list of stacks."),
        ("1 0 {rocm57} ? q", "", "1 sets only the variables that the stack itself needs."),
        ("1 0 {rocm57} . ? q", "", "1 puts everything into one folder."),
        ("1 0 . ? q", MACHINE, "Linux lets only members of certain groups use the GPU."),
        ("1 0 {cpu} ? q", "", "Press Enter to use the folder shown."),
        ("2 ? q", "", "Each path leads to a Python on this machine that has PyTorch."),
        ("2 2 ? q", "", "Look in the bin folder of the environment."),
        ("2 1 ? q", "", "1 measures on the graphics card."),
        ("2 1 . ? q", "", "5 measures one shape with different environment variables"),
        ("2 1 . 3 ? q", "", "Each choice is a list of shapes to measure."),
        ("2 1 . 4 ? q", "", "Square images up to 256 x 256 are tested."),
        ("2 1 . 5 ? q", "", "The last choice lets you type your own."),
        ("2 1 . 5 5 ? q", "", "16-32 64 means: 16 channels go in"),
        ("3 ? q", "", "a prints everything"),
        ("3 3 ? q", "", "1 goes back to the list of what was found."),
        ("4 ? q", "", "2 lets you paste the lines here."),
        ("4 1 ? q", "", "The file is read but not changed."),
        ("5 ? q", "", "3 removes those and your distribution's ROCm packages."),
    ],
)
def test_a_question_explains_itself(answers: str, machine: str, told: str, tmp_path: Path) -> None:
    where = ("--machine", machine) if machine else ("--demo",)
    _, said = walk(tmp_path, answers, *where)
    flat = " ".join(said.split())
    assert told in flat
    assert flat.count(HOW_TO_ANSWER) == 1
    too_long = [line for line in said.splitlines() if len(line) > 79 and len(line.split()) > 1]
    assert too_long == []


def test_each_program_explains_itself(tmp_path: Path) -> None:
    _, said = walk(tmp_path, "1 ?10 ?2 q", "--demo")
    flat = " ".join(said.split())
    assert "Transformers: Language models and other models" in flat
    assert "Its newest release needs torch 2.6 or newer." in flat
    assert "A1111: The older web UIs for Stable Diffusion" in flat
    assert "webui.sh creates its own venv." in flat
    assert HOW_TO_ANSWER not in flat
