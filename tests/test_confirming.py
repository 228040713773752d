"""Whoever is asked for a yes answers by one key; a word is typed for the root helper alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from wizard.cli.console import is_yes

ROOT = Path(__file__).parent.parent
READERS = {
    "wizard/cli/console.py",
    "wizard/cli/conv2d_runs.py",
    "wizard/cli/questions.py",
}
"""Modules that read an answer from the terminal: y, or the number of a choice."""
KEY_PLACE = 2
"""Of a Question's arguments: after title and text."""


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """What is called in a module, by the last part of its name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func).rpartition(".")[2], node


def modules(*folders: str) -> list[Path]:
    """Every module of these packages."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def is_on_terminal(call: ast.Call) -> bool:
    """True for a line of the standard input, or of what plain answers come from."""
    return any(word in ast.unparse(call.func) for word in ("stdin", "_answers", "input"))


def test_answers_are_read_in_few_modules_and_nowhere_else() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in modules("wizard", "screens")
        for name, call in calls(path)
        if name in ("input", "readline") and is_on_terminal(call)
    }
    assert found == READERS


@pytest.mark.parametrize("answer", ["y", "Y", " y\n", "yes"])
def test_the_key_y_agrees(answer: str) -> None:
    assert is_yes(answer)


@pytest.mark.parametrize("answer", ["", "\n", "n", "no", "ye", "j", "ok", "1", "yy"])
def test_anything_else_does_not(answer: str) -> None:
    assert not is_yes(answer)


def test_each_question_of_the_screens_is_affirmed_by_a_key_of_one_letter() -> None:
    keys = [
        ast.literal_eval(call.args[KEY_PLACE])
        for path in modules("screens")
        for name, call in calls(path)
        if name == "Question"
    ]
    assert len(keys) > 2
    assert all(len(key) == 1 for key in keys)


def test_a_yes_is_asked_for_as_a_key() -> None:
    prompts = [
        ast.unparse(call.args[0])
        for path in modules("wizard")
        for name, call in calls(path)
        if name in ("input", "print") and call.args and "/N]" in ast.unparse(call.args[0])
    ]
    assert prompts
    assert all("[y/N]" in prompt for prompt in prompts)
