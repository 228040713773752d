"""What was asked of a runner, answered in words: the same for the terminal and the panel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from wizard.conv2d.asked import Request, sweep_in
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_request import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest, tried
from wizard.conv2d.sweep import Sweep, SweepDone
from wizard.conv2d.verdicts import Result
from wizard.report.conv2d import limit_lines, summary_lines
from wizard.report.conv2d_settings import answer_lines as setting_lines
from wizard.report.conv2d_settings import comparison_lines
from wizard.report.conv2d_workarounds import workaround_lines


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
        case CompareRequest() | WorkaroundRequest() | Sweep() if done.results:
            return _of_results(request, done.results, tell)
        case _:
            return iter(())


def _of_results(
    request: CompareRequest | WorkaroundRequest | Sweep,
    results: Sequence[Result],
    tell: Callable[[str], str],
) -> Iterator[str]:
    match request:
        case CompareRequest():
            return comparison_lines(results)
        case WorkaroundRequest():
            return workaround_lines(results[0], tried(request, results), tell)
        case Sweep():
            return summary_lines(results, tell)
