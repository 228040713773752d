"""The third step: what to run, where, and on which stack, all on one screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from textual import work
from textual.widget import Widget
from textual.widgets import Input

from screens.choose.choosing import SYSTEM, VENV, choosing_at
from screens.choose.windows import ChooseWindows
from screens.faults import fault, tell
from screens.following import load
from screens.services import Services
from screens.session import Session
from screens.widgets.path_field import PathField
from screens.widgets.stacks_pane import StacksPane
from screens.widgets.wish_row import WishRow
from screens.windows.dialogs import Notice, Question
from screens.words import shown
from wizard.advice.leftovers import torch_there

FOLLOWING = ("screens.review.screen", "wizard.plan.planner", "wizard.run.ready")
READ_S = 0.3
"""Nobody goes on sooner; what is loaded before would hold up the screen itself."""
NOTHING_TICKED = "←→ Space: tick what you want to run; ↑↓: stack; a: aspect; e: who says so"
NO_PLAN = "No plan can be made"
OTHER_FOLDER = "Nothing was changed. Mend that, or choose another folder; then press Enter again."
NO_PLAN_ADVICE = "\n\nNothing was changed. Choose another folder or another stack."
CANNOT_RUN = "This stack cannot run what you ticked"
SURE = "Do you want to review the plan for it all the same?"
HINT = "↑↓ 1-9: stack; a: aspect; e: who says so; ←→ Space: tick; Tab: folder"
MEASURE_FIRST = "c measures your torch {0} first: maybe nothing must be replaced."


class Choose(ChooseWindows):
    """Wishes on top, one line a road, and below all that is said of the highlighted road."""

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._choosing = choosing_at(session, services)
        self._there = torch_there(self._choosing.machine)
        self._take(aside=False)

    def body(self) -> Iterable[Widget]:
        """Wishes, place, stacks."""
        yield WishRow(self._choosing)
        yield PathField("Folder ", "folder")
        yield StacksPane(self._choosing)

    def on_mount(self) -> None:
        """Fills the folder in; what depends on the size shows itself once it has one."""
        self.set_timer(READ_S, self._load_following)
        self._show_place()
        if self._there is not None:
            self.say(MEASURE_FIRST.format(self._there.torch))
        else:
            self.say(HINT if self.session.applications else NOTHING_TICKED)

    @work(thread=True, group="following")
    def _load_following(self) -> None:
        """Loads what makes plans and shows them while this is read: Review opens at once then."""
        load(*FOLLOWING)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides Footprint without system packages, and Measure without a torch for ROCm."""
        if action == "footprint":
            return bool(self._choosing.stack.system_release)
        if action == "preset":
            return bool(self._choosing.stack.presets)
        if action == "measure":
            return self._there is not None
        if action == "roads":
            return bool(self.services.roads())
        return super().check_action(action, parameters)

    def action_move(self, by: int) -> None:
        """Highlights the road above or below."""
        self.highlight(self._choosing.moved(by))

    def action_wish(self, by: int) -> None:
        """Moves to the thing to run on the left or right."""
        self.query_one(WishRow).move(by)

    def action_tick(self) -> None:
        """Ticks or unticks the current thing to run and ranks the roads again."""
        wish = self.query_one(WishRow).current
        if wish is None:
            return
        ticked = self._choosing.toggled(wish)
        self._take(applications=ticked)
        self._recommend_again()
        self.say(self._ranked() if ticked else NOTHING_TICKED)

    def action_footprint(self) -> None:
        """Switches between the folder alone and the folder plus system packages."""
        self._take(footprint=SYSTEM if self.session.footprint == VENV else VENV)
        self._choosing = self._choosing.compared()
        self._show_all()

    def action_preset(self) -> None:
        """Takes the next published variables that the stack has on offer, or none again."""
        self._take(preset=self._choosing.next_preset(), stack=self._choosing.stack.id)
        self._recommend_again()
        preset = self._choosing.preset
        told = f"{preset.name}: {preset.caution}" if preset else "No published settings are set."
        self.say(f"{told} v: the next; d: in full.")

    def _recommend_again(self) -> None:
        session = self.session
        found = self.services.recommend(
            self._choosing.machine, session.applications, session.preset
        )
        self._choosing = replace(self._choosing, recommendation=found).compared()
        self._show_all()

    def action_folder(self) -> None:
        """Goes to the folder, or leaves it."""
        if self._field.typing:
            self.set_focus(None)
        else:
            self._field.take_keys()

    def action_back(self) -> None:
        """Leaves the folder first, then the step."""
        if self.focused is not None:
            self.set_focus(None)
        else:
            super().action_back()

    def action_measure(self) -> None:
        """Opens the Conv2d panel on the torch that is there; Back leads here again."""
        self.post_message(self.Go("conv2d", replace(self.session, plan=None, aside=True)))

    def action_rank(self, rank: int) -> None:
        """Highlights the road of that rank."""
        fits = self._choosing.recommendation.fits
        if rank <= len(fits):
            self.highlight(fits[rank - 1].stack)

    def action_mark(self, by: int) -> None:
        """Marks the aspect below or above."""
        self.mark(self._choosing.mark_moved(by))

    def action_review(self) -> None:
        """Makes the plan and goes on; says why where there can be none.

        A stack that cannot run what is ticked is agreed to before.
        """
        fit = self._choosing.fit
        if not fit.possible and not self._goes_on():
            reason = fit.obstacles[0] if fit.obstacles else "it does not fit this machine"
            self.say(f"Not possible here: {reason}", "fault")
            return
        try:
            choice = self._choosing.choice
            plan = self.services.make_plan(self._choosing.machine, choice)
        except ValueError as trouble:
            self.say(f"No plan: {trouble}", "fault")
            self.app.push_screen(Notice(NO_PLAN, f"{trouble}{NO_PLAN_ADVICE}"))
            return
        except OSError as error:
            tell(self, NO_PLAN, fault("The plan was not made", error, OTHER_FOLDER))
            return
        chosen = replace(self.session, plan=plan, choice=choice, finished=None, failure=None)
        if warning := self._choosing.warning:
            question = Question(CANNOT_RUN, f"{warning}\n\n{SURE}", "y", "review it all the same")
            self.app.push_screen(question, partial(self._go_on, chosen))
        else:
            self._go_on(chosen, True)

    def _go_on(self, chosen: Session, agreed: bool | None) -> None:
        if agreed:
            self.post_message(self.Next(chosen))

    def _goes_on(self) -> bool:
        """True for the choice of a run that waits: the disk that is full is its own doing."""
        waits, choice = self.services.unfinished(), self._choosing.choice
        return waits is not None and (waits.stack, waits.folder) == (choice.stack, choice.venv)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keeps what the user typed; an empty field means the suggestion again."""
        typed = event.value.strip()
        self._take(folder="" if typed == self._choosing.suggestion else typed)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the folder and leaves the field."""
        event.stop()
        self.set_focus(None)
        self._show_place()

    def on_stacks_pane_clicked(self, message: StacksPane.Clicked) -> None:
        """Highlights the stack that was clicked, and marks the aspect."""
        if message.stack:
            self.highlight(message.stack)
        if message.aspect:
            self.mark(message.aspect)

    def on_wish_row_clicked(self) -> None:
        """Ticks the thing to run that was clicked."""
        self.action_tick()

    def highlight(self, stack: str) -> None:
        """Highlights the road of a stack."""
        self._take(stack=stack)
        self._show_road()
        self.say(HINT)

    def mark(self, aspect: str | None) -> None:
        """Marks an aspect, none leaves it."""
        self._choosing = replace(self._choosing, marked=aspect or self._choosing.marked)
        self.query_one(StacksPane).show(self._choosing)
        self.say(HINT)

    def _take(self, **changes: Any) -> None:
        self.session = replace(self.session, **changes)
        self._choosing = replace(self._choosing, session=self.session)

    def _ranked(self) -> str:
        found = self._choosing.recommendation
        sentence = shown(found.sentence)
        if len(sentence) <= self._cells():
            return sentence
        return f"Recommended now: {found.name}. d tells why, in full."

    def _show_all(self) -> None:
        self.query_one(WishRow).show(self._choosing)
        self._show_road()

    def _show_road(self) -> None:
        self._show_place()
        self.query_one(StacksPane).show(self._choosing)

    def _show_place(self) -> None:
        self._field.show(self._choosing.folder, self._choosing.place_word)

    @property
    def _field(self) -> PathField:
        return self.query_one(PathField)

    def _cells(self) -> int:
        return max(40, self.size.width - 2)
