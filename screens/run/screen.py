"""Shows a plan being carried out: its state in one sentence, its steps, a bar, and the log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, suppress
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import ProgressBar, Static

from screens.dialogs import Question
from screens.faults import reason
from screens.run.kinds import INSTALL, LABELS, ROLL_BACK, WATCH, Forward, RunKind
from screens.session import Session, to_diagnose
from screens.step import COMMON_KEYS, StepScreen
from screens.widgets.log_pane import LogPane
from screens.words import column, cut, so_far
from wizard.core.amounts import amount_text, counted, left_text, time_text
from wizard.core.events import Event, Output, PlanFinished, Progress, StepFinished, StepStarted
from wizard.core.lines import clean, shown
from wizard.core.time_left import TimeLeft
from wizard.core.wording import by_keys
from wizard.diagnose.finding import Status
from wizard.run.progress import RunState, State, StepRow, after, broken_off
from wizard.services import Services

MARKS = {
    State.WAITING: ("·", "$text-muted"),
    State.RUNNING: (">", "bold $text-primary"),
    State.DONE: ("✓", "$text-success"),
    State.BEFORE: ("✓", "$text-success"),
    State.SHOWN: ("·", "$text-primary"),
    State.FAILED: ("✗", "bold $text-error"),
    State.STOPPED: ("!", "bold $text-warning"),
}
TITLE_STYLES = {State.WAITING: "$text-muted", State.RUNNING: "bold", State.FAILED: "bold"}
ENDED = {
    State.DONE: "done",
    State.SHOWN: "shown; none was run",
}
NOTE_CELLS = 13
"""Room for the longest word behind a title, and a gap."""
STEP_CELLS = 60
AGAIN = "press Enter"
"""The key that begins the same anew, inside a sentence."""
WHOLE = 100
"""Of which a percent is a part."""
DOUBLED = ("Get", "Let", "Pin", "Put", "Run", "Set", "Stop", "Drop")
"""Verbs whose last letter is doubled before ``-ing``."""


def step_line(row: StepRow, cells: int, spent: float = 0.0) -> Content:
    """A step on one line: mark, title, and how long it took, or takes by now."""
    mark, style = MARKS[row.state]
    seconds = spent if row.state is State.RUNNING else row.seconds
    timed = row.state in (State.RUNNING, State.DONE) and seconds >= 1
    note = time_text(seconds) if timed else row.state.value
    room = max(1, min(STEP_CELLS, cells - NOTE_CELLS - 3))
    return Content.assemble(
        (f"{mark}  ", style),
        (column(shown(row.title), room), TITLE_STYLES.get(row.state, "")),
        (note, style if row.state in (State.FAILED, State.STOPPED) else "$text-muted"),
    )


def progress_text(
    state: RunState, seconds_left: float | None, spent: float = 0.0, cells: int = 100
) -> str:
    """What is done now, how much of it, and how long it still takes; at the end, what was done.

    Where nobody knows how long it takes, how long it took so far; what is only watched began
    before anybody looked.
    """
    if state.ended:
        return f"{state.through} of {counted(len(state.steps), 'step')} {ENDED[state.done]}."
    if state.current == 0:
        return ", ".join(filter(None, ("Starting", so_far(spent))))
    progress = state.progress
    amount = _amount(progress) if progress and (progress.done or progress.total) else ""
    left = left_text(seconds_left) if seconds_left is not None else ""
    if not left and not state.watched:
        left = so_far(spent)
    told = ", ".join(filter(None, (amount, left)))
    title = doing(shown(state.title(state.current)))
    title = cut(title, max(20, cells - cell_len(told) - 2))
    text = f"{title}: {told}" if told else title
    what = shown(progress.what) if progress else ""
    return cut(f"{text} ({what})", cells) if what and cells - cell_len(text) > 20 else text


def doing(title: str) -> str:
    """A title as what is being done: "Download packages" as "Downloading packages"."""
    verb, gap, rest = title.partition(" ")
    if not (verb.istitle() and verb.isalpha()) or verb.endswith("ing"):
        return title
    stem = verb if verb.endswith("ee") else verb.removesuffix("e")
    return f"{verb + verb[-1] if verb in DOUBLED else stem}ing{gap}{rest}"


def _amount(progress: Progress) -> str:
    done, total = progress.done, progress.total
    match progress.unit:
        case "bytes":
            return f"{amount_text(done)} of {amount_text(total)}" if total else amount_text(done)
        case "percent":
            return f"{done} %" if total == WHOLE else f"{done} of {total}"
        case unit:
            return f"{done:,} of {total:,} {shown(unit)}" if total else f"{done:,} {shown(unit)}"


def failure_text(state: RunState) -> Content:
    """What happened, what it means, and what to do."""
    failure = state.failure
    if failure is None:
        return Content("")
    return Content.assemble(
        (shown(failure.happened), "bold $text-error"),
        f"\n{shown(by_keys(failure.meaning, AGAIN))}\n",
        ("What to do: ", "bold $text-primary"),
        shown(by_keys(failure.next_step, AGAIN)),
    )


LOOK_S = 1.0
"""How often the times are told anew."""
SLICE = 2_000
"""Lines that are added to the log at once: between two such slices keys are answered."""
BEFORE = 2
"""So many lines above the running step stay in view."""
MARGIN_CELLS = 4
TITLE_CELLS = 50
CAN_STOP = "Running. Press c to stop safely."
STOP_FIRST = "Still running. Press c to stop safely; then you can leave."
STOPPING = "Stopping at the next safe point."
GOES_ON = "The step continues even if you quit."


class RunScreen(StepScreen):
    """Shows the events of one run as they come; leaving is blocked while it could break off."""

    NAME, TITLE_WORD, HELP_TEXT = INSTALL.name, INSTALL.title, INSTALL.help
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding("enter", f"forward('{label}')", label, key_display="Enter") for label in LABELS),
        Binding("c", "stop", "Stop safely"),
        Binding("l", "log", "Log"),
        Binding("d", "diagnose", "Diagnose"),
        Binding("slash", "search", "Search the log", key_display="/", show=False),
        Binding("y", "copy", "Copy from the log", show=False),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#log"
    running: reactive[bool] = reactive(False, bindings=True)

    def __init__(self, kind: RunKind, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self.NAME, self.TITLE_WORD, self.HELP_TEXT = kind.name, kind.title, kind.help
        self.kind = kind
        self._run = kind.begin(session, services)
        self.state = self._run.state
        self._forward: Forward | None = None
        self._log_pane = LogPane()
        self._saved = ""
        self._in_view = 0
        """The step that the list was scrolled to."""
        self._time_left = TimeLeft(services.clock)
        self._since = services.clock()
        """When the running step began."""

    def body(self) -> Iterable[Widget]:
        """What is done now, bar, what went wrong, steps and log."""
        yield Static(id="run-now", markup=False)
        yield ProgressBar(total=1, show_eta=False, id="run-bar")
        with VerticalScroll(id="failure", classes="panel"):
            yield Static(id="failure-text", markup=False)
        with Container(id="run"):
            with VerticalScroll(id="steps", can_focus=True):
                yield Static(id="step-lines", markup=False)
            yield self._log_pane

    def on_mount(self) -> None:
        """Starts the run."""
        self.say(GOES_ON if self._run.stop is None else CAN_STOP)
        self.running = True
        self.set_interval(LOOK_S, self.show_state)
        self._follow(self._run.events())

    def on_resize(self) -> None:
        """Lays the steps out for the new width; the handler of every step is called besides."""
        self.call_after_refresh(self.show_state)

    @work(group="run", exclusive=True)
    async def _follow(self, coming: AsyncGenerator[Event, None]) -> None:
        try:
            async with aclosing(coming) as events:
                async for event in events:
                    await self._take(event)
        except (OSError, ValueError) as trouble:
            # The journal on disk is right whatever happened: the user must still be told.
            why = reason(trouble) if isinstance(trouble, OSError) else str(trouble)
            self._break_off(f"The run ended early: {why.rstrip('.')}.")
        else:
            self._break_off("The run ended without a result.")
        self.ended()

    async def _take(self, event: Event) -> None:
        self._time_left.take(event)
        self.state = after(self.state, event)
        match event:
            case StepStarted():
                self._since = self.services.clock()
                await self._log(f"[{event.number}/{event.total}] {event.text}")
                await self._name_log()
            case Output():
                await self._log(*event.lines)
                return
            case StepFinished():
                await self._log(f"    {event.outcome}")
            case PlanFinished() if event.log:
                await self._log("The whole log is in", event.log)
            case _:
                pass
        self.show_state()

    async def _log(self, *lines: str) -> None:
        for start in range(0, len(lines), SLICE):
            self._log_pane.log_lines.add(lines[start : start + SLICE])
            await asyncio.sleep(0)

    async def _name_log(self) -> None:
        if not self._saved:
            with suppress(OSError):  # no reason to break a run off: its end names the file too
                self._saved = await asyncio.to_thread(self._run.log)
            self._name_parts()

    def on_descendant_focus(self) -> None:
        """Says which part has the keys: the colour of its frame alone would not."""
        self._name_parts()

    def _name_parts(self) -> None:
        machine, path = self.session.machine, self._saved
        home = f"{machine.access.home}/" if machine is not None else ""
        if home and path.startswith(home):
            path = f"~/{path.removeprefix(home)}"
        log = clean(f"Log: {path}" if path else "Log")
        titles = {"#failure": "What went wrong", "#steps": "Steps", "#log-pane": log}
        for part, title in titles.items():
            for widget in self.query(part):
                has_keys = self.focused in widget.walk_children(with_self=True)
                widget.border_title = Content(f"> {title}" if has_keys else title)

    def _break_off(self, happened: str) -> None:
        if not self.state.ended:
            self.state = broken_off(self.state, happened, self.kind.when_broken_off)

    def ended(self) -> None:
        """Keeps how it went, and says how to go on."""
        self.session = self._run.result(self.session, self.state)
        self._forward = self.kind.forward(self.session, self.state)
        self.running = False
        self.say("")
        self.show_state()

    def show_state(self) -> None:
        """Shows how far it is; a screen that is being taken down has no parts any more."""
        state, spent = self.state, self.services.clock() - self._since
        self._conclude()
        for steps in self.query("#steps"):
            cells = steps.scrollable_content_region.width
            lines = (step_line(row, cells, spent) for row in state.steps)
            for text in steps.query(Static):
                text.update(Content("\n").join(lines))
            if state.current != self._in_view:
                self._in_view = state.current
                steps.scroll_to(y=max(0, state.current - 1 - BEFORE), animate=False)
        for bar in self.query(ProgressBar):
            bar.update(progress=state.share)
        for line in self.query("#run-now").results(Static):
            cells = min(self.size.width, 104) - MARGIN_CELLS
            left = state.overall.seconds_left(self._time_left.seconds)
            line.update(progress_text(state, left, spent, cells), layout=False)
        for box in self.query("#failure"):
            box.display = state.failure is not None
        if state.failure is not None:
            for text in self.query("#failure-text").results(Static):
                text.update(failure_text(state))

    def _conclude(self) -> None:
        state, run = self.state, self._run
        enter = self._forward.sentence if self._forward is not None else ""
        if state.failure is not None:
            number = state.failure.number
            title = cut(state.title(number), TITLE_CELLS)
            what = f"Step {number} failed: {title}." if number else "It could not start."
            why = " Press d to look for the cause." if self.check_action("diagnose", ()) else ""
            self.conclude(what, Status.FAULT, f"{enter}{why}")
        elif not state.ended:
            step = f": step {state.current} of {len(state.steps)}" if state.current else ""
            self.conclude(f"{run.doing}{'' if state.watched else step}.")
        elif not state.ok:
            asked = state.finished is not None and state.finished.cancelled
            why = "as you asked" if asked else "before the end"
            self.conclude(f"Stopped {why}. {enter}", Status.WARNING)
        else:
            todo = to_do_first(state.finished)
            warning = Status.WARNING if todo else None
            self.conclude(f"{run.done} {enter}", Status.OK, todo, warning)

    @property
    def busy(self) -> bool:
        """True while leaving would break something off."""
        return self.running and self._run.stop is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers what makes sense now; Esc and q always answer."""
        match action:
            case "forward":
                return self._forward is not None and self._forward.label in parameters
            case "stop":
                return self.busy
            case "diagnose":
                failed = not self.running and self.state.failure is not None
                return failed and self.kind.name == "apply"
            case "search" | "help" | "log":
                return not self._log_pane.typing
            case _:
                return True

    def action_forward(self, _: str) -> None:
        """Goes on with what came of it."""
        if self._forward is not None:
            self.post_message(self.Go(self._forward.step, self.session))

    def action_back(self) -> None:
        """Gives the steps back, or leaves the screen; says how to stop while it runs."""
        if self.has_class("-log"):
            self.remove_class("-log")
        elif self.busy:
            self.say(STOP_FIRST, "warning")
        elif self.kind.back:
            self.post_message(self.Go(self.kind.back, self.session))
        else:
            super().action_back()

    def action_leave(self) -> None:
        """Ends the program, or says how to stop while it runs."""
        if self.busy:
            self.say(STOP_FIRST, "warning")
        else:
            super().action_leave()

    def action_stop(self) -> None:
        """Asks whether to stop."""
        question = Question("Stop safely?", self.kind.safe, "y", "Stop")
        self.app.push_screen(question, self._stop_if)

    def _stop_if(self, sure: bool | None) -> None:
        if sure and self.running and self._run.stop is not None:
            self._run.stop()
            self.say(STOPPING, "warning")

    def action_diagnose(self) -> None:
        """Looks for what is wrong; Esc there leads to the plan, which runs nothing by itself."""
        self.post_message(self.Go("diagnose", to_diagnose("review", self.session)))

    def action_log(self) -> None:
        """Gives the log the whole screen, or the steps their place back."""
        self.toggle_class("-log")

    def action_search(self) -> None:
        """Lets one type what to look for in the log."""
        self.add_class("-log")
        self._log_pane.open_search()

    def action_copy(self) -> None:
        """Hands text to the terminal's clipboard; whether it takes it, no terminal says."""
        text, what = self._log_pane.copy()
        if not text:
            self.say("The log is empty.")
            return
        self.app.copy_to_clipboard(text)
        file = "; the file named above has everything" if self._saved else ""
        self.say(f"Copied {what}, if this terminal allows it{file}.")


Install = partial(RunScreen, INSTALL)
TakeBack = partial(RunScreen, ROLL_BACK)
Watch = partial(RunScreen, WATCH)


def to_do_first(finished: PlanFinished | None) -> str:
    """What must be done before the GPU can be used, ``""`` for nothing."""
    if finished is not None and finished.restart_needed:
        return "Restart the computer before you use the GPU."
    if finished is not None and finished.relogin_needed:
        return "Log out and back in before you use the GPU."
    return ""
