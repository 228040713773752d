"""The result of a sweep as plain text: 80 columns, counts, meaning, what to do next."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from wizard.conv2d.hangs import NEXT_STEPS, HangClass
from wizard.conv2d.shapes import Published, Shape, load_presets, square
from wizard.conv2d.text import MEANINGS
from wizard.conv2d.verdicts import WORDS, Control, Loaded, Result, Verdict
from wizard.report.conv2d import request_lines, sweep_lines

CARD = Loaded("2.2.2+rocm5.7", "5.7", "AMD Radeon RX 5600 XT", "gfx1030")
CPU = Loaded("2.13.0+cpu", None, "cpu")
CLAIM = Published("hung", None, None, None, "RX 5600 XT, GEMM only: hangs above 32x32", "notes")


def result(verdict: Verdict, shape: Shape | None = None, *, cpu: bool = False) -> Result:
    return Result(
        shape or square(64, 128, 224),
        "cpu" if cpu else "miopen",
        verdict,
        "",
        5,
        CPU if cpu else CARD,
        cold_s=123.456,
        warm_s=0.12769,
        max_abs_error=2.2e-6,
        tolerance=2.8e-4,
        published=CLAIM,
    )


def text(*results: Result) -> str:
    return "\n".join(sweep_lines(results))


def flat(*results: Result) -> str:
    return " ".join(text(*results).split())


def too_wide(lines: Iterable[str]) -> list[str]:
    """Lines that do not fit into 80 columns."""
    return [line for line in lines if len(line) >= 80]


def test_every_preset_fits_80_columns_whatever_comes_out() -> None:
    for preset in load_presets():
        for verdict in Verdict:
            results = [
                replace(result(verdict, r.shape), published=r.published) for r in preset.rows
            ]
            assert too_wide(sweep_lines(results)) == [], (preset.id, verdict)


@pytest.mark.parametrize("engine", ["native", "unfold-everything-twice"])
def test_every_preset_fits_80_columns_with_the_widest_of_all_cells(engine: str) -> None:
    widest = replace(result(Verdict.FLAKY), engine=engine, runs=20, failed=10, cold_s=0.5)
    for preset in load_presets():
        results = [replace(widest, shape=r.shape, published=r.published) for r in preset.rows]
        lines = list(sweep_lines(results))
        assert too_wide(lines) == [], preset.id
        begun = [row.shape.label for row in results if not any_begins(lines, row.shape.label)]
        assert begun == [], preset.id
        assert sum(engine[:12] in line for line in lines) >= len(results), preset.id


def any_begins(lines: list[str], words: str) -> bool:
    """One of the lines begins with these words."""
    return any(line.startswith(words) for line in lines)


def test_a_request_fits_80_columns_and_names_each_claim_once() -> None:
    for preset in load_presets():
        lines = list(request_lines(preset.rows))
        assert too_wide(lines) == [], preset.id
        named = [line for line in lines if "@" in line and "->" in line]
        assert len(named) >= len(preset.rows), preset.id
        texts = {row.published.text for row in preset.rows if row.published}
        assert sum(line.startswith("  [") for line in lines) == len(texts), preset.id


def test_a_label_of_any_length_leaves_its_row_whole() -> None:
    odd = Shape(16, 32, 224, 224, 5, 1, n=16, stride=2, dilation=2, dtype="bfloat16", bias=True)
    lines = text(result(Verdict.OUT_OF_MEMORY, odd), result(Verdict.PASS)).splitlines()
    assert odd.label in lines
    assert lines[lines.index(odd.label) + 1].split()[:3] == ["out", "of", "memory"]
    assert max(map(len, lines)) < 80


def test_right_wrong_and_hung_are_counted_also_where_there_is_none() -> None:
    assert "1 shape: 1 right, 0 wrong, 0 hung, on AMD Radeon RX 5600 XT" in flat(
        result(Verdict.PASS)
    )
    mixed = [result(verdict) for verdict in (Verdict.HUNG, Verdict.HUNG, Verdict.ERROR)]
    assert "3 shapes: 0 right, 0 wrong, 2 hung, 1 ended with an error" in flat(*mixed)


@pytest.mark.parametrize("verdict", list(MEANINGS))
def test_every_verdict_that_is_no_pass_is_explained_with_what_to_do(verdict: Verdict) -> None:
    told = flat(result(verdict), result(Verdict.PASS))
    assert f"{WORDS[verdict].capitalize()}: {MEANINGS[verdict]}" in told
    assert "What to do next: " in told
    assert "rdna1-setup report" in told


@pytest.mark.parametrize("hang_class", list(HangClass))
def test_each_class_of_hangs_says_what_to_do_about_it(hang_class: HangClass) -> None:
    hung = replace(result(Verdict.HUNG), hang_class=hang_class.value)
    assert f"Hung, {hang_class.value}: {NEXT_STEPS[hang_class]}" in flat(hung)
    assert "Hung, " not in flat(replace(hung, engine="cpu"))


def test_a_control_tells_a_suspect_from_a_broken_card() -> None:
    hung = result(Verdict.HUNG)
    good = replace(hung, control=Control("16->32 3x3 @32x32", Verdict.PASS, ""))
    bad = replace(hung, control=Control("16->32 3x3 @32x32", Verdict.HUNG, "no answer"))
    assert "Controls:" not in flat(hung)
    assert "again after 1 failure, and was right each time, so only the shapes that failed" in flat(
        hung, good
    )
    assert "again after 2 failures, and was not right after the last" in flat(good, bad)


def test_a_hang_asks_for_a_longer_deadline_and_for_a_way_past_miopen() -> None:
    told = flat(result(Verdict.HUNG))
    assert "--engine native" in told
    assert "--deadline" in told
    assert "--engine native" not in flat(replace(result(Verdict.HUNG), engine="native"))


def test_all_right_claims_no_more_than_was_measured() -> None:
    assert "This holds for these shapes, with this torch and these settings." in flat(
        result(Verdict.PASS)
    )


def test_published_verdicts_stand_short_in_the_row_and_whole_below() -> None:
    told = text(result(Verdict.PASS), result(Verdict.PASS))
    assert told.count("hung [1]") == 2
    assert told.count("RX 5600 XT, GEMM only: hangs above 32x32") == 1


def test_a_published_time_of_a_first_call_stands_beside_the_measured_one() -> None:
    timed = replace(CLAIM, verdict="pass", cold_s=2.761)
    assert "pass 2.76 s [1]" in text(replace(result(Verdict.PASS), published=timed))


def test_on_a_processor_no_word_about_a_gpu_stands_beside_a_row() -> None:
    told = flat(result(Verdict.PASS, cpu=True))
    assert "hung [" not in told
    assert "do not apply to the processor, so they are left out." in told
    assert "the processor is the" in told
    assert "rdna1-setup plan" in told
    rocm = replace(result(Verdict.PASS, cpu=True), loaded=replace(CPU, hip="5.7"))
    assert "without --device cpu" in flat(rocm)


@pytest.mark.parametrize("hip", [None, "5.7"])
def test_what_to_do_after_a_processor_takes_no_card_for_granted(hip: str | None) -> None:
    told = flat(replace(result(Verdict.PASS, cpu=True), loaded=replace(CPU, hip=hip)))
    _, _, advice = told.partition("What to do next: ")
    assert advice.startswith("if this machine has an AMD graphics card, ")
    assert advice.rstrip().endswith("Without one, you are done.")
