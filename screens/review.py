"""The fourth step: the plan, word for word, before anything happens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from screens.review_text import UNWRAPPED, review_text
from screens.services import DEMO, Services
from screens.session import Session
from screens.step import COMMON_KEYS, StepScreen

WITHOUT_ROOT = "Esc, then f, leaves them out."


class Review(StepScreen):
    """Every step with its reason, its exact text, its files and its way back."""

    NAME = "review"
    TITLE_WORD = "Review"
    HELP_TEXT = (
        "This is the whole plan, in order. 'does' is the exact text of what is carried out: "
        "what you read here is what runs. Lines after '|' are the content of a file, whole. "
        "'undo' says how the step is taken back.\n\n"
        "a applies the plan (in a dry run and in the demo it only rehearses it).\n"
        "s saves this text to a file and says where (not in a dry run, which writes nothing).\n"
        "Arrows, PgUp, PgDn, Home and End scroll. Esc goes back to Choose."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "apply", "Apply this plan"),
        Binding("a", "rehearse", "Rehearse this plan"),
        Binding("s", "save", "Save as text"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#plan"

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.plan is None:
            raise ValueError("Review needs a plan")
        self._plan = session.plan

    def body(self) -> Iterable[Widget]:
        """The plan, scrollable."""
        with VerticalScroll(id="plan", can_focus=True):
            yield Static(id="text", markup=False)

    def on_resize(self) -> None:
        """Lays the text out for the new width."""
        text = review_text(self._plan, self.size.width - 4)
        self.query_one("#text", Static).update(text)

    def on_mount(self) -> None:
        """Says what the next key does."""
        if self.services.mode == DEMO:
            self.say("Demo: a rehearses the plan for the recorded machine and changes nothing.")
        elif self.services.rehearses:
            self.say("Dry run: a rehearses the plan and changes nothing.")
        elif root := sum(step.needs_root for step in self._plan.steps):
            # The executor refuses such a plan before its first step: said here, where it helps.
            total = len(self._plan.steps)
            text = f"{root} of {total} steps need root, which is not built yet: {WITHOUT_ROOT}"
            self.say(text, "warning")
        else:
            self.say("Nothing has been changed yet. a applies this plan; Esc goes back.")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers either Apply or Rehearse, and Save where something may be written."""
        if action in ("apply", "rehearse"):
            return (action == "rehearse") == self.services.rehearses
        if action == "save":
            return self.services.save_text is not None
        return super().check_action(action, parameters)

    def action_apply(self) -> None:
        """Goes on to carry the plan out."""
        self.post_message(self.Next(self.session))

    def action_rehearse(self) -> None:
        """Goes on to rehearse the plan."""
        self.action_apply()

    def action_save(self) -> None:
        """Saves the plan as text and names the file."""
        if self.services.save_text is None:
            return
        name = f"rdna1-plan-{self._plan.id[:12]}.txt"
        text = f"{review_text(self._plan, UNWRAPPED).plain}\n"
        try:
            path = self.services.save_text(name, text)
        except OSError as trouble:
            self.say(f"Not saved: {trouble}", "fault")
        else:
            self.say(f"Saved as {path}")
