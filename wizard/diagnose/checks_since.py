"""The check of what has changed since it last worked: a possible cause, and no fault by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from wizard.conv2d.cards.comparison import Change, compare_results
from wizard.conv2d.verdicts import RIGHT
from wizard.core.amounts import counted
from wizard.core.journal import Record
from wizard.diagnose.changes import Changes, changes_between, changes_since, stack_changes
from wizard.diagnose.finding import NO_CAUSE, Confidence, Evidence, Finding, Status
from wizard.diagnose.measurements import DATE, Measured
from wizard.diagnose.outcomes import fine, not_tested, warned
from wizard.machine.facts import Machine
from wizard.machine.stack_facts import stack_of, stack_of_form

SHOWN = 3
MEASURE = (
    "A change is not necessarily a problem. To check, measure the same shapes: rdna1-setup conv2d"
)
MAY_BE_WHY = (
    "One of these changes may be why it fails now. This is not certain, because it was not "
    "measured before."
)
BACK = (
    "Undo these changes one at a time, and measure the same shapes again. Older kernels are in the "
    "boot menu under Advanced options. rdna1-setup rollback undoes a run of this program.",
    "To report which change it was: rdna1-setup report",
)
REPEAT = (
    "Measure them several times: rdna1-setup conv2d --repeats 5. A shape that fails only "
    "sometimes can fail without any change.",
    "Restart the machine and measure again: a card that hung may behave differently afterwards.",
)


def since_last_good(
    measured: Sequence[Measured], runs: Sequence[Record], machine: Machine
) -> Iterator[Finding]:
    """One finding at most; nothing where it never worked, as far as is known."""
    good = next((one for one in measured if one.right), None)
    last = next((one for one in measured if one.results), None)
    if good is None or last is None:
        known = _last_installed(runs, machine)
    else:
        since = f"the last good measurement of {good.date}"
        known = replace(changes_since(good, machine), since=since)
        worse = [c for c in compare_results(good.results, last.results) if _is_worse(c)]
        if worse:
            between = replace(changes_between(good, last, machine), since=since)
            yield _worse(worse, between, good, last)
            return
    if known is None:
        return
    missing = f" ({known.missing})" if known.missing else ""
    failing = last is not None and not last.right
    if known.changed and failing:
        sure, title = Confidence.POSSIBLE, known.title
        yield warned(NO_CAUSE, known.evidence, sure, title=title, meaning=MAY_BE_WHY, fix=BACK)
    elif known.changed:
        yield not_tested(NO_CAUSE, known.title, f"{MEASURE}{missing}")
    elif not failing:
        yield fine(NO_CAUSE, f"No recorded change since {known.since}{missing}")


def _last_installed(runs: Sequence[Record], machine: Machine) -> Changes | None:
    """When a run of ours was finished, whose torch passed its check then."""
    record = next((one for one in runs if one.state == "finished" and one.plan["venv"]), None)
    if record is None:
        return None
    changes = stack_changes(stack_of_form(record.stack), stack_of(machine), settings=False)
    return replace(changes, since=f"the last finished run of {_date(record.began)}")


def _worse(worse: Sequence[Change], known: Changes, good: Measured, last: Measured) -> Finding:
    count = counted(len(worse), "shape")
    where = f"conv2d, {good.date} and {last.date}"
    words = [f"{c.manner.named(c.shape)}: {c.before.words}, then {c.after.words}" for c in worse]
    evidence = (*(Evidence(each, where) for each in words[:SHOWN]), *known.evidence)
    meaning = f"Right on {good.date}, but not on {last.date}: {count}. "
    if known.changed:
        meaning += "A change in between is the likely reason, but it is not known which one."
        status, sure = Status.FAULT, Confidence.LIKELY
        return Finding(NO_CAUSE, status, sure, known.title, evidence, meaning, BACK)
    title = f"{count} went wrong with no recorded change"
    meaning += "No recorded change happened in between."
    status, sure = Status.WARNING, Confidence.POSSIBLE
    return Finding(NO_CAUSE, status, sure, title, evidence, meaning, REPEAT)


def _is_worse(change: Change) -> bool:
    return any(verdict not in RIGHT for verdict, _ in change.after.verdicts)


def _date(began: str) -> str:
    try:
        return datetime.fromisoformat(began).astimezone().strftime(DATE)
    except ValueError:
        return began[:16]
