"""The check of what has changed since it last worked: a possible cause, and no fault by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from wizard.conv2d.cards.comparison import Change, compare_results
from wizard.conv2d.verdicts import RIGHT
from wizard.diagnose.changed import Changes, changes_between, changes_since, stack_changes
from wizard.diagnose.checked import fine, not_tested, warned
from wizard.diagnose.finding import NO_CAUSE, Confidence, Evidence, Finding, Status
from wizard.diagnose.measured import DATE, Measured
from wizard.journalform import Record
from wizard.machine.facts import Machine
from wizard.machine.stack_facts import stack_of, stack_of_form
from wizard.sizes import counted

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


@dataclass(frozen=True, slots=True)
class LastGood:
    """When it last worked, how that is known, and what has changed since."""

    text: str
    """For example ``the last good measurement of 2026-11-20 17:05``."""
    changes: Changes

    @property
    def title(self) -> str:
        """All that changed, in a line."""
        return f"Since {self.text}: {self.changes.text}"

    @property
    def unrecorded(self) -> str:
        """What cannot be told, in words; ``""`` for nothing."""
        missing = ", ".join(self.changes.unrecorded)
        return f"not recorded then: {missing}" if missing else ""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Each change, and what was not recorded."""
        changed = [Evidence(each, f"since {self.text}") for each in self.changes.changed]
        missing = [Evidence(self.unrecorded, self.text)] if self.unrecorded else []
        return (*changed, *missing)


def since_last_good(
    measured: Sequence[Measured], runs: Sequence[Record], machine: Machine
) -> Iterator[Finding]:
    """One finding at most; nothing where it never worked, as far as is known."""
    good = next((one for one in measured if one.right), None)
    last = next((one for one in measured if one.results), None)
    if good is None or last is None:
        known = _last_installed(runs, machine)
    else:
        known = LastGood(f"the last good measurement of {good.date}", changes_since(good, machine))
        worse = [c for c in compare_results(good.results, last.results) if _is_worse(c)]
        if worse:
            between = LastGood(known.text, changes_between(good, last, machine))
            yield _worse(worse, between, good, last)
            return
    if known is None:
        return
    changed, missing = known.changes.changed, f" ({known.unrecorded})" if known.unrecorded else ""
    failing = last is not None and not last.right
    if changed and failing:
        sure, title = Confidence.POSSIBLE, known.title
        yield warned(NO_CAUSE, known.evidence, sure, title=title, meaning=MAY_BE_WHY, fix=BACK)
    elif changed:
        yield not_tested(NO_CAUSE, known.title, f"{MEASURE}{missing}")
    elif not failing:
        yield fine(NO_CAUSE, f"No recorded change since {known.text}{missing}")


def _last_installed(runs: Sequence[Record], machine: Machine) -> LastGood | None:
    """When a run of ours was finished, whose torch passed its check then."""
    record = next((one for one in runs if one.state == "finished" and one.plan["venv"]), None)
    if record is None:
        return None
    changes = stack_changes(stack_of_form(record.stack), stack_of(machine), settings=False)
    return LastGood(f"the last finished run of {_date(record.began)}", changes)


def _worse(worse: Sequence[Change], known: LastGood, good: Measured, last: Measured) -> Finding:
    count = counted(len(worse), "shape")
    where = f"conv2d, {good.date} and {last.date}"
    words = [f"{c.manner.named(c.shape)}: {c.before.words}, then {c.after.words}" for c in worse]
    evidence = (*(Evidence(each, where) for each in words[:SHOWN]), *known.evidence)
    meaning = f"Right on {good.date}, but not on {last.date}: {count}. "
    if known.changes.changed:
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
