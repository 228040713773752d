"""Carries out the search for the smallest setting that makes a shape right, on the card itself.

First a tiny convolution past MIOpen: where even that fails, nothing else would mean anything, and
where it passes a hang is no fault of forking. Then the shape as it is, the ways past MIOpen, which
are what is offered where no setting helps, and then sets of variables, as ``setting_search`` asks
for them. MIOpen is asked beforehand what the sets would leave it to choose from. What passes is
measured again, each time by a new process with empty databases and without MIOpen's log, as a
program would have it; a set that fails then counts as one that never passed.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wizard.conv2d.client import carried_out
from wizard.conv2d.search.experiment import Experiment, foresight_of, hangs_spent
from wizard.conv2d.search.setting_search import (
    ENGINES,
    BudgetSpent,
    Change,
    Changes,
    Foresight,
    SettingRequest,
    SmallestSet,
    Tried,
    count_of,
    culprit_of,
    family_in,
    find_smallest_set,
)
from wizard.conv2d.shapes import Row, Setting, Shape
from wizard.conv2d.sweep import EngineTried, SettingAnswer, SetTried, SweepEvent, isolated
from wizard.conv2d.verdicts import Result, Verdict

CONTROL = Shape(1, 1, 8, 8, kernel=1, padding=0)
"""So small that only a card or a torch that is broken altogether fails on it."""
LONGEST_VALUE = 80
"""Of the value of a variable, as the worker tells it."""
CONTROL_FAILED = (
    "Even a tiny convolution without MIOpen failed ({0}). The cause is the card or torch itself, "
    "so no MIOpen setting can help."
)
NOT_IN_FORCE = (
    "{0}={1} did not reach the measuring process ({0} is {2} there). Something that this Python "
    "runs at startup changes it. Measure with another environment."
)


def find_setting(
    request: SettingRequest, *, passed: Sequence[Row] = (), **where: Any
) -> AsyncGenerator[SweepEvent, None]:
    """The events of a search, as those of a sweep, with the answer in the last one.

    ``passed`` are rows that passed elsewhere on the same card and torch, ``where`` is what
    ``carried_out`` takes too. What is tried comes out of what was measured alone:
    an unfinished search is gone on with from its journal, also with more hangs allowed.
    """
    row = request.row_under(frozenset())

    async def find(experiment: Experiment) -> SettingAnswer:
        return await _Search(request, experiment, passed).find()

    may_ask = (row, replace(row, shape=CONTROL))
    return carried_out(isolated(request.sweep), find, (), may_ask, **where)


@dataclass(slots=True)
class _Search:
    """What is known while it goes on."""

    request: SettingRequest
    experiment: Experiment
    passed: Sequence[Row] = ()
    spent: int = 0
    foresight: Foresight | None = None
    refused: set[Changes] = field(default_factory=set)
    """Sets that leave MIOpen nothing to choose from: never launched."""
    results: dict[Changes, Result] = field(default_factory=dict)
    refuted: set[Changes] = field(default_factory=set)
    """Sets that passed once, and not again."""
    engines: list[EngineTried] = field(default_factory=list)
    repeats: list[Result] = field(default_factory=list)
    """Of the set that was found last."""
    stopped: str = ""

    async def find(self) -> SettingAnswer:
        """What the search comes to."""
        nothing = self.request.row_under(frozenset())
        await self.experiment.assemble(nothing)
        # Before anything can hang: afterwards MIOpen might not answer any more.
        self.foresight = await foresight_of(self.request, self.experiment, self.passed)
        found = SmallestSet(None, False, False)
        if await self._is_sound(replace(nothing, shape=CONTROL, engine=ENGINES[0])):
            found = await self._smallest()
        return self._answer(found)

    async def _smallest(self) -> SmallestSet:
        """The smallest set that passes again and again."""
        asked = self.request
        while True:
            what = (asked.changes, asked.largest, asked.alone)
            found = await find_smallest_set(self._try, *what, foresight=self.foresight)
            if found.changes is None or self.stopped or await self._holds(found.changes):
                return found

    async def _try(self, changes: Changes) -> Tried:
        foresight = self.foresight
        if changes and foresight and changes <= foresight.switches and not foresight.left(changes):
            self.refused.add(changes)
            return Tried(passed=False)
        if changes not in self.results:
            self.results[changes] = await self._launched(self.request.row_under(changes))
            if not changes and not _is_right(self.results[changes]):
                await self._try_engines()
        passed = _is_right(self.results[changes]) and changes not in self.refuted
        return Tried(passed, culprit_of(self.results[changes]))

    async def _try_engines(self) -> None:
        for engine in ENGINES:
            row = replace(self.request.row_under(frozenset(), log=False), engine=engine)
            result = await self._launched(row)
            self.engines.append(EngineTried(engine, result.verdict.value, result.warm_s))

    async def _holds(self, changes: Changes) -> bool:
        """True when the set passes again, each time from nothing; also when no more may be risked,
        for then ``repeats`` tells how often it did."""
        self.repeats = []
        row = self.request.row_under(changes, log=False)
        try:
            while len(self.repeats) < self.request.repeats:
                await self.experiment.renew()
                self.repeats.append(await self._launched(row))
                if not _is_right(self.repeats[-1]):
                    self.refuted.add(changes)
                    return False
        except BudgetSpent:
            pass
        return True

    async def _is_sound(self, row: Row) -> bool:
        try:
            result = await self._launched(row)
        except BudgetSpent:
            return False
        if result.verdict is not Verdict.PASS:
            self.stopped = CONTROL_FAILED.format(result.detail or result.verdict.value)
        return not self.stopped

    async def _launched(self, row: Row) -> Result:
        """Its result; raises BudgetSpent when nothing more may be risked, or can be measured."""
        if self.spent >= self.request.hangs or self.stopped:
            raise BudgetSpent
        result = await self.experiment.measure(row)
        if result is None:
            raise BudgetSpent
        self.spent += hangs_spent(result)
        if (wrong := _not_in_force(row.setting, result)) is not None:
            name, value = wrong
            there = dict(result.loaded.setting).get(name, "not set")
            self.stopped = NOT_IN_FORCE.format(name, value, there)
            raise BudgetSpent
        return result

    def _answer(self, found: SmallestSet) -> SettingAnswer:
        repeats = self.repeats if found.changes is not None else []
        passes = sum(map(_is_right, repeats))
        unchanged = self.results.get(frozenset())
        right = found.changes is not None
        asked, first = self.request, repeats[0] if passes else None
        return SettingAnswer(
            shape=asked.row.shape,
            changes=None if found.changes is None else tuple(sorted(found.changes)),
            is_smallest=found.is_smallest,
            is_complete=found.is_complete and (not right or passes == asked.repeats),
            hangs=self.spent,
            allowed=asked.hangs,
            passes=passes,
            repeats=len(repeats),
            cold_s=None if first is None else first.cold_s,
            warm_s=None if first is None else first.warm_s,
            unchanged_s=None if unchanged is None else unchanged.warm_s,
            engines=tuple(self.engines),
            tried=tuple(self._tried(changes) for changes in self.results),
            refused=tuple(tuple(sorted(changes)) for changes in self.refused),
            skipped=found.skipped,
            possible=count_of(asked.changes, asked.largest, asked.alone),
            stopped=self.stopped,
        )

    def _tried(self, changes: Changes) -> SetTried:
        result, family = self.results[changes], family_in(self.results[changes])
        only = "" if result.candidates is None else result.candidates.only
        why = "" if family is None else family.name
        if only and not _is_right(result):
            why = f"{only}, the only candidate"
        if changes in self.refuted:
            why = "not right when measured again"
        return SetTried(tuple(sorted(changes)), result.verdict.value, why)


def _is_right(result: Result) -> bool:
    """In time and with right numbers; what comes back slowly every time helps nobody."""
    return result.verdict is Verdict.PASS


def _not_in_force(setting: Setting, result: Result) -> Change | None:
    """A variable that the measuring process did not have as asked; None where all were."""
    # A process of its own that never came back may not have told.
    if result.loaded.torch is None or (result.process != "fork" and result.cold_s is None):
        return None
    there = dict(result.loaded.setting)
    wrong = (item for item in setting if there.get(item[0]) != item[1][:LONGEST_VALUE])
    return next(wrong, None)
