"""Whole models as data, and how many of their layers pass."""

from __future__ import annotations

import pytest

from tests.conv2d.made import made
from wizard.conv2d.models import load_models, model_of, model_verdicts
from wizard.conv2d.shapes import Preset, find_preset, rows_of
from wizard.conv2d.verdicts import Result, Verdict
from wizard.report.conv2d import model_lines, so_far_line

MODELS = load_models()
LAYERS = {
    "resnet50": (53, 25_557_032),
    "mobilenetv3": (62, 5_483_032),
    "yolov8n": (64, 3_157_200),
    "unet": (19, 31_037_698),
    "vae-decoder": (36, 49_490_199),
}
"""Calls of Conv2d and learned numbers, as the models' papers and packages count them."""


def model(name: str) -> Preset:
    found = find_preset(name)
    assert found is not None
    return found


def results_of(preset: Preset, *failing: int) -> list[Result]:
    """Every shape passes but those at these places."""
    return [
        made(row.shape, Verdict.HUNG if place in failing else Verdict.PASS)
        for place, row in enumerate(preset.rows)
    ]


def test_every_model_is_there_with_all_of_its_layers() -> None:
    found = {p.id: sum(p.model.times) for p in MODELS if p.model is not None}
    assert found == {name: calls for name, (calls, _) in LAYERS.items()}


@pytest.mark.parametrize("preset", MODELS, ids=lambda preset: preset.id)
def test_its_layers_are_distinct_and_have_no_more_numbers_than_the_model(preset: Preset) -> None:
    shapes = [row.shape for row in preset.rows]
    assert len(set(shapes)) == len(shapes)
    assert preset.model is not None
    layers = zip(shapes, preset.model.times, strict=True)
    numbers = sum((s.c_out * (s.reduction + s.bias)) * times for s, times in layers)
    _, parameters = LAYERS[preset.id]
    assert 0.1 * parameters < numbers <= parameters


@pytest.mark.parametrize("preset", MODELS, ids=lambda preset: preset.id)
def test_every_image_comes_out_of_another_layer_or_is_the_first(preset: Preset) -> None:
    """Heights and widths of a model follow from one another: a wrong row would stand alone."""
    shapes = [row.shape for row in preset.rows]
    sizes = {(s.out_h, s.out_w) for s in shapes}
    first = (shapes[0].h, shapes[0].w)
    for shape in shapes:
        below = {(shape.h, shape.w), (shape.h * 2, shape.w * 2), (shape.h // 2, shape.w // 2)}
        pooled = (shape.h, shape.w) == (1, 1)
        anchors = (
            shape.h * shape.w == sum((size // 8) * (size // 8) for size in (640, 320, 160)) * 4
        )
        assert pooled or anchors or below & sizes or (shape.h, shape.w) == first


def test_a_model_is_told_by_the_layers_that_pass() -> None:
    resnet = model("resnet50")
    times = resnet.model.times if resnet.model else ()
    failing = times.index(4)
    (verdict,) = model_verdicts(results_of(resnet, failing))
    assert verdict.headline == "ResNet-50: 49 of 53 layers"
    assert not verdict.passes
    (layers,) = verdict.failing
    assert (layers.times, layers.verdict) == (4, Verdict.HUNG)


def test_a_layer_that_failed_once_does_not_pass() -> None:
    resnet = model("resnet50")
    again = made(resnet.rows[0].shape, Verdict.HUNG)
    (verdict,) = model_verdicts([*results_of(resnet), again, *results_of(resnet)])
    assert verdict.passed == 52


def test_slow_is_right_in_the_end() -> None:
    resnet = model("resnet50")
    slow = [made(row.shape, Verdict.SLOW) for row in resnet.rows]
    (verdict,) = model_verdicts(slow)
    assert verdict.passes


def test_each_engine_has_a_verdict_of_its_own() -> None:
    resnet = model("resnet50")
    native = [made(row.shape, engine="native") for row in resnet.rows]
    found = model_verdicts([*results_of(resnet, 0), *native])
    assert [(v.manner.engine, v.passed) for v in found] == [("miopen", 52), ("native", 53)]


def test_what_was_not_measured_does_not_pass_and_is_told_apart() -> None:
    resnet = model("resnet50")
    results = results_of(resnet)[:-2]
    lost = made(resnet.rows[-2].shape, Verdict.UNUSABLE)
    (verdict,) = model_verdicts([*results, lost])
    assert len(verdict.unmeasured) == 2
    assert not verdict.failing
    assert verdict.passed < verdict.total


def test_a_few_shapes_say_nothing_of_a_model() -> None:
    assert model_verdicts(results_of(model("resnet50"))[:3]) == ()
    assert list(model_lines(())) == []


@pytest.mark.parametrize("preset", MODELS, ids=lambda preset: preset.id)
def test_its_lines_fit_80_columns_and_name_what_fails(preset: Preset) -> None:
    verdicts = model_verdicts(results_of(preset, *range(len(preset.rows))))
    lines = list(model_lines(verdicts))
    assert max(map(len, lines)) < 80
    assert f"{preset.model.name if preset.model else ''}: 0 of" in lines[0]
    assert any("hung" in line for line in lines)


def test_a_model_is_told_in_one_line_from_its_first_layer_on() -> None:
    resnet = find_preset("resnet50")
    assert resnet is not None
    assert so_far_line(resnet, ()) == "ResNet-50: none of 53 layers measured yet"
    results = [made(row.shape) for row in resnet.rows]
    told = so_far_line(resnet, results[:3])
    assert told == "ResNet-50: 5 of 53 layers right, 48 not measured yet"
    results[2] = made(resnet.rows[2].shape, Verdict.HUNG)
    results[0] = made(resnet.rows[0].shape, Verdict.OUT_OF_MEMORY)
    told = so_far_line(resnet, results)
    assert told == "ResNet-50: 49 of 53 layers right, 1 out of memory, 3 hung"


def test_each_way_in_which_a_model_is_measured_is_told_apart() -> None:
    resnet = find_preset("resnet50")
    assert resnet is not None
    results = [made(resnet.rows[0].shape), made(resnet.rows[0].shape, engine="native")]
    assert so_far_line(resnet, results) == (
        "ResNet-50: 1 of 53 layers right (miopen), 52 not measured yet; "
        "1 of 53 layers right (native), 52 not measured yet"
    )


def test_rows_are_a_models_when_all_its_layers_are_among_them() -> None:
    resnet = find_preset("resnet50")
    assert resnet is not None
    assert model_of(rows_of(resnet.rows, ("forward", "backward")), MODELS) == resnet
    assert model_of(resnet.rows[1:], MODELS) is None
    assert model_of((), ()) is None
    default = find_preset("default")
    assert default is not None
    assert so_far_line(default, ()) == ""
