"""The families and the ways past MIOpen against one another, in real processes."""

from __future__ import annotations

import re
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from tests.conv2d.clock import deadlines_pass_when_told
from tests.conv2d.made import made
from tests.conv2d.sweeping import PATIENT, end_of, environ, of_type, small, sweep_of
from wizard.conv2d.search.compare_settings import CompareRequest, compare, rivals
from wizard.conv2d.sweep import Note, ShapeStarted, SweepEvent, WorkerStarted
from wizard.conv2d.verdicts import Verdict
from wizard.report.conv2d_answers import comparison_lines

HIP = {"FAKE_TORCH_HIP": "5.2"}
RIVALS = {rival.name: rival for rival in rivals()}
WINOGRAD = [f"{name}={value}" for name, value in RIVALS["only Winograd"].setting]
DIRECT = [f"{name}={value}" for name, value in RIVALS["only direct"].setting]
GEMM = [f"{name}={value}" for name, value in RIVALS["only GEMM"].setting]


async def compared(
    python: str, folder: Path, variables: dict[str, str], *, hangs: int = 9, stop_after: int = 999
) -> list[SweepEvent]:
    """The events of a comparison over two shapes, of which one may be cut off."""
    sweep = replace(
        sweep_of(python), rows=(small(3), small(4)), device="cuda", deadlines=PATIENT, warm_runs=1
    )
    found: list[SweepEvent] = []
    with deadlines_pass_when_told() as fifo:
        variables = {**variables, **HIP, "HOME": str(folder), "FAKE_TORCH_HANGS": fifo}
        stream = compare(CompareRequest(sweep, hangs), journal=folder / "j", environ=variables)
        async with aclosing(stream) as events:
            async for event in events:
                found.append(event)
                if len(of_type(found, ShapeStarted)) == stop_after:
                    break
    return found


async def test_every_rival_is_measured_on_every_shape_that_passes(
    worker_python: str, short_home: Path
) -> None:
    miopen = {"helps": [[], WINOGRAD], "wrong": [DIRECT], "raises": [[]], "more": False}
    miopen["raises"] = [
        [f"{name}={value}" for name, value in rival.setting]
        for rival in rivals()
        if rival.name in ("only GEMM", "only implicit GEMM", "only FFT")
    ]
    events = await compared(worker_python, short_home, environ({4: "raise"}, miopen=miopen))
    done = end_of(events)
    assert done.trouble is None
    found = {
        (result.shape.c_out, result.engine, result.asked): result.verdict for result in done.results
    }
    assert len(found) == 2 + len(rivals()) - 1
    assert found[4, "miopen", ()] is Verdict.ERROR
    assert found[3, "miopen", ()] is Verdict.PASS
    assert found[3, "miopen", RIVALS["only Winograd"].setting] is Verdict.PASS
    assert found[3, "miopen", RIVALS["only direct"].setting] is Verdict.WRONG
    assert found[3, "miopen", RIVALS["only GEMM"].setting] is Verdict.ERROR
    assert found[3, "native", ()] is Verdict.PASS
    assert not any(result.log for result in done.results)
    folders = [
        dict(result.loaded.setting)["MIOPEN_USER_DB_PATH"]
        for result in done.results
        if result.shape.c_out == 3 and result.engine == "miopen"
    ]
    assert len(set(folders)) == len(folders)
    lines = list(comparison_lines(done.results))
    assert any(re.fullmatch(r"  only Winograd +pass +[\d.]+ ms +[\d.]+ times", x) for x in lines)
    assert any(re.fullmatch(r"  only direct +wrong .*", line) for line in lines)
    assert not any("not measured" in line for line in lines if line.startswith("  "))
    assert sum(line.startswith("  unchanged") for line in lines) == 2
    assert max(map(len, lines)) < 80


async def test_a_comparison_that_was_ended_goes_on(worker_python: str, tmp_path: Path) -> None:
    variables = environ(miopen={"helps": [[], WINOGRAD, GEMM], "raises": [DIRECT]})
    await compared(worker_python, tmp_path, variables, stop_after=5)
    known = (tmp_path / "j").read_text().count('"outcome"')
    events = await compared(worker_python, tmp_path, variables, hangs=99)
    done = end_of(events)
    assert len(done.results) == 2 * len(rivals())
    assert len(of_type(events, ShapeStarted)) == len(done.results) - known
    assert len(of_type(events, WorkerStarted)) <= len(rivals())


def test_forward_and_backward_of_one_shape_are_told_apart() -> None:
    lines = list(comparison_lines([made(warm_s=0.001), made(work="backward", warm_s=0.002)]))
    assert [line for line in lines if line.startswith("  unchanged")] == [
        "  unchanged           pass               1.00 ms",
        "  unchanged           pass               2.00 ms",
    ]
    assert made(work="backward").label in lines


async def test_on_a_processor_only_what_differs_there_is_measured_and_nothing_is_missing(
    worker_python: str, tmp_path: Path
) -> None:
    request = CompareRequest(sweep_of(worker_python, 3), 3)
    stream = compare(request, journal=tmp_path / "j", environ=environ())
    async with aclosing(stream) as events:
        done = end_of([event async for event in events])
    assert [(result.engine, result.asked) for result in done.results] == [
        ("cpu", ()),
        ("unfold", ()),
    ]
    lines = list(comparison_lines(done.results))
    assert [line.split()[0] for line in lines[1:3]] == ["unchanged", "unfold"]
    assert "not measured" not in "".join(lines)
    assert "native engine are" in " ".join(lines)


async def test_the_hangs_that_were_allowed_end_it(worker_python: str, tmp_path: Path) -> None:
    events = await compared(
        worker_python, tmp_path, environ(miopen={"helps": [[]], "more": False}), hangs=1
    )
    done = end_of(events)
    assert [result.verdict for result in done.results] == [
        Verdict.PASS,
        Verdict.PASS,
        Verdict.HUNG,
    ]
    assert "not measured" in "\n".join(comparison_lines(done.results))
    assert any("were not measured" in note.text for note in of_type(events, Note))
