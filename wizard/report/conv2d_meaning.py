"""What the verdicts of a sweep mean, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wizard.conv2d.verdicts import Result, Verdict

WORDS = {
    Verdict.PASS: "right",
    Verdict.SLOW: "right but slow",
    Verdict.WRONG: "wrong",
    Verdict.HUNG: "hung",
    Verdict.CRASHED: "crashed",
    Verdict.ERROR: "ended with an error",
    Verdict.OUT_OF_MEMORY: "out of memory",
    Verdict.UNUSABLE: "not measured",
}
ALWAYS = (Verdict.PASS, Verdict.WRONG, Verdict.HUNG)
"""What a reader looks for first: counted also where it is none."""
MEANINGS = {
    Verdict.HUNG: "no answer within the deadline; the process was killed. A program that uses such "
    "a layer stops there. A first call that compiles can look the same.",
    Verdict.WRONG: "an answer came, and rounding cannot explain how far off it is. What a program "
    "computes with such a layer is not to be trusted, even where nothing fails.",
    Verdict.CRASHED: "the process died. A program that uses such a layer dies as well.",
    Verdict.ERROR: "torch refused or could not be checked; the lines above say why.",
    Verdict.OUT_OF_MEMORY: "the device has too little memory for it: no fault of the convolution.",
    Verdict.SLOW: "the numbers are right; each later call takes long.",
    Verdict.UNUSABLE: "left out, because nothing measured then could be trusted.",
}
ALL_RIGHT = (
    "every {0} came back in time with the right numbers. That holds for these {0}s, with this "
    "torch and these settings."
)
CONTROL = "the processor is the control: this says nothing of the graphics card."


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
    if found == {Verdict.PASS}:
        yield "What it means", (ALL_RIGHT.format(noun_of(results)),)
    on_cpu = results[-1].on_processor
    if on_cpu:
        yield "Note", (CONTROL,)
    yield "What to do next", _next_steps(results[-1], found, on_cpu)


def _next_steps(last: Result, found: set[Verdict], on_cpu: bool) -> tuple[str, ...]:
    if on_cpu and found == {Verdict.PASS}:
        if last.loaded.hip:
            return ("measure the card: the same command without --device cpu.",)
        return ("install a stack that uses the card (rdna1-setup plan), then measure with it.",)
    if found == {Verdict.PASS}:
        return ("run your own program. To tell others what you found: rdna1-setup report",)
    if not found & {Verdict.HUNG, Verdict.WRONG, Verdict.CRASHED}:
        return ("look at the lines above. For an issue: rdna1-setup report",)
    if on_cpu:
        return ("another torch, and a test of the memory: a processor should get these right.",)
    past = (
        ""
        if last.engine in ("native", "unfold")
        else "the same command with --engine native goes past "
    )
    past += "MIOpen: if that is right, MIOpen is at fault. " if past else ""
    longer = "A longer --deadline tells a slow first call from a hang. "
    hung = longer if Verdict.HUNG in found else ""
    other = "Another stack may do better: rdna1-setup plan. To tell others: rdna1-setup report"
    return (f"{past}{hung}{other}",)
