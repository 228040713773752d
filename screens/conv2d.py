"""The sixth step: Conv2d measured shape by shape on the card itself."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import aclosing
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from screens.dialogs import Notice, Question
from screens.run_text import bar
from screens.services import DEMO, Services
from screens.session import Session
from screens.step import COMMON_KEYS, StepScreen
from screens.sweep_rows import EXAMPLE, NOT_RUN, channels_of, tally
from screens.sweep_setting import python_of, setting_for
from screens.widgets.shapes_table import ShapesTable
from screens.words import cut
from wizard.conv2d.sweep import (
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    StopReason,
    Sweep,
    SweepDone,
    SweepEvent,
    WorkerStarted,
)

NO_PYTHON = "Tab: enter the path of a Python that has torch, for example /home/you/venv/bin/python"
WARNING = (
    "This runs convolutions on your GPU. On RDNA1 cards some of them never end, and a hung "
    "GPU can freeze the desktop or reset the screen; in the worst case only a restart helps.\n\n"
    "Save your work and close what matters. A hung shape is ended at its deadline; its verdict "
    "and all verdicts before it are on disk by then.\n\n"
    "The device 'cpu' (key g) measures without this risk."
)


class Conv2d(StepScreen):
    """Preset, device and deadline on top, one row a shape, progress below."""

    NAME = "conv2d"
    TITLE_WORD = "Conv2d"
    HELP_TEXT = (
        "Each row is one convolution. It runs in a process of its own with a deadline and is "
        "compared with a reference computed on the CPU in double precision.\n\n"
        "Verdicts: pass, wrong (numbers), error, slow, hung, crashed, out of memory, flaky. "
        "Cold is the first run with compiling, Warm a later one. Published is what a source "
        "says of the same shape.\n\n"
        "s starts, c cancels. p changes the preset, g the device (cuda is the GPU, also with "
        "ROCm), t the deadline. Tab goes to the Python that has torch.\n"
        "n goes on; everything measured stays on disk."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "start", "Start"),
        Binding("c", "cancel", "Cancel"),
        Binding("p", "preset", "Preset"),
        Binding("g", "device", "Device"),
        Binding("t", "deadline", "Deadline"),
        Binding("enter", "command", "Details", key_display="Enter"),
        Binding("tab", "python", "Python", show=False, priority=True),
        Binding("n", "next", "Next"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#shapes"
    running: reactive[bool] = reactive(False, bindings=True)

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._setting = setting_for(session, services.presets())
        self._warned = False

    def body(self) -> Iterable[Widget]:
        """Controls, table, progress."""
        with Horizontal(id="place", classes="pad"):
            yield Static("Python ", id="where", markup=False)
            yield Input(python_of(self.session), id="python", compact=True, select_on_focus=False)
        yield Static(id="controls", classes="pad", markup=False)
        blank = EXAMPLE if self.services.mode == DEMO else NOT_RUN
        yield ShapesTable(self._setting.preset.rows, blank)
        yield Static(id="sweep-progress", classes="pad", markup=False)

    def on_mount(self) -> None:
        """Says what the keys do here."""
        if self.services.mode == DEMO:
            self.say("Demo: rows are examples. Nothing is started; Enter shows the command.")
        elif self.services.rehearses:
            self.say("Dry run: nothing is started. Enter shows the command.")
        else:
            self.say("s starts, after a warning when the GPU is used. Enter shows the command.")

    def on_resize(self) -> None:
        """Lays the lines out for the new width."""
        self._show_controls()
        self._show_progress()

    @property
    def busy(self) -> bool:
        """True while shapes are measured."""
        return self.running

    @property
    def _table(self) -> ShapesTable:
        return self.query_one(ShapesTable)

    def sweep(self) -> Sweep:
        """What would be measured right now."""
        return self._setting.sweep(self.query_one("#python", Input).value.strip())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Cancel while it runs; everything else only while it does not."""
        if action == "cancel":
            return self.running
        if action in ("start", "preset", "device", "deadline", "python"):
            return not self.running
        if action == "next":
            return self.session.plan is not None and not self.running
        return super().check_action(action, parameters)

    def action_start(self) -> None:
        """Starts, after a warning before the first run on the GPU."""
        if self.services.rehearses:
            self.action_command()
        elif not self.sweep().python.startswith("/"):
            self.say(NO_PYTHON, "fault")
        elif self._setting.device == "cuda" and not self._warned:
            question = Question("Before the first run on the GPU", WARNING, "y", "I saved my work")
            self.app.push_screen(question, self._start_if)
        else:
            self._start()

    def _start_if(self, sure: bool | None) -> None:
        if sure:
            self._warned = True
            self._start()

    def _start(self) -> None:
        self.set_focus(self._table)
        self._start_over()
        self.running = True
        self.say("Measuring. c cancels: the running shape is ended, verdicts are kept.")
        self._measure(self.sweep())

    @work(group="sweep", exclusive=True)
    async def _measure(self, sweep: Sweep) -> None:
        try:
            async with aclosing(self.services.run_sweep(sweep)) as events:
                async for event in events:
                    self._take(event)
        except (OSError, ValueError) as trouble:
            # No such Python, no torch in it: to be said here, not a reason to end the program.
            self.say(f"The sweep stopped: {trouble}", "fault")
        finally:
            self.running = False

    def _take(self, event: SweepEvent) -> None:
        match event:
            case WorkerStarted() | DeviceFound():
                self.say(f"torch {event.loaded.torch}; {event.loaded.device or 'no device yet'}")
            case ShapeStarted():
                self._table.mark_running(event.number)
                self._show_progress(f"  now {channels_of(event.row)} at {event.row.shape.h}")
            case Phase():
                self._table.mark_phase(event.number, event.name)
            case ShapeDone():
                self._table.show_result(event.number, event.result)
                self._show_progress()
            case Note():
                self.say(event.text, "warning")
            case SweepDone():
                self._tell_end(event.trouble)

    def _tell_end(self, trouble: StopReason | None) -> None:
        if trouble is None:
            self.say(f"Finished: {self._tally()}. All verdicts are on disk.")
            return
        self.say(f"The sweep stopped: {trouble.happened}", "fault")
        text = f"{trouble.happened}\n\n{trouble.meaning}\n\n{trouble.next_step}"
        self.app.push_screen(Notice("The sweep stopped", text))

    def _tally(self) -> str:
        return tally(result.verdict for result in self._table.results.values())

    def action_cancel(self) -> None:
        """Ends the running shape and keeps what was measured."""
        self.workers.cancel_group(self, "sweep")
        done = len(self._table.results)
        self.say(f"Cancelled after {done} shapes. Verdicts so far are kept.", "warning")

    def action_preset(self) -> None:
        """Takes the next preset."""
        self._setting = self._setting.next_preset()
        self._start_over()

    def action_device(self) -> None:
        """Takes the other device."""
        self._setting = self._setting.next_device()
        self._show_controls()

    def action_deadline(self) -> None:
        """Takes the next deadline."""
        self._setting = self._setting.next_deadline()
        self._show_controls()

    def action_python(self) -> None:
        """Goes to the Python, or leaves it."""
        python = self.query_one("#python", Input)
        self.set_focus(self._table if python.has_focus else python)

    def action_back(self) -> None:
        """Leaves the field first, then the step."""
        if self.query_one("#python", Input).has_focus:
            self.set_focus(self._table)
        else:
            super().action_back()

    def action_command(self) -> None:
        """Shows all of the highlighted row, and the shell line that does the same."""
        preset = self._setting.preset
        started = "Nothing was started.\n\n" if self.services.rehearses else ""
        sweep = self.sweep()
        line = self.services.sweep_command(sweep, preset.id)
        shell = f"The whole preset from a shell:\n\n{line}" if sweep.python else NO_PYTHON
        text = f"{self._table.current_text}\n\n{started}{shell}\n\nSource: {preset.source}"
        self.app.push_screen(Notice("This shape", text))

    def action_next(self) -> None:
        """Goes on."""
        self.post_message(self.Next(self.session))

    def on_data_table_row_selected(self) -> None:
        """Shows the command on Enter."""
        self.action_command()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the Python and leaves the field."""
        event.stop()
        self.set_focus(self._table)

    def _start_over(self) -> None:
        self._table.start_over(self._setting.preset.rows)
        self._show_controls()
        self._show_progress()

    def _show_controls(self) -> None:
        line = cut(str(self._setting), self.size.width - 2)
        self.query_one("#controls", Static).update(Content(line))

    def _show_progress(self, now: str = "") -> None:
        done, total = len(self._table.results), len(self._setting.preset.rows)
        counts = f"  {self._tally()}" if done else ""
        drawn = bar(done / max(1, total))
        line = cut(f"{drawn} {done} of {total}{now}{counts}", self.size.width - 2)
        self.query_one("#sweep-progress", Static).update(Content(line))
