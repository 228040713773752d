"""What Diagnose says: its first line, a row for each finding, and the details of one row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from textual.content import Content

from screens.faults import fault, in_one_run
from screens.review.plan_view import rights
from screens.words import STATUS_STYLES, cut, hanging, wrapped
from wizard.core.amounts import counted
from wizard.core.events import PlanFinished
from wizard.core.lines import clean, shown
from wizard.core.wording import by_keys
from wizard.diagnose.explain import Answer, Explanation
from wizard.diagnose.finding import Conclusion, Finding, Status, conclude, in_order
from wizard.diagnose.listed_cards import ListedCard
from wizard.diagnose.machine import Diagnosis, Progress
from wizard.knowledge.causes import load_causes
from wizard.machine.facts import Machine
from wizard.plan.steps import Plan
from wizard.report.findings import (
    CANNOT_TELL,
    EVIDENCE_MOST,
    NOT_RDNA1,
    NOTHING,
    UNRECOGNISED,
    WORDS,
    Outcome,
    card_lines,
    diagnosis_lines,
    explanation_lines,
    outcome_of,
    rest_lines,
)
from wizard.services import DEMO, LIVE


@dataclass(frozen=True, slots=True)
class Running:
    """What is being checked."""

    name: str


@dataclass(frozen=True, slots=True)
class Fine:
    """The checks that found nothing, in one row."""

    findings: tuple[Finding, ...]
    more: bool
    """True below other rows."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The graphics cards that a text lists."""

    cards: tuple[ListedCard, ...]


Row = Finding | Running | Fine | Listed


@dataclass(frozen=True, slots=True)
class Shown:
    """Findings of this machine or of a text, as far as they have come."""

    text: str = ""
    """What the text is called; ``""`` for the machine."""
    result: Diagnosis | Explanation | None = None
    """None until everything was checked."""
    coming: tuple[Finding, ...] = ()
    """What was found so far."""
    running: str = ""
    """What is being checked; ``""`` at the end."""
    fixable: Mapping[Finding, Plan | None] = field(default_factory=dict)
    """Findings that a plan fixes, each with it; None where it could not be made by now."""
    unfolded: bool = False
    """True while each check that is fine has a row of its own."""
    fixed: str = ""
    """What became of the finding that was fixed last."""
    fixed_status: Status | None = None
    recommended: str = ""
    """The stack that Choose recommends for this machine."""
    trouble: str = ""
    """Why nothing could be checked."""
    at: int = 0
    """The row that was highlighted."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The worst first."""
        if isinstance(self.result, Explanation):
            return self.result.told
        return in_order(self.coming) if self.result is None else self.result.findings

    @property
    def rows(self) -> tuple[Row, ...]:
        """The worst first; what is fine in one row, and below it unless that is folded."""
        wrong = tuple(f for f in self.findings if f.status is not Status.OK)
        fine = tuple(f for f in self.findings if f.status is Status.OK)
        running = (Running(self.running),) if self.running else ()
        folded = (Fine(fine, bool(wrong)),) if fine else ()
        cards = self.result.cards if isinstance(self.result, Explanation) else ()
        listed = (Listed(cards),) if cards else ()
        return (*wrong, *running, *folded, *(fine if self.unfolded else ()), *listed)


def is_same(row: Row, other: Row) -> bool:
    """True for rows of the same finding, or of the same kind where there is one alone."""
    return row == other if isinstance(row, Finding) else type(row) is type(other)


def after_progress(shown: Shown, step: Progress) -> Shown:
    """What is shown once a check begins or has ended."""
    if step.findings is None:
        return replace(shown, running=f"{step.name} ({step.number} of {step.total})")
    return replace(shown, coming=(*shown.coming, *step.findings))


ROW_LINES = 2
MARK_CELLS = 2
LABEL_CELLS = 9
FEW = 2
"""So many proofs or steps stand below the list; all of them where there is more room."""
CHECKING = "Checking this machine. Nothing is being changed."
NO_CARD = "No RDNA1 card was found here, so only general checks were run."
UNREAD = "This machine could not be inspected"
UNREAD_NEXT = "Press r to try again, or t to have some text explained."
OTHERS = "From the text, not this machine"
ENTER_FIXES = " Enter opens the fix."
PLAN_OFFERED = "Opens a plan to fix this problem."
REVIEWED = "You review the plan before anything happens."
MOST_TITLES = 2
"""So many steps of a plan are named; more are counted."""
ALL_STEPS = "Space shows all {0} steps."
IS_RUNNING = "This check is still running. If it takes too long, it will be skipped."
NOTHING_CHANGED = "This was a {0}, so nothing was changed: {1}."
UNPROVED = {
    Answer.UNRECOGNISED: (Status.WARNING, UNRECOGNISED),
    Answer.NOTHING: (Status.NOT_TESTED, NOTHING),
    Answer.CANNOT_TELL: (Status.NOT_TESTED, CANNOT_TELL),
}
STATUS_OF = {
    Outcome.GONE: Status.OK,
    Outcome.LOGIN: Status.WARNING,
    Outcome.TERMINAL: Status.WARNING,
    Outcome.THERE: Status.FAULT,
    Outcome.UNSEEN: Status.NOT_TESTED,
}


def conclusion_of(there: Shown) -> Conclusion | None:
    """The first line; None while the checks run."""
    if there.trouble:
        return Conclusion(Status.FAULT, there.trouble)
    if there.result is None:
        return None
    if isinstance(there.result, Explanation) and there.result.answer in UNPROVED:
        return Conclusion(*UNPROVED[there.result.answer])
    found = conclude(there.findings)
    fixes = there.findings and there.findings[0] in there.fixable
    return replace(found, text=f"{found.text}{ENTER_FIXES}") if fixes else found


def second_line(there: Shown) -> str:
    """What the reader must know beside the first line, ``""`` for nothing."""
    match there.result:
        case None:
            return ""
        case Explanation(other_card=True):
            return f"{OTHERS}: {there.text}. {NOT_RDNA1}"
        case Explanation():
            return f"{OTHERS}: {there.text}"
        case diagnosis:
            return "" if diagnosis.rdna1 else NO_CARD


def row_text(row: Row, cells: int) -> Content:
    """A row of the list: how it stands, and what it is."""
    match row:
        case Finding(status=status, title=title):
            return _marked(status.mark, STATUS_STYLES[status], title, cells)
        case Running(name):
            return _marked("…", "bold", f"Checking: {name}", cells)
        case Fine(findings, more):
            checks = counted(len(findings), "more check" if more else "check")
            return _marked(Status.OK.mark, STATUS_STYLES[Status.OK], f"{checks}, all fine", cells)
        case Listed(cards):
            text = f"{counted(len(cards), 'graphics card')} listed in the text"
            return _marked(" ", "bold", text, cells)


def _marked(mark: str, style: str, title: str, cells: int) -> Content:
    lines = wrapped(shown(title), cells - MARK_CELLS)
    kept = [*lines[: ROW_LINES - 1], cut(" ".join(lines[ROW_LINES - 1 :]), cells - MARK_CELLS)]
    gap = f"\n{' ' * MARK_CELLS}"
    return Content.assemble((f"{mark} ", style), gap.join(filter(None, kept)))


def unread_text(error: OSError | ValueError) -> str:
    """Why nothing could be checked, and what to do about it."""
    return in_one_run(fault(UNREAD, error, UNREAD_NEXT))


def details(row: Row | None, there: Shown, cells: int, most: int | None = None) -> list[Content]:
    """All that is known of a row; of its proofs so many at most, where that is given."""
    lines: list[str] = []
    match row:
        case Finding() if row.counts:
            return list(_finding(row, there, cells, most))
        case Finding():
            lines = rest_lines(_by_keys(row), cells)
            lines += (clean(f"{each.where}: {each.text}") for each in row.evidence)
        case Running():
            lines = wrapped(IS_RUNNING, cells)
        case Fine(findings):
            lines = [line for each in findings for line in rest_lines(each, cells)]
        case Listed(cards):
            lines = list(card_lines(cards, cells))
        case None:
            pass
    return [Content(line) for line in lines]


def _finding(finding: Finding, there: Shown, cells: int, most: int | None) -> Iterator[Content]:
    whole = most is None
    if whole:
        yield from (Content.styled(line, "bold") for line in wrapped(shown(finding.title), cells))
        status = f"{finding.status.word}, {finding.confidence.value}"
        yield Content.styled(f"{status} [{finding.cause}]", STATUS_STYLES[finding.status])
        yield Content("")
    proofs = [f"{proof.where}: {proof.text}" for proof in finding.evidence[: most or EVIDENCE_MOST]]
    if whole and len(finding.evidence) > EVIDENCE_MOST:
        proofs.append(f"and {len(finding.evidence) - EVIDENCE_MOST} more")
    yield from _labelled("Seen", proofs, cells)
    told, fix_label = _by_keys(finding), "Fix"
    if finding in there.fixable:
        opened = opened_text(there.fixable[finding])
        if whole:
            yield Content("")
        yield from _labelled("Enter", (f"{opened} {REVIEWED}" if whole else opened,), cells)
        fix_label = "By hand"
    if whole:
        yield Content("")
        yield from _labelled("Meaning", (told.meaning,), cells)
        yield Content("")
    numbered = len(told.fix) > 1
    steps = [f"{n}. {step}" if numbered else step for n, step in enumerate(told.fix, 1)]
    if not whole and len(steps) > FEW:
        steps = [steps[0], ALL_STEPS.format(len(steps))]
    yield from _labelled(fix_label, steps, cells)
    if not whole:
        return
    yield Content("")
    causes = load_causes()
    explained = (f"{causes[each].title} [{each}]" for each in finding.explains)
    yield from _labelled("Explains", explained, cells)
    yield from _labelled("Source", filter(None, (finding.grade, *finding.links)), cells)
    if there.text:
        yield from _labelled("Note", (f"{OTHERS}.",), cells)


def opened_text(plan: Plan | None) -> str:
    """What the plan does that Enter opens."""
    if plan is None:
        return PLAN_OFFERED
    titles = [step.title for step in plan.steps[:MOST_TITLES]]
    more = len(plan.steps) - len(titles)
    named = ", then ".join(f"{title[0].lower()}{title[1:]}" for title in titles)
    rest = f", and {more} more" if more else ""
    return (
        f"Opens a plan: {named}{rest} ({counted(len(plan.steps), 'step')}, {rights(plan.steps)})."
    )


def _labelled(label: str, texts: Iterable[str], cells: int) -> Iterator[Content]:
    for number, text in enumerate(texts):
        head = "" if number else label
        yield from hanging(f"{head:<{LABEL_CELLS}}", clean(text), cells)


def _by_keys(finding: Finding) -> Finding:
    """The finding with keys in place of commands."""
    return replace(finding, meaning=by_keys(finding.meaning), fix=tuple(map(by_keys, finding.fix)))


def saved_text(there: Shown, machine: Machine | None) -> str:
    """All of it as the commands print it."""
    if isinstance(there.result, Explanation):
        lines = (f"{OTHERS}: {clean(there.text)}", *explanation_lines(there.result))
    elif there.result is None or machine is None:
        return ""
    else:
        lines = tuple(diagnosis_lines(machine, there.result))
    return "\n".join((*lines, ""))


def fixed_text(
    finding: Finding, now: tuple[Finding, ...], finished: PlanFinished, mode: str
) -> tuple[str, Status | None]:
    """What became of a finding by those of the next check, and how to undo its fix."""
    if mode != LIVE:
        words = "demo" if mode == DEMO else "dry run"
        return NOTHING_CHANGED.format(words, shown(finding.title)), None
    outcome = outcome_of(finding, now)
    if outcome is Outcome.THERE and finished.relogin_needed:
        outcome = Outcome.LOGIN
    undo = f" To undo it: rdna1-setup rollback {finished.run}" if finished.run else ""
    text = by_keys(WORDS[outcome]).format(cause=finding.cause)
    return f"{text}{undo}", STATUS_OF[outcome]
