"""What can be done about a shape that does not pass, as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence

from wizard.conv2d.search.workarounds import Tried
from wizard.conv2d.verdicts import Result, Verdict
from wizard.report.units import WIDTH

NOT_NEEDED = "The shape passes, so you need no workaround."
NONE = (
    "None of the measured workarounds helps. Another stack may work better: run rdna1-setup plan."
)
NOT_MEASURED = "not measured: the allowed hangs are used up, or measuring was no longer possible"


def workaround_lines(
    result: Result, tried: Sequence[Tried], tell: Callable[[str], str] = str
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
    yield from textwrap.wrap(tell(text), WIDTH)


def _alternative(each: Tried, whole: Result) -> Iterator[str]:
    alternative, result = each.alternative, each.result
    parts = [NOT_MEASURED if result is None else result.verdict.value]
    if each.seconds is not None and result is not None and result.warm_s is not None:
        calls = f" ({alternative.calls} x {_time(result.warm_s)})" if alternative.calls > 1 else ""
        parts.append(f"{_time(each.seconds)} for each call{calls}")
        if whole.warm_s:
            parts.append(f"{each.seconds / whole.warm_s:.3g} times as long")
        parts += [f"without {alternative.beside}"] if alternative.beside else []
    parts += [alternative.changes_result] if alternative.changes_result else []
    yield from textwrap.wrap(
        f"  {alternative.title}: {'; '.join(parts)}", WIDTH, subsequent_indent="    "
    )


def _best(tried: Sequence[Tried]) -> Tried | None:
    """The cheapest of those that pass and change nothing in the result."""
    right = [each for each in tried if each.passes and not each.alternative.changes_result]
    return min(right, key=lambda each: each.seconds or 0.0, default=None)


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
