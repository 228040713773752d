"""What is wrong, what proves it, and what mends it: of this machine, or of a pasted text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import OptionList, Static

from screens.diagnose.mending import Mending
from screens.diagnose.state import Fine, Found, Shown
from screens.diagnose.text import details_lines, saved_text, summary_text
from screens.faults import save
from screens.report.key import QUIET_REPORT_KEY
from screens.report.preview import ReportPreview
from screens.services import Services
from screens.session import Session
from screens.step import COMMON_KEYS
from screens.widgets.findings_pane import FindingsPane
from screens.windows.lines_view import LinesView
from wizard.diagnose.explain import Explanation
from wizard.diagnose.finding import Finding

LINE_CELLS = 79
DRAWN_S = 0.1
HINT = "Enter: its plan where there is one, else all of it. PgDn reads on."
NOTHING_HINT = "r looks again; e explains a log or an error that you have."
NOT_READ = "Nothing could be looked at. r tries again."


class Diagnose(Mending):
    """The findings as a list; each key does one thing with them or with the highlighted one."""

    NAME = "diagnose"
    TITLE_WORD = "Diagnose"
    HELP_TEXT = (
        "Each row is one finding: how it ended (FAULT, WARNING, NOT TESTED, OK), how sure that is "
        "(certain, likely, possible), and what it is; the worst first. What one finding explains "
        "is not told beside it. Nothing is changed by looking.\n\n"
        "Below or beside the list: the lines that prove it, with their place; what it means; what "
        "mends it, step by step; on what that rests. PgUp and PgDn scroll it; Tab goes there and "
        "back.\n\n"
        "f, or Enter: where this program has a plan for it, the plan is made and shown; you review "
        "it before anything happens. Afterwards all is looked at again. Where there is none, Enter "
        "shows all of the finding.\n"
        "o shows what is fine one by one, or in one row.\n"
        "r reads the machine again and looks at everything.\n"
        "e explains a text that you paste, or a file: a kernel log, a traceback, what apt or pip "
        "printed. Esc leads from there to this machine again.\n"
        "s saves all of it as text and says where (not in a dry run).\n"
        "p shows a report for others, redacted, before it is written.\n\n"
        "The same as text and for programs: rdna1-setup diagnose [--json], "
        "rdna1-setup explain [--json] FILE"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "fix", "Fix"),
        Binding("o", "fold", "OKs"),
        Binding("e", "explain", "Text"),
        Binding("r", "again", "Again"),
        Binding("s", "save", "Save"),
        QUIET_REPORT_KEY,
        Binding("pagedown", "page(1)", "Page", show=False, priority=True),
        Binding("pageup", "page(-1)", "Page up", show=False, priority=True),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#findings"

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._of_text: Shown | None = None
        self._draws = False
        """True while what has come is about to be drawn."""

    def body(self) -> Iterable[Widget]:
        """What it comes to, the list, the details."""
        yield Static("", id="found-in-all", classes="pad", markup=False)
        yield FindingsPane()

    def on_mount(self) -> None:
        """Shows what was found before, or looks."""
        if self.session.diagnosed is None or self.was_mended:
            self.look(afresh=self.was_mended)
        else:
            self._show(at=self.here.at)
            self._hint()

    @property
    def there(self) -> Shown:
        """What is on the screen."""
        return self.here if self._of_text is None else self._of_text

    @property
    def pane(self) -> FindingsPane:
        """List and details."""
        return self.query_one(FindingsPane)

    @property
    def _finding(self) -> Finding | None:
        row = self.pane.findings.current if self.is_mounted else None
        return row.finding if isinstance(row, Found) else None

    def show_here(self) -> None:
        """Shows what is known of this machine by now, unless a text is shown."""
        if self.here.running:
            self._show_soon()
        elif self._of_text is None:
            self._show(at=self.here.at if self.here.mended else None)
            self._hint()

    def _hint(self) -> None:
        if self.here.trouble:
            self.say(NOT_READ, "fault")
        elif not self.here.running:
            self.say(HINT if any(f.counts for f in self.here.findings) else NOTHING_HINT)

    def _show_soon(self) -> None:
        """Draws a few times a second: dozens of looks end within one."""
        if not self._draws:
            self._draws = True
            self.set_timer(DRAWN_S, self._show_coming)

    def _show_coming(self) -> None:
        self._draws = False
        if self._of_text is None:
            self._show()

    def take_text(self, there: Shown) -> None:
        """Shows what a text proves."""
        self._of_text = there
        self._show(at=0)
        self.say("Esc leads back to this machine; e explains another text.")

    def _show(self, at: int | None = None) -> None:
        if not self.query(FindingsPane):
            return  # it is being taken down
        text = summary_text(self.there, self.session.machine)
        self.query_one("#found-in-all", Static).update(text)
        self.pane.show(self.there, at)
        self.refresh_bindings()

    def action_report(self) -> None:
        """Shows what a report for others would hold."""
        self.app.push_screen(ReportPreview(self.services))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers what can be done with what is there."""
        if action == "fix":
            return self._finding in self.there.fixable
        if action == "fold":
            return any(isinstance(row, Fine) for row in self.there.rows)
        if action == "save":
            return self.services.save_text is not None and self.there.result is not None
        return super().check_action(action, parameters)

    def on_option_list_option_highlighted(self) -> None:
        """Shows all of that row."""
        self.pane.show_details()
        self.refresh_bindings()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Takes the way on from a row."""
        row = self.pane.findings.rows[event.option_index]
        if isinstance(row, Fine):
            self.action_fold()
        elif isinstance(row, Found) and row.finding in self.there.fixable:
            self.action_fix()
        else:
            lines = tuple(details_lines(row, self.there, LINE_CELLS))
            self.app.push_screen(LinesView("All of it", lines))

    def action_fold(self) -> None:
        """Gives each of what is fine a row, or puts it all into one."""
        folded = replace(self.there, unfolded=not self.there.unfolded)
        if self._of_text is None:
            self.here = folded
        else:
            self._of_text = folded
        self._show()

    def action_page(self, pages: int) -> None:
        """Moves the details by pages."""
        self.pane.page(pages)

    def action_again(self) -> None:
        """Looks at everything again."""
        self._of_text = None
        self.look(afresh=True)

    def action_back(self) -> None:
        """From a text to this machine; from there to where it was opened."""
        if self._of_text is None:
            self.post_message(self.Go(*self.way_back()))
            return
        self._of_text = None
        self._show()
        self._hint()

    def as_left(self) -> Shown:
        """What is shown of this machine, with the row that is highlighted."""
        return replace(self.here, at=self.pane.findings.highlighted or 0)

    def action_save(self) -> None:
        """Saves what is shown, whole, and names the file."""
        if self.services.save_text is None:
            return
        kind = "text" if isinstance(self.there.result, Explanation) else "machine"
        text = saved_text(self.there, self.session.machine)
        save(self, self.services.save_text, f"rdna1-findings-{kind}.txt", text)

    def action_fix(self) -> None:
        """Makes the plan that mends the highlighted finding."""
        if (finding := self._finding) is not None:
            self.mend(finding)
