"""Events and requests as JSON: what comes back is what was written, whatever it is."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conv2d.sweeping import sweep_of
from wizard.conv2d.candidates import Candidates, Choice, Library, Solver
from wizard.conv2d.requests import (
    KINDS,
    Request,
    described,
    name_of,
    request_form,
    request_of,
    with_hangs,
)
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.find_limit import AXES, LimitRequest
from wizard.conv2d.search.limit import Known, Limit
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest
from wizard.conv2d.shapes import DTYPE_BYTES, Published, Row, Shape, load_operations
from wizard.conv2d.sweep import (
    DeadlineMoved,
    Deadlines,
    DeviceFound,
    EngineTried,
    Note,
    Phase,
    SettingAnswer,
    SetTried,
    ShapeDone,
    ShapeStarted,
    StopReason,
    Sweep,
    SweepDone,
    SweepEnvironment,
    SweepEvent,
    WorkerStarted,
    event_line,
    event_of,
)
from wizard.conv2d.verdicts import Control, Loaded, Result, Verdict

WORDS = st.text(max_size=20)
NUMBERS = st.integers(-(2**40), 2**40)
SECONDS = st.floats(allow_nan=False, width=64)
PAIRS = st.lists(st.tuples(WORDS, WORDS), max_size=3).map(tuple)


def maybe(values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | values


SHAPES = st.builds(
    Shape,
    c_in=st.sampled_from([2, 16]),
    c_out=st.sampled_from([4, 64]),
    h=st.integers(8, 512),
    w=st.integers(8, 512),
    kernel=st.sampled_from([1, 3, 7]),
    padding=st.integers(0, 3),
    n=st.integers(1, 9),
    stride=st.integers(1, 3),
    groups=st.sampled_from([1, 2]),
    dtype=st.sampled_from(sorted(DTYPE_BYTES)),
    bias=st.booleans(),
)
PUBLISHED = st.builds(
    Published, WORDS, maybe(SECONDS), maybe(SECONDS), maybe(NUMBERS), WORDS, WORDS
)
OPERATIONS = st.sampled_from(load_operations())
ROWS = st.builds(
    Row, SHAPES, maybe(PUBLISHED), WORDS, PAIRS, WORDS, st.booleans(), maybe(OPERATIONS)
)
LOADED = st.builds(
    Loaded, *[maybe(WORDS)] * 4, libraries=st.lists(WORDS, max_size=2).map(tuple), setting=PAIRS
)
NAMES = st.lists(WORDS, max_size=2).map(tuple)
SOLVERS = st.builds(Solver, WORDS, WORDS, NUMBERS, maybe(SECONDS))
CHOICES = st.builds(Choice, WORDS, st.lists(SOLVERS, max_size=2).map(tuple), NAMES, WORDS, WORDS)
CANDIDATES = st.builds(
    Candidates,
    st.lists(CHOICES, max_size=2).map(tuple),
    st.builds(Library, *[WORDS] * 4, PAIRS),
)
RESULTS = st.builds(
    Result,
    shape=SHAPES,
    engine=WORDS,
    verdict=st.sampled_from(list(Verdict)),
    detail=WORDS,
    runs=NUMBERS,
    loaded=LOADED,
    cold_s=maybe(SECONDS),
    warm_s=maybe(SECONDS),
    max_abs_error=maybe(SECONDS),
    nonfinite=maybe(NUMBERS),
    tolerance=maybe(SECONDS),
    memory_bytes=maybe(NUMBERS),
    hang_class=maybe(WORDS),
    because=maybe(WORDS),
    phase=maybe(WORDS),
    process=maybe(WORDS),
    published=maybe(PUBLISHED),
    failed=NUMBERS,
    rate=maybe(WORDS),
    cause=maybe(WORDS),
    control=maybe(st.builds(Control, WORDS, st.sampled_from(list(Verdict)), WORDS)),
    asked=PAIRS,
    log=st.booleans(),
    log_line=maybe(WORDS),
    work=WORDS,
    operation=maybe(WORDS),
    part=maybe(WORDS),
    candidates=maybe(CANDIDATES),
)
LIMITS = st.builds(
    Limit,
    WORDS,
    NUMBERS,
    st.builds(Known, NUMBERS, NUMBERS, NUMBERS),
    NUMBERS,
    NUMBERS,
    st.lists(NUMBERS, max_size=2).map(tuple),
)
ANSWERS = st.builds(
    SettingAnswer,
    SHAPES,
    maybe(PAIRS),
    st.booleans(),
    st.booleans(),
    *[NUMBERS] * 4,
    *[maybe(SECONDS)] * 3,
    st.lists(st.builds(EngineTried, WORDS, WORDS, maybe(SECONDS)), max_size=2).map(tuple),
    st.lists(st.builds(SetTried, PAIRS, WORDS, WORDS), max_size=2).map(tuple),
    NUMBERS,
    WORDS,
    st.lists(PAIRS, max_size=2).map(tuple),
    NUMBERS,
)
EVENTS: dict[type[SweepEvent], st.SearchStrategy[SweepEvent]] = {
    WorkerStarted: st.builds(WorkerStarted, NUMBERS, LOADED, WORDS),
    DeviceFound: st.builds(DeviceFound, LOADED),
    ShapeStarted: st.builds(ShapeStarted, NUMBERS, NUMBERS, ROWS, SECONDS),
    Phase: st.builds(Phase, NUMBERS, WORDS, maybe(SECONDS)),
    DeadlineMoved: st.builds(DeadlineMoved, NUMBERS, WORDS, WORDS, SECONDS),
    ShapeDone: st.builds(ShapeDone, NUMBERS, NUMBERS, RESULTS),
    Note: st.builds(Note, WORDS),
    SweepDone: st.builds(
        SweepDone,
        st.lists(RESULTS, max_size=2).map(tuple),
        maybe(st.builds(StopReason, WORDS, WORDS, WORDS)),
        SECONDS,
        maybe(LIMITS),
        maybe(ANSWERS),
    ),
}
DEADLINES = st.builds(Deadlines, *[SECONDS] * 8)
SWEEPS = st.builds(
    Sweep,
    WORDS,
    st.lists(ROWS, max_size=2).map(tuple),
    st.sampled_from(["cpu", "cuda"]),
    NUMBERS,
    NUMBERS,
    st.booleans(),
    SECONDS,
    maybe(st.integers(1, 20)),
    DEADLINES,
    st.builds(SweepEnvironment, st.booleans(), st.booleans(), st.booleans()),
)
REQUESTS: dict[type[Request], st.SearchStrategy[Request]] = {
    Sweep: SWEEPS,
    LimitRequest: st.builds(LimitRequest, SWEEPS, st.sampled_from(sorted(AXES)), *[NUMBERS] * 4),
    SettingRequest: st.builds(SettingRequest, SWEEPS, *[NUMBERS] * 3),
    CompareRequest: st.builds(CompareRequest, SWEEPS, NUMBERS),
    WorkaroundRequest: st.builds(WorkaroundRequest, SWEEPS, NUMBERS),
}


def test_every_event_and_every_request_is_tried() -> None:
    assert set(EVENTS) == set(get_args(SweepEvent))
    assert set(REQUESTS) == set(KINDS.values()) == set(get_args(Request))


@given(st.one_of(*EVENTS.values()))
def test_an_event_comes_back_as_it_was_written(event: SweepEvent) -> None:
    line = event_line(event)
    assert line.index(b"\n") == len(line) - 1
    back = event_of(line)
    assert back == event
    assert type(back) is type(event)


@given(st.one_of(*REQUESTS.values()))
def test_a_request_comes_back_as_it_was_written(request: Request) -> None:
    assert request_of(request_form(request)) == request


def test_text_that_is_no_unicode_survives() -> None:
    event = Note("a path \udcff of bytes")
    assert event_of(event_line(event)) == event


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"7", b'{"event": "Later"}', b'{"event": "Note"}', b'{"event": ["Note"]}'],
)
def test_a_line_that_is_no_event_is_none(line: bytes) -> None:
    assert event_of(line) is None


@given(st.one_of(*EVENTS.values()), st.data())
def test_a_torn_line_is_none(event: SweepEvent, data: st.DataObject) -> None:
    line = event_line(event)
    assert event_of(line[: data.draw(st.integers(0, len(line) - 2))]) is None


@pytest.mark.parametrize("form", [{}, {"kind": "later"}, {"kind": "sweep"}, {"kind": []}])
def test_a_form_that_is_no_request_is_refused(form: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a request"):
        request_of(form)


def test_more_hangs_go_on_with_a_sweep_and_begin_another_search() -> None:
    sweep = sweep_of("python", 3, 4)
    assert name_of(with_hangs(sweep, 1), {}) == name_of(with_hangs(sweep, 2), {})
    one, two = (LimitRequest(sweep, "size", 1, 9, hangs) for hangs in (1, 2))
    assert name_of(one, {}) != name_of(two, {})
    assert name_of(with_hangs(one, 1), {}) == name_of(one, {})
    assert name_of(one, {"HSA_X": "1"}) != name_of(one, {})


def test_more_hangs_go_on_with_a_search_for_a_setting() -> None:
    sweep = sweep_of("python", 3, 4)
    one, two = (SettingRequest(sweep, hangs) for hangs in (1, 2))
    assert name_of(one, {}) == name_of(two, {})
    assert name_of(one, {}) != name_of(SettingRequest(sweep_of("python", 3), 1), {})
    assert name_of(CompareRequest(sweep, 1), {}) == name_of(CompareRequest(sweep, 2), {})


def test_a_request_is_told_in_a_few_words() -> None:
    sweep = sweep_of("python", 3)
    assert described(sweep) == "1 shape on cpu"
    assert described(sweep_of("python", 3, 4, device="cuda")) == "2 shapes on cuda"
    search = LimitRequest(sweep, "size", 1, 9, 1)
    assert described(search) == "limit of size in 1-9 on cpu"
    assert described(SettingRequest(sweep, 1)) == "setting for 2->3 3x3 @4x4 on cpu"
    assert described(CompareRequest(sweep, 1)) == "comparison of settings on cpu"
