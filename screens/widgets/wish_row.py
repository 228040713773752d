"""The ticks on top of Choose: what the user wants to run."""

from __future__ import annotations

from dataclasses import dataclass

from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from screens.choose.choosing import Choosing
from screens.choose.wishes import WISH, wish_lines
from screens.clicks import tag_at
from wizard.knowledge.applications import Application

NARROWEST = 40


class WishRow(Static):
    """Things to run, one of them marked: there Space ticks."""

    def __init__(self, choosing: Choosing) -> None:
        super().__init__(id="wishes", classes="pad", markup=False)
        self._choosing = choosing
        self._place = 0

    @dataclass
    class Clicked(Message):
        """A thing to run was clicked on; it is marked now."""

    def on_click(self, event: Click) -> None:
        """Marks what is below the pointer, to be ticked."""
        wish = tag_at(event, WISH)
        names = [application.id for application in self._choosing.applications]
        if wish in names:
            self._place = names.index(str(wish))
            self.post_message(self.Clicked())

    @property
    def current(self) -> Application | None:
        """The marked one; None where there is nothing to tick."""
        applications = self._choosing.applications
        return applications[self._place] if applications else None

    def on_resize(self) -> None:
        """Wraps the row to the new width."""
        self.show(self._choosing)

    def move(self, by: int) -> None:
        """Marks the thing on the left or right."""
        self._place = (self._place + by) % max(1, len(self._choosing.applications))
        self.show(self._choosing)

    def show(self, choosing: Choosing) -> None:
        """Shows what is ticked."""
        self._choosing = choosing
        cells = max(NARROWEST, self.app.size.width - 2)
        ticked = choosing.session.applications
        self.update(wish_lines(choosing.applications, ticked, self._place, cells))
