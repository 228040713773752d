"""The fourth step: the plan, word for word, before anything happens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from screens.faults import fault, refused, save, tell
from screens.review.text import UNWRAPPED, review_text
from screens.services import DEMO, Services
from screens.session import Session, fix_made_at
from screens.step import COMMON_KEYS, StepScreen
from screens.widgets.status_line import wait_for
from wizard.knowledge.stacks import find_stack
from wizard.plan.group_steps import joins
from wizard.plan.root_steps import AptChange, settled
from wizard.plan.snapshot import makes_snapshot, offered, with_snapshot, without_snapshot
from wizard.preflight.refusal import Refused
from wizard.report.plan import size_told
from wizard.run.trouble import NoWayBack, Trouble

if TYPE_CHECKING:
    from wizard.overlay.rehearsed import Rehearsed
    from wizard.plan.choice import Choice
    from wizard.plan.steps import Plan
    from wizard.preflight.wheels import WheelsSought
    from wizard.run.wheels_size import WheelsSize

LOOK_AGAIN = "Mend that, go back with Esc and come here again. Nothing was changed."
GO_BACK = "Go back with Esc and choose otherwise."
READY = "Nothing has been changed yet. a applies this plan; Esc goes back."
KNOWN = "Known exactly now. Nothing has been changed yet. a applies this plan."
BEGUN = "This run was begun before. a goes on with it, and skips what is done."
REMOVE_THEM = (
    "w makes this plan anew so that it removes them without rollback: they are gone for good."
)
KEPT_AFTER_ALL = (
    "this plan removes packages that rollback cannot put back; w makes it anew without that."
)
SIZING = "pip is asked how much it would fetch; a need not wait for that."
GROUPS_JOINED = (
    "the plan adds you to a group, as root, for permission to use the GPU. g leaves your groups as "
    "they are."
)
GROUPS_LEFT = "your groups stay as they are. g lets the plan add you after all."
REFUSED = "This plan cannot be applied: the reason is at the top. Press Esc to change it."


class Review(StepScreen):
    """Every step with its reason, its exact text, its files and its way back."""

    NAME = "review"
    TITLE_WORD = "Review"
    HELP_TEXT = (
        "This is the whole plan, in order. 'does' is the exact text of what is carried out: "
        "what you read here is what runs. Lines after '|' are the content of a file, whole. "
        "'undo' says how the step is taken back.\n\n"
        "a applies the plan (in a dry run and in the demo it only rehearses it). It is not there "
        "where the plan cannot be applied, for example because a folder is already in use, or "
        "because its wheels are no longer on the index, which is asked once. The reason, and what "
        "to do, is then at the top. pip is asked how much it would fetch, which may take a minute; "
        "where it cannot say, the size is as old as it says, or not known.\n"
        "u is there where the environment also sees a torch of your own packages: it moves that "
        "one away too, or leaves it after all.\n"
        "r is there where root has something to do: it rehearses root's part and its way back in a "
        "copy of this system that is thrown away, and shows every file that changes; d shows "
        "that list again.\n"
        "w is there where packages that would go could not be put back: it makes the plan anew so "
        "that they are removed without rollback, for good, or keeps them after all.\n"
        "g is there where permission to use the GPU is missing: it leaves your groups as they are, "
        "or lets the plan add you after all.\n"
        "t is there where Timeshift or Snapper is set up: it has a snapshot made first, or not.\n"
        "s saves this text to a file and says where (not in a dry run, which writes nothing).\n"
        "Arrows, PgUp, PgDn, Home and End scroll. Esc goes back to Choose."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "apply", "Apply this plan"),
        Binding("a", "rehearse", "Rehearse this plan"),
        Binding("u", "user_torch", "User torch"),
        Binding("r", "try_out", "Rehearse"),
        Binding("d", "changes", "Diff"),
        Binding("g", "groups", "Groups", show=False),
        Binding("t", "snapshot", "Snapshot", show=False),
        Binding("w", "without_rollback", "Remove them without rollback", show=False),
        Binding("s", "save", "Save as text"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#plan"
    allowed: reactive[bool] = reactive(False, bindings=True)
    """True once it is known that Apply would begin."""

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.plan is None:
            raise ValueError("Review needs a plan")
        self._plan = session.plan
        self._refusal: Trouble | None = None
        self._sought: WheelsSought | None = None
        """What the index said of the wheels: it is asked once."""
        self._fetched: WheelsSize | None = None
        """What pip said of them: it is asked once."""
        self._sizing = ""
        self._rehearsed = ""
        self._begun = False
        """True for a plan that was carried out in part: a rehearsal would begin in its middle."""
        self._shown: object = None
        """What the text was made from: to lay a long plan out again takes a while."""

    def body(self) -> Iterable[Widget]:
        """The plan, scrollable."""
        with VerticalScroll(id="plan", can_focus=True):
            yield Static(id="text", markup=False)

    def on_resize(self) -> None:
        """Lays the text out for the new width."""
        self._show()

    def on_mount(self) -> None:
        """Says what the next key does, and looks whether Apply would begin."""
        if self.services.mode == DEMO:
            self.say(f"Demo: a rehearses the plan and changes nothing.{self._as_of}")
        elif self.services.rehearses:
            self.say(f"Dry run: a rehearses the plan and changes nothing.{self._as_of}")
        else:
            self.say(BEGUN if self._goes_on() else READY)
        self._look()

    @work(group="look", exclusive=True)
    async def _look(self) -> None:
        before, known = self._plan, self._sought
        try:
            self._refusal = await self._settle()
            if self._refusal is None:
                self._refusal = await asyncio.to_thread(self.services.obstacle, self._plan)
            if self._refusal is None:
                self._refusal = await self._seek_wheels()
            await self._recall()
        except OSError as error:
            self._refusal = fault("Whether this plan can begin is not known", error, LOOK_AGAIN)
        self.allowed = self._refusal is None
        if self._refusal is not None:
            self.say(REFUSED, "warning")
            self._show()
            self.refresh_bindings()
        elif self._plan is not before:
            self.say(BEGUN if self._goes_on() else KNOWN)
        elif self._sought is not known:
            self.say(BEGUN if self._goes_on() else READY)
        if self.allowed and not self._sizing:
            self._ask_size()

    @work(group="size", exclusive=True)
    async def _ask_size(self) -> None:
        """Ask pip, once, how much it would fetch; Apply does not wait for that."""
        if self.services.wheels_size is None:
            return
        self._sizing = SIZING
        self._show()
        self._fetched = await self.services.wheels_size(self._plan)
        self._sizing = "" if self._fetched is None else size_told(self._plan, self._fetched)
        self._show()

    @property
    def _as_of(self) -> str:
        stack = find_stack(self._plan.stack)
        return f" Sizes as of {stack.checked}." if stack is not None else ""

    def _goes_on(self) -> bool:
        """True for the plan of a run that waits: part of it is done already."""
        waits = self.services.unfinished()
        plan = self._plan
        return waits is not None and (waits.name, waits.folder) == (plan.name, plan.venv)

    async def _recall(self) -> None:
        """What a rehearsal of this plan came to, this time or an earlier one."""
        done = await asyncio.to_thread(self.services.rehearsed, self._plan)
        found = await asyncio.to_thread(self.services.unfinished)
        begun = found is not None and found.folder == self._plan.venv
        if (done, begun) != (self.session.rehearsed, self._begun):
            self.refresh_bindings()
        self._begun = begun
        self.session = replace(self.session, rehearsed=done)
        self._rehearsed = "" if done is None else await asyncio.to_thread(_outcome, done)
        self._show()

    async def _settle(self) -> Trouble | None:
        """Ask what root's part would do exactly; gives why that cannot be known."""
        settle, machine, choice = self.services.settle, self.session.machine, self.session.choice
        if settle is None or machine is None or choice is None or settled(self._plan.steps):
            return None
        self._wait("Asking the repository and apt what would be done exactly ...")
        try:
            self._plan = await asyncio.to_thread(settle, machine, choice)
        except Refused as found:
            return refused(found.refusal)
        except Trouble as trouble:
            return trouble
        except ValueError as impossible:
            return Trouble(str(impossible), "There is no such plan; nothing was changed.", GO_BACK)
        self.session = replace(self.session, plan=self._plan)
        self._show()
        self._wait("Looking whether it can begin here: locks, room, the way back ...")
        return None

    async def _seek_wheels(self) -> Trouble | None:
        """Ask the index, once, whether it still has the wheels; gives why the plan is refused."""
        seek, machine = self.services.seek_wheels, self.session.machine
        if seek is None or machine is None:
            return None
        if self._sought is None:
            self._wait("Asking the index whether the wheels are still there ...")
            self._sought = await seek(self._plan, machine)
        found = self._sought.refusal
        if found is None:
            return None
        return Trouble(found.happened, found.meaning, found.next_step)

    def _wait(self, text: str) -> None:
        wait_for(self, text, self.services.clock)

    def _show(self) -> None:
        cells = self.size.width - 4
        told = (
            ("Wheels   ", self._sought.note if self._sought is not None else ""),
            ("Size     ", self._sizing),
            ("Rehearsed", self._rehearsed),
            ("For good ", self._for_good()),
            ("Groups   ", self._groups()),
            ("Snapshot ", self._offer()),
        )
        made_from = (self._plan, cells, self._refusal, told, self._fetched)
        if made_from == self._shown:
            return
        for place in self.query("#text").results(Static):  # none while the screen is taken down
            place.update(review_text(*made_from))
            self._shown = made_from

    def _offer(self) -> str:
        tool = offered(self.session.machine, self._plan)
        free = tool and not makes_snapshot(self._plan)
        return f"{tool} is set up here: t has it make one first." if free else ""

    def _groups(self) -> str:
        if not self._may_decline():
            return ""
        return GROUPS_LEFT if self._declined() else GROUPS_JOINED

    def _may_decline(self) -> bool:
        """True for a plan that adds the user to groups, or did before that was declined."""
        return self.session.choice is not None and (joins(self._plan) or self._declined())

    def _declined(self) -> bool:
        choice = self.session.choice
        return choice is not None and choice.without_groups

    def _for_good(self) -> str:
        if self._without_rollback():
            return KEPT_AFTER_ALL
        return REMOVE_THEM if self._may_waive() else ""

    def _may_waive(self) -> bool:
        """True where Apply would begin if packages went that nothing could put back."""
        known = self.session.choice is not None or self.session.clearing is not None
        return isinstance(self._refusal, NoWayBack) and known and self.session.before is None

    def _without_rollback(self) -> bool:
        """True where that was chosen."""
        choice = self.session.choice
        if self.session.before is not None:
            return False
        if choice is not None:
            return choice.without_rollback
        changes = (step for step in self._plan.steps if isinstance(step, AptChange))
        return self.session.clearing is not None and any(step.for_good for step in changes)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers Rehearse, or Apply where it would begin, and Save where that may write."""
        if action == "rehearse":
            return self.services.rehearses
        if action == "apply":
            return self.allowed and not self.services.rehearses
        if action == "try_out":
            able = self.services.rehearsal is not None and _can_be_rehearsed(self._plan)
            return self.allowed and able and not self._begun
        if action == "changes":
            return self.session.rehearsed is not None
        if action == "snapshot":
            return bool(offered(self.session.machine, self._plan))
        if action == "without_rollback":
            return self._may_waive() or self._without_rollback()
        if action == "user_torch":
            return bool(self._plan.user_torch)
        if action == "groups":
            return self._may_decline()
        if action == "save":
            return self.services.save_text is not None
        return super().check_action(action, parameters)

    def action_back(self) -> None:
        """Goes back to where the plan was made."""
        before = self.session.before
        if before is None:
            super().action_back()
        else:
            self.post_message(self.Go(fix_made_at(self.session), before))

    def action_apply(self) -> None:
        """Goes on to carry the plan out."""
        self.post_message(self.Next(self.session))

    def action_rehearse(self) -> None:
        """Goes on to rehearse the plan."""
        self.action_apply()

    def action_try_out(self) -> None:
        """Rehearses root's part in an overlay of this system."""
        self.post_message(self.Go("rehearse", self.session))

    def action_changes(self) -> None:
        """Shows what the rehearsal changed."""
        self.post_message(self.Go("changes", self.session))

    def action_snapshot(self) -> None:
        """Has a snapshot made first, or not after all."""
        tool = offered(self.session.machine, self._plan)
        made = makes_snapshot(self._plan)
        self._plan = without_snapshot(self._plan) if made else with_snapshot(self._plan, tool)
        choice = self.session.choice
        choice = None if choice is None else replace(choice, snapshot="" if made else tool)
        self.session = replace(self.session, plan=self._plan, choice=choice)
        self._show()
        self.say("No snapshot; t has one made." if made else f"{tool} makes a snapshot first.")

    def action_user_torch(self) -> None:
        """Moves the torch of the user's own packages away too, or leaves it after all."""
        choice = self.session.choice
        if choice is not None:
            moves = not choice.user_torch_aside
            told = "It moves away too; u leaves it." if moves else "It is left alone; u moves it."
            self._choose(replace(choice, user_torch_aside=moves), told)

    def action_groups(self) -> None:
        """Leaves the user's groups as they are, or lets the plan add to them after all."""
        choice = self.session.choice
        if choice is not None:
            leaves = not choice.without_groups
            told = "Your groups stay as they are." if leaves else "The plan adds you to a group."
            self._choose(replace(choice, without_groups=leaves), f"{told} g changes that.")

    def _choose(self, choice: Choice, told: str) -> None:
        """Makes the plan anew for another choice, and looks whether it can begin."""
        machine = self.session.machine
        if machine is None:
            return
        try:
            self._plan = self.services.make_plan(machine, choice)
        except (OSError, ValueError) as error:
            tell(self, "No other plan", fault("The plan stays as it is", error))
            return
        self.session = replace(self.session, plan=self._plan, choice=choice)
        self._refusal, self.allowed = None, False
        self._show()
        self.refresh_bindings()
        self.say(told)
        self._look()

    @work(group="anew", exclusive=True)
    async def action_without_rollback(self) -> None:
        """Removes for good what could not be put back, or keeps it after all."""
        self._wait("Making the plan anew ...")
        wanted = not self._without_rollback()
        choice = self.session.choice
        choice = None if choice is None else replace(choice, without_rollback=wanted)
        try:
            plan = await asyncio.to_thread(self._made_anew, choice, wanted)
        except Refused as found:
            tell(self, "No other plan", refused(found.refusal))
            return
        except (OSError, ValueError) as error:
            tell(self, "No other plan", fault("The plan stays as it is", error))
            return
        self._plan = plan
        self.session = replace(self.session, plan=plan, choice=choice)
        self._refusal, self.allowed = None, False
        self._show()
        self.refresh_bindings()
        self._look()

    def _made_anew(self, choice: Choice | None, wanted: bool) -> Plan:
        machine, clearing = self.session.machine, self.session.clearing
        if machine is not None and choice is not None:
            return self.services.make_plan(machine, choice)
        if machine is None or clearing is None:
            return self._plan
        return self.services.make_clearing(machine, *clearing, wanted)

    def action_save(self) -> None:
        """Saves the plan as text and names the file."""
        if self.services.save_text is None:
            return
        name = f"rdna1-plan-{self._plan.id[:12]}.txt"
        text = f"{review_text(self._plan, UNWRAPPED, self._refusal, size=self._fetched).plain}\n"
        save(self, self.services.save_text, name, text)


def _outcome(done: Rehearsed) -> str:
    from wizard.overlay.rehearsed import summary

    return summary(done)[0]


def _can_be_rehearsed(plan: Plan) -> bool:
    if not any(step.needs_root for step in plan.steps):
        return False
    from wizard.overlay.rehearsing import can_be_rehearsed  # brings all that acts along

    return can_be_rehearsed(plan)
