"""What Diagnose says: a row a finding, a summary above, all of the highlighted row beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from textual.content import Content

from screens.diagnose.state import Fine, Found, Listed, Row, Running, Shown
from screens.faults import fault, in_one_run
from screens.hanging import wrapped
from screens.services import DEMO, LIVE
from screens.words import STATUS_STYLES, column, cut, shown
from wizard.advice.recommend import recommend
from wizard.diagnose.explain import Explanation
from wizard.diagnose.finding import Finding, Status, counts_text
from wizard.machine.facts import Machine
from wizard.remedies import by_keys
from wizard.report.findings import (
    NOT_RDNA1,
    answer_text,
    card_lines,
    diagnosis_lines,
    diagnosis_texts,
    explanation_lines,
    rest_lines,
    whole_lines,
)
from wizard.report.mending import WORDS, Outcome, outcome_of
from wizard.run.events import PlanFinished
from wizard.run.lines import clean

STATUS_CELLS = 11
SURE_CELLS = 9
ROW_LINES = 3
CHECKING = "Looking at this machine. Nothing is changed."
UNREAD = "This machine could not be read"
UNREAD_NEXT = "r reads again; e explains a text all the same."
OTHERS = "From the text, not this machine"
PLAN_OFFERED = "f makes a plan of this: you review it before anything happens."
IS_RUNNING = (
    "This is being looked at. Keys answer meanwhile; it is left when it takes too long, and the "
    "others go on."
)
NOTHING_CHANGED = "This was a {0}, nothing was changed: {1}."


def row_text(row: Row, cells: int) -> Content:
    """A row of the list: status in words, how sure, title."""
    match row:
        case Found(finding):
            sure = finding.confidence.value if finding.counts else ""
            return _columns(
                finding.status.word, STATUS_STYLES[finding.status], sure, finding.title, cells
            )
        case Running(name):
            return _columns("RUNNING", "bold", "", name, cells)
        case Fine(findings):
            text = f"{_counted(len(findings), 'check')} found nothing wrong"
            return _columns(Status.OK.word, STATUS_STYLES[Status.OK], "", text, cells)
        case Listed(cards):
            text = f"{_counted(len(cards), 'graphics card')} listed in the text"
            return _columns("CARDS", "bold", "", text, cells)


def _columns(status: str, style: str, sure: str, title: str, cells: int) -> Content:
    room = cells - STATUS_CELLS - SURE_CELLS
    lines = wrapped(shown(title), room)
    kept = [*lines[: ROW_LINES - 1], cut(" ".join(lines[ROW_LINES - 1 :]), room)]
    gap = f"\n{' ' * (STATUS_CELLS + SURE_CELLS)}"
    return Content.assemble(
        (column(status, STATUS_CELLS), style),
        column(sure, SURE_CELLS),
        gap.join(filter(None, kept)),
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def unread_text(error: OSError | ValueError) -> str:
    """Why nothing could be looked at, and what to do about it."""
    return in_one_run(fault(UNREAD, error, UNREAD_NEXT))


def _counts(findings: tuple[Finding, ...]) -> str:
    return counts_text(finding.status for finding in findings)


def summary_text(there: Shown, machine: Machine | None) -> str:
    """What stands above the list."""
    return "\n".join(clean(text) for text in _summary(there, machine) if text)


def _summary(there: Shown, machine: Machine | None) -> Iterator[str]:
    if there.mended:
        yield there.mended
    result = there.result
    if isinstance(result, Explanation):
        yield f"{OTHERS}: {there.text}"
        yield answer_text(result)
        yield NOT_RDNA1 if result.other_card else ""
        yield _counts(result.findings)
    elif result is None or machine is None:
        yield there.trouble or CHECKING
    else:
        yield from diagnosis_texts(machine, result)
        best = f"recommended here: {recommend(machine).name}" if result.rdna1 else ""
        yield "; ".join(filter(None, (_counts(result.findings), best)))


def details_lines(row: Row | None, there: Shown, cells: int) -> Iterator[str]:
    """All that is known of a row, in the words of the command."""
    match row:
        case Found(finding) if finding.counts:
            yield from whole_lines(_by_keys(finding), cells)
            if finding in there.fixable:
                yield from ("", *wrapped(PLAN_OFFERED, cells))
            if there.text:
                yield from ("", *wrapped(f"{OTHERS}.", cells))
        case Found(finding):
            yield from rest_lines(_by_keys(finding), cells)
            yield from (clean(f"  | {each.where}: {each.text}") for each in finding.evidence)
        case Running():
            yield from wrapped(IS_RUNNING, cells)
        case Fine(findings):
            for finding in findings:
                yield from rest_lines(finding, cells)
        case Listed(cards):
            yield from card_lines(cards, cells)
        case None:
            pass


def _by_keys(finding: Finding) -> Finding:
    """The finding as a screen tells it."""
    return replace(finding, meaning=by_keys(finding.meaning), fix=tuple(map(by_keys, finding.fix)))


def details_text(row: Row | None, there: Shown, cells: int) -> Content:
    """The same to be shown: what is wrong stands out."""
    head, *rest = (*details_lines(row, there, cells), "")
    return Content("\n").join((Content.styled(head, "bold"), *map(Content, rest)))


def saved_text(there: Shown, machine: Machine | None) -> str:
    """All of it as the commands print it."""
    if isinstance(there.result, Explanation):
        lines = (f"{OTHERS}: {clean(there.text)}", *explanation_lines(there.result))
    elif there.result is None or machine is None:
        return ""
    else:
        lines = tuple(diagnosis_lines(machine, there.result))
    return "\n".join((*lines, ""))


def mended_text(
    finding: Finding, now: tuple[Finding, ...], finished: PlanFinished, mode: str
) -> str:
    """What became of a finding by those of the next look, and how to take its fix back."""
    if mode != LIVE:
        return NOTHING_CHANGED.format("demo" if mode == DEMO else "dry run", finding.title)
    outcome = outcome_of(finding, now)
    if outcome is Outcome.THERE and finished.relogin_needed:
        outcome = Outcome.LOGIN
    back = f" To undo it: rdna1-setup rollback {finished.run}" if finished.run else ""
    return f"{by_keys(WORDS[outcome]).format(cause=finding.cause)}{back}"
