"""A pasted text, or a file, explained in the list of Diagnose: by keys alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import TextArea

from screens.diagnose.text_question import TextQuestion
from screens.dialogs import LinesView, Notice
from screens.start import services_for
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.diagnose_fakes import DIAGNOSING, FROM_TEXT, OVERRIDE
from tests.screens.driving import as_agreed, press, reach, resolved, screen_text, status, until
from tests.screens.examples import NASTY
from tests.screens.fakes import LIVE_SERVICES
from tests.screens.test_diagnose import app_at, looked, text_of
from wizard.cli.options import parser
from wizard.diagnose.explain import Answer, Explanation, explain
from wizard.services import Services

SMALL = (80, 24)
SIZES = (SMALL, (120, 40))
Compare = Callable[[str, str], None]
OWN = "From the text, not this machine"


def explaining(answer: Callable[[str], Explanation]) -> Services:
    approaches = but(DIAGNOSING, explain=answer, explain_file=answer)
    return but(LIVE_SERVICES, diagnostics=approaches)


async def asked(pilot: Pilot[int]) -> None:
    await looked(pilot)
    await press(pilot, "t")
    await until(pilot, lambda: isinstance(pilot.app.screen, TextQuestion))


async def paste(pilot: Pilot[int], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await resolved(pilot)
    await until(pilot, lambda: pilot.app.screen.query_one(TextArea).text == text)


async def test_a_pasted_text_is_explained_in_the_same_list_and_marked_as_such() -> None:
    given: list[str] = []

    def answer(text: str) -> Explanation:
        given.append(text)
        return FROM_TEXT

    async with app_at(explaining(answer)).run_test(size=SMALL) as pilot:
        await asked(pilot)
        await paste(pilot, "Unable to open /dev/kfd\nq?s[bold]")
        await press(pilot, "ctrl+r")
        await reach(pilot, "diagnose")
        await until(pilot, lambda: f"{OWN}: the text you pasted" in text_of(pilot))
        assert given == ["Unable to open /dev/kfd\nq?s[bold]"]
        assert "line 12: Unable to open /dev/kfd" in text_of(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LinesView))
        await press(pilot, "escape")  # nothing here is changed for a text
        await press(pilot, "end")
        await until(pilot, lambda: "RX 5700 XT [1002:731f gfx1010]: RDNA1" in text_of(pilot))
        await press(pilot, "escape")
        await reach(pilot, "diagnose")
        await until(pilot, lambda: OVERRIDE.title in text_of(pilot))
        assert OWN not in text_of(pilot)


async def test_a_file_is_explained_and_what_is_saved_names_it() -> None:
    saved: list[str] = []

    def save(name: str, text: str) -> str:
        saved.append(text)
        return name

    services = but(explaining(lambda path: FROM_TEXT), save=save)
    async with app_at(services).run_test(size=SMALL) as pilot:
        await asked(pilot)
        await press(pilot, "tab", *"~/log.txt", "enter")
        await until(pilot, lambda: f"{OWN}: ~/log.txt" in text_of(pilot))
        await press(pilot, "s")
        assert saved[0].startswith(f"{OWN}: ~/log.txt\n")
        assert "Graphics cards in the text" in saved[0]


async def test_what_cannot_be_read_is_told_and_the_machine_stays() -> None:
    def unreadable(path: str) -> Explanation:
        raise ValueError(f"{path}: is a folder. [bold] Name the files in it.")

    async with app_at(explaining(unreadable)).run_test(size=SMALL) as pilot:
        await asked(pilot)
        await press(pilot, "tab", *"/tmp", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "/tmp: is a folder. [bold] Name the files in it." in text_of(pilot)
        await press(pilot, "escape")
        await reach(pilot, "diagnose")
        assert OVERRIDE.title in text_of(pilot)


async def test_nothing_given_is_asked_for_again_and_escape_leaves() -> None:
    async with app_at(explaining(lambda _: FROM_TEXT)).run_test(size=SMALL) as pilot:
        await asked(pilot)
        await press(pilot, "ctrl+r")
        assert "There is no text yet" in text_of(pilot)
        await press(pilot, "escape")
        await reach(pilot, "diagnose")
        assert OWN not in text_of(pilot)


async def test_a_slow_file_holds_no_key_up_and_the_last_one_asked_for_counts() -> None:
    slow = Event()

    def answer(path: str) -> Explanation:
        if path == "/slow":
            slow.wait()
        return FROM_TEXT

    async with app_at(explaining(answer)).run_test(size=SMALL) as pilot:
        await asked(pilot)
        await press(pilot, "tab", *"/slow", "enter")
        await reach(pilot, "diagnose")
        await until(pilot, lambda: "Reading /slow" in status(pilot.app))
        await press(pilot, "down", "t")
        await until(pilot, lambda: isinstance(pilot.app.screen, TextQuestion))
        await press(pilot, "tab", *"/fast", "enter")
        await until(pilot, lambda: f"{OWN}: /fast" in text_of(pilot))
        slow.set()
        await resolved(pilot)
        assert f"{OWN}: /fast" in text_of(pilot)


async def test_nasty_text_is_pasted_shown_and_obeyed_by_nobody() -> None:
    async with app_at(explaining(lambda text: explain(text.encode()))).run_test(
        size=SMALL
    ) as pilot:
        await asked(pilot)
        await paste(pilot, f"{NASTY}\namdgpu: qcm fence wait loop timeout expired {NASTY}")
        assert "\x1b" not in screen_text(pilot.app)
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: "✗" in text_of(pilot) and "[bold]x" in text_of(pilot))
        assert "\x1b" not in screen_text(pilot.app)


async def test_a_text_too_long_to_be_laid_out_is_read_all_the_same() -> None:
    given: list[str] = []

    def answer(text: str) -> Explanation:
        given.append(text)
        return FROM_TEXT

    long = "a line of the log\n" * 20_000
    async with app_at(explaining(answer)).run_test(size=SMALL) as pilot:
        await asked(pilot)
        pilot.app.post_message(events.Paste(long))
        await until(pilot, lambda: "You pasted 360 kB, which is too much" in text_of(pilot))
        assert pilot.app.screen.query_one(TextArea).text == ""
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: OWN in text_of(pilot))
    assert given == [long]


TELLS_NOTHING = Explanation(Answer.CANNOT_TELL, (), (), ())
SOUND = Explanation(Answer.NOTHING, (), (), ("kernel log",))
OTHERS = replace(
    FROM_TEXT, cards=(replace(FROM_TEXT.cards[0], gfx="gfx1031", name="RX 6700 XT", pci_id=""),)
)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("found", FROM_TEXT),
        ("cannot-tell", TELLS_NOTHING),
        ("nothing", SOUND),
        ("other-card", OTHERS),
    ],
)
async def test_each_answer_looks_as_agreed(
    name: str, answer: Explanation, same_as_golden: Compare
) -> None:
    async with app_at(explaining(lambda _: answer)).run_test(size=SMALL) as pilot:
        await asked(pilot)
        if name == "found":
            await paste(pilot, "Unable to open /dev/kfd\nand more")
            await as_agreed(pilot, same_as_golden, "diagnose-text")
        await press(pilot, "tab", *"/log", "enter")
        await until(pilot, lambda: f"{OWN}: /log" in text_of(pilot))
        await resolved(pilot)
        await as_agreed(pilot, same_as_golden, f"diagnose-of-{name}")


async def test_the_real_roads_explain_a_file_below_home_and_say_what_is_wrong_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "log").write_text("[  812.4] amdgpu: qcm fence wait loop timeout expired\n")
    approaches = services_for(parser().parse_args(["--demo"])).diagnostics
    (found,) = approaches.explain_file("~/log").findings
    assert found.cause == "compute-queue-preemption-hang"
    assert not approaches.fixes(examples.MACHINE, (found,))
    for path, why in (
        ("~/none", "does not exist"),
        (str(tmp_path), "folder"),
        ("-", "does not exist"),
    ):
        with pytest.raises(ValueError, match=why):
            approaches.explain_file(path)
