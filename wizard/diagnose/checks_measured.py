"""Checks of what Conv2d last came to on the card, and of what has changed since it last worked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from wizard.advice.card import chosen_card, target_of
from wizard.advice.leftovers import short_path
from wizard.conv2d import hangs
from wizard.conv2d.cards.comparison import Change, compare_results
from wizard.conv2d.hangs import NEXT_STEPS, HangClass
from wizard.conv2d.text import MEANINGS, next_steps
from wizard.conv2d.verdicts import RIGHT, WORDS, Result, Verdict, noun_of
from wizard.core.amounts import capitalized, counted
from wizard.core.journal import Record
from wizard.diagnose.conclusions import is_foreign, override_hangs
from wizard.diagnose.explain import explain
from wizard.diagnose.finding import HANG, NO_CAUSE, Confidence, Evidence, Finding, Status
from wizard.diagnose.measurements import (
    DATE,
    Changes,
    Measured,
    changes_between,
    changes_since,
    stack_changes,
    together,
)
from wizard.diagnose.outcomes import fine, found, not_tested, warned
from wizard.knowledge.causes import load_causes
from wizard.knowledge.variables import OVERRIDE
from wizard.machine.facts import Machine
from wizard.machine.stack_facts import stack_of, stack_of_form

ALIKE_SHOWN = 4
LONGEST = 200
LONGEST_TROUBLE = 400
LOST = (
    "The measurement was killed, or the machine froze or restarted, while the card was working "
    "on this shape. The shape may be the cause."
)
NOT_MEASURED = "Nothing was measured. The line above says why."
AGAIN = "Fix that problem, then measure again: rdna1-setup conv2d"
MEASURE = "To measure it one size at a time: rdna1-setup conv2d --python DIR/bin/python"
PROGRESSING = (HangClass.COMPILING.value, HangClass.SEARCHING.value)
"""What only takes its time: no fault of the card or of its driver."""
OWN_WORDS = re.compile(r"\s*Known cause: .*", re.DOTALL)
"""What this program says itself behind a text that it knows."""

Group = tuple[Result, ...]
"""Results that failed in the same way."""
Failure = tuple[str, Confidence, list[Group]]
"""A cause, how sure it is, and what failed of it."""


def measurement(measured: Sequence[Measured], machine: Machine) -> Iterator[Finding]:
    """What the sweeps of the card say, the last word on each shape, each way to fail once."""
    last = together(measured)
    if last is None:
        yield not_tested(HANG, "Conv2d has not been measured on this card yet", MEASURE)
        return
    if last.under_way:
        title = f"A measurement started on {last.date} is still running"
        yield not_tested(HANG, title, "To follow it: rdna1-setup conv2d --attach")
    changes = changes_since(last, machine)
    for failure in _failures(last.results, machine):
        yield _failed(failure, last, changes, machine)
    if last.suspect:
        yield lost(last)
    if last.trouble:
        yield not_measured(last)
    left = [result for result in last.results if result.verdict is Verdict.UNUSABLE]
    if left:
        title = f"{_counted(left, last)} were not measured on {last.date}"
        yield not_tested(HANG, title, MEANINGS[Verdict.UNUSABLE])
    if last.results and all(result.verdict in RIGHT for result in last.results):
        yield _passed(last, changes)


def lost(last: Measured) -> Finding:
    """A launch that took the whole experiment with it, or the machine."""
    again = "To continue and try this shape once more: rdna1-setup conv2d"
    fix = (again, *load_causes()[HANG].fix[1:])
    evidence = (Evidence(f"{last.suspect}: launched, and no verdict", f"conv2d, {last.date}"),)
    title = f"{last.suspect} was launched on {last.date} and never finished"
    return warned(HANG, evidence, Confidence.POSSIBLE, title=title, meaning=LOST, fix=fix)


def not_measured(last: Measured) -> Finding:
    """What kept a sweep from its first shape, with the cause that its words prove."""
    proved = next((one for one in explain(last.trouble.encode()).findings if one.counts), None)
    sure = proved.confidence if proved else Confidence.CERTAIN
    evidence = (Evidence(last.trouble[:LONGEST_TROUBLE], f"conv2d, {last.date}"),)
    title = f"Conv2d could not be measured on {last.date}"
    if proved and proved.cause in load_causes():
        return found(proved.cause, evidence, sure, title=title)
    return warned(NO_CAUSE, evidence, sure, title=title, meaning=NOT_MEASURED, fix=(AGAIN,))


def _failures(results: Sequence[Result], machine: Machine) -> Iterable[Failure]:
    """Ways to fail by what is behind them; ways of which nobody knows that, each by itself."""
    alike: dict[tuple[object, ...], list[Result]] = {}
    for result in results:
        if result.verdict not in (*RIGHT, Verdict.UNUSABLE):
            alike.setdefault((result.verdict, result.hang_class, result.cause), []).append(result)
    card = chosen_card(machine)
    named = f"{card.name} ({target_of(card)})" if card else ""
    failures: dict[object, Failure] = {}
    for way, group in alike.items():
        cause, sure = blamed(group, named)
        key = way if cause == NO_CAUSE else cause
        failures.setdefault(key, (cause, sure, []))[2].append(tuple(group))
    return failures.values()


def _failed(failure: Failure, last: Measured, changes: Changes, machine: Machine) -> Finding:
    cause, sure, groups = failure
    known, first = load_causes().get(cause), groups[0][0]
    classes = [each for group in groups for each in HangClass if each.value == group[0].hang_class]
    # No fault of the stack explains either.
    slow = first.verdict is Verdict.OUT_OF_MEMORY or (cause == NO_CAUSE and bool(classes))
    verdicts = {group[0].verdict for group in groups}
    what_else = known.fix if known else next_steps(first, verdicts, on_cpu=False)
    meanings = dict.fromkeys(capitalized(MEANINGS[group[0].verdict]) for group in groups)
    return found(
        cause,
        _evidence(groups, last, changes, machine),
        Confidence.POSSIBLE if changes.changed else sure,
        status=Status.WARNING if slow or changes.changed else Status.FAULT,
        title=_title(groups, last),
        meaning=" ".join((*meanings, *((known.meaning,) if known else ()))),
        fix=(*(NEXT_STEPS[each] for each in dict.fromkeys(classes)), *what_else),
    )


def _title(groups: list[Group], last: Measured) -> str:
    """For example ``2 of 6 shapes failed on 2026-01-04 03:04: 1 hung (driver), 1 wrong``."""
    if len(groups) > 1:
        ways = ", ".join(f"{len(group)} {_way(group)}" for group in groups)
        every = [result for group in groups for result in group]
        return f"{_counted(every, last)} failed on {last.date}: {ways}"
    (group,) = groups
    is_state = group[0].verdict in (Verdict.WRONG, Verdict.FLAKY)
    verb = ("was " if len(group) == 1 else "were ") if is_state else ""
    return f"{_counted(group, last)} {verb}{_way(group)} on {last.date}"


def _way(group: Group) -> str:
    kind = f" ({group[0].hang_class})" if group[0].hang_class else ""
    return f"{WORDS[group[0].verdict]}{kind}"


def _evidence(
    groups: list[Group], last: Measured, changes: Changes, machine: Machine
) -> Iterator[Evidence]:
    where = f"conv2d, {last.date}"
    if changes.changed:
        yield Evidence(f"measured before this changed: {changes.text}", where)
    for group in groups:
        said = group[0].because or group[0].detail or WORDS[group[0].verdict]
        yield Evidence(f"{group[0].label}: {said[:LONGEST]}", where)
        if more := [result.label for result in group[1:]]:
            rest = f" and {len(more) - ALIKE_SHOWN} more" if len(more) > ALIKE_SHOWN else ""
            yield Evidence(f"same result: {', '.join(more[:ALIKE_SHOWN])}{rest}", where)
    results = [result for group in groups for result in group]
    line = next((result.log_line for result in results if result.log_line), None)
    if line and (stage := hangs.read(line)):
        subject = f": {stage.subject}" if stage.subject else ""
        yield Evidence(f"{stage.stage.value}{subject}", "the last line of MIOpen's log")
    if last.loaded.torch:
        at = short_path(last.environment, machine) if last.environment else where
        yield Evidence(f"torch {last.loaded.torch}", at)
    if setting := foreign_override(results[0]):
        yield Evidence(setting, where)


def _passed(last: Measured, changes: Changes) -> Finding:
    on = f" on {last.loaded.device}" if last.loaded.device else ""
    slow = sum(result.verdict is Verdict.SLOW for result in last.results)
    but = f", {slow} of them slow" if slow else ""
    partly = "" if last.finished else " (not finished)"
    before = f", before this changed: {changes.text}" if changes.changed else ""
    right = f"{_counted(last.results, last)} right{but} on {last.date}"
    return fine(HANG, f"{right} with torch {last.loaded.torch}{on}{partly}{before}")


def _counted(group: Sequence[Result], last: Measured) -> str:
    return f"{len(group)} of {counted(len(last.results), noun_of(last.results))}"


def blamed(results: Sequence[Result], card: str) -> tuple[str, Confidence]:
    """The cause of results that failed in the same way, and how sure that is.

    ``card``: what was measured, for example ``Radeon RX 5600 XT (gfx1010)``.
    """
    first = results[0]
    if first.verdict is Verdict.OUT_OF_MEMORY:
        return "out-of-vram", Confidence.CERTAIN
    if first.hang_class in PROGRESSING:
        return NO_CAUSE, Confidence.CERTAIN
    if proved := _proved(results, card):
        return proved.cause, proved.confidence
    if first.verdict in (Verdict.HUNG, Verdict.FLAKY):
        return HANG, Confidence.CERTAIN if first.verdict is Verdict.HUNG else Confidence.LIKELY
    if first.verdict is Verdict.WRONG and foreign_override(first):
        late = override_hangs(first.loaded.torch or "")
        return "override-isa-mismatch", Confidence.LIKELY if late else Confidence.POSSIBLE
    return NO_CAUSE, Confidence.CERTAIN


def foreign_override(result: Result) -> str:
    """The setting that made the card pass for another one, as it was in force; ``""`` for none."""
    in_force = (*result.loaded.setting, *result.asked)
    told = [(n, v) for n, v in in_force if n.startswith(OVERRIDE) and is_foreign(v)]
    return "=".join(told[-1]) if told else ""


def _proved(results: Sequence[Result], card: str) -> Finding | None:
    """What the reader of pasted texts finds in all that was said about these results."""
    found = explain("\n".join(_told(results, card)).encode()).findings
    return next((one for one in found if one.counts and one.confidence.firm), None)


def _told(results: Sequence[Result], card: str) -> Iterator[str]:
    """The measurement as a text: what it ran on, then what each said."""
    first = results[0]
    yield card
    yield f"torch=={first.loaded.torch}" if first.loaded.torch else ""
    yield from (f"{name}={value}" for name, value in (*first.loaded.setting, *first.asked))
    for result in results:
        yield OWN_WORDS.sub("", result.detail)
        yield result.because or ""
        yield result.log_line or ""
    if first.verdict in (Verdict.HUNG, Verdict.FLAKY):
        yield "The convolution hangs."


SHOWN = 3
MEASURE_AGAIN = (
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
        yield not_tested(NO_CAUSE, known.title, f"{MEASURE_AGAIN}{missing}")
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
