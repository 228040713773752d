"""Measures convolutions on the card itself, shape by shape."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import ClassVar

from textual import getters, work
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import ProgressBar, Static

from screens.conv2d.details import OTHER, Answer, Details, caution, chip_here, titled_text
from screens.conv2d.options_dialog import OptionsDialog
from screens.conv2d.pythons import Python, PythonList, pythons_of, setting_for, with_python
from screens.conv2d.state import EXAMPLE, NOT_RUN, SweepState
from screens.conv2d.sweep_views import Chosen, SweepViews
from screens.dialogs import Notice
from screens.faults import fault, tell
from screens.machine_reading import MachineRead, ReadingFailed, read_machine
from screens.session import Session
from screens.step import BACK_KEY, HELP_KEY, QUIT_KEY, StepScreen
from screens.widgets.header import HeaderLine
from screens.words import SECOND_S, so_far
from wizard.conv2d.candidates import Candidates, NotAsked
from wizard.conv2d.caution import budget_texts
from wizard.conv2d.measure_options import MeasureOptions, Question
from wizard.conv2d.requests import Request, WrongRequest, described, request_line, sweep_in
from wizard.conv2d.search.experiment import span_of_limit
from wizard.conv2d.shapes import Preset, Row
from wizard.conv2d.sweep import (
    DeadlineMoved,
    DeviceFound,
    FoundSetting,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    Sweep,
    SweepDone,
    SweepEnvironment,
    SweepEvent,
    WorkerStarted,
    found_by,
)
from wizard.conv2d.text import line_of
from wizard.conv2d.verdicts import RIGHT, Verdict
from wizard.core.amounts import counted
from wizard.diagnose.finding import Status
from wizard.report.conv2d_conclusion import (
    Concluded,
    Measured,
    answer_text,
    at_text,
    concluded,
    progress_text,
    tally,
)
from wizard.report.conv2d_row import Place, Titled
from wizard.services import DEMO, Services
from wizard.services.experiments import SweepUnderWay

ASKED = "Which Python do you want to measure with?"
READING = "Looking for a Python that has PyTorch."
NONE_FOUND = "No Python with PyTorch was found on this machine."
TYPE_ONE = "Press Enter to type the path to a Python that has PyTorch."
NO_PYTHON = "Type the path to a Python that has torch, such as /home/you/venv/bin/python."
HISTORY = "Press h to see earlier runs. Before you start a run, go back and open Measure again."
EXAMPLE_TOLD = "Example: a recorded run. Nothing is running on this machine."
COME_BACK = (
    "The run may still be in progress. Go back and open Measure again, then press s to stop it."
)
KEPT = "The results so far are kept. Fix the problem, then press Enter again."
NOT_STARTED = (
    "Fix the problem, then press Enter again. Measuring on the CPU (o, Device) cannot hang the GPU."
)
NOT_IN_DEMO = "The demo has only the first set of shapes, as it was recorded."
FIRST_SET = "Press o, and choose the first set in the row Shapes to go back to it."
CHANGED = "Nothing was started, because you changed the options. Press Enter again."
UNCHANGED = "Nothing was changed. Fix the problem, then press Enter again."
ENTER = {
    "measure": "Measure",
    "find_setting": "Find a fix",
    "keep": "Keep",
    "next": "Done",
    "go_back": "Back",
}
"""All that Enter may do, one at a time, by its action."""
WHOLE = {
    "find_setting": "Enter looks for a setting that fixes it",
    "keep": "Enter opens Review to save this setting.",
    "next": "Enter continues to Done.",
    "go_back": "Enter goes back.",
}
"""What Enter does once something was measured, by its action."""


class Conv2d(StepScreen):
    """A list of Pythons, then the grid of what the chosen one measures, below its answer."""

    NAME = "conv2d"
    TITLE_WORD = "Measure"
    HELP_TEXT = (
        "This step tests whether convolutions (Conv2d) work on your GPU. Each shape runs in "
        "its own process with a deadline, and its result is compared with one that the CPU "
        "computes in double precision.\n\nChoose a Python and press Enter. You will be asked "
        "before anything runs on the GPU. If shapes hang or give wrong results, Enter looks for "
        "an MIOpen setting that fixes them. After that, Enter opens Review to keep the setting "
        "for that environment. The demo plays a recorded run and keeps nothing.\n\n"
        "v switches between the grid (sizes down, channels across), the "
        "shapes as rows, and their times. Space shows everything about the marked shape, "
        "including what MIOpen would choose from and the commands that repeat its measurement. "
        "Cold is the first call, including compilation; Warm is a later one. Published is what "
        "others reported for the same shape, chip and ROCm version. The grid shows "
        "published results in brackets.\n\no opens the options: what to "
        "measure (find a limit, compare settings, find workarounds), which shapes or layers, on "
        "which device, the deadline, and how many hangs are allowed. a shows the last result in "
        "full.\n\nAll results are kept. A run continues even if you quit the program, and it is "
        "shown again when you come back."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding("enter", action, title, key_display="Enter", priority=True)
            for action, title in ENTER.items()
        ),
        Binding("s", "stop", "Stop"),
        Binding("l", "limit", "Find the exact limit", show=False),
        Binding("n", "skip", "Skip"),
        Binding("o", "options", "Options"),
        Binding("v", "view", "View", show=False),
        Binding("space", "details", "This shape", show=False),
        Binding("a", "answer", "Full result"),
        Binding("h", "history", "Earlier runs", show=False),
        Binding("d", "diagnose", "Diagnose", show=False),
        replace(BACK_KEY, show=False),
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#pythons"
    running: reactive[bool] = reactive(False, bindings=True)
    asks: reactive[bool] = reactive(True, bindings=True)
    """True while the list of Pythons is shown."""
    measured: reactive[Measured | None] = reactive(None, bindings=True)
    _list = getters.query_one(PythonList)
    _views = getters.query_one(SweepViews)

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._found = self._pythons_there()
        self._setting = self._setting_for(services.experiments.presets())
        same_plan = session.asking is not None and session.asking.plan == self._setting.plan
        self.set_reactive(Conv2d.measured, session.measured if same_plan else None)
        self.set_reactive(Conv2d.asks, self.measured is None)
        self._under_way: Request | None = None
        """What is carried out, while it is."""
        self._shape: tuple[Row | None, float] = None, 0.0
        """The row that is measured, and since when."""
        self._unseen = 0
        """How many shapes are still told that had begun before anybody looked."""
        self._saw_begin = True
        """False while such a shape is measured: how long it took is not known."""
        self._joined = False
        """True while what is shown was begun before."""
        self._agreed: tuple[type[Request], int, bool] | None = None
        """To what, with how many hangs, and on whose desktop, the last yes was given."""
        self._reads = session.machine is None
        """True while the machine is read, which tells what Pythons there are."""
        self._rehearsed = False
        """True once a dry run has shown what would be started."""
        self._candidates: dict[tuple[Sweep, Row], Candidates] = {}
        """What MIOpen said it would choose from, by how and for what it was asked."""

    def body(self) -> Iterable[Widget]:
        """The question, the views, and a line on how far it is, or on what was measured."""
        yield PythonList(self._setting.python)
        blank = EXAMPLE if self.services.mode == DEMO else NOT_RUN
        yield SweepViews(SweepState(self._rows_to_ask(), blank), self._setting.presets)
        yield ProgressBar(id="sweep-bar", show_eta=False, show_percentage=False)
        yield Static(id="facts", markup=False)

    def on_mount(self) -> None:
        """Asks, or shows again what was measured; and what runs already."""
        if self.measured is not None:
            self._views.start_over(self.measured.rows, self.measured.results)
        self._list.show(self._pythons, self._python)
        self._show()
        self.set_interval(SECOND_S, self._tell)
        if self._reads:
            read_machine(self)
        if self.services.experiments.replayed:
            self.say(EXAMPLE_TOLD)
        elif self.services.rehearses:
            self.say(f"{self.services.mode.capitalize()}: nothing is started.")
        try:
            found = self.services.experiments.under_way()
        except OSError as error:
            trouble = fault("Could not check whether a run is active", error, HISTORY)
            tell(self, "Not checked", trouble)
            return
        if found is not None:
            self._join(found)

    def on_machine_read(self, event: MachineRead) -> None:
        """Lists the Pythons that are there."""
        read = event.session
        self.session = replace(
            self.session, machine=read.machine, parts=read.parts, applications=read.applications
        )
        self._reads = False
        self._found = self._pythons_there()
        self._setting = self._setting_for(self._setting.presets)
        self.query_one(HeaderLine).show_machine(read.machine)
        self._list.show(self._pythons, self._python)
        self._show()

    def on_reading_failed(self, event: ReadingFailed) -> None:
        """Lets the user type the path."""
        self._reads = False
        self._show()
        self.say(f"This machine could not be inspected: {event.error}", "fault")

    def _pythons_there(self) -> tuple[Python, ...]:
        stacks, rehearses = self.services.knowledge.stacks, self.services.rehearses
        return pythons_of(self.session, stacks, rehearses=rehearses)

    def _setting_for(self, presets: tuple[Preset, ...]) -> MeasureOptions:
        replayed = bool(self.services.experiments.replayed)
        return setting_for(self.session, presets, self._found, replayed=replayed)

    @property
    def _pythons(self) -> tuple[Python, ...]:
        """Those that were found, and the one that was typed."""
        path = self._setting.python
        if not path or any(each.path == path for each in self._found):
            return self._found
        return (*self._found, Python(path, path, cpu_alone=self._setting.cpu_alone))

    @property
    def _python(self) -> Python:
        """The chosen one."""
        path = self._setting.python
        return next((each for each in self._pythons if each.path == path), Python(path, path))

    def on_python_list_taken(self, event: PythonList.Taken) -> None:
        """Takes the Python, with a device that its torch can use."""
        if event.typed and not event.path.startswith("/"):
            self.say(NO_PYTHON, "fault")
            return
        self._take_python(event.path)
        if event.typed:
            self._ask()

    def _take_python(self, path: str) -> None:
        self._setting = with_python(self._setting, path, self.session, self._found)
        self._show()

    def _ask(self) -> None:
        """Shows the list of Pythons, with the keys."""
        self._list.show(self._pythons, self._python)
        self.asks = True
        self._show()
        self._list.take_keys()

    @property
    def _verdicts(self) -> tuple[Verdict, ...]:
        return tuple(result.verdict for result in self._views.results.values())

    @property
    def _has_card(self) -> bool | None:
        machine = self.session.machine
        return None if machine is None else bool(machine.gpus)

    def _show(self) -> None:
        """Everything that follows from the setting and from what is measured."""
        if not self.query(SweepViews):  # the screen is being taken down
            return
        self.session = replace(self.session, asking=self._setting)
        self._list.display = self.asks
        python = self._python
        self._views.show_place(self._setting.device, chip_here(self.session), python.rocm)
        self.query_one("#sweep-bar").display = isinstance(self._under_way, Sweep)
        facts = self.query_one("#facts", Static)
        facts.display = not isinstance(self._under_way, Sweep)
        torch = f"torch {python.torch}" if python.torch else ""
        device = "the CPU" if self._setting.device == "cpu" else "the GPU"
        told = ", ".join(filter(None, (python.place, torch, f"on {device}")))
        told = EXAMPLE_TOLD if self.services.experiments.replayed else f"{told}."
        facts.update("" if self.asks else f"{told} Space: details", layout=False)
        self._tell()

    def _tell(self) -> None:
        """The sentence above everything, and how far it is."""
        for views in self.query(SweepViews):
            if self._under_way is not None:
                total, verdicts = len(views.state.rows), self._verdicts
                self.query_one(ProgressBar).update(total=max(1, total), progress=len(verdicts))
                text = progress_text(self._under_way, total, verdicts)
                self.conclude(text, None, self._now(views.running_row))
            elif self.asks and self._rehearsed:
                self.conclude("This is a dry run, so nothing is measured.", None, self._then)
            elif self.asks:
                self.conclude(*self._question())
            elif (end := self._concluded) is None:
                text = f"Stopped: {tally(self._verdicts)} so far."
                self.conclude(
                    text, Status.WARNING, "Press Enter to continue where the run stopped."
                )
            else:
                told = f"{end.second} {self._then}".strip()
                self.conclude(end.text, end.status, told, end.second_status)

    def _question(self) -> tuple[str, Status | None, str]:
        if self.services.experiments.replayed:
            if not self._is_played:
                return NOT_IN_DEMO, None, FIRST_SET
            return ASKED, None, f"Enter plays an example: {self.services.experiments.replayed}."
        if self._reads and not self._pythons:
            return READING, None, "Press Enter to type the path yourself."
        if not self._pythons:
            return NONE_FOUND, Status.WARNING, TYPE_ONE
        enter = "Enter shows what would run." if self.services.rehearses else "Enter starts."
        return ASKED, None, f"{self._setting} {enter}"

    @property
    def _is_played(self) -> bool:
        """False for what the demo has no recorded run of."""
        try:
            request = self._setting.request(self._setting.python, self._views.current_row)
        except WrongRequest:
            return True  # told when it is asked for
        return self.services.experiments.plays(request)

    def _now(self, row: Row | None) -> str:
        """Which shape is measured, and for how long."""
        if row is not self._shape[0]:
            self._shape = row, self.services.clock()
        if row is None:
            return "Press s to stop." if self._verdicts else "Starting. Press s to stop."
        time = so_far(self.services.clock() - self._shape[1]) if self._saw_begin else ""
        now = ", ".join(filter(None, (at_text(row), time)))
        outlives = self.services.experiments.outlives
        leave = (
            " Press s to stop the measurement. Quitting does not stop it."
            if outlives
            else " Press s to stop."
        )
        example = "Example. " if self.services.experiments.replayed else ""
        return f"{example}Now {now}.{leave}"

    def on_sweep_views_drawn(self) -> None:
        """Says how far it is."""
        self._tell()

    def on_resize(self) -> None:
        """Gives the list the new width, and the view its keys."""
        super().on_resize()
        self._list.show(self._pythons, self._python)
        if not self.asks:
            self.call_after_refresh(self._views.take_keys)

    @property
    def _concluded(self) -> Concluded | None:
        return None if self.measured is None else concluded(self.measured, self._has_card)

    @property
    def _enter(self) -> str:
        """The action of Enter; ``""`` where it has none, or a text is typed."""
        if self.running or (self.is_mounted and self._list.typing):
            return ""
        end = self._concluded
        onward = "go_back" if self.session.plan is None else "next"
        if self.asks or end is None:
            return onward if self._rehearsed and onward == "next" else "measure"
        if end.keeps and self.session.found is not None:
            return "keep"
        return "find_setting" if end.fixable and self.measured and self.measured.failed else onward

    @property
    def _then(self) -> str:
        """What Enter does, in a sentence."""
        told = WHOLE.get(self._enter, "")
        if self._enter != "find_setting" or self.measured is None:
            return told
        return f"{told}{'.' if self.measured.limit else '; l finds the exact limit.'}"

    @property
    def busy(self) -> bool:
        """True while shapes are measured that would not be if this program left."""
        return self.running and not self.services.experiments.outlives

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter does one thing at a time; what runs can be looked at and stopped."""
        match action:
            case _ if action in ENTER:
                return self._enter == action
            case "stop":
                return self.running
            case "limit":
                return self._enter == "find_setting"
            case "skip":
                return self.session.plan is not None and not self.running and self._enter != "next"
            case "answer":
                return self.measured is not None and not self.running
            case "diagnose":
                failed = any(verdict not in RIGHT for verdict in self._verdicts)
                return failed and not self.running
            case "options":
                return not self.running
            case "back":
                return None if self.busy else True
            case _:
                return super().check_action(action, parameters)

    def action_measure(self) -> None:
        """Begins with the chosen Python; on the last line of the list, types another one."""
        if self.asks and self._list.wants_another and not self.services.experiments.replayed:
            self._list.open_field()
        else:
            self._start(self._setting, self._views.current_row)

    def action_find_setting(self) -> None:
        """Looks for a setting that makes the smallest failing shape right."""
        if self.measured is not None:
            setting = replace(self._setting, question=Question.SETTING, engine="configured")
            self._start(setting, self.measured.failed)

    def action_limit(self) -> None:
        """Finds the exact size above which the failing channels fail."""
        if self.measured is None or (row := self.measured.failed) is None:
            return
        span = span_of_limit(row, self.measured.results.values())
        self._start(replace(self._setting, question=Question.LIMIT, axis="size", span=span), row)

    def action_skip(self) -> None:
        """Goes on without measuring, or without what Enter would do."""
        self.action_next()

    def action_go_back(self) -> None:
        """Goes back to where this was opened."""
        self.post_message(self.Back(self.session))

    def action_back(self) -> None:
        """Leaves the field first, then what was measured, then the step."""
        if self._list.typing:
            self._ask()
        elif self.running or self.asks:
            super().action_back()
        else:
            self._ask()

    def _request(self, setting: MeasureOptions, row: Row | None) -> Request:
        """What is asked for. Raises WrongRequest, also for what the demo has no run of."""
        request, experiments = setting.request(setting.python, row), self.services.experiments
        if experiments.replayed and not experiments.plays(request):
            raise WrongRequest(f"{NOT_IN_DEMO}\n\n{FIRST_SET}")
        return request

    @work(group="caution", exclusive=True)
    async def _start(self, setting: MeasureOptions, row: Row | None) -> None:
        """Starts what is asked; where the card may hang, asks first, unless that was agreed to."""
        before, replayed = self._setting, self.services.experiments.replayed
        around, hangs = None, setting.hangs or 0
        try:
            request = self._request(setting, row)
            if not (replayed or self.services.rehearses or before.python.startswith("/")):
                self.say(NO_PYTHON, "fault")
                return
            if before.device == "cuda" and not replayed:
                around = await asyncio.to_thread(self.services.experiments.circumstances)
                hangs = setting.hangs or around.hangs
                request = setting.request(setting.python, row, hangs)
        except WrongRequest as wrong:
            self.app.push_screen(Notice("This cannot be measured", str(wrong)))
            return
        except OSError as error:
            trouble = fault("Could not check who a hang would disturb", error, NOT_STARTED)
            tell(self, "Nothing was started", trouble)
            return
        told = None if around is None else (type(request), hangs, around.is_someones_desktop)
        if before != self._setting:
            self.say(CHANGED, "warning")
        elif self.services.rehearses and not replayed:
            self._rehearsed = True
            self.refresh_bindings()
            self._tell()
            budget = () if around is None else budget_texts(request, around, hangs, OTHER)
            text = "\n\n".join((titled_text(*self._whole_line(request)).plain, *budget))
            self.app.push_screen(Notice("What would run", text))
        elif around is None or told == self._agreed:
            self._begin(request)
        else:

            def begin_if(sure: bool | None) -> None:
                if sure:
                    self._agreed = told
                    self._begin(request)

            self.app.push_screen(caution(request, around, hangs), begin_if)

    def _begin(self, request: Request) -> None:
        """Starts it: everything was asked."""
        self._joined, self._unseen = False, 0
        if not self.services.experiments.replayed:
            self.say("")
        self._carry_out(request, self.services.experiments.run(request))

    def _join(self, found: SweepUnderWay) -> None:
        """Shows what is measured already, begun by an earlier start."""
        self._setting = self._setting.as_in(found.request)
        self._take_python(sweep_in(found.request).python)
        self._joined, self._unseen = True, found.begun
        self.say(f"Already measuring: {found.text}. Press s to stop it.")
        self._carry_out(found.request, found.follow())

    def _carry_out(self, request: Request, coming: AsyncGenerator[SweepEvent, None]) -> None:
        """Shows what comes; what an earlier request came to is no answer to this one."""
        if self.measured is not None and not self.measured.goes_on(request):
            self.measured = None
        self.session = replace(self.session, found=None)
        self._under_way, self.running, self.asks = request, True, False
        self._views.start_over(request.rows if isinstance(request, Sweep) else (), {})
        self._show()
        self._views.take_keys()
        self._measure(request, coming)

    @work(group="sweep", exclusive=True)
    async def _measure(self, request: Request, coming: AsyncGenerator[SweepEvent, None]) -> None:
        try:
            async with aclosing(coming) as events:
                async for event in events:
                    await self._take(request, event)
        except OSError as trouble:
            tell(self, "Stopped early", fault("The run stopped early", trouble, KEPT))
        finally:
            self._rest()

    def _rest(self) -> None:
        """Nothing runs any more."""
        self.running, self._under_way = False, None
        for views in self.query(SweepViews):  # none once the screen is taken down
            if self.measured is not None and views.state.rows != self.measured.rows:
                views.start_over(self.measured.rows, self.measured.results)
            views.come_to_rest()
            self.asks = self.measured is None and not views.results
            self._show()

    async def _take(self, request: Request, event: SweepEvent) -> None:
        match event:
            case WorkerStarted() | DeviceFound():
                if not self._joined:  # long ago: the line that says what is shown stays
                    self.say(line_of(event))
            case ShapeStarted():
                self._saw_begin, self._unseen = not self._unseen, max(0, self._unseen - 1)
                self._views.take(event)
            case Phase() | ShapeDone():
                self._views.take(event)
            case Note() | DeadlineMoved():
                self.say(line_of(event), "warning")
            case SweepDone():
                await self._end(request, event)

    async def _end(self, request: Request, done: SweepDone) -> None:
        """Keeps what a request came to; that of a search stands above the table it is about."""
        state = self._views.state
        table = self.measured or Measured(
            request, done, state.rows, state.results, isinstance(request, Sweep)
        )
        self.measured = table.after(request, done)
        found = found_by(done.setting, sweep_in(request).python)
        why = "" if found is None else await asyncio.to_thread(self._not_kept, found)
        told = f"{why} Press a to see how to apply the setting yourself." if why else ""
        self.say(EXAMPLE_TOLD if self.services.experiments.replayed else told)
        found = None if why else found
        self.session = replace(self.session, measured=self.measured, found=found)

    def _not_kept(self, found: FoundSetting) -> str:
        """Why no plan could keep a setting for its environment; ``""`` where one can."""
        try:
            self.services.plans.make_keep(found.venv, found.setting)
        except ValueError as reason:
            return str(reason)
        except OSError:
            return ""  # told in full when it is asked for
        return ""

    def action_stop(self) -> None:
        """Ends the running shape and keeps what was measured."""
        self.workers.cancel_group(self, "sweep")
        shapes = counted(len(self._views.results), "shape")
        self.say(f"Stopped after {shapes}. The results so far are kept.", "warning")
        self._stop()

    @work(group="stop", exclusive=True)
    async def _stop(self) -> None:
        try:
            what_is_left = await self.services.experiments.stop()
        except OSError as error:
            tell(self, "Not stopped", fault("The run could not be stopped", error, COME_BACK))
            return
        if what_is_left:
            self.say(what_is_left, "fault")

    def action_options(self) -> None:
        """Opens the options."""
        dialog = OptionsDialog(self._setting, self.services.experiments.layers_in)
        self.app.push_screen(dialog, self._take_options)

    def _take_options(self, setting: MeasureOptions | None) -> None:
        if setting is None or setting == self._setting:
            return
        before, self._setting = self._rows_to_ask(), setting
        if (rows := self._rows_to_ask()) != before:
            self.measured = None
            self._views.start_over(rows, {})
        self._rehearsed = False
        self._ask()

    def _rows_to_ask(self) -> tuple[Row, ...]:
        try:
            return self._setting.rows
        except WrongRequest as wrong:
            self.say(str(wrong), "fault")
            return self._setting.preset.rows

    def action_view(self) -> None:
        """Shows the next view of the same results."""
        self._views.next_view()

    def on_chosen(self, event: Chosen) -> None:
        """Tells all of the row that was clicked on."""
        if event.clicked:
            self.action_details()

    def action_details(self) -> None:
        """Shows all of the marked row, and the shell lines that do the same."""
        views = self._views
        try:
            asked = self._setting.request(self._setting.python, views.current_row)
            more = tuple(self._whole_line(asked))
        except WrongRequest as wrong:
            more = (Titled("", (str(wrong),)),)
        row, result = views.current_row, views.current_result
        if row is None:
            self.app.push_screen(Notice("This shape", titled_text(*more)))
            return
        device = "cpu" if views.state.on_processor else "cuda"
        place = Place(self._setting.python, device, views.state.measured_chip, views.now)
        window = Details(row, result, place, more)
        self.app.push_screen(window)
        if result is None or result.candidates is None:
            self._ask_for(window)

    @work(group="ask", exclusive=True)
    async def _ask_for(self, window: Details) -> None:
        """Asks MIOpen about the row of a window, and at once about all others like it."""
        if not window.place.python:
            window.tell(NotAsked(NO_PYTHON))
            return
        environment = SweepEnvironment(clean=self._setting.clean)
        sweep = Sweep(window.place.python, (), window.place.device, environment=environment)
        known = self._candidates.get((sweep, window.row))
        if known is not None:
            window.tell(known)
            return
        window.tell(None)
        like = (row for row in self._views.state.rows if row.setting == window.row.setting)
        rows = tuple(dict.fromkeys((window.row, *like)))
        answers = await self.services.experiments.ask(sweep, rows)
        for row, answer in zip(rows, answers, strict=True):
            if isinstance(answer, Candidates):
                self._candidates[sweep, row] = answer
        window.tell(answers[0])

    def _whole_line(self, request: Request) -> Iterator[Titled]:
        """The line of a shell that asks the same, and where the shapes come from."""
        preset = self._setting.preset
        if self.services.rehearses:
            yield Titled("", ("Nothing was started.",))
        if self._setting.python:
            line = request_line(request, preset.id)
            yield Titled(f"From a shell ({described(request)})", (line,), is_command=True)
        else:
            yield Titled("", (NO_PYTHON,))
        if not self._setting.operations:
            if preset.caution:
                yield Titled("Keep in mind", (preset.caution,))
            yield Titled("Source", (preset.source,))

    def action_answer(self) -> None:
        """Shows all that the last request came to."""
        if self.measured is None:
            return
        title = described(self.measured.request).capitalize()
        text = answer_text(self.measured.request, self.measured.done, self._has_card)
        self.app.push_screen(Answer(title, text))

    def action_keep(self) -> None:
        """Keeps the setting that was found."""
        if self.session.found is not None:
            self.keep_found(self.session.found)

    @work(group="keep", exclusive=True)
    async def keep_found(self, found: FoundSetting) -> None:
        """Makes the plan and goes on to review it."""
        make = partial(self.services.plans.make_keep, found.venv, found.setting)
        plan = await self.made(make, "Nothing to keep", "The setting cannot be kept", UNCHANGED)
        if plan is None:
            return
        kept = replace(
            self.session, plan=plan, choice=None, finished=None, failure=None, before=self.session
        )
        self.post_message(self.Go("review", kept))

    @work(group="history", exclusive=True)
    async def action_history(self) -> None:
        """Shows earlier runs; what is measured goes on."""
        # In a thread: a hundred modules take longer than a key may wait.
        history = await asyncio.to_thread(import_module, "screens.history.screen")
        self.app.push_screen(history.History(self.session, self.services, self.keep_found))
