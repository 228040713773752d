"""Rows, events and verdicts of a sweep in words, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from wizard.conv2d.hangs import NEXT_STEPS, HangClass
from wizard.conv2d.search.compare_settings import rivals
from wizard.conv2d.shapes import Row, Setting
from wizard.conv2d.sweep import (
    DeadlineMoved,
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    SweepDone,
    SweepEvent,
    WorkerStarted,
    setting_text,
)
from wizard.conv2d.verdicts import RIGHT, WORDS, Result, Verdict, noun_of
from wizard.conv2d.worker.judgement import control_words
from wizard.core.amounts import counted

MEANINGS = {
    Verdict.HUNG: "it did not finish within the deadline, and the process was killed. A program "
    "with such a layer hangs there. A first call that compiles can look the same.",
    Verdict.WRONG: "the result is wrong by more than rounding explains. Do not trust a program "
    "that uses such a layer, even if it reports no error.",
    Verdict.FLAKY: "right in some launches but not in others. A program with such a layer fails "
    "sooner or later; passing once proves nothing.",
    Verdict.CRASHED: "the process crashed. A program with such a layer crashes too.",
    Verdict.ERROR: "torch refused it, or its result could not be checked. The lines above say why.",
    Verdict.OUT_OF_MEMORY: "the device has too little memory; the convolution is not at fault.",
    Verdict.SLOW: "the numbers are right, but each later call is slow.",
    Verdict.UNUSABLE: "not measured, because no measurement could be trusted any more.",
}
ALL_RIGHT = (
    "every {0} finished in time with the right numbers. This holds for these {0}s, with this "
    "torch and these settings."
)
REPEATS = "for each shape that is right, {}. To be surer, use more launches (--repeats)."
WITH_A_CARD = "if this machine has an AMD graphics card, {}. Without one, you are done."
MEASURE_IT = "the same command without --device cpu measures it"
INSTALL_FOR_IT = "rdna1-setup plan recommends a stack that uses it"
CONTROL = "the processor is the reference: this says nothing about the graphics card."


def meaning_lines(results: Sequence[Result]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What each verdict that occurred means, then what to do next, each with its title."""
    found = {result.verdict for result in results}
    for verdict in MEANINGS:
        if verdict in found:
            yield WORDS[verdict].capitalize(), (MEANINGS[verdict],)
    yield from _classes(results)
    if found == {Verdict.PASS}:
        yield "What it means", (ALL_RIGHT.format(noun_of(results)),)
    if rates := dict.fromkeys(r.rate for r in results if r.rate and r.verdict in RIGHT):
        yield "Repeats", (REPEATS.format("; or ".join(map(str, rates))),)
    if any(result.control for result in results):
        yield "Controls", (_controls(results),)
    on_cpu = results[-1].on_processor
    if on_cpu:
        yield "Note", (CONTROL,)
    yield "What to do next", next_steps(results[-1], found, on_cpu)


def _classes(results: Sequence[Result]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What to do about each kind of hang on a card; on a processor none of it helps."""
    named = {result.hang_class for result in results if result.engine != "cpu"}
    for hang_class in HangClass:
        if hang_class.value in named:
            yield f"Hung, {hang_class.value}", (NEXT_STEPS[hang_class],)


def _controls(results: Sequence[Result]) -> str:
    controls = [result.control for result in results if result.control]
    failures = counted(len(controls), "failure")
    text = f"a shape that was right before was measured again after {failures}, and was "
    if all(control.verdict in RIGHT for control in controls):
        return f"{text}right each time, so only the shapes that failed are at fault."
    return f"{text}not right after the last one. Anything measured after that cannot be trusted."


def next_steps(last: Result, found: set[Verdict], on_cpu: bool) -> tuple[str, ...]:
    """What to do where results like the last one came to these verdicts."""
    if on_cpu and found == {Verdict.PASS}:
        return (WITH_A_CARD.format(MEASURE_IT if last.loaded.hip else INSTALL_FOR_IT),)
    if found == {Verdict.PASS}:
        return ("run your own program. To share your results: rdna1-setup report",)
    if not found & {Verdict.HUNG, Verdict.WRONG, Verdict.CRASHED, Verdict.FLAKY}:
        return ("look at the lines above. To report an issue: rdna1-setup report",)
    if on_cpu:
        return ("try another torch, and test the memory: a processor should get these right.",)
    past = (
        ""
        if last.engine in ("native", "unfold")
        else "the same command with --engine native measures without MIOpen. "
    )
    past += "If the result is right without MIOpen, MIOpen is the cause. " if past else ""
    longer = "A longer --deadline will show whether it was a slow first call or a hang. "
    hung = longer if Verdict.HUNG in found else ""
    other = (
        "Another stack may work better: run rdna1-setup plan. To share your results: rdna1-setup "
        "report"
    )
    return (f"{past}{hung}{other}",)


def way_of(row: Row) -> str:
    """All of a row beside size and channels that is not a plain 3x3 forward pass; else ``""``."""
    shape = row.shape
    kernel = () if shape.kernel == 3 else (f"{shape.kernel}x{shape.kernel}",)
    _, _, _, *extras = shape.label.split(" ")
    work = () if row.work == "forward" else (row.work,)
    engine = () if row.engine == "configured" else (row.engine,)
    setting = (f"{name}={value}" for name, value in row.setting)
    log = ("log",) if row.log else ()
    return " ".join((*kernel, *extras, *work, *engine, *setting, *log))


def are_joined(rows: Iterable[Row]) -> bool:
    """True for rows that differ in more than size and channels, or have none."""
    ways = {(row.work, row.engine, row.setting) for row in rows}
    return len(ways) > 1 or any(work != "forward" or setting for work, _, setting in ways)


def what_of(row: Row) -> str:
    """A row in a few words: shape, work, and how it is measured."""
    if row.operation is not None:
        return row.operation.title
    high, wide = row.shape.h, row.shape.w
    plain = replace(row, work="forward", engine="configured", setting=(), log=False)
    words = [channels_of(plain), f"@{high}" if high == wide else f"@{high}x{wide}"]
    words += [row.work] if row.work != "forward" else []
    words += [row.engine] if row.engine != "configured" else []
    return " ".join((*words, *_setting_words(row.setting)))


def _setting_words(setting: Setting) -> Iterable[str]:
    """The name of what is compared, or the variables without what most begin with."""
    names = {rival.setting: rival.name for rival in rivals()}
    if setting in names:
        return [names[setting]] if setting else []
    return [f"{_short_name(name)}={value}" for name, value in setting]


def _short_name(variable: str) -> str:
    return variable.removeprefix("MIOPEN_").removeprefix("DEBUG_").removeprefix("CONV_")


def channels_of(row: Row) -> str:
    """Channels, and how they are convolved where that is not the usual way."""
    return f"{row.shape.c_in}->{row.shape.c_out} {way_of(row)}".rstrip()


def error_of(result: Result) -> str:
    """The largest error as a figure, or what happened in words."""
    if result.detail:
        return result.detail
    return "-" if result.max_abs_error is None else f"{result.max_abs_error:.1e}"


def line_of(event: SweepEvent) -> str:
    """One event in one line; ``""`` for what only a live screen wants."""
    match event:
        case WorkerStarted():
            hip = f", ROCm {event.loaded.hip}" if event.loaded.hip else ""
            return f"torch {event.loaded.torch}{hip} (process {event.pid}, {event.process})"
        case DeviceFound():
            told = dict.fromkeys((str(event.loaded.device), event.loaded.gfx or ""))
            return f"device: {', '.join(filter(None, told))}"
        case ShapeStarted():
            place = f"{event.number}/{event.total}"
            how = _how(event.row)
            return f"{place} {event.row.label}{how} (deadline {event.deadline_s:g} s)"
        case DeadlineMoved():
            longest = f"waiting up to {event.longest_s:g} s for it"
            return f"shape {event.number} is slow, not stuck ({event.why}): {longest}"
        case ShapeDone():
            return f"{event.number}/{event.total}   {_verdict(event.result)}"
        case Note():
            return event.text
        case Phase():
            return _watched(event)
        case SweepDone():
            return ""


def _verdict(result: Result) -> str:
    words = [text for text in (result.rate, result.detail, control_words(result)) if text]
    return f"{result.verdict.value}: {'. '.join(words)}" if words else result.verdict.value


def _watched(phase: Phase) -> str:
    """Something only of a process that SIGKILL has not ended: that takes half a minute."""
    if phase.seconds_left is None:
        return ""
    return (
        f"shape {phase.number} was killed, but its process still exists: the kernel may be freeing "
        f"the card. Watching it for another {phase.seconds_left:.0f} s."
    )


def _how(row: Row) -> str:
    """What is special about how a row is measured."""
    past = "" if row.engine == "configured" else f", engine {row.engine}"
    return past + (f", {setting_text(row.setting)}" if row.setting else "")
