"""Questions by number: Enter, help, back, wrong answers, and the end of the input."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.plain.conversing import Conversation
from wizard.cli.questions import AGAIN, HOW_TO_ANSWER, Left, Option, WentBack, in_turn
from wizard.plan.choice import Choice

MORE = "One is the first."
THREE = [Option("one", "a"), Option("two", "b"), Option("leave", "none", "0")]


@pytest.mark.parametrize(("answer", "value"), [("1", "a"), ("2", "b"), ("0", "none"), ("", "b")])
def test_a_number_chooses_and_enter_takes_the_usual_one(answer: str, value: str) -> None:
    assert Conversation(answer).ask.choose("Which?", THREE, 1, explain=MORE) == value


def test_what_means_nothing_is_said_and_asked_again() -> None:
    talk = Conversation("7", "x", "2")
    assert talk.ask.choose("Which?", THREE, explain=MORE) == "b"
    assert talk.text.count("the choices") == 2
    assert AGAIN not in talk.text


def test_three_wrong_answers_tell_the_choices_once_more() -> None:
    talk = Conversation("7", "x", "-1", "1")
    assert talk.ask.choose("Which?", THREE, explain=MORE) == "a"
    assert talk.text.count(AGAIN) == 1
    assert talk.text.count("  2  two") == 2


def test_the_end_of_the_input_leaves() -> None:
    with pytest.raises(Left):
        Conversation("7").ask.choose("Which?", THREE, explain=MORE)
    with pytest.raises(Left):
        Conversation().ask.text("Where?", "/home", explain=MORE)
    with pytest.raises(Left):
        Conversation().ask.tick("What?", THREE, explain=MORE)


def test_help_is_no_wrong_answer_and_may_be_of_one_choice() -> None:
    asked: list[int | None] = []
    talk = Conversation("?", "?2", "? 0", "?9", "1")
    assert talk.ask.choose("Which?", THREE, explain=asked.append) == "a"
    assert asked == [None, 1, 2]
    assert talk.text.count("'?9' is not one of the choices") == 1


def test_b_goes_back_where_something_comes_before() -> None:
    with pytest.raises(WentBack):
        Conversation("b").ask.choose("Which?", THREE, explain=MORE)
    with pytest.raises(WentBack):
        Conversation("b").ask.tick("What?", THREE, explain=MORE)
    assert Conversation("b", "2").ask.choose("Which?", THREE, first=True, explain=MORE) == "b"


@pytest.mark.parametrize(
    ("answer", "values"),
    [("1 2", ("a", "b")), ("2,1,2", ("a", "b")), ("", ("b",)), ("0", ()), ("3", ("none",))],
)
def test_several_may_be_ticked(answer: str, values: tuple[str, ...]) -> None:
    assert Conversation(answer).ask.tick("What?", THREE, [1], explain=MORE) == values


@pytest.mark.parametrize("answer", ["³", "1 x", "4", "9" * 5_000])
def test_what_names_none_of_them_is_asked_again(answer: str) -> None:
    assert Conversation(answer, "2").ask.tick("What?", THREE, explain=MORE) == ("b",)


def test_one_of_several_that_may_be_ticked_is_explained_and_no_other_is() -> None:
    asked: list[int | None] = []
    talk = Conversation("?3", "?", "?4", "?0", "1")
    assert talk.ask.tick("What?", THREE, explain=asked.append) == ("a",)
    assert asked == [2, None]
    assert "'?4' is not one of the choices." in talk.text


def test_enter_keeps_a_text() -> None:
    assert Conversation("").ask.text("Where?", "/home/sam", explain=MORE) == "/home/sam"
    assert Conversation("/data").ask.text("Where?", "/home/sam", explain=MORE) == "/data"


def test_help_is_given_at_every_question_and_never_taken_for_an_answer() -> None:
    talk = Conversation("?", "2", "?", "1", "?", "? 7", "/data")
    assert talk.ask.choose("Which?", THREE, explain=MORE) == "b"
    assert talk.ask.tick("What?", THREE, explain=MORE) == ("a",)
    assert talk.ask.text("Where?", "/home/sam", explain=MORE) == "/data"
    assert talk.text.count(f"{MORE}\n{HOW_TO_ANSWER}") == 4
    assert talk.text.count("? help") == 7
    assert "the choices" not in talk.text
    assert talk.text.count("Where?") == 1


def test_q_leaves_at_every_question() -> None:
    with pytest.raises(Left):
        Conversation("q").ask.choose("Which?", THREE, first=True, explain=MORE)
    with pytest.raises(Left):
        Conversation("q").ask.tick("What?", THREE, explain=MORE)
    with pytest.raises(Left):
        Conversation("q").ask.text("Where?", "/home/sam", explain=MORE)
    assert Conversation("./q").ask.text("Where?", "/home/sam", explain=MORE) == "./q"


def test_pasted_lines_end_with_a_full_stop_or_with_the_input() -> None:
    assert Conversation("a", "", " .", "b").ask.lines(".") == "a\n\n"
    assert Conversation("a").ask.lines(".") == "a\n"


def test_back_leads_past_questions_that_had_nothing_to_ask() -> None:
    talk = Conversation("1", "b", "2", "1")
    start = Choice("", "venv", "")

    def stack(made: Choice) -> Choice:
        return replace(made, stack=talk.ask.choose("Stack?", THREE, explain=MORE))

    def footprint(made: Choice) -> Choice | None:
        return None

    def folder(made: Choice) -> Choice:
        return replace(made, venv=talk.ask.choose("Folder?", THREE, explain=MORE))

    assert in_turn((stack, footprint, folder), start) == Choice("b", "venv", "a")


def test_back_before_the_first_question_leaves_all_of_them() -> None:
    talk = Conversation("b")
    with pytest.raises(WentBack):
        in_turn(
            (lambda made: talk.ask.choose("Which?", [Option("one", made)], explain=MORE),), "start"
        )
