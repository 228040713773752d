"""A report for strangers: the user's name and home stay out, and everything else stays whole."""

import json
from dataclasses import replace

import pytest

from tests.handmade import clean_jammy
from wizard.jsonform import to_json
from wizard.machine.facts import Access, Machine, Setting
from wizard.report.machine import machine_lines
from wizard.report.private import redacted, redacted_form, without_name


def access(user: str, home: str) -> Access:
    return replace(clean_jammy().access, user=user, home=home)


def test_the_home_of_a_neighbour_with_a_longer_name_is_not_cut() -> None:
    text = "/home/al/x /home/alice/x /home/al"
    assert redacted(text, access("al", "/home/al")) == "~/x /home/alice/x ~"


@pytest.mark.parametrize("user", ["a", "root", "render", "name", "gpus"])
def test_a_user_called_like_a_word_leaves_words_and_keys_alone(user: str) -> None:
    machine = clean_jammy()
    machine = replace(machine, access=access(user, f"/home/{user}"))
    form = to_json(machine)
    told = redacted_form(form, machine.access)
    assert told.keys() == form.keys()
    assert told["gpus"] == form["gpus"]
    line = f"a render node of the root: /mnt/{user}/x"
    assert redacted(line, machine.access) == "a render node of the root: /mnt/USER/x"


def test_neither_name_nor_group_of_the_user_is_told() -> None:
    told = json.dumps(redacted_form(to_json(without_name(clean_jammy())), clean_jammy().access))
    assert "ada" not in told
    assert "render" in told


def test_a_login_in_an_address_is_left_out() -> None:
    told = redacted("index https://me:hunter2@host/simple", clean_jammy().access)
    assert told == "index https://***@host/simple"


def machine_with(value: str) -> Machine:
    return replace(clean_jammy(), settings=(Setting("HSA_X", value, "", 0, ""),))


def test_a_value_with_escapes_and_line_ends_stays_one_plain_line() -> None:
    lines = list(machine_lines(machine_with("a\x1b]0;title\x07\nb")))
    assert "  HSA_X=a b  (this shell)" in lines
