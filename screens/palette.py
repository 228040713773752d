"""The command palette: all that the screen at hand offers, where to go, and the colours.

Loaded when it is opened: the first frame does not wait for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TypeAlias

from textual.app import ComposeResult
from textual.command import (
    CommandInput,
    CommandList,
    CommandPalette,
    DiscoveryHit,
    Hit,
    Hits,
    Provider,
)
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import LoadingIndicator

from screens.keys import key_line, offers
from screens.session import from_diagnose, to_diagnose
from screens.step import StepScreen
from screens.themes import TITLES as COLOURS
from screens.widgets.header import Standing, header_steps
from screens.widgets.lists import MarkedList

TITLE_CELLS = 40
"""So wide are the names of the commands, most of them with room to spare."""
GAP = 2
KEYS = key_line(("↑ ↓ Choose", ""), ("Enter Run", ""), ("Esc Close", "screen.dismiss"))
Act: TypeAlias = Callable[[], Awaitable[object] | object]
Command: TypeAlias = tuple[str, str, Act]
"""Its name, what is said of it, and what it does."""


class ScreenCommands(Provider):
    """Every enabled binding of the screen, the steps that are passed, the colours."""

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for title, about, act in self.commands():
            yield DiscoveryHit(_line(Content(title), about), act, text=title)

    async def search(self, query: str) -> Hits:
        """Those whose name fits what is typed."""
        matcher = self.matcher(query)
        for title, about, act in self.commands():
            if (score := matcher.match(title)) > 0:
                shown = Content.assemble(matcher.highlight(title))
                yield Hit(score, _line(shown, about), act, text=title)

    def commands(self) -> Iterator[Command]:
        """All commands, the screen's own first."""
        own, rest = set(), []
        for offer in offers(self.screen):
            act = partial(self.app.run_action, offer.action, offer.node)
            command = (offer.title, f"key {offer.keys}", act)
            if offer.own:
                own.add(offer.title)
                yield command
            else:
                rest.append(command)
        if isinstance(self.screen, StepScreen):
            yield from _ways(self.screen)
        for name, title in COLOURS.items():
            yield f"Colors: {title}", "for this session", partial(setattr, self.app, "theme", name)
        yield from (command for command in rest if command[0] not in own)


def _line(title: Content, about: str) -> Content:
    """A command in one line: what is said of each stands below one another."""
    gap = " " * max(GAP, TITLE_CELLS - title.cell_length)
    return Content.assemble(title, gap, (about, "not bold"))


def _ways(screen: StepScreen) -> Iterator[Command]:
    """The steps that are done, but for Apply, and Diagnose: none where leaving breaks work off."""
    if screen.busy or not screen.check_action("back", ()) or screen.session.before is not None:
        return
    session = screen.session
    name, left = (screen.NAME, session) if session.behind is None else from_diagnose(session)
    yield (
        "Go to Welcome",
        "the start screen",
        partial(screen.post_message, StepScreen.Go("welcome", left)),
    )
    for step in header_steps(name, left) or header_steps("done", left):
        # Apply begins at once: the plan would be carried out again without a look at it.
        if step.standing is Standing.DONE and step.name != "apply":
            name = "clear" if step.name == "choose" and left.clears else step.name
            go = partial(screen.post_message, StepScreen.Go(name, left))
            yield f"Go to {step.title}", "a finished step", go
    if screen.NAME != "diagnose":
        opened = StepScreen.Go("diagnose", to_diagnose(screen.NAME, session))
        if screen.NAME in ("welcome", "detect", "conv2d", "done"):
            yield "Go to Diagnose", "Esc comes back here", partial(screen.post_message, opened)


class Commands(CommandList, MarkedList):
    """The commands, with ``>`` before the one that Enter takes."""


class Palette(CommandPalette):
    """Textual's palette with a mark at its cursor, in place of colour alone."""

    def __init__(self) -> None:
        super().__init__({ScreenCommands}, placeholder="What do you want to do?", id="palette")

    def compose(self) -> ComposeResult:
        """Where one types, and the commands."""
        with Vertical(id="--container", classes="dialog") as dialog:
            dialog.border_title = Content("What you can do here")
            dialog.border_subtitle = KEYS
            with Horizontal(id="--input"):
                yield CommandInput(placeholder=self._placeholder, select_on_focus=False)
            with Vertical(id="--results"):
                yield Commands(compact=False)
                yield LoadingIndicator()
