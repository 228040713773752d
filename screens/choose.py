"""The third step: what to run, where, and on which stack, all on one screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from screens.claims_text import claims_text
from screens.dialogs import Notice
from screens.road_words import full_text, section_lines, sections_of, title_of
from screens.roads_table import RoadsTable, table_lines
from screens.services import Services
from screens.session import Session
from screens.step import COMMON_KEYS, StepScreen
from screens.wishes import wish_lines
from screens.words import shown
from wizard.knowledge.applications import Application
from wizard.machine.facts import Machine
from wizard.plan.advice import Advice, Road
from wizard.plan.choice import Choice

VENV = "venv"
SYSTEM = "venv+system"
FIXED_LINES = 4  # header, place, status, keys
NOTHING_TICKED = "Tick what you want to run: ←→ moves, Space ticks. The roads are ranked for it."
NO_PLAN_ADVICE = "\n\nNothing was changed. Choose another folder or another road."
HINT = "↑↓ road   ←→ and Space tick what you want   Tab folder   d uncut text"


class Choose(StepScreen):
    """Wishes on top, one line a road, and below all that is said of the highlighted road."""

    NAME = "choose"
    TITLE_WORD = "Choose"
    HELP_TEXT = (
        "Left and right move between the things to run, Space ticks one: the roads are ranked "
        "again. Up and down move between the roads; the lower part follows.\n\n"
        "Verdicts: works, likely, possible, unknown, disputed, hangs?, very slow, no. "
        "'unknown' means that nobody has said anything that we could find.\n\n"
        "GET is the download; ROOT says whether administrator rights are needed.\n"
        "e lists who says so: card, versions, date, method and grade of every claim.\n"
        "d shows all sentences of the road uncut.\n"
        "f switches between one folder of yours and the folder plus ROCm system packages.\n"
        "Tab goes to the folder, Enter there takes it, Esc leaves it.\n\n"
        "Enter makes the plan and shows it. It changes nothing."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "review", "Review", key_display="Enter"),
        Binding("space", "tick", "Tick", key_display="Space"),
        Binding("e", "claims", "Who says so"),
        Binding("d", "full_text", "All"),
        Binding("f", "footprint", "System"),
        Binding("tab", "folder", "Folder", show=False, priority=True),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("left", "wish(-1)", "Left", show=False),
        Binding("right", "wish(1)", "Right", show=False),
        *COMMON_KEYS,
    ]

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.machine is None:
            raise ValueError("Choose needs a machine")
        self._machine: Machine = session.machine
        self._applications = services.applications()
        self._stacks = {stack.id: stack for stack in services.stacks()}
        self._wish = 0
        self._wish_lines = 1
        self._advice: Advice = services.advise(self._machine, session.applications)
        if session.stack not in {road.fit.stack for road in self._advice.roads}:
            self.session = replace(session, stack=self._advice.roads[0].fit.stack)

    def body(self) -> Iterable[Widget]:
        """Wishes, place, roads, words."""
        yield Static(id="wishes", classes="pad", markup=False)
        with Horizontal(id="place", classes="pad"):
            yield Static("Folder  ", id="where", markup=False)
            yield Input(id="folder", compact=True, select_on_focus=False)
            yield Static(id="footprint", markup=False)
        yield Static(id="table", classes="pad", markup=False)
        yield Static(id="words", classes="pad", markup=False)

    def on_mount(self) -> None:
        """Fills everything in."""
        self._show_all()
        self.say(HINT if self.session.applications else NOTHING_TICKED)

    def on_resize(self) -> None:
        """Lays everything out for the new size."""
        self._show_all()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides Footprint where the stack has no system packages."""
        if action == "footprint":
            return bool(self._stacks[self.session.stack].system_release)
        return super().check_action(action, parameters)

    @property
    def road(self) -> Road:
        """The highlighted road."""
        return next(r for r in self._advice.roads if r.fit.stack == self.session.stack)

    def action_move(self, by: int) -> None:
        """Highlights the road above or below."""
        roads = self._advice.roads
        place = min(max(roads.index(self.road) + by, 0), len(roads) - 1)
        self._highlight(roads[place].fit.stack)

    def action_wish(self, by: int) -> None:
        """Moves to the thing to run on the left or right."""
        if self._applications:
            self._wish = (self._wish + by) % len(self._applications)
            self._show_wishes()

    def action_tick(self) -> None:
        """Ticks or unticks the current thing to run and ranks the roads again."""
        if self._applications:
            self._toggle(self._applications[self._wish].id)

    def action_footprint(self) -> None:
        """Switches between the folder alone and the folder plus system packages."""
        other = SYSTEM if self.session.footprint == VENV else VENV
        self.session = replace(self.session, footprint=other)
        self._show_all()

    def action_folder(self) -> None:
        """Goes to the folder, or leaves it."""
        folder = self.query_one("#folder", Input)
        self.set_focus(None if folder.has_focus else folder)

    def action_back(self) -> None:
        """Leaves the folder first, then the step."""
        if self.focused is not None:
            self.set_focus(None)
        else:
            super().action_back()

    def action_claims(self) -> None:
        """Lists who says what about the highlighted stack."""
        text = claims_text(self.session.stack, self.services.claims())
        self.app.push_screen(Notice(f"Who says so: {self.session.stack}", text))

    def action_full_text(self) -> None:
        """Shows every sentence about the highlighted road."""
        text = full_text(self.road, self._ticked())
        changes = "\n".join(f"  {shown(line)}" for line in self._advice.would_change)
        ending = f"\n\nWould change the order\n{changes}" if changes else ""
        headline = shown(self._advice.headline)
        title = f"{self.session.stack}: everything we can say"
        self.app.push_screen(Notice(title, f"{headline}\n\n{text}{ending}"))

    def action_review(self) -> None:
        """Makes the plan and goes on; says why where there can be none."""
        road = self.road
        if not road.fit.possible:
            reason = road.fit.obstacles[0] if road.fit.obstacles else "it does not fit this machine"
            self.say(f"Not possible here: {reason}", "fault")
            return
        try:
            plan = self.services.make_plan(self._machine, self.choice())
        except ValueError as trouble:
            self.say(f"No plan: {trouble}", "fault")
            self.app.push_screen(Notice("No plan can be made", f"{trouble}{NO_PLAN_ADVICE}"))
            return
        self.post_message(self.Next(replace(self.session, plan=plan, finished=None, failure=None)))

    def choice(self) -> Choice:
        """What is chosen on the screen right now."""
        stack = self.session.stack
        return Choice(stack, self._footprint(stack), self._folder(), self.session.applications)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keeps what the user typed; an empty field means the suggestion again."""
        typed = event.value if event.value != self._suggestion() else ""
        self.session = replace(self.session, folder=typed.strip())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the folder and leaves the field."""
        event.stop()
        self.set_focus(None)
        self._show_place()

    def on_click(self, event: events.Click) -> None:
        """Highlights the road that was clicked."""
        if event.widget is not None and event.widget.id == "table":
            line = event.screen_y - event.widget.region.y - 1
            if 0 <= line < len(self._advice.roads):
                self._highlight(self._advice.roads[line].fit.stack)

    def _toggle(self, application: str) -> None:
        ticked = set(self.session.applications) ^ {application}
        chosen = tuple(a.id for a in self._applications if a.id in ticked)
        self.session = replace(self.session, applications=chosen)
        self._advice = self.services.advise(self._machine, chosen)
        self._show_all()
        self.say(self._ranked() if chosen else NOTHING_TICKED)

    def _ranked(self) -> str:
        headline = shown(self._advice.headline)
        if len(headline) <= self._cells():
            return headline
        return f"Suggested now: {self._advice.roads[0].fit.stack}. d tells why, in full."

    def _highlight(self, stack: str) -> None:
        self.session = replace(self.session, stack=stack)
        self._show_all()
        self.say(HINT)
        self.refresh_bindings()

    def _ticked(self) -> tuple[Application, ...]:
        return tuple(a for a in self._applications if a.id in self.session.applications)

    def _footprint(self, stack: str) -> str:
        return self.session.footprint if self._stacks[stack].system_release else VENV

    def _suggestion(self) -> str:
        return self.services.suggest_folder(self._machine, self.session.stack)

    def _folder(self) -> str:
        typed = self.session.folder or self._suggestion()
        return typed.replace("~", self._machine.access.home, 1) if typed[:2] == "~/" else typed

    def _show_all(self) -> None:
        self._show_wishes()
        self._show_place()
        self._show_roads()

    def _show_wishes(self) -> None:
        lines = wish_lines(self._applications, self.session.applications, self._wish, self._cells())
        self.query_one("#wishes", Static).update(lines)
        self._wish_lines = lines.plain.count("\n") + 1

    def _show_place(self) -> None:
        folder = self.query_one("#folder", Input)
        if not folder.has_focus:
            with self.prevent(Input.Changed):
                folder.value = self.session.folder or self._suggestion()
        system = self._stacks[self.session.stack].system_release
        whole = self._footprint(self.session.stack) == SYSTEM
        place = f"+ ROCm {shown(system)} system packages (root)" if whole else "this folder only"
        self.query_one("#footprint", Static).update(Content(f" {place}"))

    def _show_roads(self) -> None:
        cells, road = self._cells(), self.road
        table = RoadsTable(
            self._advice.roads,
            self._stacks,
            self._ticked(),
            self.session.stack,
            lambda stack: self._footprint(stack) == SYSTEM,
        )
        rows = table_lines(table, cells)
        self.query_one("#table", Static).update(Content("\n").join(rows))
        spare = self.size.height - FIXED_LINES - self._wish_lines - len(rows)
        title = title_of(road, self._stacks[road.fit.stack].title, cells)
        words = section_lines(sections_of(road, self._ticked()), cells, spare - 1)
        lines = [Content.styled(title, "bold"), *words]
        self.query_one("#words", Static).update(Content("\n").join(lines))

    def _cells(self) -> int:
        return max(40, self.size.width - 2)
