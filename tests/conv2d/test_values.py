"""Shapes, presets, verdicts and pipes: what needs no process."""

from __future__ import annotations

import json
import math
import os
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets import conv2d_worker
from wizard.conv2d.shapes import DTYPE_BYTES, Published, Shape, find_preset, load_presets, square
from wizard.conv2d.verdicts import Loaded, Result, Verdict, judge, result_json, tolerance
from wizard.conv2d.worker.process import LONGEST_LINE, Lines, Tail


def test_a_label_says_what_is_not_usual() -> None:
    assert square(16, 32, 64).label == "16->32 3x3 @64x64"
    odd = Shape(4, 8, 30, 20, kernel=5, padding=0, n=2, stride=2, groups=4, dtype="float16")
    assert odd.label == "4->8 5x5 @30x20 batch 2 stride 2 padding 0 groups 4 float16"


@pytest.mark.parametrize(
    "wrong",
    [{"h": 0}, {"groups": 3}, {"dtype": "int8"}, {"kernel": 9, "padding": 1}, {"padding": -1}],
)
def test_what_is_no_convolution_is_refused(wrong: dict[str, int | str]) -> None:
    with pytest.raises(ValueError, match=r"must|divide|not one of|fit"):
        Shape(**{"c_in": 4, "c_out": 4, "h": 5, "w": 5, **wrong})  # type: ignore[arg-type]


def test_the_size_of_a_result_counts_stride_and_dilation() -> None:
    shape = Shape(1, 2, 9, 11, kernel=3, padding=1, stride=2, dilation=2)
    assert (shape.out_h, shape.out_w, shape.out_bytes) == (4, 5, 2 * 4 * 5 * 4)


def test_the_default_preset_holds_the_shapes_that_are_said_to_hang() -> None:
    (default, *_) = load_presets()
    assert default.id == "default"
    expected = [square(c, 2 * c, size) for c in (16, 32, 64) for size in (32, 44, 48, 64, 224)]
    assert [row.shape for row in default.rows] == expected


def test_every_preset_says_where_it_comes_from_and_what_to_beware_of() -> None:
    presets = load_presets()
    assert len({preset.id for preset in presets}) == len(presets)
    for preset in presets:
        assert preset.title
        assert preset.source
        assert len(preset.caution.split()) > 10
        for row in preset.rows:
            published = row.published
            assert published is None or (published.verdict in ("pass", "hung"))
            assert published is None or "notes 00" in published.source
            assert published is None or _names_its_rocm(published)


def _names_its_rocm(published: Published) -> bool:
    """Its text has the release; where it has none, two, or a MIOpen of its own, there is no one."""
    named = set(re.findall(r"(?:ROCm |\+rocm)(\d+\.\d+)", published.text))
    is_one = len(named) == 1 and not re.search("and later|built by the author", published.text)
    return published.rocm == (named.pop() if is_one else None)


@pytest.mark.parametrize(
    ("name", "label", "cold_s", "warm_s"),
    [
        ("notes000-sizes", "3->64 3x3 @512x512", 0.433, None),
        ("notes000-channels", "256->512 3x3 @64x64", 2.43, None),
        ("notes000-kernels", "64->64 7x7 @64x64", 2.599, None),
        ("notes000-batches", "3->64 3x3 @64x64 batch 16", 0.354, None),
        ("notes001-test", "3->64 3x3 @224x224", 0.180, None),
        ("notes001-timings", "3->64 3x3 @128x128", 1.934, 0.042),
        ("notes003", "16->32 3x3 @32x32", 0.23, None),
    ],
)
def test_published_figures_stand_beside_their_shape(
    name: str, label: str, cold_s: float, warm_s: float | None
) -> None:
    preset = find_preset(name)
    assert preset is not None
    published = {row.shape.label: row.published for row in preset.rows}[label]
    assert published is not None
    assert (published.verdict, published.cold_s, published.warm_s) == ("pass", cold_s, warm_s)


def test_published_hangs_stand_beside_their_shape() -> None:
    preset = find_preset("notes002")
    assert preset is not None
    hung = [
        row.shape.label for row in preset.rows if row.published and row.published.verdict == "hung"
    ]
    assert "16->32 3x3 @64x64" in hung
    assert "16->32 3x3 @32x32" not in hung


@pytest.mark.parametrize("reduction", [1, 27, 576, 4096])
def test_the_tolerance_lies_between_rounding_and_a_missing_product(reduction: int) -> None:
    allowed = tolerance(Shape(reduction, 1, 1, 1, kernel=1, padding=0))
    source = random.Random(reduction)  # noqa: S311 - numbers to compute with
    worst = 0.0
    for _ in range(40):
        terms = [
            source.gauss(0, 1) * source.gauss(0, 1) / math.sqrt(reduction) for _ in range(reduction)
        ]
        rounded = 0.0
        for term in terms:
            rounded = in_float32(rounded + in_float32(term))
        worst = max(worst, abs(rounded - math.fsum(terms)))
    assert 5 * worst < allowed < 0.2 / math.sqrt(reduction)


def in_float32(value: float) -> float:
    """The number rounded as float32 rounds it."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * 2**24), exponent - 24)


def test_shorter_formats_are_allowed_more() -> None:
    base = square(16, 32, 32)
    allowed = [
        tolerance(replace(base, dtype=name))
        for name in ("float64", "float32", "float16", "bfloat16")
    ]
    assert allowed == sorted(allowed)
    assert allowed[-1] < 0.1
    assert set(DTYPE_BYTES) == set(conv2d_worker.DTYPE_BYTES)


def test_numbers_are_judged_by_finiteness_first() -> None:
    assert judge(1e-6, 0, 1e-5) == (Verdict.PASS, "")
    assert judge(1e-4, 0, 1e-5)[0] is Verdict.WRONG
    assert judge(None, 7, 1e-5) == (
        Verdict.WRONG,
        "7 numbers in the result are infinite or not a number",
    )


def test_the_json_form_is_flat_and_has_the_contracted_names() -> None:
    loaded = Loaded("2.0", "5.2", "card", "gfx1010", (), (("HSA_X", "1"),))
    form = result_json(Result(square(16, 32, 64), "miopen", Verdict.HUNG, "why", 1, loaded))

    assert {
        "shape", "engine", "setting", "gfx", "torch", "verdict", "runs", "cold_s", "warm_s",
        "max_abs_error", "nonfinite", "tolerance", "hang_class",
    } <= set(form)  # fmt: skip
    assert form["shape"]["label"] == "16->32 3x3 @64x64"
    assert (form["verdict"], form["setting"], form["gfx"]) == ("hung", {"HSA_X": "1"}, "gfx1010")
    json.dumps(form, allow_nan=False)


EVENTS = st.lists(st.dictionaries(st.text(), st.integers()).map(lambda d: {**d, "event": "x"}))


@given(EVENTS, st.integers(1, 20))
def test_events_are_the_same_however_they_are_cut(
    events: list[dict[str, object]], step: int
) -> None:
    data = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    lines = Lines()
    for start in range(0, len(data), step):
        lines.data_received(data[start : start + step])
    assert [lines.queue.get_nowait() for _ in events] == events
    assert lines.queue.empty()


@given(st.lists(st.binary(max_size=50)))
def test_no_bytes_at_all_break_the_reader_of_events(chunks: list[bytes]) -> None:
    lines = Lines()
    for chunk in chunks:
        lines.data_received(chunk)
    lines.data_received(b"\n" + b'{"event": "still here"}\n')
    received = [lines.queue.get_nowait() for _ in range(lines.queue.qsize())]
    assert {"event": "still here"} in received


def test_a_line_without_an_end_is_dropped_before_it_grows() -> None:
    lines = Lines()
    for _ in range(100):
        lines.data_received(b"x" * LONGEST_LINE)
    lines.data_received(b'\n{"event": "after"}\n')
    assert lines.queue.get_nowait() == {"event": "after"}


def test_the_tail_shows_the_last_printable_words() -> None:
    tail = Tail()
    tail.data_received(b"x" * 10_000 + b"\nMIOpen(HIP): Error\n\x1b[31m\xff\nAborted\n")
    assert tail.text().endswith("MIOpen(HIP): Error | [31m\N{REPLACEMENT CHARACTER} | Aborted")
    assert len(tail.text()) <= 300


def test_a_parent_that_holds_a_device_is_found_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    device = tmp_path / "kfd"
    device.write_text("")
    monkeypatch.setattr(conv2d_worker, "GPU_DEVICES", (str(device),))
    assert conv2d_worker.gpu_devices_held() == []
    descriptor = os.open(device, os.O_RDONLY)
    assert conv2d_worker.gpu_devices_held() == [str(device)]
    os.close(descriptor)
