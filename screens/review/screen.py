"""Shows what the plan will do, step by step, before anything happens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widget import Widget
from textual.worker import WorkerError

from screens.faults import fault, save, tell, told
from screens.review.plan_view import (
    FOLDING_KEYS,
    UNDO,
    WARNING,
    PlanScreen,
    PlanView,
    Remark,
    afterwards,
    plan_remarks,
    refusal_remarks,
    rows_of,
    sentence,
)
from screens.session import Session, fix_made_at
from screens.step import HELP_KEY, QUIT_KEY
from wizard.core.journal import Kind
from wizard.core.trouble import NoRollback, Trouble
from wizard.diagnose.finding import Status
from wizard.knowledge.stacks import find_stack
from wizard.plan.snapshot import makes_snapshot, offered, with_snapshot, without_snapshot
from wizard.report.plan import RESTART, plan_lines, size_told
from wizard.report.recommendation import cannot_run
from wizard.services import Services
from wizard.services.plans import refused

if TYPE_CHECKING:
    from wizard.plan.choice import Choice
    from wizard.plan.steps import Plan
    from wizard.plan.wheel_index import WheelsSought
    from wizard.run.preflight import WheelsSize

LOOK_AGAIN = "Nothing was changed. Fix the problem, press Esc to go back, and open Review again."
GO_BACK = "Press Esc to go back and choose something else."
GO_ON = "This run was already started. {0} continues it and skips finished steps."
READY = "Nothing has been changed yet. {0} {1}; Esc goes back."
REMOVE_THEM = "Press w to permanently remove packages that rollback could not restore."
KEPT_AFTER_ALL = (
    "Some packages will be removed permanently: rollback cannot restore them. Press w to keep them."
)
SIZING = "Checking how much there is to download. You do not have to wait."
GROUPS_JOINED = (
    "The plan uses root to add you to a group that has permission to use the GPU. Press g to keep "
    "your groups unchanged."
)
GROUPS_LEFT = "Your groups will not be changed. Press g to let the plan add you to the group."
REFUSED = "This plan cannot start; the reason is at the top. Press Esc to go back."
LOOKING = "Checking whether the plan can start here ..."
INSTALL, APPLY, REHEARSE, REMOVE = "Install", "Apply", "Rehearse", "Remove"
CONFIRMED = {
    INSTALL: ("enter", "Enter", "installs"),
    APPLY: ("enter", "Enter", "applies it"),
    REHEARSE: ("enter", "Enter", "rehearses the plan"),
    REMOVE: ("y", "y", "removes"),
}
"""What carrying out a plan is called: the key that confirms it, and what the key does."""


class Review(PlanScreen):
    """The plan in a sentence, what speaks against it, and its steps by their titles."""

    NAME = "review"
    TITLE_WORD = "Review"
    HELP_TEXT = (
        "These are the steps of the plan, in order. Space expands the marked step to show the "
        "reason, exactly what is done, the full content of each file, and how it is undone. What "
        "you see is what runs.\n\nEnter installs; a plan that removes something needs y instead. "
        "In a dry run and in the demo, nothing is changed. If a plan cannot start, the reason is "
        "at the top.\ns saves the whole plan as text and names the file (not in a dry "
        "run).\n\nSome keys apply only to some plans:\nu also moves a PyTorch installation in "
        "your user packages out of the way, or leaves it in place.\nw permanently removes "
        "packages that rollback could not restore, or keeps them.\ng keeps your groups "
        "unchanged, or lets the plan add you to the group.\nt turns a snapshot with Timeshift or "
        "Snapper on or off."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"apply('{word}')", word, key_display=display)
            for word, (key, display, _) in CONFIRMED.items()
        ),
        *FOLDING_KEYS,
        Binding("s", "save", "Save"),
        Binding("u", "switch('user_torch_aside')", "Move your own PyTorch or leave it", show=False),
        Binding("g", "switch('without_groups')", "Join groups or not", show=False),
        Binding("t", "snapshot", "Snapshot first or not", show=False),
        Binding("w", "without_rollback", "Remove permanently or keep", show=False),
        Binding("escape", "back", "Back", key_display="Esc", show=False),
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#plan"
    allowed: reactive[bool | None] = reactive(None, bindings=True)
    """Whether the plan could begin; None until that is known."""
    heeds: reactive[bool] = reactive(False, bindings=True)
    """False for the first second: a key may have been typed before the plan was seen."""

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.plan is None:
            raise ValueError("Review needs a plan")
        self._plan = session.plan
        self._choice = session.choice
        """What the plan is to be made from: an answer to anything older is dropped."""
        self._for_good = self._removes_for_good()
        """Whether packages are to go that rollback cannot restore."""
        self._snapshot: str | None = None
        """The tool that is to make one first, ``""`` for none; None as the plan has it."""
        self._refusal: Trouble | None = None
        self._against = ""
        self._sought: WheelsSought | None = None
        """What the index said of the wheels: it is asked once."""
        self._fetched: WheelsSize | None = None
        """What the index said of them: it is asked once."""
        self._sizing = ""

    def body(self) -> Iterable[Widget]:
        """The plan."""
        yield PlanView()

    def on_mount(self) -> None:
        """Shows the plan, and looks whether it could begin."""
        self._against = self._speaks_against()
        self._show()
        self.wait(LOOKING)
        if self.services.rehearses or not self.services.pause_s:
            self._heed()
        else:
            self.set_timer(self.services.pause_s, self._heed)
        self._look()

    @property
    def _word(self) -> str:
        """What carrying it out is called."""
        if self.services.rehearses:
            return REHEARSE
        removes = self._plan.kind in (Kind.REMOVE, Kind.CLEAN_UP) and self.session.before is None
        if removes or _loses(self._plan):
            return REMOVE
        return INSTALL if self._plan.kind is Kind.INSTALL else APPLY

    def _heed(self) -> None:
        """Lets keys carry the plan out: those from before may have been typed ahead."""
        self.heeds = True
        self._tell_keys()

    def _tell_keys(self) -> None:
        """Says what the keys do, once they do it."""
        if not self.heeds or not (self.allowed or self.services.rehearses):
            return
        _, key, does = CONFIRMED[self._word]
        if self.services.rehearses:
            stack = find_stack(self._plan.stack)
            dated = f" Sizes as of {stack.checked}." if stack is not None else ""
            self.say(f"{self.services.mode.capitalize()}: {key} {does} and changes nothing.{dated}")
        else:
            self.say((GO_ON if self._goes_on() else READY).format(key, does))

    @work(group="look", exclusive=True)
    async def _look(self, *, anew: bool = False) -> None:
        """Make the plan anew if asked, and see whether it could begin.

        What was asked for an older choice is no longer waited for, so that it changes nothing.
        """
        try:
            if anew:
                await self._make()
            self._refusal = await self._resolve()
            if self._refusal is None:
                self._refusal = await asyncio.to_thread(self.services.plans.obstacle, self._plan)
            if self._refusal is None:
                self._refusal = await self._seek_wheels()
        except OSError as error:
            self._refusal = fault("Could not check whether this plan can start", error, LOOK_AGAIN)
        self.allowed = self._refusal is None
        self._show()
        self.refresh_bindings()
        if self._refusal is not None:
            self.say(REFUSED, "warning")
            return
        self._tell_keys()
        if not self._sizing:
            self._ask_size()

    def _choose(self, choice: Choice | None, *, for_good: bool) -> None:
        """Has the plan made anew for another choice."""
        self._choice, self._for_good = choice, for_good
        self._refusal, self.allowed = None, None
        self.wait("Making the plan again ...")
        self._look(anew=True)

    async def _make(self) -> None:
        """Makes the plan that is wanted; where there is none, the one that is there stays."""
        try:
            self._take(await asyncio.to_thread(self._made, self._choice, self._for_good))
        except Trouble as trouble:
            tell(self, "Plan not changed", refused(trouble))
        except (OSError, ValueError) as error:
            tell(self, "Plan not changed", fault("The plan was not changed", error))
        self._choice, self._for_good = self.session.choice, self._removes_for_good()

    def _made(self, choice: Choice | None, for_good: bool) -> Plan:
        machine, clearing = self.session.machine, self.session.clearing
        if machine is not None and choice is not None:
            return self.services.plans.make(machine, choice)
        if machine is None or clearing is None:
            return self._plan
        return self.services.plans.make_clearing(machine, *clearing, for_good)

    def _take(self, plan: Plan) -> None:
        """Shows a plan from now on, with a snapshot first where that is wanted by now."""
        tool = self._snapshot
        if tool is not None and makes_snapshot(plan) and not tool:
            plan = without_snapshot(plan)
        elif tool and not makes_snapshot(plan) and offered(self.session.machine, plan):
            plan = with_snapshot(plan, tool)
        if self._choice is not None and tool is not None:
            self._choice = replace(self._choice, snapshot=tool)
        self._plan = plan
        self.session = replace(self.session, plan=plan, choice=self._choice)
        self._show()
        self.refresh_bindings()

    async def _resolve(self) -> Trouble | None:
        """Ask what root's part would do exactly; gives why that cannot be known."""
        machine, choice = self.session.machine, self._choice
        if machine is None or choice is None:
            return None
        if self.services.rehearses or self._plan.resolved:
            return None
        self.wait("Checking the packages and versions against the repository and apt ...")
        try:
            self._take(await asyncio.to_thread(self.services.plans.resolve, machine, choice))
        except Trouble as trouble:
            return refused(trouble)
        except ValueError as impossible:
            return Trouble(
                str(impossible), "This plan cannot be carried out. Nothing was changed.", GO_BACK
            )
        self.wait(LOOKING)
        return None

    async def _seek_wheels(self) -> Trouble | None:
        """Ask the index, once, whether it still has the wheels; gives why the plan is refused."""
        machine = self.session.machine
        if self.services.rehearses or machine is None:
            return None
        if self._sought is None:
            self.wait("Checking whether the index still has the packages ...")
            self._sought = await self.services.plans.seek_wheels(self._plan, machine)
        found = self._sought.refusal
        return None if found is None else Trouble(found.happened, found.meaning, found.next_step)

    @work(group="size", exclusive=True)
    async def _ask_size(self) -> None:
        """Ask the index, once, how much there is to download; nothing waits for that."""
        if self.services.rehearses:
            return
        self._sizing = SIZING
        self._show()
        self._fetched = await self.services.plans.wheels_size(self._plan)
        self._sizing = "" if self._fetched is None else size_told(self._plan, self._fetched)
        self._show()

    def _goes_on(self) -> bool:
        """True for the plan of a run that waits: part of it is done already."""
        waits = self.services.runs.unfinished()
        plan = self._plan
        return waits is not None and (waits.name, waits.folder) == (plan.name, plan.venv)

    def _show(self) -> None:
        told = sentence(self._plan, self.session.machine, self._fetched)
        lost = ", except for what is removed permanently" if _loses(self._plan) else ""
        undo = f"Undo: {UNDO}{lost}."
        if self._refusal is not None:
            self.conclude("This plan cannot start.", Status.FAULT, told)
        elif self._against:
            self.conclude(f"{told} {undo}", None, self._against, Status.WARNING)
        else:
            self.conclude(told, None, f"{afterwards(self._plan)} {undo}".strip())
        for view in self.query(PlanView):  # none while the screen is taken down
            view.show(self._remarks(), rows_of(self._plan, self._fetched))

    def _speaks_against(self) -> str:
        """What of the ticked things the chosen stack cannot run; ``""`` for nothing."""
        machine, ticked = self.session.machine, self.session.applications
        if machine is None or not ticked or self._plan.kind is not Kind.INSTALL:
            return ""
        found = self.services.knowledge.recommend(machine, ticked, self.session.preset)
        fits = (fit for fit in found.fits if fit.stack == self._plan.stack)
        return next((cannot_run(found, fit) for fit in fits), "")

    def _remarks(self) -> tuple[Remark, ...]:
        """What must be known before the plan begins."""
        tool = offered(self.session.machine, self._plan)
        free = tool and not makes_snapshot(self._plan)
        told = (
            REMOVE_THEM if self._may_waive() else "",
            KEPT_AFTER_ALL if self._removes_for_good() else "",
            self._sought.note if self._sought is not None else "",
            GROUPS_JOINED if self._plan.relogin_needed and self._may_decline() else "",
            GROUPS_LEFT if self._declined() else "",
            f"{tool} is set up on this system. Press t to make a snapshot with it before "
            "anything is changed."
            if free
            else "",
            self._sizing,
            RESTART if self._plan.restart_needed else "",
        )
        own = tuple(("!", WARNING, text) for text in told if text)
        return (*refusal_remarks(self._refusal), *own, *plan_remarks(self._plan, self._refusal))

    def _may_decline(self) -> bool:
        """True for a plan that adds the user to groups, or did before that was declined."""
        return self.session.choice is not None and (self._plan.relogin_needed or self._declined())

    def _declined(self) -> bool:
        choice = self.session.choice
        return choice is not None and choice.without_groups

    def _may_waive(self) -> bool:
        """True where the plan could begin if packages went that nothing could restore."""
        known = self.session.choice is not None or self.session.clearing is not None
        return isinstance(self._refusal, NoRollback) and known and self.session.before is None

    def _removes_for_good(self) -> bool:
        """True where that was chosen."""
        choice = self.session.choice
        if self.session.before is not None:
            return False
        if choice is not None:
            return choice.without_rollback
        return self.session.clearing is not None and _loses(self._plan)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers what this plan allows, and to carry it out by the word for it."""
        live = not self.services.rehearses
        match action:
            case "apply":
                if parameters != (self._word,) or (self.allowed is False and live):
                    return False
                # Dimmed until it is known whether the plan can start, and has been in sight.
                return True if self.heeds and (self.allowed or not live) else None
            case "snapshot":
                return bool(offered(self.session.machine, self._plan))
            case "without_rollback":
                return self._may_waive() or self._removes_for_good()
            case "switch" if parameters == ("without_groups",):
                return self._may_decline()
            case "switch":
                return bool(self._plan.user_torch) and self.session.choice is not None
            case "save":
                return live
            case _:
                return super().check_action(action, parameters)

    def action_back(self) -> None:
        """Goes back to where the plan was made."""
        before = self.session.before
        if before is None:
            super().action_back()
        else:
            self.post_message(self.Go(fix_made_at(self.session), before))

    async def action_apply(self, _word: str) -> None:
        """Goes on to carry the plan out."""
        # Folders that asking makes would count as there before the run.
        for worker in self.workers.cancel_group(self, "size"):
            with suppress(WorkerError):
                await worker.wait()
        self.post_message(self.Next(self.session))

    def action_snapshot(self) -> None:
        """Has a snapshot made first, or not after all."""
        made = makes_snapshot(self._plan)
        tool = offered(self.session.machine, self._plan)
        self._snapshot = "" if made else tool
        self._take(self._plan)
        self.say(
            "No snapshot will be made. Press t to make one."
            if made
            else f"{tool} will make a snapshot first."
        )

    def action_switch(self, name: str) -> None:
        """Turns a part of the choice into its opposite."""
        if self._choice is not None:
            self._choose(_toggled(self._choice, name), for_good=self._for_good)

    def action_without_rollback(self) -> None:
        """Removes for good what could not be put back, or keeps it after all."""
        choice = self._choice
        choice = None if choice is None else _toggled(choice, "without_rollback")
        self._choose(choice, for_good=not self._for_good)

    def action_save(self) -> None:
        """Saves the plan as text and names the file."""
        refusal = (told(self._refusal), "") if self._refusal is not None else ()
        text = "\n".join([*refusal, *plan_lines(self._plan, self._fetched), f"Undo: {UNDO}", ""])
        save(self, self.services.reports.save, f"rdna1-plan-{self._plan.id[:12]}.txt", text)


def _toggled(choice: Choice, name: str) -> Choice:
    changes: dict[str, Any] = {name: not getattr(choice, name)}
    return replace(choice, **changes)


def _loses(plan: Plan) -> bool:
    """True for a plan that removes packages of which no file is kept."""
    return any(step.for_good for step in plan.apt_changes)
