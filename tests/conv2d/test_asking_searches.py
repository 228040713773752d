"""Searches that ask MIOpen before the first launch: on emulated cards, as real processes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.conv2d.clock import deadlines_pass_when_told
from tests.conv2d.sweeping import PATIENT, environ, sweep_of
from wizard.conv2d.candidates import Asked, Candidates, Choice, Library, NotAsked, Solver
from wizard.conv2d.journal import read_result
from wizard.conv2d.repro import row_of
from wizard.conv2d.search.experiment import foresight_of
from wizard.conv2d.search.find_limit import LimitRequest, find_limit
from wizard.conv2d.search.find_setting import find_setting
from wizard.conv2d.search.limit import Limit
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import Row, Shape
from wizard.conv2d.sweep import Note, SettingAnswer, ShapeDone, Sweep, SweepDone
from wizard.conv2d.verdicts import Loaded, Result, Verdict, result_json
from wizard.core.json_form import to_json
from wizard.knowledge.solvers import load_families
from wizard.report.conv2d import limit_lines
from wizard.report.conv2d_answers import setting_lines
from wizard.report.conv2d_row import Place, details

GEMM, WINOGRAD, DIRECT, *_ = (family.off for family in load_families())
ALL = {"GemmFwdRest": GEMM, "ConvBinWinogradRxSf2x3g1": WINOGRAD, "ConvDirectNaiveConvFwd": DIRECT}


def candidates(*names: str) -> Candidates:
    solvers = tuple(Solver(name, "", 0) for name in names)
    refused = "" if names else "miopenStatusNotImplemented"
    return Candidates((Choice("forward", solvers, (), "estimates", refused),), Library("/lib"))


@dataclass
class Miopen:
    """Names all solvers that no variable takes away."""

    names: tuple[str, ...] = tuple(ALL)
    asked: list[Row] = field(default_factory=list)

    def answer(self, row: Row) -> Asked:
        return candidates(*(name for name in self.names if ALL[name] not in row.setting))

    async def ask(self, _: Sweep, rows: Sequence[Row], __: Mapping[str, str]) -> tuple[Asked, ...]:
        self.asked.extend(rows)
        return tuple(self.answer(row) for row in rows)


class Silent(Miopen):
    """Of another API."""

    def answer(self, row: Row) -> Asked:
        return NotAsked("This MIOpen has another interface.")


@dataclass
class Found:
    """The end of a search."""

    done: SweepDone
    notes: list[str]

    @property
    def setting(self) -> SettingAnswer:
        assert self.done.setting is not None
        return self.done.setting

    @property
    def limit(self) -> Limit:
        assert self.done.limit is not None
        return self.done.limit

    @property
    def settings(self) -> list[dict[str, str]]:
        """What was launched on MIOpen without a repeat, by what was set."""
        return [dict(r.asked) for r in self.done.results if r.engine == "miopen" and r.log]


@dataclass
class Card:
    """An emulated card with a home."""

    python: str
    folder: Path
    passed: tuple[Row, ...] = ()

    def sweep(self) -> Sweep:
        sweep = sweep_of(self.python, 2, device="cuda", deadlines=PATIENT)
        return replace(sweep, warm_runs=1)

    async def setting(
        self, miopen: Miopen | None, stop_after: int = 1000, hangs: int = 9, **card: Any
    ) -> Found | None:
        request = SettingRequest(self.sweep(), hangs, largest=4, repeats=1)
        where = {} if miopen is None else {"ask": miopen.ask, "passed": self.passed}
        events = (find_setting, request, where)
        return await self._end(*events, environ(miopen=card, hip="5.7"), stop_after)

    async def limit(self, miopen: Miopen, above: int, hangs: int = 3) -> Found:
        sweep = replace(self.sweep(), rows=(Row(Shape(16, 2, 8, 8)),))
        request = LimitRequest(sweep, "size", 28, 72, hangs, 1)
        variables = environ(limits={"any": above}, hip="5.7")
        found = await self._end(find_limit, request, {"ask": miopen.ask}, variables, 1000)
        assert found is not None
        return found

    async def _end(
        self, search: Any, request: Any, where: Any, variables: dict[str, str], stop_after: int
    ) -> Found | None:
        notes, count = [], 0
        with deadlines_pass_when_told() as fifo:
            variables = {**variables, "HOME": str(self.folder), "FAKE_TORCH_HANGS": fifo}
            journal = self.folder / "journal"
            async with aclosing(
                search(request, journal=journal, environ=variables, **where)
            ) as events:
                async for event in events:
                    if isinstance(event, Note):
                        notes.append(event.text)
                    count += isinstance(event, ShapeDone)
                    if count == stop_after:
                        return None
                    if isinstance(event, SweepDone):
                        return Found(event, notes)
        raise AssertionError("a search ends with SweepDone")


@pytest.fixture
def card(worker_python: str, tmp_path: Path) -> Card:
    return Card(worker_python, tmp_path)


def text(variable: tuple[str, str]) -> str:
    return "=".join(variable)


async def test_a_setting_is_found_with_fewer_hangs_where_the_log_says_nothing(card: Card) -> None:
    helps = [[text(GEMM), text(WINOGRAD)]]
    found = await card.setting(Miopen(), helps=helps, more=True)
    assert found is not None
    assert found.setting.changes == (GEMM, WINOGRAD)
    assert found.setting.hangs <= 4
    first = found.done.results[1]
    assert first.candidates is not None
    assert result_json(first)["candidates"]["choices"][0]["solvers"][0]["name"] == "GemmFwdRest"


async def test_with_one_candidate_the_hang_bears_its_name_though_the_log_died(card: Card) -> None:
    miopen = Miopen(names=("GemmFwdRest",))
    found = await card.setting(miopen, hangs=1, helps=[["MIOPEN_FIND_MODE=NORMAL"]])
    assert found is not None
    hung = next(r for r in found.done.results if r.verdict is Verdict.HUNG)
    assert hung.candidates is not None
    assert hung.candidates.only == "GemmFwdRest"
    told = [line for each in details(row_of(hung), hung, Place("", "cuda")) for line in each.lines]
    assert any("in GemmFwdRest, the only solver that MIOpen would choose" in one for one in told)
    assert found.setting.tried[0].why == "GemmFwdRest, the only candidate"


async def test_a_set_that_leaves_no_solver_is_told_as_refused_and_never_launched(
    card: Card,
) -> None:
    miopen = Miopen(names=("GemmFwdRest",))
    found = await card.setting(miopen, helps=[["MIOPEN_FIND_MODE=NORMAL"]])
    assert found is not None
    assert found.setting.changes == (("MIOPEN_FIND_MODE", "NORMAL"),)
    assert found.setting.refused == ((GEMM,),)
    assert dict((GEMM,)) not in found.settings
    lines = "\n".join(setting_lines(found.setting, "python3"))
    assert "refused (leaves MIOpen no solver): MIOPEN_DEBUG_CONV_GEMM=0" in lines


async def test_what_is_asked_is_asked_before_the_first_launch(card: Card) -> None:
    miopen = Miopen()
    await card.setting(miopen, stop_after=2, helps=[[text(DIRECT)]], more=True)
    journal = (card.folder / "journal").read_text().splitlines()
    kinds = [next(iter(json.loads(line))) for line in journal]
    assert kinds.index("launch") > kinds.index("asked")
    assert "asked" not in kinds[kinds.index("launch") :]
    settings = {row.setting for row in miopen.asked}
    assert settings >= {(), (GEMM,), (WINOGRAD,), (DIRECT,), (GEMM, WINOGRAD)}


async def test_what_passed_elsewhere_is_asked_about_and_kept_first(card: Card) -> None:
    class Differs(Miopen):
        def answer(self, row: Row) -> Asked:
            if row.shape.kernel == 1:
                return candidates("GemmFwdRest", "ConvDirectNaiveConvFwd")
            return super().answer(row)

    card.passed = (Row(Shape(2, 2, 4, 4, kernel=1, padding=0)),)
    found = await card.setting(Differs(), helps=[[text(WINOGRAD)]], more=True)
    assert found is not None
    assert found.settings[:2] == [{}, dict((WINOGRAD,))]
    assert (found.setting.changes, found.setting.hangs) == ((WINOGRAD,), 1)


async def test_a_search_that_goes_on_uses_the_answers_of_its_first_start(card: Card) -> None:
    helps = [[text(GEMM), text(WINOGRAD)]]
    assert await card.setting(Miopen(), stop_after=4, helps=helps, more=True) is None
    again = Silent()
    found = await card.setting(again, helps=helps, more=True)
    assert found is not None
    assert again.asked == []
    assert found.setting.changes == (GEMM, WINOGRAD)
    assert all(result.asked == tuple(sorted(result.asked)) for result in found.done.results)


async def test_where_it_cannot_be_asked_it_is_said_and_all_is_as_before(
    card: Card, tmp_path: Path
) -> None:
    helps = [[text(WINOGRAD)]]
    found = await card.setting(Silent(), helps=helps)
    other = Card(card.python, tmp_path / "other")
    other.folder.mkdir()
    before = await other.setting(None, helps=helps)
    assert found is not None
    assert before is not None
    assert found.settings == before.settings
    why = "MIOpen could not be asked what it would choose from: This MIOpen has another interface."
    assert found.notes.count(why) == 1
    assert before.notes.count(why) == 0
    assert not any(result.candidates for result in found.done.results)


async def test_a_torch_for_other_cards_is_not_asked_and_nothing_is_said_of_it(card: Card) -> None:
    miopen, request = Silent(), SettingRequest(card.sweep(), 9, repeats=1)
    variables = environ()
    found = await card._end(find_setting, request, {"ask": miopen.ask}, variables, 1000)
    assert found is not None
    assert miopen.asked == []
    assert not any("MIOpen could not be asked" in note for note in found.notes)


async def test_where_a_switch_brings_other_solvers_in_all_is_as_before(
    card: Card, tmp_path: Path
) -> None:
    class FromDatabase(Miopen):
        def answer(self, row: Row) -> Asked:
            return super().answer(row) if row.setting else candidates("GemmFwdRest")

    helps = [[text(WINOGRAD)]]
    found = await card.setting(FromDatabase(), helps=helps)
    other = Card(card.python, tmp_path / "other")
    other.folder.mkdir()
    before = await other.setting(None, helps=helps)
    assert found is not None
    assert before is not None
    assert found.setting.changes == before.setting.changes == (WINOGRAD,)
    assert found.setting.skipped == 0


IMPLICIT = ("ConvCkIgemmFwdV6r1DlopsNchw", ("MIOPEN_DEBUG_CONV_IMPLICIT_GEMM", "0"))
NORMAL = ("MIOPEN_FIND_MODE", "NORMAL")


@dataclass
class Overridden:
    """MIOpen under an override to 10.3.0, asked in place of a card."""

    solvers: dict[str, tuple[str, str]]

    async def candidates(self, rows: Sequence[Row]) -> list[Candidates]:
        left = [[n for n, off in self.solvers.items() if off not in row.setting] for row in rows]
        library = Library("/lib", device="gfx1030")
        return [replace(candidates(*names), library=library) for names in left]


@pytest.mark.parametrize("more", [{}, dict([IMPLICIT])], ids=["as 5.7", "as 5.2"])
async def test_under_the_override_the_mode_that_brings_implicit_gemm_is_tried_without_the_others(
    card: Card, more: dict[str, tuple[str, str]]
) -> None:
    request = SettingRequest(card.sweep(), 9)
    experiment: Any = Overridden({**ALL, **more})
    told = await foresight_of(request, experiment, ())
    assert told is not None
    assert told.beyond == {NORMAL, GEMM, WINOGRAD, DIRECT}
    assert NORMAL in request.changes
    assert len(told.beyond) <= request.largest


class Changing(Miopen):
    """Other candidates from 43 on."""

    def answer(self, row: Row) -> Asked:
        return candidates("GemmFwdRest" if row.shape.h < 43 else "ConvDirectNaiveConvFwd")


async def test_a_limit_is_looked_for_first_where_the_solvers_change(card: Card) -> None:
    found = await card.limit(Changing(), above=42)
    assert [result.shape.h for result in found.done.results] == [42, 43]
    assert (found.limit.known.passes, found.limit.known.is_exact) == (42, True)
    assert found.limit.changes == (43,)
    assert "MIOpen's candidates change at size 43." in list(limit_lines(found.limit))


async def test_a_limit_elsewhere_is_found_all_the_same(card: Card) -> None:
    found = await card.limit(Changing(), above=30)
    assert (found.limit.known.passes, found.limit.known.is_exact) == (30, True)
    assert found.done.results[0].shape.h == 42


async def test_the_last_hang_is_not_risked_on_a_guess(card: Card) -> None:
    found = await card.limit(Changing(), above=30, hangs=1)
    assert [result.shape.h for result in found.done.results] == [28, 29, 30, 31]


def test_a_result_keeps_its_candidates_on_disk() -> None:
    result = Result(
        Shape(1, 1, 8, 8), "miopen", Verdict.PASS, "", 1, Loaded(), candidates=candidates("GEMM")
    )
    assert read_result(json.loads(json.dumps(to_json(result)))) == result
