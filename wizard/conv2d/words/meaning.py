"""What the verdicts of a sweep mean, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wizard.conv2d.verdicts import RIGHT, Result, Verdict
from wizard.conv2d.worker.hang_classes import NEXT_STEPS, HangClass

WORDS = {
    Verdict.PASS: "right",
    Verdict.SLOW: "right but slow",
    Verdict.WRONG: "wrong",
    Verdict.FLAKY: "flaky",
    Verdict.HUNG: "hung",
    Verdict.CRASHED: "crashed",
    Verdict.ERROR: "ended with an error",
    Verdict.OUT_OF_MEMORY: "out of memory",
    Verdict.UNUSABLE: "not measured",
}
ALWAYS = (Verdict.PASS, Verdict.WRONG, Verdict.HUNG)
"""What a reader looks for first: counted also where it is none."""
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


def counted(results: Sequence[Result]) -> str:
    """How many ended how."""
    counts = {each: sum(r.verdict is each for r in results) for each in WORDS}
    told = [f"{n} {WORDS[each]}" for each, n in counts.items() if n or each in ALWAYS]
    return f"{len(results)} {noun_of(results)}{'' if len(results) == 1 else 's'}: {', '.join(told)}"


def noun_of(results: Sequence[Result]) -> str:
    """What was measured, in a word."""
    return "operation" if any(result.operation for result in results) else "shape"


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
    failures = "1 failure" if len(controls) == 1 else f"{len(controls)} failures"
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
