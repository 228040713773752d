"""What is printed on the plain road: 79 columns, no escapes, no carriage returns."""

from __future__ import annotations

import io
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.cli.questions import Page, folded

PIP = "    $ A=1 python -m pip install --index https://x.example/simple --report /a/b 'numpy<2'"


def printed(*texts: str) -> str:
    below = io.StringIO()
    page = Page(below)
    for text in texts:
        page.write(text)
    page.flush()
    return below.getvalue()


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400))
def test_no_line_moves_a_cursor_and_only_a_word_alone_is_longer(text: str) -> None:
    told = printed(text, "\n")
    assert "\x1b" not in told
    assert "\r" not in told
    for line in told.split("\n"):
        assert len(line) <= 79 or len(line.split()) == 1


def test_a_bar_that_is_drawn_over_itself_comes_as_text_alone() -> None:
    assert printed("10 %\r\x1b[2K20 %\n") == "10 %20 %\n"


def test_a_drawn_bar_is_left_out() -> None:
    assert (
        printed("Collecting pip\n", "   ━━━━━╺━━━ 1.0/2.0 MB\n", "ok\n") == "Collecting pip\nok\n"
    )


def test_a_long_line_goes_on_further_in() -> None:
    line = "  | " + "word " * 30
    first, second, *_ = folded(line.rstrip())
    assert first.startswith("  | word")
    assert second.startswith("      word")


@pytest.mark.parametrize("quoted", ["'numpy<2'", "'one two three'", '"one two"'])
def test_a_command_that_is_folded_is_still_one_for_a_shell(quoted: str) -> None:
    command = f"{PIP} {quoted} torch==1.13.1+rocm5.2 --extra-index-url https://y.example/simple"
    lines = list(folded(command))
    assert len(lines) > 1
    assert all(len(line) <= 79 for line in lines)
    joined = "\n".join(lines).replace("\\\n", "").strip().removeprefix("$ ")
    assert shlex.split(joined) == shlex.split(command.strip().removeprefix("$ "))


def test_a_path_is_never_cut() -> None:
    path = "/" + "x" * 100
    assert any(path in line for line in folded(f"    undo: remove {path} afterwards"))


def test_a_question_is_there_before_its_line_ends() -> None:
    below = io.StringIO()
    page = Page(below)
    print("Number: ", end="", file=page, flush=True)
    assert below.getvalue() == "Number: "


def test_what_is_said_of_a_command_stays_a_comment_on_every_line() -> None:
    words = " ".join(f"word{number}" for number in range(30))
    lines = list(folded(f"    $ uv lock --project /home/sam/work  # chooses {words}"))
    assert lines[0] == "    $ uv lock --project /home/sam/work"
    assert len(lines) > 3
    assert all(line.startswith("        # ") and len(line) < 80 for line in lines[1:])
