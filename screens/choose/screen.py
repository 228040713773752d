"""Shows the suggested stack, details of the selected stack, and a list of all stacks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import DataTable, Static

from screens.choose.approaches import ApproachList, Evidence
from screens.choose.card import (
    LABEL_CELLS,
    SYSTEM,
    VENV,
    card_rows,
    choosing_at,
    conclusion,
    kind_of,
    why_lines,
)
from screens.dialogs import LinesView, Notice, PathQuestion, Question
from screens.explain import Explain
from screens.faults import fault, tell
from screens.session import Session
from screens.step import HELP_KEY, QUIT_KEY, StepScreen
from screens.widgets.verdict_table import NO_CURSOR, VerdictTable
from wizard.advice.comparison import everything
from wizard.advice.leftovers import may_freeze, torch_there
from wizard.core.lines import shown
from wizard.report.recommendation import Compared, fit_lines, recommendation_lines
from wizard.services import Services

WIDEST = 100
"""Cells of a line that is still read with ease."""
NO_PLAN = "No plan can be made"
OTHER_FOLDER = (
    "Nothing was changed. Fix the problem or choose another folder, then press Enter again."
)
NO_PLAN_ADVICE = "\n\nNothing was changed. Choose another folder or another stack."
CANNOT_RUN = "This stack cannot run what you chose"
SURE = "Do you want to review this stack's plan anyway?"
MEASURE_FIRST = "You already have torch {0}. Press m to measure it first."
MAY_FREEZE = "Measuring your torch {0} (m) may freeze the desktop."
OTHER_WAYS = "All known approaches, also without PyTorch"
EXPLANATIONS = "Explanations"
NO_SETTINGS = "No published settings are selected. Press p for the next published settings."


class Choose(StepScreen):
    """The suggested stack is the selected one until the user moves."""

    NAME = "choose"
    TITLE_WORD = "Choose"
    HELP_TEXT = (
        "The first line names the stack that suits your card and programs best; that stack is "
        "selected. Up and down, or a number, select another stack; the box then shows its "
        "advantages and drawbacks. Enter makes the plan and shows it. This changes nothing, and "
        "if the stack cannot run what you chose, you are asked first.\n\nVerdicts: works, likely, "
        "possible, disputed, unlikely, no; 'not tried' means that we found no report. They are "
        "based on other people's reports. Press e to see every report for and against, with the "
        "card, versions, date and link. c compares the stacks in plain words.\n\nLarge Conv2d: "
        "convolutions over images of 64x64 or larger, as in Stable Diffusion and YOLO. Training: "
        "training a convolutional network.\n\nEsc goes back to the question of what to run. f "
        "changes the folder. u also replaces the system's ROCm packages, if the stack has its "
        "own. p cycles through published settings for the stack. d shows all its details. o lists "
        "all known approaches, including those without PyTorch. i explains ROCm and why "
        "some convolutions hang. m measures the torch you already have."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "review", "Review", key_display="Enter", priority=True),
        Binding("e", "evidence", "Evidence"),
        Binding("c", "compare", "Compare"),
        Binding("m", "measure", "Measure", show=False),
        Binding("escape", "back", "Change programs", key_display="Esc"),
        Binding("f", "folder", "Change the folder", show=False),
        Binding("u", "footprint", "With or without system packages", show=False),
        Binding("p", "preset", "Published settings", show=False),
        Binding("d", "details", "All details of this stack", show=False),
        Binding("o", "approaches", "All known approaches", show=False),
        Binding("i", "explain", "Explain", show=False),
        Binding("pagedown", "page(1)", "Scroll the box", show=False, priority=True),
        Binding("pageup", "page(-1)", "Scroll the box up", show=False, priority=True),
        *(
            Binding(str(rank), f"rank({rank})", f"Stack {rank}", show=False)
            for rank in range(1, 10)
        ),
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#stacks"

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._choosing = choosing_at(session, services)
        self._there = torch_there(self._choosing.machine)
        self._take(aside=False)

    def body(self) -> Iterable[Widget]:
        """Card, reasons, stacks, other ways."""
        with Horizontal(id="suggestion"):
            with Vertical():
                with VerticalScroll(id="card", classes="panel", can_focus=False):
                    yield Static(id="rows", markup=False)
                stacks = VerdictTable("stacks", "row")
                stacks.border_title = "Stacks"
                yield stacks
            with VerticalScroll(id="why", classes="panel", can_focus=False) as why:
                why.border_title = "Why"
                yield Static(id="reasons", markup=False)
        approaches = f"[@click=screen.approaches]{OTHER_WAYS}[/]  [b $text-accent]o[/]"
        explain = f"[@click=screen.explain]{EXPLANATIONS}[/]  [b $text-accent]i[/]"
        yield Static(Content.from_markup(f"{approaches}    {explain}"), id="ways", markup=False)

    def on_mount(self) -> None:
        """Shows what is suggested; what depends on the size shows itself once it has one."""
        if self._there is not None:
            machine, asked = self._choosing.machine, self.session.applications
            risky = may_freeze(self._there, machine, asked)
            text = (MAY_FREEZE if risky else MEASURE_FIRST).format(self._there.torch)
            self.say(text, "warning" if risky else "note")
        self.query_one("#ways").display = bool(self.services.knowledge.approaches())
        self._show_all()

    def on_resize(self) -> None:
        """Wraps the card to the new width."""
        super().on_resize()
        self.call_after_refresh(self._show)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides what the selected stack or this machine does not have."""
        if action == "footprint":
            return bool(self._choosing.stack.system_release)
        if action == "preset":
            return bool(self._choosing.stack.presets)
        if action == "measure":
            return self._there is not None
        if action == "approaches":
            return bool(self.services.knowledge.approaches())
        return super().check_action(action, parameters)

    def action_review(self) -> None:
        """Makes the plan and goes on; says why where there can be none.

        A stack that cannot run what is ticked is agreed to before.
        """
        fit = self._choosing.fit
        if not fit.possible:
            reason = fit.obstacles[0] if fit.obstacles else "it does not suit this machine"
            self.say(f"Not possible here: {reason}", "fault")
            return
        try:
            choice = self._choosing.choice
            plan = self.services.plans.make(self._choosing.machine, choice)
        except ValueError as trouble:
            self.say(f"No plan: {trouble}", "fault")
            self.app.push_screen(Notice(NO_PLAN, f"{trouble}{NO_PLAN_ADVICE}"))
            return
        except OSError as error:
            tell(self, NO_PLAN, fault("The plan was not made", error, OTHER_FOLDER))
            return
        chosen = replace(self.session, plan=plan, choice=choice, finished=None, failure=None)
        if warning := self._choosing.warning:
            question = Question(CANNOT_RUN, f"{warning}\n\n{SURE}", "y", "Review it anyway")
            self.app.push_screen(question, partial(self._go_on, chosen))
        else:
            self._go_on(chosen, True)

    def _go_on(self, chosen: Session, agreed: bool | None) -> None:
        if agreed:
            self.post_message(self.Next(chosen))

    def action_evidence(self) -> None:
        """Shows who says what about the selected stack, and who contradicts."""
        choosing = self._choosing
        aspects = (*choosing.column(choosing.stack.id).aspects, everything(choosing.stack))
        day = self.services.today()
        first = choosing.verdicts[0]
        self.app.push_screen(Evidence(choosing.stack.id, aspects, first, choosing.claims, day))

    def action_compare(self) -> None:
        """Shows what one gains and gives up with each stack."""
        self.post_message(self.Go("compare", self.session))

    def action_measure(self) -> None:
        """Opens the Conv2d panel on the torch that is there; Back leads here again."""
        self.post_message(self.Go("conv2d", replace(self.session, plan=None, aside=True)))

    def action_folder(self) -> None:
        """Asks for another folder; the suggestion typed again means the suggestion."""
        told = (
            f"{self._choosing.stack.id} will be installed in this folder.",
            "~ is your home folder.",
        )
        question = PathQuestion("Folder", told, "Install into:", self._choosing.folder)
        self.app.push_screen(question, self._take_folder)

    def _take_folder(self, path: str | None) -> None:
        if path:
            self._take(folder="" if path == self._choosing.suggestion else path)
            self._show()

    def action_footprint(self) -> None:
        """Switches between the folder alone and the folder plus system packages."""
        self._take(footprint=SYSTEM if self.session.footprint == VENV else VENV)
        self._choosing = self._choosing.compared()
        self._show()

    def action_preset(self) -> None:
        """Takes the next published variables that the stack has on offer, or none again."""
        self._take(preset=self._choosing.next_preset(), stack=self._choosing.stack.id)
        session, machine = self.session, self._choosing.machine
        found = self.services.knowledge.recommend(machine, session.applications, session.preset)
        self._choosing = replace(self._choosing, recommendation=found).compared()
        self._show_all()
        preset = self._choosing.preset
        self.say(
            f"{preset.name}: {preset.caution} Press p for the next published settings."
            if preset
            else NO_SETTINGS
        )

    def action_details(self) -> None:
        """Shows every sentence about the selected stack."""
        choosing = self._choosing
        found = Compared(choosing.machine, choosing.recommendation, choosing.columns)
        lines = (*recommendation_lines(found.recommendation), "", *fit_lines(found, choosing.fit))
        title = f"{choosing.stack.id}: all details"
        self.app.push_screen(LinesView(title, lines))

    def action_approaches(self) -> None:
        """Lists every other way; the stack of the one that was taken is selected."""
        approaches, day = self.services.knowledge.approaches(), self.services.today()
        self.app.push_screen(
            ApproachList(approaches, self._choosing.claims, day), self._select_if_any
        )

    def action_explain(self) -> None:
        """Lists the explanations."""
        self.app.push_screen(Explain())

    def action_back(self) -> None:
        """Asks again what is to run."""
        self.post_message(self.Go("ask", self.session))

    def action_rank(self, rank: int) -> None:
        """Selects the stack of that rank."""
        if rank <= len(self._choosing.recommendation.fits):
            self.query_one(VerdictTable).move_cursor(row=rank - 1)

    def action_page(self, pages: int) -> None:
        """Scrolls what does not fit into its box."""
        for panel in self.query(".panel"):
            panel.scroll_relative(y=3 * pages, animate=False)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Selects the stack at the cursor; the suggested one stays whatever is suggested."""
        event.stop()
        fits = self._choosing.recommendation.fits
        row = event.data_table.cursor_row  # a row that the cursor has left again is no choice
        if 0 <= row < len(fits):
            self._take(stack=fits[row].stack if row else "")
            self._show()

    def _select_if_any(self, stack: str | None) -> None:
        ranked = [fit.stack for fit in self._choosing.recommendation.fits]
        if stack in ranked:
            self.query_one(VerdictTable).move_cursor(row=ranked.index(stack))

    def _take(self, **changes: Any) -> None:
        self.session = replace(self.session, **changes)
        self._choosing = replace(self._choosing, session=self.session)

    def _show_all(self) -> None:
        """Fills the table, and shows what is selected."""
        choosing, table = self._choosing, self.query_one(VerdictTable)
        fits = choosing.recommendation.fits
        with self.prevent(DataTable.RowHighlighted):
            table.clear(columns=True)
            table.fixed_columns = 1
            aspects = choosing.column(fits[0].stack).aspects
            titles = {each.id: each.title for each in aspects}
            for name in ("stack", "torch", "from"):
                table.add_column(Text(f"{NO_CURSOR}{name}" if name == "stack" else name), key=name)
            for name in choosing.verdicts:
                table.add_column(Text(shown(titles[name])), key=name)
            for fit in fits:
                column = choosing.column(fit.stack)
                slow = "" if choosing.stacks[fit.stack].gfx else " (slow)"
                year = choosing.aspect(fit.stack, "age").word[-4:]
                words = (choosing.word(fit.stack, each) for each in choosing.verdicts)
                name = f"{NO_CURSOR}{fit.stack}{slow}"
                cells = (name, ".".join(column.torch.split(".")[:2]), year, *words)
                table.add_row(*map(table.word, cells), key=fit.stack)
            table.move_cursor(row=fits.index(choosing.fit))
        text, status, second, second_status = conclusion(choosing)
        self.conclude(text, status, second, second_status)
        self._show()

    def _show(self) -> None:
        """Shows what is said of the selected stack."""
        choosing = self._choosing
        self.query_one(VerdictTable).mark(choosing.stack.id, "stack")
        kind = "suggested" if choosing.fit is choosing.suggested else kind_of(choosing.stack)
        card = self.query_one("#card")
        card.border_title = Content(f"{choosing.stack.id} ({kind})")
        self.query_one("#rows", Static).update(self._rows(min(WIDEST, card.content_size.width - 1)))
        self.query_one("#reasons", Static).update(why_lines(choosing))
        self.refresh_bindings()

    def _rows(self, cells: int) -> Content:
        rows: list[Content] = []
        for label, text in card_rows(self._choosing):
            wrapped = text.wrap(max(20, cells - LABEL_CELLS))
            heads = [label, *[""] * len(wrapped)]
            lines = (
                Content.assemble((f"{head:<{LABEL_CELLS}}", "$text-muted"), line)
                for head, line in zip(heads, wrapped, strict=False)
            )
            rows.append(Content("\n").join(lines))
        return Content("\n\n" if self.has_class("-wide") else "\n").join(rows)
