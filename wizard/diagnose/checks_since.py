"""The check of what has changed since it last worked: a possible cause, and no fault by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from wizard.conv2d.cards.comparison import Change, compare_results
from wizard.conv2d.verdicts import RIGHT
from wizard.diagnose.changed import Changes, changes_between, changes_since, stack_changes
from wizard.diagnose.checked import fine, not_tested
from wizard.diagnose.finding import NO_CAUSE, Confidence, Evidence, Finding, Status
from wizard.diagnose.measured import Measured
from wizard.journalform import Record
from wizard.machine.facts import Machine
from wizard.machine.stack_facts import stack_of, stack_of_form

SHOWN = 3
NOT_RECORDED = "not recorded then: {}"
MEASURE = (
    "A change is not necessarily a problem. To check, measure the same shapes: rdna1-setup conv2d"
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


def since_last_good(
    measured: Sequence[Measured], runs: Sequence[Record], machine: Machine
) -> Iterator[Finding]:
    """One finding at most; nothing where it never worked, as far as is known."""
    good = next((one for one in measured if one.right), None)
    last = next((one for one in measured if one.results), None)
    if good is None or last is None:
        yield from _since_installed(runs, machine, failing=last is not None)
        return
    known = LastGood(f"the last good measurement of {good.date}", changes_since(good, machine))
    worse = [c for c in compare_results(good.results, last.results) if _is_worse(c)]
    if worse:
        between = LastGood(known.text, changes_between(good, last, machine))
        yield _worse(worse, between, good, last)
    elif last.right:
        yield _not_measured_since(known)
    elif known.changes.changed:
        yield _may_be_why(known)


def _since_installed(
    runs: Sequence[Record], machine: Machine, *, failing: bool
) -> Iterator[Finding]:
    """The same since a run of ours was finished, whose torch passed its check then."""
    record = next((one for one in runs if one.state == "finished" and one.plan["venv"]), None)
    if record is None:
        return
    then = stack_of_form(record.stack)
    changes = stack_changes(then, stack_of(machine), settings=False)
    known = LastGood(f"the last finished run of {_date(record.began)}", changes)
    if failing and changes.changed:
        yield _may_be_why(known)
    elif not failing:
        yield _not_measured_since(known)


def _worse(worse: Sequence[Change], known: LastGood, good: Measured, last: Measured) -> Finding:
    count = f"{len(worse)} shape{'s' * (len(worse) > 1)}"
    shapes = (
        Evidence(
            f"{c.manner.named(c.shape)}: {c.before.words}, then {c.after.words}",
            f"conv2d, {good.date} and {last.date}",
        )
        for c in worse[:SHOWN]
    )
    changed = bool(known.changes.changed)
    title = _title(known) if changed else f"{count} went wrong with no recorded change"
    return Finding(
        NO_CAUSE,
        Status.FAULT if changed else Status.WARNING,
        Confidence.LIKELY if changed else Confidence.POSSIBLE,
        title,
        (*shapes, *_recorded(known)),
        f"Right on {good.date}, but not on {last.date}: {count}. "
        + (
            "A change in between is the likely reason, but it is not known which one."
            if changed
            else "No recorded change happened in between."
        ),
        BACK if changed else REPEAT,
    )


def _not_measured_since(known: LastGood) -> Finding:
    missing = _missing(known)
    if known.changes.changed:
        return not_tested(NO_CAUSE, _title(known), f"{MEASURE}{missing}")
    return fine(NO_CAUSE, f"No recorded change since {known.text}{missing}")


def _may_be_why(known: LastGood) -> Finding:
    return Finding(
        NO_CAUSE,
        Status.WARNING,
        Confidence.POSSIBLE,
        _title(known),
        _recorded(known),
        "One of these changes may be why it fails now. This is not certain, because it was not "
        "measured before.",
        BACK,
    )


def _title(known: LastGood) -> str:
    return f"Since {known.text}: {known.changes.text}"


def _recorded(known: LastGood) -> tuple[Evidence, ...]:
    changed = [Evidence(each, f"since {known.text}") for each in known.changes.changed]
    if known.changes.unrecorded:
        missing = NOT_RECORDED.format(", ".join(known.changes.unrecorded))
        changed.append(Evidence(missing, known.text))
    return tuple(changed)


def _missing(known: LastGood) -> str:
    unrecorded = known.changes.unrecorded
    return f" ({NOT_RECORDED.format(', '.join(unrecorded))})" if unrecorded else ""


def _is_worse(change: Change) -> bool:
    return any(verdict not in RIGHT for verdict, _ in change.after.verdicts)


def _date(began: str) -> str:
    try:
        return datetime.fromisoformat(began).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return began[:16]
