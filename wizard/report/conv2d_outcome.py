"""What came of a request, as lines: one source of words for the command and for the history."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.conv2d.asked import Request
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.sweep import StopReason, Sweep, SweepDone
from wizard.report.conv2d import sweep_lines
from wizard.report.conv2d_answer import answer_lines


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
