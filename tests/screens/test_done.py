"""The ending: commands that can be pasted, and words that suit the stack."""

from __future__ import annotations

from dataclasses import replace

from screens.done import ending_text
from screens.services import LIVE
from tests.screens import examples
from tests.screens.driving import session_at

WIDE = 200


def ending(stack: str, venv: str = "/home/sam/ai/x") -> str:
    plan = replace(examples.PLAN, stack=stack, venv=venv)
    return ending_text(replace(session_at("done"), plan=plan), LIVE, WIDE).plain


def test_the_command_for_a_stack_without_card_measures_on_the_processor() -> None:
    assert "conv2d --python /home/sam/ai/x/bin/python --device cpu\n" in ending("cpu")
    assert "conv2d --python /home/sam/ai/x/bin/python\n" in ending("rocm52")


def test_the_ending_asks_about_the_card_only_where_the_stack_uses_it() -> None:
    assert "on your card" in ending("rocm52").splitlines()[0]
    assert "card" not in ending("cpu").splitlines()[0].replace("without the card", "")


def test_a_folder_with_a_blank_is_one_word_in_every_command() -> None:
    text = ending("rocm52", "/home/sam/my  ai")
    assert "'/home/sam/my  ai/bin/python' your_script.py" in text
    assert "'/home/sam/my  ai/bin/rdna1-python' your_script.py" in text
    assert "conv2d --python '/home/sam/my  ai/bin/python'" in text
