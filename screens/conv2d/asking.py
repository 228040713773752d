"""The Conv2d panel's asking side: options, tabs, the warning before a card, the last answer."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from textual import work
from textual.reactive import reactive

from screens.conv2d.answers import OTHER, Answer, answer_text, caution
from screens.conv2d.options_dialog import OptionsDialog
from screens.conv2d.panel import NO_PYTHON, SweepPanel
from screens.conv2d.setting import SweepSetting
from screens.faults import fault, tell
from screens.services import Services
from screens.session import Session
from screens.windows.dialogs import Notice
from wizard.conv2d.asked import Request, described
from wizard.conv2d.presets import Row
from wizard.conv2d.sweep import SweepDone
from wizard.conv2d.verdicts import Result
from wizard.conv2d.words.caution import Circumstances
from wizard.conv2d.words.caution_words import budget_texts
from wizard.conv2d.words.request import WrongRequest

NOT_STARTED = "Mend that, then press s again; g takes the processor, which needs no such look."
CHANGED = "Nothing was started: you changed what is asked. Press s again."


@dataclass(frozen=True, slots=True)
class Tab:
    """What the table held when its tab was left."""

    rows: tuple[Row, ...]
    results: Mapping[int, Result]


class AskingPanel(SweepPanel):
    """Makes requests, warns before they go to a card, and keeps what the last one came to."""

    answer: reactive[tuple[str, str] | None] = reactive(None, bindings=True)
    """What was asked last, and what it came to, in words."""

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._agreed: tuple[int, bool] | None = None
        """With how many hangs, and on whose desktop, the last yes was given."""
        self._around: Circumstances | None = None
        """Whom a hang would hit, once that was looked at."""
        self._other_tab: Tab | None = None
        self.set_reactive(AskingPanel.answer, session.answer)

    @abstractmethod
    def begin(self, request: Request) -> None:
        """Starts it: everything was asked."""

    def action_options(self) -> None:
        """Opens the options."""
        dialog = OptionsDialog(self._setting, self.services.layers_in)
        self.app.push_screen(dialog, self._take_options)

    def _take_options(self, setting: SweepSetting | None) -> None:
        if setting is None or setting == self._setting:
            return
        if setting.operations != self._setting.operations:
            self._other_tab = None
        same_rows = self._table.results and _same_rows(setting, self._setting)
        self._setting = setting
        if same_rows:
            self._show_controls()
        else:
            self._start_over()

    def action_operations(self) -> None:
        """Changes to the other tab, with what was measured there."""
        kept = Tab(self._table.shapes, self._table.results)
        self._setting = self._setting.other_tab()
        found, self._other_tab = self._other_tab, kept
        if found is None:
            self._start_over()
        else:
            self._start_over(found.rows, found.results)

    def action_preset(self) -> None:
        """Takes the next preset; from operations, goes back to the one that is chosen."""
        if self._setting.operations:
            self.action_operations()
        else:
            super().action_preset()

    def action_answer(self) -> None:
        """Shows again what the last request came to."""
        if self.answer is not None:
            self.app.push_screen(self.answer_window(*self.answer))

    def answer_window(self, title: str, text: str) -> Answer:
        """The window of an answer."""
        return Answer(title, text)

    def action_start(self) -> None:
        """Starts what is asked, after a warning where a card may hang."""
        request = self._request()
        if request is None:
            return
        if not self.services.rehearses and not self._field.path.startswith("/"):
            self.say(NO_PYTHON, "fault")
        elif self._setting.device == "cuda":
            self._ask_first()
        elif self.services.rehearses:
            self.app.push_screen(Notice("What would be started", self.command_text(request)))
        else:
            self.begin(request)

    def _request(self) -> Request | None:
        """What would be asked right now; None, which is told, where that cannot be asked."""
        try:
            return self.asked()
        except WrongRequest as wrong:
            self.app.push_screen(Notice("This cannot be asked", str(wrong)))
            return None

    def asked(self) -> Request:
        """What would be asked right now, with the hangs that are allowed. Raises WrongRequest."""
        around = self._around if self._setting.device == "cuda" else None
        allowed = None if around is None else around.hangs
        return self._setting.request(self._field.path, self._table.current_row, allowed)

    @work(group="caution", exclusive=True)
    async def look_around(self) -> None:
        """Looks whom a hang would hit."""
        with suppress(OSError):  # looked at again, and told, before anything starts
            self._around = await asyncio.to_thread(self.services.circumstances)

    @work(group="caution", exclusive=True)
    async def _ask_first(self) -> None:
        """Look whom a hang would hit; ask, unless just that was agreed to."""
        setting = self._setting
        try:
            around = await asyncio.to_thread(self.services.circumstances)
        except OSError as error:
            trouble = fault("Whom a hang would disturb is not known", error, NOT_STARTED)
            tell(self, "Nothing was started", trouble)
            return
        self._around = around
        if setting != self._setting:
            self.say(CHANGED, "warning")
            return
        request = self._request()
        if request is None:
            return
        hangs = setting.hangs or around.hangs
        told = (hangs, around.is_someones_desktop)
        if self.services.rehearses:
            texts = (self.command_text(request), *budget_texts(request, around, hangs, OTHER))
            self.app.push_screen(Notice("What would be started", "\n\n".join(texts)))
            return
        if told == self._agreed:
            self.begin(request)
            return

        def begin_if(sure: bool | None) -> None:
            if sure:
                self._agreed = told
                self.begin(request)

        self.app.push_screen(caution(request, around, hangs), begin_if)

    def forget_answer(self) -> None:
        """Another request is carried out: what the one before came to is no answer to it."""
        self.answer = None
        self.session = replace(self.session, answer=None, found=None)

    def keep_answer(self, request: Request, done: SweepDone) -> None:
        """Keeps what a request came to."""
        self.answer = described(request).capitalize(), answer_text(request, done)
        self.session = replace(self.session, answer=self.answer)

    def _show_controls(self) -> None:
        super()._show_controls()
        self.session = replace(self.session, asking=self._setting)


def _same_rows(one: SweepSetting, other: SweepSetting) -> bool:
    """True where the table need not begin anew."""
    try:
        return one.rows == other.rows
    except WrongRequest:
        return False
