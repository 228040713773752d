"""How Diagnose reads a text: in a thread of its own, so that keys answer all the while."""

from __future__ import annotations

import threading
from abc import abstractmethod
from dataclasses import dataclass

from textual.message import Message

from screens.diagnose.state import Shown
from screens.diagnose.text_question import Given, TextQuestion
from screens.faults import fault, told
from screens.services import Services
from screens.session import Session
from screens.step import StepScreen
from screens.widgets.status_line import wait_for
from screens.windows.dialogs import Notice
from wizard.diagnose.explain import Explanation

ANOTHER = "e takes another file, or the text itself: paste it there."
PASTED = "the text that was pasted"


class Explaining(StepScreen):
    """Explains texts and files."""

    @dataclass
    class Explained(Message):
        """A text was read."""

        name: str
        explanation: Explanation
        run: int

    @dataclass
    class Unexplained(Message):
        """Reading a text ended early."""

        error: Exception
        run: int

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._text_run = 0

    @abstractmethod
    def take_text(self, there: Shown) -> None:
        """Shows what a text proves."""

    def action_explain(self) -> None:
        """Asks for a text to explain."""
        self.app.push_screen(TextQuestion(), self._explain_if)

    def _explain_if(self, given: Given | None) -> None:
        if given is not None and (given.text or given.path):
            self.explain(given)

    def explain(self, given: Given) -> None:
        """Reads a text or a file."""
        self._text_run += 1
        wait_for(self, f"Reading {given.path or PASTED} ...", self.services.clock)
        begin = (self._text_run, given)
        # A daemon thread, not a pool worker: leaving the program must not wait for a stuck read.
        threading.Thread(target=self._explain, args=begin, daemon=True).start()

    def _explain(self, run: int, given: Given) -> None:
        roads = self.services.diagnosing
        try:
            found = roads.explain_file(given.path) if given.path else roads.explain(given.text)
        except Exception as error:  # a thread would swallow it: the handler decides
            self.post_message(self.Unexplained(error, run))
        else:
            self.post_message(self.Explained(given.path or PASTED, found, run))

    def on_explaining_explained(self, message: Explained) -> None:
        """Shows what the text proves."""
        if message.run == self._text_run:
            self.take_text(Shown(text=message.name, result=message.explanation))

    def on_explaining_unexplained(self, message: Unexplained) -> None:
        """Says why not; anything but a system error is a bug and ends the program."""
        if not isinstance(message.error, (OSError, ValueError)):
            raise message.error
        if message.run == self._text_run:
            self.say("Not explained. e takes another text or file.", "fault")
            told_all = told(fault("It was not read", message.error, ANOTHER))
            self.app.push_screen(Notice("Not explained", told_all))
