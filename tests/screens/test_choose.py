"""Choose: what its table and its words say, and what its keys do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.widgets import Input, Static

from screens.app import SetupApp
from screens.choose.road_sections import Section, sections_of
from screens.choose.roads_table import RoadsTable, fitting_answers, table_lines
from screens.choose.section_lines import section_lines, share_lines, shortened
from screens.session import Session
from tests.screens import examples
from tests.screens.driving import (
    app_with,
    press,
    reach,
    screen_text,
    status,
    step_name,
    until,
    usable_keys,
)
from tests.screens.fakes import LIVE_SERVICES
from wizard.advice.comparison import Aspect
from wizard.advice.fit import Answer
from wizard.advice.recommend import Recommendation
from wizard.knowledge.applications import Application
from wizard.knowledge.stacks import load_stacks
from wizard.knowledge.verdicts import Word
from wizard.machine.facts import FoundApplication, Machine

ALL = tuple(application.id for application in examples.APPLICATIONS)


async def test_arrows_move_the_road_and_the_words_follow() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "down")
        await until(pilot, lambda: "> 2 native" in screen_text(pilot.app))
        assert "── 2 NATIVE: can be installed here" in screen_text(pilot.app)


async def test_the_suggested_stack_is_selected_until_another_one_is_chosen() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        assert "> 1 rocm52" in screen_text(pilot.app)
        await press(pilot, "space")
        await until(pilot, lambda: "> 1 native" in screen_text(pilot.app))
        assert "── 1 NATIVE: recommended" in screen_text(pilot.app)
        assert "/home/sam/rdna1/native" in screen_text(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "review")
        assert "native into /home/sam/rdna1/native" in screen_text(pilot.app)


async def test_ticking_ranks_again_and_keeps_the_stack_that_was_chosen() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "down", "up")
        assert "> 1 rocm52" in screen_text(pilot.app)
        await press(pilot, "space")
        await until(pilot, lambda: "> 2 rocm52" in screen_text(pilot.app))
        assert "── 2 ROCM52" in screen_text(pilot.app)


async def test_a_stack_that_cannot_run_what_is_ticked_is_reviewed_only_after_a_yes() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "space", "down", "enter")
        assert step_name(pilot.app) == "", screen_text(pilot.app)
        told = pilot.app.screen.query_one(Static).render().plain  # type: ignore[union-attr]
        assert "rocm52 cannot run ComfyUI: needs torch 2.7 or later." in told
        assert "Suggested instead: native (ComfyUI: likely)." in told
        await press(pilot, "enter")
        assert step_name(pilot.app) == "", "Enter, typed twice, is no yes"
        await press(pilot, "escape")
        await reach(pilot, "choose")
        await press(pilot, "enter", "y")
        await reach(pilot, "review")
        assert "rocm52 into" in screen_text(pilot.app)


async def test_without_a_verdict_of_no_review_opens_at_once() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "right", "space", "down", "down", "enter")
        await reach(pilot, "review")
        assert "rocm57 into" in screen_text(pilot.app), "YOLO train: disputed"


async def test_an_application_that_was_found_is_ticked_from_the_start() -> None:
    found = FoundApplication("comfyui", "/home/sam/ComfyUI", "", "")

    def detect(on_part: object) -> Machine:
        return replace(examples.MACHINE, applications=(found,))

    services = replace(LIVE_SERVICES, detect=detect)
    async with app_with(services, "detect").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "detect")
        await until(pilot, lambda: "n" in usable_keys(pilot.app))
        await press(pilot, "n")
        await reach(pilot, "choose")
        await until(pilot, lambda: "[x] ComfyUI" in screen_text(pilot.app))


async def test_what_choose_asks_first_was_asked_while_the_machine_was_read() -> None:
    found = FoundApplication("comfyui", "/home/sam/ComfyUI", "", "")
    machine = replace(examples.MACHINE, applications=(found,))
    asked: list[tuple[Machine, tuple[str, ...]]] = []

    def recommend(machine: Machine, applications: tuple[str, ...], preset: str) -> Recommendation:
        asked.append((machine, applications))
        return examples.recommend(machine, applications, preset)

    services = replace(LIVE_SERVICES, detect=lambda on_part: machine, recommend=recommend)
    async with app_with(services, "detect").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "detect")
        await until(pilot, lambda: "n" in usable_keys(pilot.app))
        assert asked == [(machine, ("comfyui",))]
        await press(pilot, "n")
        await reach(pilot, "choose")
        assert set(asked[1:]) == {asked[0]}


async def test_a_road_that_is_not_possible_can_be_read_and_not_taken() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "down", "down", "down", "down", "enter")
        await until(pilot, lambda: "Not possible here" in status(pilot.app))
        assert "Blocked No interpreter that fits" in screen_text(pilot.app)


async def test_a_folder_below_home_may_be_typed_with_a_tilde() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "tab", "ctrl+u", *"~/x", "enter", "enter")
        await reach(pilot, "review")
        assert "into /home/sam/x" in screen_text(pilot.app)


async def test_a_folder_that_is_too_long_for_its_field_is_cut_with_a_mark() -> None:
    long = "/home/sam/a/folder/with/a/name/that/is/longer/than/the/field/for/it"
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "tab", "ctrl+u", *long)
        assert "longer/than/the/field/for/it" in screen_text(pilot.app)
        await press(pilot, "enter")
        await until(pilot, lambda: "Folder  …" in screen_text(pilot.app))
        assert pilot.app.screen.query_one(Input).value == long


async def test_the_cursor_of_the_folder_stands_behind_the_folder_of_every_row() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "tab", "home", "escape", "down", "tab", "x")
        assert pilot.app.screen.query_one(Input).value == "/home/sam/rdna1/nativex"
        await press(pilot, "ctrl+u", "escape", "down", "tab", "x")
        assert pilot.app.screen.query_one(Input).value == "/home/sam/rdna1/rocm57x"


async def test_system_packages_are_offered_where_the_stack_has_some_and_mean_root() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "f")
        await until(pilot, lambda: "ROCm 5.2.0 system packages (root)" in screen_text(pilot.app))
        assert "1.6 GB  yes" in screen_text(pilot.app)
        assert "Root needed    yes" in screen_text(pilot.app)
        await press(pilot, "A", "A")
        await until(pilot, lambda: "> Undo" in screen_text(pilot.app))
        told = " ".join(screen_text(pilot.app).split())
        assert "packages too; your own files" in told


def test_no_line_of_the_table_is_wider_than_the_screen() -> None:
    for cells in (78, 98, 118):
        for count in range(len(ALL) + 1):
            lines = table_lines(table(ALL[:count]), cells)
            assert {cell_len(line.plain) for line in lines} == {cells}, count


def test_verdicts_that_do_not_fit_are_counted_and_the_worst_is_shown() -> None:
    head, *_ = table_lines(table(("small-cnn", "transformers", "own", "yolo")), 78)
    assert "+2 more" in head.plain
    words = (Word.LIKELY, Word.POSSIBLE, Word.UNLIKELY, Word.WORKS)
    answers = tuple(Answer("x", word, "") for word in words)
    shown = [answer.word for answer in fitting_answers(answers, 2)]
    assert shown == [Word.LIKELY, Word.UNLIKELY]


def test_the_words_never_need_more_lines_than_there_are() -> None:
    sections = sections_for("rocm52", examples.APPLICATIONS)
    for lines in range(1, 30):
        shown = section_lines(sections, 78, lines)
        assert len(shown) <= lines
        assert all(cell_len(line.plain) <= 78 for line in shown), lines


def test_each_section_has_its_line_before_any_has_two() -> None:
    assert share_lines([5, 5, 5], [3, 1, 2], 4) == [1, 2, 1]
    assert share_lines([1, 2], [1, 2], 9) == [1, 2]


def test_a_cut_text_is_marked() -> None:
    lines = section_lines(sections_for("rocm52", examples.APPLICATIONS), 78, 3)
    assert any(" … " in line.plain for line in lines)


def test_sentences_that_are_not_shown_at_all_are_counted() -> None:
    mind = Section("Mind", ("long " * 20, "second", "third"), 1)
    first, *_ = section_lines((mind,), 78, 1)
    assert first.plain.endswith(" … 2 more")


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (
            "It ran on every card that we know, because nobody had",
            "It ran on every card that we know",
        ),
        (
            "One word, and then a very long clause without any end at all",
            "One word, and then a very long clause",
        ),
    ],
)
def test_a_cut_falls_behind_a_clause_where_one_ends_late_enough(text: str, short: str) -> None:
    assert shortened(text, 38) == short


def sections_for(stack: str, applications: tuple[Application, ...]) -> tuple[Section, ...]:
    """All that is said of a stack."""
    fit = examples.fit(stack, tuple(each.id for each in applications))
    marked = Aspect("large-conv2d", "Large Conv2d", "likely", "image programs ran")
    return sections_of(fit, applications, marked, (*fit.needs, *examples.STACKS[0].cautions))


def table(ticked: tuple[str, ...]) -> RoadsTable:
    """The table for what is ticked."""
    applications = tuple(a for a in examples.APPLICATIONS if a.id in ticked)
    ids = tuple(a.id for a in applications)
    fits = examples.recommend(examples.MACHINE, ids).fits
    stacks = {s.id: replace(s, one_line="not tested " * 9) for s in examples.STACKS}
    return RoadsTable(fits, stacks, applications, "rocm52", lambda stack: False)


async def test_the_torch_that_is_there_is_measured_before_a_choice_and_back_leads_here() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        assert "c measures your torch 2.2.2+rocm5.7 first" in status(pilot.app)
        await press(pilot, "c")
        await reach(pilot, "conv2d")
        assert "/home/sam/ai/venv/bin/python" in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "choose")


async def test_published_settings_are_gone_through_and_chosen_with_what_is_said_of_them() -> None:
    session = Session(machine=examples.MACHINE, stack="rocm57")
    services = replace(LIVE_SERVICES, stacks=load_stacks)
    async with SetupApp(services, session, "choose").run_test(size=(120, 40)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "v")
        await until(pilot, lambda: "GEMM only: Its author saw" in status(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "review")
        choice = pilot.app.screen.session.choice  # type: ignore[attr-defined]
        assert choice.preset == "GEMM only"


async def test_without_a_torch_for_rocm_there_is_nothing_to_measure_first() -> None:
    machine = replace(examples.MACHINE, environments=())
    session = Session(machine=machine, parts=examples.PARTS)
    async with SetupApp(LIVE_SERVICES, session, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        assert "c" not in usable_keys(pilot.app)
