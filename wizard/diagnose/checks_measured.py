"""What Conv2d last came to on the card as findings: hangs by class, wrong numbers, passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from wizard.advice.card import chosen_card, target_of
from wizard.advice.leftovers import short_path
from wizard.conv2d.verdicts import RIGHT, Result, Verdict
from wizard.conv2d.words.meaning import MEANINGS, WORDS, next_steps, noun_of
from wizard.conv2d.worker import miopen_log
from wizard.conv2d.worker.hang_classes import NEXT_STEPS, HangClass
from wizard.diagnose.blamed import HANG, blamed, foreign_override
from wizard.diagnose.changed import Changes, changes_since
from wizard.diagnose.checked import fine, found, not_tested
from wizard.diagnose.explain import explain
from wizard.diagnose.finding import NO_CAUSE, Confidence, Evidence, Finding, Status
from wizard.diagnose.measured import Measured, together
from wizard.knowledge.causes import load_causes
from wizard.machine.facts import Machine
from wizard.sizes import capitalized

ALIKE_SHOWN = 4
LONGEST = 200
LONGEST_TROUBLE = 400
LOST = (
    "The measurement was killed, or the machine froze or restarted, while the card was working "
    "on this shape. The shape may be the cause."
)
MEASURE = "To measure it one size at a time: rdna1-setup conv2d --python DIR/bin/python"
BY_USE = (Verdict.OUT_OF_MEMORY,)
"""Verdicts that no fault of the stack explains."""

Group = tuple[Result, ...]
"""Results that failed in the same way."""
Blame = tuple[str, Confidence, int]
"""A cause, how sure it is, and a number that tells unknown ones apart."""


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
    for blame, groups in _by_cause(last.results, machine).items():
        yield _failed(blame, groups, last, changes, machine)
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
    where = f"conv2d, {last.date}"
    return found(
        HANG,
        (Evidence(f"{last.suspect}: launched, and no verdict", where),),
        Confidence.POSSIBLE,
        status=Status.WARNING,
        title=f"{last.suspect} was launched on {last.date} and never finished",
        meaning=LOST,
        fix=(again, *load_causes()[HANG].fix[1:]),
    )


def not_measured(last: Measured) -> Finding:
    """What kept a sweep from its first shape, with the cause that its words prove."""
    proved = [one for one in explain(last.trouble.encode()).findings if one.counts]
    cause = load_causes().get(proved[0].cause) if proved else None
    return found(
        cause.id if cause else NO_CAUSE,
        (Evidence(last.trouble[:LONGEST_TROUBLE], f"conv2d, {last.date}"),),
        proved[0].confidence if proved else Confidence.CERTAIN,
        status=Status.FAULT if cause else Status.WARNING,
        title=f"Conv2d could not be measured on {last.date}",
        meaning="" if cause else "Nothing was measured. The line above says why.",
        fix=() if cause else ("Fix that problem, then measure again: rdna1-setup conv2d",),
    )


def _groups(results: Sequence[Result]) -> Iterator[Group]:
    """Results that failed in the same way, the way that came first at the front."""
    alike: dict[tuple[Verdict, str | None, str | None], list[Result]] = {}
    for result in results:
        if result.verdict not in (*RIGHT, Verdict.UNUSABLE):
            key = (result.verdict, result.hang_class, result.cause)
            alike.setdefault(key, []).append(result)
    return (tuple(group) for group in alike.values())


def _by_cause(results: Sequence[Result], machine: Machine) -> dict[Blame, list[Group]]:
    """Ways to fail by what is behind them; ways of which nobody knows that, each by itself."""
    causes: dict[Blame, list[Group]] = {}
    for number, group in enumerate(_groups(results)):
        cause, sure = blamed(group, _card(machine))
        same = next((blame for blame in causes if blame[0] == cause != NO_CAUSE), None)
        causes.setdefault(same or (cause, sure, number), []).append(group)
    return causes


def _failed(
    blame: Blame, groups: list[Group], last: Measured, changes: Changes, machine: Machine
) -> Finding:
    cause, sure, _ = blame
    known = load_causes().get(cause)
    classes = [c for c in (_class_of(group) for group in groups) if c]
    slow = groups[0][0].verdict in BY_USE or (cause == NO_CAUSE and bool(classes))
    verdicts = {group[0].verdict for group in groups}
    what_else = known.fix if known else next_steps(groups[0][0], verdicts, on_cpu=False)
    meanings = dict.fromkeys(_meaning(group[0]) for group in groups)
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


def _class_of(group: Group) -> HangClass | None:
    return next((each for each in HangClass if each.value == group[0].hang_class), None)


def _meaning(result: Result) -> str:
    return capitalized(MEANINGS[result.verdict])


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
    if line and (stage := miopen_log.read((line,))):
        subject = f": {stage.subject}" if stage.subject else ""
        yield Evidence(f"{stage.stage.value}{subject}", "the last line of MIOpen's log")
    if last.loaded.torch:
        at = short_path(last.environment, machine) if last.environment else where
        yield Evidence(f"torch {last.loaded.torch}", at)
    if setting := foreign_override(results[0]):
        yield Evidence(setting, where)


def _passed(last: Measured, changes: Changes) -> Finding:
    on = f" on {last.loaded.device}" if last.loaded.device else ""
    slow = Counter(result.verdict for result in last.results)[Verdict.SLOW]
    but = f", {slow} of them slow" if slow else ""
    partly = "" if last.finished else " (not finished)"
    before = f", before this changed: {changes.text}" if changes.changed else ""
    total = len(last.results)
    title = (
        f"{total} of {total} {noun_of(last.results)}{'s' * (total > 1)} right{but} on {last.date} "
        f"with torch {last.loaded.torch}{on}{partly}{before}"
    )
    return fine(HANG, title)


def _counted(group: Sequence[Result], last: Measured) -> str:
    total = len(last.results)
    return f"{len(group)} of {total} {noun_of(last.results)}{'s' * (total > 1)}"


def _card(machine: Machine) -> str:
    card = chosen_card(machine)
    return f"{card.name} ({target_of(card)})" if card else ""
