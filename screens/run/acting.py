"""A run that this start carries out: it keeps the screen until it has ended, or stops safely."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding

from screens.run.screen import RunScreen
from screens.run.state import RunState
from screens.windows.dialogs import Question

STOPPING = "Stopping at the next safe point. The running step is finished first."
STOP_KEY = Binding("c", "stop", "Stop safely")


class ActingScreen(RunScreen):
    """Leaving is blocked while it runs; ``c`` stops it at a safe point."""

    SAFE: ClassVar[str]
    """What a safe point is here."""

    @abstractmethod
    def stop(self) -> None:
        """Asks what runs to stop at its next safe point."""

    @property
    def busy(self) -> bool:
        """True until the run has ended."""
        return self.running

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Stop while it runs, Next afterwards."""
        if action == "stop":
            return self.running
        if action == "next":
            return not self.running
        return super().check_action(action, parameters)

    def ended(self, state: RunState) -> None:
        """Keeps how it went."""
        self.session = replace(self.session, finished=state.finished, failure=state.failure)

    def action_stop(self) -> None:
        """Asks whether to stop, and says what safe means."""
        question = Question("Stop at a safe point?", self.SAFE, "y", "stop there")
        self.app.push_screen(question, self._stop_if)

    def _stop_if(self, sure: bool | None) -> None:
        if sure and self.running:
            self.stop()
            self.say(STOPPING, "warning")
