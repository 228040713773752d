"""Questions on the screens: the key that is named says yes, Enter and every other key does not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from screens.app import SetupApp
from screens.dialogs import Notice, Question
from tests.screens.collaborators import but
from tests.screens.driving import press, reach, screen_text, still, until, usable_keys
from tests.screens.failing import Waiting
from tests.screens.fakes import LIVE_SERVICES
from tests.screens.past_fakes import PAST
from tests.screens.states import session_at_any
from wizard.conv2d.caution import Circumstances
from wizard.services import Services

OTHERS = ("enter", "space", "a", "down", "tab", "1", "x")
"""Keys that answer nothing."""
IN_USE = but(LIVE_SERVICES, circumstances=lambda: Circumstances(screen=True, in_use=True))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the way there, and its key."""

    step: str
    keys: tuple[str, ...]
    key: str
    services: Services


def asked(waiting: Waiting) -> dict[str, Asked]:
    """Every question there is."""
    there = but(PAST, is_there=lambda path: True)
    return {
        "stop": Asked("apply", ("c",), "y", waiting.services(carry_out=waiting.events())),
        "card": Asked("conv2d", ("enter",), "y", LIVE_SERVICES),
        "card in use": Asked("conv2d", ("enter",), "e", IN_USE),
        "over": Asked("conv2d", ("h", "x", "enter"), "y", but(LIVE_SERVICES, past=there)),
    }


@pytest.mark.parametrize("name", asked(Waiting()))
@pytest.mark.parametrize("answer", ["yes", "escape", "n", "q"])
async def test_only_its_key_says_yes(name: str, answer: str) -> None:
    waiting = Waiting()
    case = asked(waiting)[name]
    app = SetupApp(case.services, session_at_any(case.step), case.step)
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            await reach(pilot, case.step)
            for key in case.keys:
                await until(pilot, lambda key=key: key in usable_keys(app))  # type: ignore[misc]
                below = app.screen
                await press(pilot, key)
                await until(pilot, lambda below=below: app.screen is not below)  # type: ignore[misc]
            await until(pilot, lambda: isinstance(app.screen, Question))
            question = app.screen
            await press(pilot, *(key for key in OTHERS if key != case.key))
            assert app.screen is question, "a key that was not named has answered"
            assert f"{case.key} " in screen_text(app)
            answers: list[object] = []
            question.dismiss = answers.append  # type: ignore[method-assign,assignment]
            await press(pilot, case.key if answer == "yes" else answer)
            assert answers == [answer == "yes"]
            waiting.gate.set()
    finally:
        waiting.gate.set()


@pytest.mark.parametrize(("lines", "scrolls"), [(3, False), (60, True)])
async def test_a_text_names_the_keys_that_scroll_where_it_does_not_fit(
    lines: int, scrolls: bool
) -> None:
    app = SetupApp(LIVE_SERVICES)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Notice("Title", "\n".join(f"line {number}" for number in range(lines))))
        await until(pilot, lambda: "Esc Close" in screen_text(app))
        await still(app)
        assert ("PgDn Scroll" in screen_text(app)) == scrolls
