"""What was asked of a runner, answered in lines of 80 columns."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from wizard.conv2d.requests import Request, sweep_in
from wizard.conv2d.search.compare_settings import CompareRequest, rivals
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import AlternativeTried, WorkaroundRequest, tried
from wizard.conv2d.shapes import Setting
from wizard.conv2d.sweep import SettingAnswer, StopReason, Sweep, SweepDone, setting_text, venv_of
from wizard.conv2d.verdicts import Result, Verdict
from wizard.core.amounts import counted, measured_text
from wizard.core.lines import wrapped
from wizard.report.conv2d import limit_lines, summary_lines, sweep_lines

NOT_OURS = "The authors of this program have not measured any of this on an RDNA1 card."
ENGINE_LINES = {
    "native": "with `torch.backends.cudnn.enabled = False` at the beginning of your program, "
    "convolutions do not use MIOpen",
    "unfold": "copies of the image and one matrix product replace the convolution, which needs "
    "more memory; programs have no switch for that",
}
WARM = "Warm: median of later calls. Each setting has a process"
ON_CARD = (
    f"{WARM} and databases of its own. `only X` means that all other solver families are turned "
    "off. Errors in those rows are common and mean that the family cannot compute this shape. "
    "Shapes that do not give the right result without changes are left out (use --find-setting "
    "for them)."
)
ON_PROCESSOR = (
    f"{WARM} of its own. The processor does not use MIOpen, so MIOpen's families and the native "
    "engine are left out. They would give the same result."
)


def setting_lines(
    answer: SettingAnswer, python: str, tell: Callable[[str], str] = str
) -> Iterator[str]:
    """What was found, how surely, what it costs, and what to do with it."""
    yield from _tried_lines(answer)
    yield ""
    for text in (*_found_texts(answer), *_cost_texts(answer), *_rest_texts(answer)):
        yield from wrapped(tell(text))
    if answer.changes:
        yield from _use_lines(answer.changes, python)
    yield from wrapped(NOT_OURS)


def comparison_lines(results: Sequence[Result]) -> Iterator[str]:
    """For each shape the rivals, with the time of a later call and how it stands to unchanged."""
    asked = dict.fromkeys(result.label for result in results)
    on_processor = any(result.on_processor for result in results)
    ways = rivals("cpu" if on_processor else "cuda")
    for label in asked:
        yield label
        known = {_way(r.asked, r.engine): r for r in results if r.label == label}
        first = results[0].engine
        unchanged = known.get(_way((), first))
        left_out = unchanged is not None and unchanged.warm_s is None
        for rival in ways[:1] if left_out else ways:
            engine = first if rival.engine == "configured" else rival.engine
            result = known.get(_way(rival.setting, engine))
            yield f"  {rival.name:<20}{_figures(result, unchanged)}".rstrip()
        yield ""
    yield from wrapped(ON_PROCESSOR if on_processor else ON_CARD)
    if not on_processor:
        yield from wrapped(NOT_OURS)


def _way(setting: Setting, engine: str) -> tuple[Setting, str]:
    return tuple(sorted(setting)), engine


def _figures(result: Result | None, unchanged: Result | None) -> str:
    if result is None:
        return "not measured"
    text = f"{result.verdict.value:<15}"
    if result.warm_s is None:
        return text
    text += f"{measured_text(result.warm_s):>11}"
    if unchanged is not None and unchanged.warm_s and unchanged is not result:
        text += f"  {result.warm_s / unchanged.warm_s:6.2f} times"
    return text


def _tried_lines(answer: SettingAnswer) -> Iterator[str]:
    yield f"{answer.shape.label}:"
    for attempt in answer.tried:
        why = f" ({attempt.why})" if attempt.why else ""
        yield from _set_lines(f"{attempt.verdict}{why}: {setting_text(attempt.changes)}")
    for changes in answer.refused:
        yield from _set_lines(f"refused (leaves MIOpen no solver): {setting_text(changes)}")
    for engine in answer.engines:
        time = "" if engine.warm_s is None else f", {measured_text(engine.warm_s)} for a later call"
        yield f"  {engine.verdict}: without MIOpen, engine {engine.engine}{time}"


def _set_lines(text: str) -> Iterator[str]:
    yield from wrapped(text, head="  ", indent="    ")


def _found_texts(answer: SettingAnswer) -> Iterator[str]:
    if answer.stopped:
        yield answer.stopped
    elif answer.changes is None:
        tried = f"{len(answer.tried)} of {answer.possible} sets of variables were tried"
        left_out = answer.skipped - len(answer.refused)
        if left_out > 0:
            tried += f", and {left_out} leave MIOpen the same solvers as one of those"
        if answer.is_complete:
            yield f"No setting makes this shape work: {tried}."
        else:
            yield f"No setting was found that makes this shape work: {tried}."
        yield from _engine_texts(answer)
    elif not answer.changes:
        again = f" ({_repeats(answer)} when measured again)" if answer.repeats else ""
        yield f"The shape gives the right result without any changes{again}."
    else:
        surely = "smallest set" if answer.is_smallest else "set, which may not be the smallest,"
        yield f"The {surely} that makes this shape work is {setting_text(answer.changes)}."
        if answer.repeats:
            yield (
                f"The shape gave the right result {_repeats(answer)} when measured again from "
                "scratch."
            )
        else:
            yield (
                "The shape gave the right result once, but the limit on hangs was reached before "
                "it could be measured again."
            )


def _engine_texts(answer: SettingAnswer) -> Iterator[str]:
    right = [each.engine for each in answer.engines if each.verdict == "pass"]
    for engine in right:
        how = ENGINE_LINES.get(engine, f"conv2d --engine {engine} measures it")
        yield f"The {engine} engine makes this shape work: {how}."
    if answer.engines and not right:
        yield "The result is also wrong without MIOpen, so MIOpen is not the only cause."
    if not answer.engines:
        yield "No measurement was made without MIOpen. To make one, use --engine native."


def _repeats(answer: SettingAnswer) -> str:
    return f"{answer.passes} of {answer.repeats} times"


def _cost_texts(answer: SettingAnswer) -> Iterator[str]:
    if answer.warm_s is None or not answer.changes:
        return
    first = "" if answer.cold_s is None else f" (the first one {measured_text(answer.cold_s)})"
    text = f"A later call takes {measured_text(answer.warm_s)}{first}"
    if answer.unchanged_s is not None:
        text += f"; unchanged and with MIOpen's log on, {measured_text(answer.unchanged_s)}"
    for engine in answer.engines:
        if engine.warm_s is not None:
            text += f"; with the engine {engine.engine} {measured_text(engine.warm_s)}"
    yield f"{text}."


def _rest_texts(answer: SettingAnswer) -> Iterator[str]:
    yield f"The search used {counted(answer.hangs, 'hang')} of the {answer.allowed} allowed."
    if answer.goes_on:
        more = answer.allowed + (0 if answer.hangs < answer.allowed else 3)
        yield (
            f"To continue from here, run the same command with --hangs {more}. To start over, "
            "add --no-resume."
        )


def keep_command(changes: Setting, python: str) -> str:
    """What writes a setting into the venv of that Python; ``""`` for a Python of another kind."""
    if not (folder := venv_of(python)):
        return ""
    words = [f"{name}={value}" for name, value in changes]
    return shlex.join(("rdna1-setup", "keep", "--venv", folder, *words))


def _use_lines(changes: Setting, python: str) -> Iterator[str]:
    """How to try it, and how to keep it."""
    words = " ".join(f"{name}={shlex.quote(value)}" for name, value in changes)
    yield "To try this setting with your own program:"
    yield f"  {words} {shlex.quote(python)} your_script.py"
    if command := keep_command(changes, python):
        yield "To keep this setting in a venv made by rdna1-setup (you can undo this):"
        yield f"  {command}"


NOT_NEEDED = "The shape passes, so you need no workaround."
NONE = (
    "None of the measured workarounds helps. Another stack may work better: run rdna1-setup plan."
)
NOT_MEASURED = "not measured: the allowed hangs are used up, or measuring was no longer possible"


def workaround_lines(
    result: Result, tried: Sequence[AlternativeTried], tell: Callable[[str], str] = str
) -> Iterator[str]:
    """The shape, then each alternative with its verdict and its cost."""
    yield f"{result.shape.label}: {result.verdict.value}"
    if result.verdict is Verdict.PASS:
        yield NOT_NEEDED
        return
    for each in tried:
        yield from _alternative(each, result)
    best = _best(tried)
    text = NONE
    if best is not None:
        cost = "" if best.seconds is None else f", {_time(best.seconds)} for each call"
        text = f"The fastest workaround with the same result: {best.alternative.title}{cost}."
    yield from wrapped(tell(text))


def _alternative(each: AlternativeTried, whole: Result) -> Iterator[str]:
    alternative, result = each.alternative, each.result
    parts = [NOT_MEASURED if result is None else result.verdict.value]
    if each.seconds is not None and result is not None and result.warm_s is not None:
        calls = f" ({alternative.calls} x {_time(result.warm_s)})" if alternative.calls > 1 else ""
        parts.append(f"{_time(each.seconds)} for each call{calls}")
        if whole.warm_s:
            parts.append(f"{each.seconds / whole.warm_s:.3g} times as long")
        parts += [f"without {alternative.beside}"] if alternative.beside else []
    parts += [alternative.changes_result] if alternative.changes_result else []
    yield from wrapped(f"  {alternative.title}: {'; '.join(parts)}", indent="    ")


def _best(tried: Sequence[AlternativeTried]) -> AlternativeTried | None:
    """The cheapest of those that pass and change nothing in the result."""
    right = [each for each in tried if each.passes and not each.alternative.changes_result]
    return min(right, key=lambda each: each.seconds or 0.0, default=None)


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def answer_lines(
    request: Request, done: SweepDone, tell: Callable[[str], str] = str
) -> Iterator[str]:
    """What it came to, beside the table of results; nothing where nothing was measured.

    ``tell``: how a text is told where this is shown, before it is broken into lines.
    """
    match request:
        case LimitRequest() if done.limit is not None:
            return limit_lines(done.limit)
        case SettingRequest() if done.setting is not None:
            return setting_lines(done.setting, sweep_in(request).python, tell)
        case CompareRequest() if done.results:
            return comparison_lines(done.results)
        case WorkaroundRequest() if done.results:
            return workaround_lines(done.results[0], tried(request, done.results), tell)
        case Sweep() if done.results:
            return summary_lines(done.results, tell)
        case _:
            return iter(())


def outcome_lines(done: SweepDone, request: Request) -> Iterator[str]:
    """The results and what they mean; nothing where there is none."""
    match request:
        case Sweep():
            yield from sweep_lines(done.results) if done.results else ()
        case LimitRequest():
            yield from sweep_lines(done.results) if done.results else ()
            answer = tuple(answer_lines(request, done))
            yield from ("", *answer) if answer else ()
        case _:
            yield from answer_lines(request, done)


def trouble_lines(trouble: StopReason) -> tuple[str, str, str]:
    """Why it could not go on: what happened, what it means, what to do next."""
    return trouble.happened, trouble.meaning, trouble.next_step
