"""Rows with a setting of their own: measured by a parent of their own, and told so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.conv2d.sweeping import (
    PATIENT,
    end_of,
    environ,
    events_of,
    notes_of,
    of_type,
    results_of,
    small,
    sweep_of,
    verdicts_of,
)
from wizard.conv2d.hangs import Sources
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import DeadlineMoved, Sweep, SweepEnvironment, WorkerStarted
from wizard.conv2d.verdicts import Verdict, result_json
from wizard.report.conv2d import sweep_lines

GEMM, DIRECT = ("MIOPEN_DEBUG_CONV_GEMM", "0"), ("MIOPEN_DEBUG_CONV_DIRECT", "0")


def sweep_over(python: str, *rows: Row) -> Sweep:
    return replace(sweep_of(python), rows=rows)


def home(folder: Path) -> dict[str, str]:
    return {**environ(), "HOME": str(folder)}


async def test_each_setting_has_a_parent_and_databases_of_its_own(
    worker_python: str, tmp_path: Path, short_home: Path
) -> None:
    plain, gemm = small(3), replace(small(3), setting=(GEMM,))
    events = await events_of(
        sweep_over(worker_python, plain, gemm, plain, gemm), tmp_path, home(short_home)
    )
    results = results_of(events)
    assert len(of_type(events, WorkerStarted)) == 2
    assert [result.asked for result in results] == [(), (GEMM,), (), (GEMM,)]
    assert [dict(result.loaded.setting).get(GEMM[0]) for result in results] == [
        None,
        "0",
        None,
        "0",
    ]
    assert "MIOPEN_USER_DB_PATH" not in dict(results[0].loaded.setting)
    own = dict(results[1].loaded.setting)["MIOPEN_USER_DB_PATH"]
    assert own.startswith(str(short_home / ".cache/rdna1-setup/conv2d"))
    assert not Path(own).exists()
    assert result_json(results[1])["asked"] == {GEMM[0]: "0"}


async def test_plain_rows_make_no_folder(worker_python: str, tmp_path: Path) -> None:
    await events_of(sweep_of(worker_python, 3, 4), tmp_path, home(tmp_path))
    assert not (tmp_path / ".cache").exists()


async def test_no_more_than_a_few_parents_live_at_once(worker_python: str, tmp_path: Path) -> None:
    rows = [
        replace(small(3), setting=(("MIOPEN_FIND_MODE", str(mode)),)) for mode in (1, 2, 3, 4, 1)
    ]
    events = await events_of(sweep_over(worker_python, *rows), tmp_path, home(tmp_path))
    assert verdicts_of(events) == [Verdict.PASS] * 5
    # The four, and the first again: it had gone to make room for the fourth.
    assert len(of_type(events, WorkerStarted)) == 5


async def test_a_log_is_asked_for_and_its_last_line_is_in_the_result(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ(miopen={"helps": [["MIOPEN_DEBUG_CONV_GEMM=0"]], "blames": ["GEMM"]})
    rows = [replace(small(3), log=True, setting=(GEMM,)), replace(small(3), log=True), small(3)]
    events = await events_of(
        sweep_over(worker_python, *rows), tmp_path, {**variables, "HOME": str(tmp_path)}
    )
    assert len(of_type(events, WorkerStarted)) == 3
    right, named, silent = results_of(events)
    assert (right.verdict, right.log, right.log_line) == (Verdict.PASS, True, None)
    assert named.log_line == "MIOpen(HIP): Info2 [PrepareInvoker] Preparing kernel: Im2d2Col"
    assert (silent.verdict, silent.log, silent.log_line) == (Verdict.HUNG, False, None)


async def test_growth_of_a_settings_own_databases_moves_the_deadline(
    worker_python: str, tmp_path: Path
) -> None:
    looks = iter(range(100))
    cache = tmp_path / ".cache"

    def end_with_the_third_look() -> None:
        if next(looks) == 2:
            (folder,) = cache.glob("rdna1-setup/conv2d/run-*/0/kernels")
            (folder / "enough").touch()

    sources = Sources(end_with_the_third_look)
    row = replace(small(4), setting=(GEMM,))
    sweep = replace(sweep_over(worker_python, row), deadlines=replace(PATIENT, look=0.5))
    variables = {**environ({4: "compile"}), "HOME": str(tmp_path)}
    events = await events_of(sweep, tmp_path, variables, sources=sources)
    assert verdicts_of(events) == [Verdict.PASS]
    assert of_type(events, DeadlineMoved)[0].why == "compiling"


async def test_databases_are_kept_where_that_is_asked_for_and_named(
    worker_python: str, tmp_path: Path
) -> None:
    row = replace(small(3), setting=(GEMM,))
    sweep = replace(sweep_over(worker_python, row), environment=SweepEnvironment(keep=True))
    events = await events_of(sweep, tmp_path, home(tmp_path))
    (kept,) = (tmp_path / ".cache/rdna1-setup/conv2d-kept").iterdir()
    assert notes_of(events) == [f"MIOpen's databases are kept in {kept}."]


async def test_where_no_databases_can_be_made_nothing_is_measured(
    worker_python: str, tmp_path: Path
) -> None:
    (tmp_path / ".cache").write_text("in the way")
    row = replace(small(3), setting=(GEMM,))
    events = await events_of(sweep_over(worker_python, row), tmp_path, home(tmp_path))
    done = end_of(events)
    assert done.results == ()
    assert done.trouble is not None
    assert "Not a directory" in done.trouble.happened


async def test_the_table_names_the_setting_and_that_a_log_was_on(
    worker_python: str, tmp_path: Path
) -> None:
    long = ("MIOPEN_DEBUG_FIND_ONLY_SOLVER", "GemmFwdRest;GemmBwdRest;GemmWrwUniversal")
    rows = [small(3), replace(small(3), setting=(GEMM,)), replace(small(3), setting=(long,))]
    rows = [replace(row, log=True) for row in rows]
    events = await events_of(sweep_over(worker_python, *rows), tmp_path, home(tmp_path))
    lines = list(sweep_lines(results_of(events)))
    assert any("2->3 3x3 @4x4 with MIOPEN_DEBUG_CONV_GEMM=0" in line for line in lines)
    assert "MIOpen's logging was on, which slows down every call." in lines
    assert max(map(len, lines)) < 80
