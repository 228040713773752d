"""Choose: the question what to run, what is suggested for it, and what the keys do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Static

from screens.app import SetupApp
from screens.choose.card import SYSTEM, choosing_at, cost
from screens.session import Session, following
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    drawn,
    press,
    reach,
    resize,
    resolved,
    screen_text,
    session_at,
    status,
    step_name,
    until,
    usable_keys,
)
from tests.screens.fakes import LIVE_SERVICES
from wizard.advice.recommend import Recommendation
from wizard.knowledge.claims import load_purposes
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import FoundApplication, Machine

COMFYUI = replace(session_at("choose"), applications=("comfyui",))
YOLO = replace(session_at("choose"), applications=("yolo",))
LONG = "/home/sam/a/folder/with/a/name/that/is/longer/than/the/field/for/it"


def flat(pilot: Pilot[int]) -> str:
    """The screen as one run of words, without frames."""
    return " ".join(screen_text(pilot.app).replace("│", " ").split())


def on_choose(session: Session = COMFYUI) -> SetupApp:
    """The app at Choose with this ticked."""
    return SetupApp(LIVE_SERVICES, session, "choose")


def planned(pilot: Pilot[int]) -> tuple[str, str]:
    """The stack and the folder that Review shows a plan for."""
    plan = pilot.app.screen.session.plan  # type: ignore[attr-defined]
    return plan.stack, plan.venv


# The words


@pytest.mark.parametrize(
    ("session", "native"),
    [(COMFYUI, False), (YOLO, True)],
    ids=("native is suggested, and explained there", "another is suggested"),
)
async def test_what_a_stack_is_and_what_native_is_are_told_where_they_are_met_first(
    session: Session, native: bool
) -> None:
    async with on_choose(session).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await resolved(pilot)
        assert "A stack is one matching set of ROCm and PyTorch" in flat(pilot)
        assert ("native is AMD's own build." in flat(pilot)) == native
        assert "AMD's own build" in flat(pilot)


# The question


async def test_what_was_ticked_is_what_the_suggestion_is_for() -> None:
    async with app_with(LIVE_SERVICES, "ask").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "ask")
        assert "What do you want to run?" in screen_text(pilot.app)
        assert "> [ ] ComfyUI" in screen_text(pilot.app)
        await press(pilot, "space", "down", "space", "up", "space")
        assert "[x] YOLO train" in screen_text(pilot.app)
        assert "[ ] ComfyUI" in screen_text(pilot.app), "Space unticks too"
        await press(pilot, "enter")
        await reach(pilot, "choose")
        assert "For YOLO train on your RX 5600 XT: rocm52" in flat(pilot)


async def test_with_nothing_ticked_pytorch_in_general_is_suggested_for() -> None:
    async with app_with(LIVE_SERVICES, "ask").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "ask")
        await press(pilot, "enter")
        await reach(pilot, "choose")
        assert "For PyTorch on your RX 5600 XT: rocm52" in flat(pilot)


async def test_escape_leads_from_the_suggestion_to_the_question_and_on_to_detect() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "escape")
        await reach(pilot, "ask")
        assert "[x] ComfyUI" in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "detect")


def test_the_question_is_left_out_where_something_was_found_or_chosen() -> None:
    assert following("detect", Session()) == "ask"
    assert following("detect", COMFYUI) == "choose"
    assert following("detect", Session(stack="rocm52")) == "choose", "a run that is gone on with"


async def test_after_another_tick_the_suggested_stack_is_selected_again() -> None:
    session = replace(YOLO, stack="rocm57")
    async with SetupApp(LIVE_SERVICES, session, "ask").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "ask")
        await press(pilot, "space", "enter")
        await reach(pilot, "choose")
        assert "> native" in screen_text(pilot.app), "rocm57 cannot run ComfyUI"
        await press(pilot, "enter")
        await reach(pilot, "review")
        assert planned(pilot) == ("native", "/home/sam/rdna1/native")


def test_every_purpose_is_told_in_words() -> None:
    from screens.choose.ask import KINDS

    assert {purpose.id for purpose in load_purposes()} == set(KINDS)


async def test_what_was_found_says_where() -> None:
    found = FoundApplication("comfyui", "/home/sam/ComfyUI", "", "")
    session = replace(COMFYUI, machine=replace(examples.MACHINE, applications=(found,)))
    async with SetupApp(LIVE_SERVICES, session, "ask").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "ask")
        assert "[x] ComfyUI        found in ~/ComfyUI" in screen_text(pilot.app)


async def test_an_application_that_was_found_is_ticked_and_the_suggestion_opens_at_once() -> None:
    found = FoundApplication("comfyui", "/home/sam/ComfyUI", "", "")
    machine = replace(examples.MACHINE, applications=(found,))
    asked: list[tuple[Machine, tuple[str, ...]]] = []

    def recommend(machine: Machine, applications: tuple[str, ...], preset: str) -> Recommendation:
        asked.append((machine, applications))
        return examples.recommend(machine, applications, preset)

    services = but(LIVE_SERVICES, detect=lambda on_part: machine, recommend=recommend)
    async with app_with(services, "detect").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "detect")
        await until(pilot, lambda: "n" in usable_keys(pilot.app))
        assert asked == [(machine, ("comfyui",))]
        await press(pilot, "n")
        await reach(pilot, "choose")
        assert "For ComfyUI on your" in flat(pilot)
        assert set(asked[1:]) == {asked[0]}, "what it asks was asked while the machine was read"


# The suggestion


async def test_the_suggested_stack_is_selected_until_another_one_is_chosen() -> None:
    async with on_choose(session_at("choose")).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        assert "> rocm52" in screen_text(pilot.app)
        assert "rocm52 (suggested)" in screen_text(pilot.app)
        await press(pilot, "down")
        assert "> native" in screen_text(pilot.app)
        await drawn(pilot.app)
        assert "The suggested stack is rocm52 (possible)." in flat(pilot)
        await press(pilot, "up")
        assert pilot.app.screen.session.stack == "", "the suggested one, whatever is suggested"  # type: ignore[attr-defined]


async def test_the_card_says_what_works_what_it_costs_changes_and_what_stands_against_it() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        text = flat(pilot)
        assert "Verdict ComfyUI likely works. By reports on other cards of the family." in text
        assert "GB download, 6.0 GB on disk, no root" in text
        assert "Changes a new folder ~/rdna1/native, Python 3.10 from uv" in text
        assert "But AMD does not test this stack on your card" in text


async def test_a_wide_terminal_also_shows_the_reports_for_and_against() -> None:
    session = replace(session_at("choose"), stack="rocm52")
    async with on_choose(session).run_test(size=(120, 40)) as pilot:
        await reach(pilot, "choose")
        assert "Why" in screen_text(pilot.app)
        assert "The web UI pinned torch" in screen_text(pilot.app)
        await resize(pilot, 80, 24)
        assert "The web UI pinned torch" not in screen_text(pilot.app)


async def test_a_stack_that_cannot_run_what_is_ticked_is_reviewed_only_after_a_yes() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "down")
        await drawn(pilot.app)
        assert "It cannot run ComfyUI; native can." in flat(pilot)
        await press(pilot, "enter")
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
        assert planned(pilot)[0] == "rocm52"


async def test_without_a_verdict_of_no_review_opens_at_once() -> None:
    async with on_choose(YOLO).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "down", "down", "enter")
        await reach(pilot, "review")
        assert planned(pilot)[0] == "rocm57", "YOLO train: disputed"


async def test_a_stack_that_is_not_possible_can_be_read_and_not_taken() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, *("down",) * 4, "enter")
        await until(pilot, lambda: "Not possible here" in status(pilot.app))
        assert "But Not possible here: No interpreter that fits" in flat(pilot)
        table = pilot.app.screen.query_one(DataTable)
        words = [cell.plain for cell in table.get_row("rocm62")][3:]
        assert set(words) == {"no"}


async def test_a_rank_selects_its_stack_and_one_that_no_stack_has_does_nothing() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "3")
        assert "> rocm57" in screen_text(pilot.app)
        await press(pilot, "9")
        assert "> rocm57" in screen_text(pilot.app)


async def test_what_is_ticked_has_a_column_each_beside_convolutions_and_training() -> None:
    session = replace(session_at("choose"), applications=("comfyui", "small-cnn"))
    async with on_choose(session).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        columns = pilot.app.screen.query_one(DataTable).ordered_columns
        heads = [str(column.label).strip() for column in columns]
        assert heads == ["stack", "torch", "from", "ComfyUI", "Small CNN", "Large Conv2d"]
    async with on_choose(YOLO).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        assert "Training" in screen_text(pilot.app)


# Folder, system packages, settings


async def test_the_folder_is_asked_for_and_what_is_created_where_stands_in_the_card() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "f", "ctrl+u", *"~/x", "enter")
        await reach(pilot, "choose")
        assert "Changes the folder ~/x" in flat(pilot)
        await press(pilot, "enter")
        await reach(pilot, "review")
        assert planned(pilot)[1] == "/home/sam/x"


async def test_letters_that_are_keys_elsewhere_can_be_typed_into_the_folder() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "f", *"-qed", "enter", "enter")
        await reach(pilot, "review")
        assert planned(pilot)[1] == "/home/sam/rdna1/native-qed"


async def test_escape_leaves_the_folder_as_it_was() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "f", *"x", "escape")
        await reach(pilot, "choose")
        assert "a new folder ~/rdna1/native," in flat(pilot)


async def test_a_folder_that_was_typed_stays_for_every_stack() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "f", "ctrl+u", *LONG, "enter", "down")
        assert LONG.removeprefix("/home/sam") in flat(pilot).replace(" ", "")


async def test_system_packages_are_offered_where_the_stack_has_some_and_mean_root() -> None:
    session = replace(session_at("choose"), stack="rocm52")
    async with on_choose(session).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "u")
        await until(pilot, lambda: "ROCm 5.2.0 system packages" in flat(pilot))
        assert "needs root" in flat(pilot)
        await press(pilot, "u")
        assert "no root" in flat(pilot)


def test_with_system_packages_the_card_names_no_size_that_review_does_not_know() -> None:
    session = replace(session_at("choose"), stack="rocm52", footprint=SYSTEM)
    told = cost(choosing_at(session, LIVE_SERVICES))
    assert "plus system packages (size not known yet)" in told


async def test_published_settings_are_gone_through_and_chosen_with_what_is_said_of_them() -> None:
    session = Session(machine=examples.MACHINE, stack="rocm57")
    services = but(LIVE_SERVICES, stacks=load_stacks)
    async with SetupApp(services, session, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "p")
        await until(pilot, lambda: "GEMM only: Its author saw" in status(pilot.app))
        assert "settings GEMM only" in flat(pilot)
        await press(pilot, "enter")
        await reach(pilot, "review")
        choice = pilot.app.screen.session.choice  # type: ignore[attr-defined]
        assert choice.preset == "GEMM only"


# Measure and Compare


async def test_the_torch_that_is_there_is_measured_before_a_choice_and_back_leads_here() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        assert "your torch 2.2.2+rocm5.7 (m)" in status(pilot.app)
        await press(pilot, "m")
        await reach(pilot, "conv2d")
        assert "ai/venv" in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "choose")


async def test_without_a_torch_for_rocm_there_is_nothing_to_measure_first() -> None:
    session = replace(COMFYUI, machine=replace(examples.MACHINE, environments=()))
    async with on_choose(session).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        assert "m" not in usable_keys(pilot.app)


async def test_compare_says_why_and_selects_the_stack_of_the_column() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "c")
        await reach(pilot, "compare")
        assert "ComfyUI: likely with native; no with rocm52, rocm57" in flat(pilot)
        assert "ComfyUI with native: likely" in screen_text(pilot.app)
        await press(pilot, *("left",) * 3)
        assert "ComfyUI with rocm52: no" in screen_text(pilot.app)
        assert "Needs torch 2.7 or later." in screen_text(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "choose")
        assert "> rocm52" in screen_text(pilot.app)


async def test_compare_says_in_a_line_what_the_processor_would_be() -> None:
    async with SetupApp(LIVE_SERVICES, COMFYUI, "compare").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "compare")
        await resolved(pilot)
        (line,) = [each for each in screen_text(pilot.app).splitlines() if "cpu" in each]
        assert line.strip() == "Without the card: cpu (PyTorch for the processor, slow): works."


async def test_the_highlighted_row_stays_in_sight_when_its_reason_needs_more_room() -> None:
    async with app_with(LIVE_SERVICES, "compare").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "compare")
        table = pilot.app.screen.query_one("#aspects", DataTable)
        for _ in range(table.row_count - 1):
            await press(pilot, "down")
            await resolved(pilot)
            below_the_head = table.cursor_row - table.scroll_offset.y + 1
            assert below_the_head < table.content_size.height


async def test_escape_leads_from_compare_to_choose_with_nothing_changed() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "c", "left", "escape")
        await reach(pilot, "choose")
        assert "> native" in screen_text(pilot.app)


@pytest.mark.parametrize("step", ["ask", "choose", "compare"])
async def test_no_footer_has_more_than_six_keys(step: str) -> None:
    async with SetupApp(LIVE_SERVICES, COMFYUI, step).run_test(size=(80, 24)) as pilot:
        await reach(pilot, step)
        assert len(pilot.app.screen.query("FooterKey")) <= 6


@pytest.mark.parametrize("step", ["ask", "choose", "compare"])
async def test_the_screens_look_as_agreed(
    step: str, same_as_golden: Callable[[str, str], None]
) -> None:
    from tests.screens.driving import as_agreed

    async with SetupApp(LIVE_SERVICES, COMFYUI, step).run_test(size=(80, 24)) as pilot:
        await reach(pilot, step)
        await resolved(pilot)
        await as_agreed(pilot, same_as_golden, f"choose-step-{step}")


async def test_a_wide_screen_shows_what_the_marked_program_needs() -> None:
    async with app_with(LIVE_SERVICES, "ask").run_test(size=(120, 40)) as pilot:
        await reach(pilot, "ask")
        await drawn(pilot.app)
        assert "─ ComfyUI (newest release) ─" in screen_text(pilot.app)
        assert "PyTorch   2.7 or newer" in screen_text(pilot.app)
        await press(pilot, "end")
        assert "This program has no known requirements." in screen_text(pilot.app)


@pytest.mark.parametrize("step", ["choose", "clear"])
async def test_a_torch_that_is_expected_to_hang_is_not_offered_to_be_measured_without_a_warning(
    step: str,
) -> None:
    for applications, warned in (((), True), (("comfyui",), True), (("transformers",), False)):
        session = replace(session_at("choose"), applications=applications)
        async with SetupApp(LIVE_SERVICES, session, step).run_test(size=(100, 30)) as pilot:
            await resolved(pilot)
            text = flat(pilot)
            assert ("may freeze the desktop" in text) is warned
            assert ("measure it" in text) is not warned


async def test_how_to_change_the_programs_and_the_explanations_are_in_sight() -> None:
    async with on_choose().run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await resolved(pilot)
        text = flat(pilot)
        assert "Esc Change programs" in text
        assert "Explanations i" in text
        assert "All known approaches, also without PyTorch o" in text


@pytest.mark.parametrize("size", [(120, 40), (200, 60)])
async def test_the_panels_of_choose_end_on_the_same_line(size: tuple[int, int]) -> None:
    async with on_choose().run_test(size=size) as pilot:
        await resolved(pilot)
        ends = {pilot.app.screen.query_one(each).region.bottom for each in ("#stacks", "#why")}
        assert len(ends) == 1
