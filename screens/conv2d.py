"""The sixth step: Conv2d measured shape by shape on the card itself."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import DataTable, Input, Static

from screens.dialogs import Notice, Question
from screens.run_text import bar
from screens.services import DEMO, Services
from screens.session import Session
from screens.step import COMMON_KEYS, StepScreen
from screens.sweep_rows import (
    EXAMPLE,
    NOT_RUN,
    RUNNING,
    blank_row,
    channels_of,
    columns,
    measured_cells,
    row_text,
    tally,
)
from screens.words import cut, shown
from wizard.conv2d.presets import Preset
from wizard.conv2d.sweep import (
    Deadlines,
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    Sweep,
    SweepDone,
    SweepEvent,
    Trouble,
    WorkerStarted,
)
from wizard.conv2d.verdicts import Result
from wizard.machine.facts import Machine

DEVICES = ("cuda", "cpu")
DEADLINES_S = (60.0, 180.0, 600.0, 20.0)
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
    running: reactive[bool] = reactive(False, bindings=True)

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._presets = services.presets()
        self._preset_place = 0
        self._device_place = 1 if session.plan is not None and session.plan.stack == "cpu" else 0
        self._deadline_place = 0
        self._warned = False
        self._results: dict[int, Result] = {}
        self._widths: dict[str, int] = {}

    def body(self) -> Iterable[Widget]:
        """Controls, table, progress."""
        with Horizontal(id="place", classes="pad"):
            yield Static("Python ", id="where", markup=False)
            yield Input(python_of(self.session), id="python", compact=True, select_on_focus=False)
        yield Static(id="controls", classes="pad", markup=False)
        yield DataTable(id="shapes", cursor_type="row", zebra_stripes=True)
        yield Static(id="sweep-progress", classes="pad", markup=False)

    def on_mount(self) -> None:
        """Fills the table."""
        self._lay_out()
        self.set_focus(self.query_one(DataTable))
        if self.services.mode == DEMO:
            self.say("Demo: rows are examples. Nothing is started; Enter shows the command.")
        elif self.services.rehearses:
            self.say("Dry run: nothing is started. Enter shows the command.")
        else:
            self.say("s starts, after a warning when the GPU is used. Enter shows the command.")

    def on_resize(self) -> None:
        """Lays table and lines out for the new width."""
        if {key: cells for _, key, cells in columns(self.size.width)} != self._widths:
            self._lay_out()
        self._show_controls()

    @property
    def busy(self) -> bool:
        """True while shapes are measured."""
        return self.running

    @property
    def preset(self) -> Preset:
        """The preset on the screen."""
        return self._presets[self._preset_place]

    def sweep(self) -> Sweep:
        """What would be measured right now."""
        python = self.query_one("#python", Input).value.strip()
        device, first_s = DEVICES[self._device_place], DEADLINES_S[self._deadline_place]
        deadlines = Deadlines(first=first_s, later=first_s / 2)
        return Sweep(python, self.preset.rows, device, deadlines=deadlines)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Cancel while it runs; everything else only while it does not."""
        if action == "cancel":
            return self.running
        if action in ("start", "preset", "device", "deadline", "python"):
            return not self.running
        if action == "next":
            if self.session.plan is None:
                return False
            return None if self.running else True
        return super().check_action(action, parameters)

    def action_start(self) -> None:
        """Starts, after a warning before the first run on the GPU."""
        if self.services.rehearses:
            self.action_command()
        elif not self.sweep().python.startswith("/"):
            self.say("Tab: enter the path of a Python that has torch, for example "
                     "/home/you/venv/bin/python", "fault")  # fmt: skip
        elif self.sweep().device == "cuda" and not self._warned:
            question = Question("Before the first run on the GPU", WARNING, "y", "I saved my work")
            self.app.push_screen(question, self._start_if)
        else:
            self._start()

    def _start_if(self, sure: bool | None) -> None:
        if sure:
            self._warned = True
            self._start()

    def _start(self) -> None:
        self.set_focus(self.query_one(DataTable))
        self._show_preset()
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
                self._cell(event.number, "verdict", Text(RUNNING))
                self.query_one(DataTable).move_cursor(row=event.number - 1)
                self._show_progress(f"  now {channels_of(event.row)} at {event.row.shape.h}")
            case Phase():
                self._cell(event.number, "verdict", Text(f"> {shown(event.name)}"))
            case ShapeDone():
                self._results[event.number] = event.result
                self._show_result(event.number, event.result)
                self._show_progress()
            case Note():
                self.say(event.text, "warning")
            case SweepDone():
                self._tell_end(event.trouble)

    def _show_result(self, number: int, result: Result) -> None:
        for column, cell in measured_cells(result, self._widths["error"]):
            self._cell(number, column, cell)

    def _cell(self, number: int, column: str, cell: Text) -> None:
        self.query_one(DataTable).update_cell(str(number), column, cell)

    def _tell_end(self, trouble: Trouble | None) -> None:
        if trouble is None:
            self.say(f"Finished: {self._tally()}. All verdicts are on disk.")
            return
        self.say(f"The sweep stopped: {trouble.happened}", "fault")
        text = f"{trouble.happened}\n\n{trouble.meaning}\n\n{trouble.next_step}"
        self.app.push_screen(Notice("The sweep stopped", text))

    def _tally(self) -> str:
        return tally(result.verdict for result in self._results.values())

    def action_cancel(self) -> None:
        """Ends the running shape and keeps what was measured."""
        self.workers.cancel_group(self, "sweep")
        self.say(
            f"Cancelled after {len(self._results)} shapes. Verdicts so far are kept.", "warning"
        )

    def action_preset(self) -> None:
        """Takes the next preset."""
        self._preset_place = (self._preset_place + 1) % len(self._presets)
        self._show_preset()

    def action_device(self) -> None:
        """Takes the other device."""
        self._device_place = (self._device_place + 1) % len(DEVICES)
        self._show_controls()

    def action_deadline(self) -> None:
        """Takes the next deadline."""
        self._deadline_place = (self._deadline_place + 1) % len(DEADLINES_S)
        self._show_controls()

    def action_python(self) -> None:
        """Goes to the Python, or leaves it."""
        python = self.query_one("#python", Input)
        self.set_focus(self.query_one(DataTable) if python.has_focus else python)

    def action_back(self) -> None:
        """Leaves the field first, then the step."""
        if self.query_one("#python", Input).has_focus:
            self.set_focus(self.query_one(DataTable))
        else:
            super().action_back()

    def action_command(self) -> None:
        """Shows all of the highlighted row, and the shell line that does the same."""
        started = "Nothing was started.\n\n" if self.services.rehearses else ""
        line = self.services.sweep_command(self.sweep(), self.preset.id)
        place = self.query_one(DataTable).cursor_row
        row = row_text(self.preset.rows[place], self._results.get(place + 1))
        text = f"{row}\n\n{started}The whole preset from a shell:\n\n{line}"
        self.app.push_screen(Notice("This shape", f"{text}\n\nSource: {self.preset.source}"))

    def action_next(self) -> None:
        """Goes on."""
        self.post_message(self.Next(replace(self.session)))

    def on_data_table_row_selected(self) -> None:
        """Shows the command on Enter."""
        self.action_command()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the Python and leaves the field."""
        event.stop()
        self.set_focus(self.query_one(DataTable))

    def _lay_out(self) -> None:
        table = self.query_one(DataTable)
        place = table.cursor_row
        table.clear(columns=True)
        for title, key, cells in columns(self.app.size.width):
            table.add_column(title, key=key, width=cells)
            self._widths[key] = cells
        self._show_rows()
        table.move_cursor(row=place)

    def _show_preset(self) -> None:
        self._results = {}
        self.query_one(DataTable).clear()
        self._show_rows()

    def _show_rows(self) -> None:
        table = self.query_one(DataTable)
        state = EXAMPLE if self.services.mode == DEMO else NOT_RUN
        for number, row in enumerate(self.preset.rows, 1):
            table.add_row(*blank_row(row, state, self._widths["published"]), key=str(number))
        for number, result in self._results.items():
            self._show_result(number, result)
        self._show_controls()
        self._show_progress()

    def _show_controls(self) -> None:
        device = "GPU" if self._device_place == 0 else "CPU"
        place = f"{self._preset_place + 1}/{len(self._presets)}"
        deadline = f"{DEADLINES_S[self._deadline_place]:.0f} s"
        text = f"{deadline}  Device {device}  Preset {place} {shown(self.preset.title)}"
        line = cut(f"Deadline {text}", self.size.width - 2)
        self.query_one("#controls", Static).update(Content(line))

    def _show_progress(self, now: str = "") -> None:
        done, total = len(self._results), len(self.preset.rows)
        counts = f"  {self._tally()}" if done else ""
        line = cut(
            f"{bar(done / max(1, total))} {done} of {total}{now}{counts}", self.size.width - 2
        )
        self.query_one("#sweep-progress", Static).update(Content(line))


def python_of(session: Session) -> str:
    """The Python to measure with: the plan's own, else the first that has torch."""
    if session.plan is not None:
        return f"{session.plan.venv}/bin/python"
    machine: Machine | None = session.machine
    if machine is None:
        return ""
    holders = (place for place in machine.environments if place.torch and place.kind != "user-site")
    return next(
        (f"{place.path}/bin/python" for place in holders if place.kind in ("venv", "conda")), ""
    )
