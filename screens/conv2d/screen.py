"""The sixth step: Conv2d measured shape by shape on the card itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from importlib import import_module
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.reactive import reactive

from screens.conv2d.answers import end_text
from screens.conv2d.keeping import KeepingPanel
from screens.conv2d.setting import with_python
from screens.faults import fault, tell
from screens.services import DEMO, SweepUnderWay
from screens.session import to_diagnose
from screens.step import COMMON_KEYS
from screens.waiting import SECOND_S
from screens.widgets.sweep_views import ON_SCREEN, SweepViews
from wizard.conv2d.asked import Request, sweep_in
from wizard.conv2d.sweep import (
    DeadlineMoved,
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    Sweep,
    SweepDone,
    SweepEvent,
    WorkerStarted,
)
from wizard.conv2d.verdicts import Verdict
from wizard.conv2d.words.event_line import line_of

HISTORY = "h lists what there is of runs; leave and come back to look again before you start one."
COME_BACK = "It may still measure. Go back and come here again: c is there while it does."
KEPT = "Verdicts so far are kept. Mend that, then press s again: Tab changes the Python."


class Conv2d(KeepingPanel):
    """Preset, device and deadline on top, one row a shape, progress below."""

    NAME = "conv2d"
    TITLE_WORD = "Measure"
    HELP_TEXT = (
        "Each row is one convolution. It runs in a process of its own with a deadline and is "
        "compared with a reference computed on the CPU in double precision.\n\n"
        "v shows the same results as rows, as a grid (sizes down, channels across), and as times "
        "over the size, with the cursor on the same shape; arrow keys move it. Enter tells all of "
        "that shape, with the lines that measure it from a shell and by MIOpen's own driver.\n\n"
        "Verdicts: pass, wrong (numbers), error, slow, hung, crashed, out of memory, flaky. "
        "Cold is the first run with compiling, Warm a later one. Published is what a source "
        "says of the same shape on your chip, with the ROCm that your PyTorch was built for. "
        "None of it was measured by us. Enter also tells what was seen with others.\n\n"
        "s starts, c cancels. o opens the options: what is asked (measure, find a limit, the "
        "smallest setting, compare settings, ways around a shape), of which shapes (a file of your "
        "own layers too), with gradients or a training step, how often, and how often the card may "
        "hang. What is not as usual stands above the table. a shows the last answer; there k keeps "
        "a setting that was found, for its venv: the plan is reviewed first.\n"
        "p changes the preset, g the device (cuda is the GPU, also with ROCm), t the deadline, "
        "x the tab: operations are what models need beside convolutions.\n"
        "Tab goes to the Python that has torch. h shows earlier runs, to read whole, to compare "
        "and to hand out.\n"
        "d is there where something did not pass: it looks for what is wrong on this machine.\n"
        "n goes on; everything measured stays on disk. A run goes on when the program is left, and "
        "is shown again when you come back."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "start", "Start"),
        Binding("c", "cancel", "Cancel"),
        Binding("o", "options", "Options"),
        Binding("a", "answer", "Answer"),
        Binding("v", "view", "View"),
        Binding("x", "operations", "Operations", show=False),
        Binding("p", "preset", "Preset", show=False),
        Binding("g", "device", "Device", show=False),
        Binding("t", "deadline", "Deadline", show=False),
        Binding("enter", "command", "Details", show=False),
        Binding("tab", "python", "Python", show=False, priority=True),
        Binding("h", "history", "History"),
        Binding("d", "diagnose", "Why?"),
        Binding("n", "next", "Next"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = f".{ON_SCREEN}"
    running: reactive[bool] = reactive(False, bindings=True)
    _joined = False
    """True while what is shown was begun before."""

    def on_mount(self) -> None:
        """Says what is set and what the keys do here."""
        self._show_controls()
        self._show_progress()
        self.set_interval(SECOND_S, self._show_progress)
        self.look_around()
        if self.services.mode == DEMO:
            self.say("Demo: rows are examples. Nothing is started; Enter shows the command.")
        elif self.services.rehearses:
            self.say("Dry run: nothing is started. Enter shows the command.")
        elif self._setting.cpu_alone:
            self.say(f"{self._setting.cpu_alone} s measures the CPU.")
        else:
            self.say("s starts, after a warning when the GPU is used. Enter shows the command.")
        try:
            found = self.services.sweep_under_way()
        except OSError as error:
            trouble = fault("Whether a run is under way is not known", error, HISTORY)
            tell(self, "Not known", trouble)
            return
        if found is not None:
            self._join(found)

    def _join(self, found: SweepUnderWay) -> None:
        """Shows what is measured already, begun by an earlier start."""
        python = sweep_in(found.request).python
        self._setting = with_python(self._setting.as_in(found.request), python, self.session)
        self._field.show(python, "")
        self._joined, self._unseen = True, found.begun
        self.say(f"Attached: {found.text}. c cancels it.")
        self._carry_out(found.request, found.follow())

    @property
    def busy(self) -> bool:
        """True while shapes are measured that would not be if this program left."""
        return self.running and self.services.stop_sweep is None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Cancel while it runs; everything else only while it does not."""
        if action == "cancel":
            return self.running
        if action == "answer":
            return bool(self.answer)
        if action == "diagnose":
            return not self.running and any(v is not Verdict.PASS for v in self._verdicts)
        if action in ("start", "options", "operations", "preset", "device", "deadline", "python"):
            return not self.running
        if action == "next":
            return self.session.plan is not None and not self.running
        return super().check_action(action, parameters)

    def begin(self, request: Request) -> None:
        """Starts it: everything was asked."""
        self._table.take_keys()
        self._joined, self._unseen = False, 0
        if self.services.stop_sweep is None:
            self.say("Measuring. c cancels: the running shape is ended, verdicts are kept.")
        else:
            self.say(
                "Measuring. c cancels; verdicts are kept. Leaving the program does not end it."
            )
        self._carry_out(request, self.services.run_sweep(request))

    def _carry_out(self, request: Request, coming: AsyncGenerator[SweepEvent, None]) -> None:
        self._under_way = request
        self.forget_answer()
        self._start_over(request.rows if isinstance(request, Sweep) else ())
        self.running = True
        self._measure(request, coming)

    @work(group="sweep", exclusive=True)
    async def _measure(self, request: Request, coming: AsyncGenerator[SweepEvent, None]) -> None:
        try:
            async with aclosing(coming) as events:
                async for event in events:
                    self._take(request, event)
        except OSError as trouble:
            tell(self, "It stopped", fault("The run stopped", trouble, KEPT))
        finally:
            self.running, self._under_way = False, None
            self._show_controls()
            for views in self.query(SweepViews):  # none once the screen is taken down
                views.come_to_rest()

    def _take(self, request: Request, event: SweepEvent) -> None:
        match event:
            case WorkerStarted() | DeviceFound():
                if not self._joined:  # long ago: the line that says what is shown stays
                    self.say(line_of(event))
            case ShapeStarted():
                self._saw_begin, self._unseen = not self._unseen, max(0, self._unseen - 1)
                self._table.know(event.number, event.row)
                self._table.mark_running(event.number)
            case Phase():
                self._table.mark_phase(event.number, event.name)
            case ShapeDone():
                self._table.know_of(event.number, event.result)
                self._table.show_result(event.number, event.result)
            case Note() | DeadlineMoved():
                self.say(line_of(event), "warning")
            case SweepDone():
                self._end(request, event)

    def _end(self, request: Request, done: SweepDone) -> None:
        kind = "note" if done.trouble is None else "fault"
        self.say(end_text(request, done.trouble, self._verdicts), kind)
        self.keep_answer(request, done)

    def action_cancel(self) -> None:
        """Ends the running shape and keeps what was measured."""
        self.workers.cancel_group(self, "sweep")
        done = len(self._table.results)
        self.say(f"Cancelled after {done} shapes. Verdicts so far are kept.", "warning")
        if self.services.stop_sweep is not None:
            self._stop(self.services.stop_sweep)

    @work(group="stop", exclusive=True)
    async def _stop(self, stop: Callable[[], Awaitable[str]]) -> None:
        try:
            what_is_left = await stop()
        except OSError as error:
            tell(self, "Not ended", fault("The run could not be ended", error, COME_BACK))
            return
        if what_is_left:
            self.say(what_is_left, "fault")

    @work(group="history", exclusive=True)
    async def action_history(self) -> None:
        """Shows earlier runs; what is measured goes on."""
        # In a thread: a hundred modules take longer than a key may wait.
        history = await asyncio.to_thread(import_module, "screens.history.screen")
        self.app.push_screen(history.History(self.session, self.services, self.keep_found))

    def action_diagnose(self) -> None:
        """Shows what is wrong here; what was measured stays on disk."""
        self.post_message(self.Go("diagnose", to_diagnose(self.NAME, self.session)))

    def action_next(self) -> None:
        """Goes on."""
        self.post_message(self.Next(self.session))
