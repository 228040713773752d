"""Asks what you want to run, before a stack is suggested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from screens.session import Session
from screens.step import HELP_KEY, QUIT_KEY, StepScreen
from screens.widgets.lists import MarkedList
from screens.words import hanging
from wizard.advice.leftovers import short_path
from wizard.core.amounts import memory_size_text
from wizard.core.lines import shown
from wizard.knowledge.applications import Application
from wizard.services import Services

QUESTION = "What do you want to run?"
HOW = "Select one or more programs with Space, or none for PyTorch in general."
KINDS = {
    "images": "images with Stable Diffusion",
    "a1111": "images with Stable Diffusion",
    "yolo": "finding objects in pictures",
    "cnn": "image classification, training",
    "transformers": "language models in PyTorch",
    "chat": "chatting with a language model",
    "linear": "matrix products, no convolutions",
    "other": "anything else with PyTorch",
}
"""What programs of each purpose are for."""
TITLE_CELLS = 15
NO_NEEDS = "This program has no known requirements."
WIDEST = 100
LABEL_CELLS = 10


class Ask(StepScreen):
    """The programs that the advice knows, to be ticked."""

    NAME = "ask"
    TITLE_WORD = "Choose"
    HELP_TEXT = (
        "Which PyTorch suits your card depends on what you want to run, so this question comes "
        "first.\n\nUse the arrow keys to move and Space to select. Programs found on this machine "
        "are already selected. Enter shows the suggestion; press Esc there to come back. Nothing "
        "is changed."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next", "Suggestion", key_display="Enter", priority=True),
        Binding("space", "tick", "Select", key_display="Space"),
        Binding("escape", "back", "Back", key_display="Esc"),
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#programs"

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._applications = services.knowledge.applications()

    def body(self) -> Iterable[Widget]:
        """The list."""
        options = (Option(self._row(each), each.id) for each in self._applications)
        with Horizontal():
            yield MarkedList(*options, title="Programs", id="programs")
            with VerticalScroll(id="needs", classes="panel", can_focus=False):
                yield Static(id="needs-text", markup=False)

    def on_mount(self) -> None:
        """Asks."""
        self.conclude(QUESTION, second=HOW)

    def on_resize(self) -> None:
        """Lays the words out for the new width."""
        super().on_resize()
        self.call_after_refresh(self._show_needs)

    def on_option_list_option_highlighted(self) -> None:
        """Shows what the marked program needs, where there is room beside the list."""
        self._show_needs()

    def _show_needs(self) -> None:
        for pane in self.query("#needs"):
            marked = self.query_one(MarkedList).highlighted
            if marked is None:
                return
            application = self._applications[marked]
            title, needs = shown(application.title), tuple(needs_of(application))
            pane.border_title = Content(f"{title} (newest release)" if needs else title)
            cells = min(WIDEST, pane.content_size.width - 1)
            lines = [
                line
                for label, text in needs
                for line in (*hanging(f"{label:<{LABEL_CELLS}}", text, cells), Content(""))
            ] or [Content(NO_NEEDS)]
            self.query_one("#needs-text", Static).update(Content("\n").join(lines))

    def action_tick(self) -> None:
        """Ticks or unticks the marked program."""
        programs = self.query_one(MarkedList)
        if programs.highlighted is None:
            return
        application = self._applications[programs.highlighted]
        ticked = set(self.session.applications) ^ {application.id}
        applications = tuple(each.id for each in self._applications if each.id in ticked)
        # Another question has another answer: a stack that was chosen before may not run this.
        self.session = replace(self.session, applications=applications, stack="")
        programs.replace_option_prompt(application.id, self._row(application))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Ticks what was clicked: Enter continues."""
        event.stop()
        self.action_tick()

    def action_next(self) -> None:
        """Shows what is suggested for it."""
        self.post_message(self.Go("choose", self.session))

    def _row(self, application: Application) -> Content:
        ticked = application.id in self.session.applications
        title = f"{'[x]' if ticked else '[ ]'} {shown(application.title):<{TITLE_CELLS}}"
        found = self._found(application)
        about = f"found in {found}" if found else KINDS.get(application.purpose, "")
        return Content.assemble((title, "bold" if ticked else ""), about)

    def _found(self, application: Application) -> str:
        machine = self.session.machine
        places = [] if machine is None else machine.applications
        found = next((each.path for each in places if each.id == application.id), "")
        return shown(short_path(found, machine)) if found and machine else ""


def needs_of(application: Application) -> Iterator[tuple[str, str]]:
    """What a program asks for and brings along, each with its label; only what is known."""
    if application.torch_floor:
        yield "PyTorch", f"{application.torch_floor} or newer"
    low, high = application.python_floor, application.python_ceiling
    python = (low and f"{low} or newer", high and f"{high} or older")
    if any(python):
        yield "Python", " and ".join(filter(None, python))
    if application.vram_bytes is not None:
        yield (
            "Card",
            f"{memory_size_text(application.vram_bytes)} of memory, according to its makers",
        )
    if application.pulls:
        yield "Installs", "; ".join(application.pulls)
    if application.spoils:
        yield "Note", application.spoils
    if application.source:
        yield "Source", f"{application.source} ({application.date})"
