"""The part of ``conv2d`` that is about settings: its options, what they ask for, what is told."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wizard.conv2d.requests import Request
    from wizard.conv2d.search.compare_settings import CompareRequest
    from wizard.conv2d.search.setting_search import SettingRequest
    from wizard.conv2d.sweep import Sweep, SweepDone

    Asked = SettingRequest | CompareRequest


def asked_for(arguments: argparse.Namespace, sweep: Sweep) -> Asked | None:
    """The search about settings that was asked for, if any. Raises WrongRequest."""
    from wizard.conv2d.requests import WrongRequest
    from wizard.conv2d.search.compare_settings import CompareRequest
    from wizard.conv2d.search.setting_search import SettingRequest

    if not (arguments.find_setting or arguments.compare_settings):
        return None
    if arguments.find_limit is not None:
        raise WrongRequest("--find-limit is a different search. Use only one of them.")
    if arguments.engine != "configured":
        raise WrongRequest(
            "these settings are for MIOpen. Omit --engine: each engine is tried anyway."
        )
    hangs = arguments.hangs
    if arguments.compare_settings:
        return CompareRequest(sweep, hangs)
    if len(sweep.rows) != 1:
        raise WrongRequest(
            "--find-setting needs exactly one shape, for example --channels 16-32 --sizes 64."
        )
    return SettingRequest(sweep, sweep.rows[0], hangs)


def is_about_settings(request: Request) -> bool:
    """True for a search or a comparison of settings."""
    from wizard.conv2d.search.compare_settings import CompareRequest
    from wizard.conv2d.search.setting_search import SettingRequest

    return isinstance(request, SettingRequest | CompareRequest)


def plan_lines(asked: Request) -> Iterator[str]:
    """What would be tried, for a dry run; nothing for what is not about settings."""
    from wizard.conv2d.search.compare_settings import CompareRequest, rivals
    from wizard.conv2d.search.setting_search import SettingRequest
    from wizard.conv2d.sweep import setting_text
    from wizard.core.amounts import counted

    if isinstance(asked, CompareRequest):
        hangs = counted(asked.hangs, "hang")
        yield f"Each shape would be measured in these ways, with at most {hangs} in all:"
        for rival in rivals(asked.sweep.device):
            text = rival.engine if rival.engine != "configured" else setting_text(rival.setting)
            yield f"  {rival.name}: {text}"
    if not isinstance(asked, SettingRequest):
        return
    hangs = counted(asked.hangs, "hang")
    yield f"With at most {hangs}, the shape is tried unchanged, then without MIOpen, then"
    yield f"with sets of up to {asked.largest} of these variables, those in MIOpen's log first:"
    for change in asked.changes:
        yield f"  {setting_text((change,))}"
    yield "and each of these separately:"
    for change in asked.alone:
        yield f"  {setting_text((change,))}"
    if asked.sweep.device == "cuda":
        yield "Before the first launch, MIOpen is asked which solvers each setting leaves."
        yield "A setting is skipped if it leaves the same solvers as a setting that failed."
    yield f"A setting that passes is measured {asked.repeats} more times, each time from scratch."


def shell_caution(environ: Mapping[str, str]) -> tuple[str, ...]:
    """What the shell sets for ROCm and is measured along with the rest."""
    from wizard.conv2d.sweep import without_leftovers

    there = without_leftovers(environ)[1]
    if not there:
        return ()
    return (
        f"Your shell sets {', '.join(there)}. Add --clean to measure without your shell's "
        "settings.",
    )


def answer_form(done: SweepDone, python: str) -> dict[str, Any]:
    """What the JSON document holds beside the results."""
    from wizard.core.json_form import to_json
    from wizard.report.conv2d_answers import keep_command

    if done.setting is None:
        return {}
    form = to_json(done.setting)
    form["changes"] = None if done.setting.changes is None else dict(done.setting.changes)
    for tried, each in zip(form["tried"], done.setting.tried, strict=True):
        tried["changes"] = dict(each.changes)
    changes = done.setting.changes
    form["keep"] = keep_command(changes, python) if changes else ""
    return {"setting": form}


def exit_code(done: SweepDone) -> int:
    """0 for a setting that passes again and again, or a comparison in which nothing went wrong."""
    from wizard.conv2d.verdicts import Verdict

    if done.setting is not None:
        found = done.setting.changes is not None and not done.setting.stopped
        return 0 if found and done.setting.passes == done.setting.repeats > 0 else 1
    bad = (Verdict.HUNG, Verdict.CRASHED, Verdict.WRONG)
    return 1 if any(result.verdict in bad for result in done.results) else 0
