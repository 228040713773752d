"""The smallest setting on an emulated card: a MIOpen that obeys its variables, in processes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conv2d.clock import deadlines_pass_when_told
from tests.conv2d.sweeping import PATIENT, environ, small, sweep_of
from wizard.conv2d.search.find_setting import find_setting
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import Row, Shape, result_bytes
from wizard.conv2d.sweep import EngineTried, Note, SettingAnswer, ShapeDone, SweepDone
from wizard.conv2d.verdicts import Result, Verdict
from wizard.conv2d.worker.process import kill_tree
from wizard.knowledge.solvers import load_families

GEMM, WINOGRAD, DIRECT, *_ = (family.off for family in load_families())
ONLY_DIRECT = next(family.alone for family in load_families() if family.name == "direct")
PAIR = [f"{name}={value}" for name, value in (GEMM, WINOGRAD)]
BLAMED = ["GEMM", "WINOGRAD"]


@dataclass(slots=True)
class Machine:
    """A home and an emulated card, on which searches are run as real processes."""

    python: str
    folder: Path
    hangs: int = 3
    largest: int = 2
    row: Row = field(default_factory=lambda: small(2))
    spawn: bool = False
    kill: Callable[[int], None] = kill_tree
    notes: list[str] = field(default_factory=list)

    def request(self) -> SettingRequest:
        deadlines = PATIENT if self.kill is kill_tree else replace(PATIENT, killed=0.2)
        sweep = sweep_of(self.python, spawn=self.spawn, deadlines=deadlines)
        sweep = replace(sweep, rows=(self.row,), warm_runs=1)
        return SettingRequest(sweep, self.hangs, largest=self.largest)

    def variables(self, **miopen: Any) -> dict[str, str]:
        return {**environ(miopen=miopen), "HOME": str(self.folder)}

    async def search(
        self, variables: dict[str, str], stop_after: int = 1000
    ) -> tuple[SettingAnswer | None, tuple[Result, ...]]:
        """The answer and all that was measured; no answer where it was stopped before."""
        results: list[Result] = []
        with deadlines_pass_when_told() as fifo:
            variables = {**variables, "FAKE_TORCH_HANGS": fifo}
            journal = self.folder / "journal"
            stream = find_setting(
                self.request(), journal=journal, environ=variables, kill=self.kill
            )
            async with aclosing(stream) as events:
                async for event in events:
                    if isinstance(event, ShapeDone):
                        results.append(event.result)
                    if isinstance(event, Note):
                        self.notes.append(event.text)
                    if len(results) == stop_after:
                        return None, tuple(results)
                    if isinstance(event, SweepDone):
                        assert tuple(results) == event.results
                        return event.setting, event.results
        raise AssertionError("a search ends with SweepDone")

    async def answer(self, **miopen: Any) -> SettingAnswer:
        """What a search on a card with this MIOpen comes to."""
        answer, _ = await self.search(self.variables(**miopen))
        assert answer is not None
        return answer

    @property
    def launches(self) -> int:
        return (self.folder / "journal").read_text().count('"launch"')

    @property
    def outcomes(self) -> int:
        return (self.folder / "journal").read_text().count('"outcome"')


@pytest.fixture
def machine(worker_python: str, tmp_path: Path) -> Machine:
    return Machine(worker_python, tmp_path)


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path) -> object:
    """No process outlives its search, and no database."""
    yield None
    assert psutil.Process().children(recursive=True) == []
    cache = tmp_path / ".cache" / "rdna1-setup" / "conv2d"
    assert not cache.exists() or list(cache.iterdir()) == []


async def test_a_log_that_names_its_kernels_leads_straight_to_the_only_pair_that_helps(
    machine: Machine,
) -> None:
    answer = await machine.answer(helps=[PAIR], blames=BLAMED)
    assert answer.changes == (GEMM, WINOGRAD)
    assert (answer.is_smallest, answer.is_complete) == (True, False)  # three hangs, none is left
    machine.hangs = 4
    answer = await machine.answer(helps=[PAIR], blames=BLAMED)
    assert (answer.changes, answer.is_smallest, answer.is_complete) == (
        (GEMM, WINOGRAD),
        True,
        True,
    )
    assert (answer.passes, answer.repeats, answer.hangs) == (3, 3, 3)
    assert [tried.why for tried in answer.tried] == ["GEMM", "Winograd", "", "GEMM"]
    assert answer.engines[0].verdict == "pass"
    assert None not in (answer.warm_s, answer.cold_s)


async def test_gradients_larger_than_the_result_have_room_from_the_first_measurement_on(
    machine: Machine,
) -> None:
    machine.row = Row(Shape(16, 2, 16, 16), work="backward")
    assert result_bytes(machine.row) > 4 * machine.row.shape.out_bytes > 4096
    answer = await machine.answer(helps=[PAIR], blames=BLAMED)
    assert (answer.stopped, answer.changes) == ("", (GEMM, WINOGRAD))
    assert answer.engines[0].verdict == "pass"


async def test_without_a_log_the_only_pair_that_helps_is_found_all_the_same(
    machine: Machine,
) -> None:
    machine.hangs, pair = 100, (WINOGRAD, DIRECT)
    answer = await machine.answer(helps=[[f"{name}={value}" for name, value in pair]])
    assert answer.changes == tuple(sorted(pair))
    assert (answer.is_smallest, answer.is_complete, answer.passes) == (True, True, 3)


async def test_a_larger_set_that_passes_is_thinned_out(machine: Machine) -> None:
    machine.hangs, machine.largest = 100, 4
    answer = await machine.answer(helps=[PAIR], more=True)
    assert (answer.changes, answer.is_smallest) == ((GEMM, WINOGRAD), True)
    assert max(len(tried.changes) for tried in answer.tried) == 4


async def test_a_setting_that_passes_with_wrong_numbers_is_rejected(machine: Machine) -> None:
    machine.hangs = 100
    answer = await machine.answer(wrong=[[PAIR[0]]], helps=[["MIOPEN_DEBUG_CONV_DIRECT=0"]])
    assert answer.changes == (DIRECT,)
    verdicts = {tried.changes: tried.verdict for tried in answer.tried}
    assert verdicts[(GEMM,)] == "wrong"


async def test_wrong_numbers_lead_to_the_algorithm_that_made_them(machine: Machine) -> None:
    answer = await machine.answer(
        wrong=[[], [PAIR[0]]], helps=[PAIR], blames=["GEMM", "WINOGRAD", "DIRECT"]
    )
    assert (answer.changes, answer.is_smallest, answer.hangs) == ((GEMM, WINOGRAD), True, 1)
    assert [(tried.verdict, tried.why) for tried in answer.tried] == [
        ("wrong", "GEMM"),
        ("wrong", "Winograd"),
        ("pass", "direct"),
        ("hung", "GEMM"),
    ]


async def test_a_single_solver_is_tried_by_itself(machine: Machine) -> None:
    machine.hangs = 100
    answer = await machine.answer(helps=[["=".join(ONLY_DIRECT)]])
    assert answer.changes == (ONLY_DIRECT,)


async def test_where_nothing_needs_to_change_nothing_is_spent(machine: Machine) -> None:
    answer = await machine.answer(helps=[[]])
    assert (answer.changes, answer.is_smallest, answer.hangs) == ((), True, 0)
    assert answer.unchanged_s is not None
    assert answer.engines == ()


@pytest.mark.parametrize("native", ["", "wrong"])
async def test_where_nothing_helps_it_says_so_and_what_the_ways_past_miopen_came_to(
    machine: Machine, native: str
) -> None:
    machine.largest, miopen = 1, {"raises": [[]], "more": True, "native": native}
    variables = machine.variables(**miopen)
    if native:  # the control goes past MIOpen too
        answer, results = await machine.search(variables)
        assert answer is not None
        assert "a tiny convolution without MIOpen failed" in answer.stopped
        assert (answer.changes, len(results)) == (None, 1)
        return
    answer, results = await machine.search(variables)
    assert answer is not None
    assert (answer.changes, answer.is_complete, answer.hangs) == (None, True, 0)
    assert [(each.engine, each.verdict) for each in answer.engines] == [
        ("native", "pass"),
        ("unfold", "pass"),
    ]
    assert len(answer.tried) == answer.possible
    assert len(results) == answer.possible + 3  # the control, and two ways past MIOpen


async def test_a_spent_budget_ends_it_with_what_is_known_and_more_hangs_go_on(
    machine: Machine,
) -> None:
    machine.hangs = 2
    answer = await machine.answer(helps=[["MIOPEN_DEBUG_CONV_DIRECT=0"]])
    assert (answer.changes, answer.is_complete, answer.hangs) == (None, False, 2)
    assert [tried.changes for tried in answer.tried] == [(), (GEMM,)]
    assert isinstance(answer.engines[0], EngineTried)
    before = machine.launches
    machine.hangs = 9
    answer = await machine.answer(helps=[["MIOPEN_DEBUG_CONV_DIRECT=0"]])
    assert (answer.changes, answer.is_complete, answer.hangs) == ((DIRECT,), True, 3)
    assert machine.launches - before == 1 + 1 + 3  # Winograd, direct, and direct again


async def test_a_budget_that_is_spent_on_the_way_down_keeps_what_passed(machine: Machine) -> None:
    machine.hangs, machine.largest = 16, 4
    answer = await machine.answer(helps=[PAIR], more=True)
    assert answer.changes is not None
    assert {GEMM, WINOGRAD} < set(answer.changes)
    assert (answer.is_smallest, answer.is_complete, answer.repeats) == (False, False, 0)


@pytest.mark.parametrize("stop_after", [1, 5])
async def test_a_search_that_was_ended_goes_on_from_its_journal(
    machine: Machine, stop_after: int
) -> None:
    machine.hangs = 5
    variables = machine.variables(helps=[PAIR], blames=BLAMED)
    _, before = await machine.search(variables, stop_after)
    launched, known = machine.launches, machine.outcomes
    assert known >= stop_after
    answer, results = await machine.search(variables)
    assert answer is not None
    assert (answer.changes, answer.is_complete) == ((GEMM, WINOGRAD), True)
    assert results[:stop_after] == before
    assert machine.launches - launched == len(results) - known


async def test_what_was_found_under_one_setting_counts_for_no_other(machine: Machine) -> None:
    """Or the empty set would pass once anything has: it was found in the same databases."""
    machine.hangs = 100
    answer = await machine.answer(helps=[["MIOPEN_DEBUG_CONV_DIRECT=0"]])
    assert (answer.changes, answer.passes) == ((DIRECT,), 3)
    own = machine.folder / "own"
    own.mkdir()
    (own / "found").touch()  # in the user's databases, where an earlier run has passed
    variables = machine.variables(helps=[["MIOPEN_DEBUG_CONV_DIRECT=0"]])
    again, _ = await machine.search({**variables, "MIOPEN_USER_DB_PATH": str(own)})
    assert again is not None
    assert again.changes == (DIRECT,)
    assert [path.name for path in own.iterdir()] == ["found"]


async def test_a_venv_that_sets_a_variable_otherwise_ends_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine.folder / "sitecustomize.py").write_text(
        "import os\nif 'MIOPEN_DEBUG_CONV_GEMM' in os.environ:\n"
        "    os.environ['MIOPEN_DEBUG_CONV_GEMM'] = '1'\n"
    )
    variables = machine.variables(helps=[PAIR])
    path = f"{machine.folder}:{variables['PYTHONPATH']}"
    answer, _ = await machine.search({**variables, "PYTHONPATH": path})
    assert answer is not None
    assert "MIOPEN_DEBUG_CONV_GEMM=0 did not reach the measuring process" in answer.stopped
    assert answer.changes is None


async def test_it_is_found_in_processes_of_their_own_too(machine: Machine) -> None:
    machine.spawn, machine.hangs = True, 4
    answer = await machine.answer(helps=[PAIR], blames=BLAMED)
    assert (answer.changes, answer.passes, answer.hangs) == ((GEMM, WINOGRAD), 3, 3)


async def test_a_process_that_cannot_be_killed_ends_it_with_what_is_known(machine: Machine) -> None:
    spared: list[int] = []
    machine.kill = spared.append
    answer, results = await machine.search(machine.variables(helps=[PAIR], blames=BLAMED))
    assert answer is not None
    assert (answer.changes, answer.is_complete, answer.hangs) == (None, False, 1)
    assert [tried.changes for tried in answer.tried] == [()]
    assert results[1].hang_class == "unkillable"


async def test_every_result_says_what_was_asked_for_and_what_it_hung_in(
    machine: Machine, short_home: Path
) -> None:
    variables = machine.variables(helps=[PAIR], blames=BLAMED)
    _, results = await machine.search({**variables, "HOME": str(short_home)})
    control, unchanged, native, _, first, *_ = results
    assert (control.asked, control.verdict) == ((), Verdict.PASS)
    assert unchanged.log_line == "MIOpen(HIP): Info2 [PrepareInvoker] Preparing kernel: Im2d2Col"
    assert (unchanged.log, native.log) == (True, False)
    assert (first.asked, first.verdict) == ((GEMM,), Verdict.HUNG)
    assert dict(first.loaded.setting)["MIOPEN_DEBUG_CONV_GEMM"] == "0"
    folders = {
        dict(result.loaded.setting)["MIOPEN_USER_DB_PATH"] for result in (unchanged, native, first)
    }
    assert len(folders) == 3


def test_the_sets_are_those_of_the_variables_that_act() -> None:
    asked = SettingRequest(sweep_of("python3", 2), 1)
    pairs = [pair for pair in combinations(asked.changes, 2) if len(dict(pair)) == 2]
    assert len(asked.changes) == 9
    assert len(pairs) == 33
    assert {name for name, _ in asked.alone} == {"MIOPEN_DEBUG_FIND_ONLY_SOLVER"}
