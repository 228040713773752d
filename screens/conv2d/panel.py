"""The Conv2d panel before anything runs: what would be measured, and on what."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from textual.widget import Widget
from textual.widgets import Input

from screens.clicks import action_at
from screens.conv2d.details import chip_here, details_text, titled_text
from screens.conv2d.rows import EXAMPLE, NOT_RUN, channels_of
from screens.conv2d.setting import rocm_of, setting_for, with_python
from screens.conv2d.state import SweepState
from screens.services import DEMO, Services
from screens.session import Session
from screens.step import StepScreen
from screens.waiting import so_far
from screens.widgets.path_field import PathField
from screens.widgets.sweep_lines import OneLine, progress_text, search_text, tabs_text
from screens.widgets.sweep_views import SweepViews
from screens.windows.dialogs import Notice
from wizard.conv2d.asked import Request, described
from wizard.conv2d.presets import Row
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import Result, Verdict
from wizard.conv2d.words.request import WrongRequest
from wizard.report.conv2d_details import Place, Titled

CONV2D, OPERATIONS = "Conv2d ", "Operations (x)"
TABS = ((CONV2D, ""), (OPERATIONS, ""))
CONTROLS = (("t Deadline", "deadline"), ("g Device", "device"), ("p Preset", "preset"))
NO_PYTHON = "Tab: enter the path of a Python that has torch, for example /home/you/venv/bin/python"


class SweepPanel(StepScreen):
    """Python, setting, table and progress, with the keys that change them."""

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._setting = setting_for(session, services.presets())
        self._under_way: Request | None = None
        """What is carried out, while it is."""
        self._is_search = False
        self._shape: tuple[Row | None, float] = None, 0.0
        """The row that is measured, and since when."""
        self._unseen = 0
        """How many shapes are still told that had begun before anybody looked."""
        self._saw_begin = True
        """False while such a shape is measured: how long it took is not known."""

    def body(self) -> Iterable[Widget]:
        """Controls, table, progress."""
        yield PathField("Python", "python", self._setting.python)
        yield OneLine("asked")
        yield OneLine("controls")
        blank = EXAMPLE if self.services.mode == DEMO else NOT_RUN
        state = SweepState(self._setting.preset.rows, blank)
        yield SweepViews(state, self._setting.presets)
        yield OneLine("sweep-progress")

    @property
    def _field(self) -> PathField:
        return self.query_one(PathField)

    @property
    def _table(self) -> SweepViews:
        return self.query_one(SweepViews)

    @property
    def _verdicts(self) -> tuple[Verdict, ...]:
        return tuple(result.verdict for result in self._table.results.values())

    @abstractmethod
    def asked(self) -> Request:
        """What would be asked right now. Raises WrongRequest."""

    def action_preset(self) -> None:
        """Takes the next preset."""
        self._setting = self._setting.next_preset()
        self._start_over()

    def action_device(self) -> None:
        """Takes the other device, or says why there is none."""
        if self._setting.cpu_alone:
            self.say(self._setting.cpu_alone)
        self._setting = self._setting.next_device()
        self._show_controls()

    def action_deadline(self) -> None:
        """Takes the next deadline."""
        self._setting = self._setting.next_deadline()
        self._show_controls()

    def action_python(self) -> None:
        """Goes to the Python, or leaves it."""
        if self._field.typing:
            self._table.take_keys()
        else:
            self._field.take_keys()

    def action_back(self) -> None:
        """Leaves the field first, then the step."""
        if self._field.typing:
            self._table.take_keys()
        else:
            super().action_back()

    def action_command(self) -> None:
        """Shows all of the highlighted row, and the shell lines that do the same."""
        more, views = tuple(self._whole_request()), self._table
        place = Place(self._field.path, views.device, views.chip, views.now)
        row, result = views.current_row, views.current_result
        text = details_text(row, result, place, *more) if row else titled_text(*more)
        self.app.push_screen(Notice("This shape", text))

    def command_text(self, request: Request) -> str:
        """The line of a shell that asks the same, and where the shapes come from."""
        return titled_text(*self._whole_line(request)).plain

    def _whole_request(self) -> Iterator[Titled]:
        try:
            yield from self._whole_line(self.asked())
        except WrongRequest as wrong:
            yield Titled("", (str(wrong),))

    def _whole_line(self, request: Request) -> Iterator[Titled]:
        preset = self._setting.preset
        if self.services.rehearses:
            yield Titled("", ("Nothing was started.",))
        if self._field.path:
            line = self.services.sweep_command(request, preset.id)
            yield Titled(f"From a shell ({self._setting.asked})", (line,), is_command=True)
        else:
            yield Titled("", (NO_PYTHON,))
        if not self._setting.operations:
            if preset.caution:
                yield Titled("To keep in mind", (preset.caution,))
            yield Titled("Source", (preset.source,))

    def action_view(self) -> None:
        """Shows the next view of the same results."""
        self._table.next_view()

    def on_shapes_table_chosen(self) -> None:
        """Tells all of the row that was clicked on."""
        self.action_command()

    def on_sweep_text_chosen(self) -> None:
        """Tells all of the row that was clicked on in the grid or the plot."""
        self.action_command()

    async def on_one_line_clicked(self, event: OneLine.Clicked) -> None:
        """Does what the words do that were clicked on."""
        tab = CONV2D if self._setting.operations else OPERATIONS
        tabs = (*TABS, (tab, "operations"), (self._setting.asked, "options"))
        parts = {"asked": tabs, "controls": CONTROLS}.get(event.line, ())
        if action := action_at(event.text, event.x, parts):
            await self.run_action(f"screen.{action}")

    def on_sweep_views_drawn(self) -> None:
        """Says how far it is."""
        self._show_progress()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Takes the Python, with a device that its torch can use."""
        event.stop()
        self._setting = with_python(self._setting, self._field.path, self.session)
        self._show_controls()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Leaves the field; says where this Python has the processor alone."""
        event.stop()
        self._table.take_keys()
        if self._setting.cpu_alone:
            self.say(self._setting.cpu_alone)

    def _start_over(
        self, rows: tuple[Row, ...] | None = None, results: Mapping[int, Result] | None = None
    ) -> None:
        self._is_search = not isinstance(self._under_way, Sweep | None)
        self._table.start_over(self._rows_to_ask() if rows is None else rows, results or {})
        self._show_controls()

    def _rows_to_ask(self) -> tuple[Row, ...]:
        try:
            return self._setting.rows
        except WrongRequest as wrong:
            self.say(str(wrong), "fault")
            return self._setting.preset.rows

    def _show_controls(self) -> None:
        asked = self._setting.asked if self._under_way is None else described(self._under_way)
        self._show_line("#asked", tabs_text(self._setting.operations, asked))
        self._show_line("#controls", str(self._setting))
        rocm = rocm_of(self._setting.python, self.session, self.services.stacks)
        for views in self.query(SweepViews).results(SweepViews):
            views.show_place(self._setting.device, chip_here(self.session), rocm)

    def _show_progress(self) -> None:
        known, total, row = self._verdicts, len(self._table.shapes), self._table.running_row
        if row is not self._shape[0]:
            self._shape = row, self.services.clock()
        time = so_far(self.services.clock() - self._shape[1]) if self._saw_begin else ""
        now = "" if row is None else f"  now {channels_of(row)} at {row.shape.h}"
        now += f", {time}" if row is not None and time else ""
        text = search_text(known, now) if self._is_search else progress_text(known, total, now)
        self._show_line("#sweep-progress", text)

    def _show_line(self, name: str, text: str) -> None:
        for line in self.query(name).results(OneLine):  # none once the screen is taken down
            line.show(text)
