"""What came of a request, as lines: one source of words for the command and for the history."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.conv2d.asked import Request
from wizard.conv2d.compare_settings import CompareRequest
from wizard.conv2d.find_limit import LimitRequest
from wizard.conv2d.setting_request import SettingRequest
from wizard.conv2d.sweep import StopReason, Sweep, SweepDone
from wizard.conv2d.workarounds import WorkaroundRequest, tried
from wizard.report.conv2d import limit_lines, sweep_lines
from wizard.report.conv2d_settings import answer_lines, comparison_lines
from wizard.report.conv2d_workarounds import workaround_lines


def outcome_lines(done: SweepDone, request: Request) -> Iterator[str]:
    """The results and what they mean; nothing where there is none."""
    match request:
        case Sweep() | LimitRequest():
            if done.results:
                yield from sweep_lines(done.results)
            if done.limit is not None:
                yield from ("", *limit_lines(done.limit))
        case SettingRequest() | CompareRequest():
            if done.setting is not None:
                yield from answer_lines(done.setting, request.sweep.python)
            elif done.results:
                yield from comparison_lines(done.results)
        case WorkaroundRequest():
            if done.results:
                yield from workaround_lines(done.results[0], tried(request, done.results))


def trouble_lines(trouble: StopReason) -> tuple[str, str, str]:
    """Why it could not go on: what happened, what it means, what to do next."""
    return trouble.happened, trouble.meaning, trouble.next_step
