"""Diagnose as plain text: findings by number, their details, and a fix by plan."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wizard.core.lines import clean
from wizard.plain.asking import Option, WentBack

if TYPE_CHECKING:
    from wizard.diagnose.finding import Finding
    from wizard.plain.road import Road

FINDINGS = "Which finding do you want to see? Type its number to see the evidence and the fix."
FINDINGS_MORE = """\
Each number stands for something found on this machine. Type a number to see the evidence \
and the fix.
a prints everything, including the checks that found nothing wrong.
0 goes back to the first menu."""
MEND_MORE = """\
1 goes back to the list of what was found.
2 shows the plan of the fix. Nothing is changed before you agree to it."""
ALL = "everything, including the checks that are fine"
BACK = "back to the beginning"
MEND = "fix it: you see the plan first and are asked to confirm"


def walk(road: Road) -> int:
    """Tell what was found, then each finding that is asked for; gives the exit code of a fix."""
    from wizard.diagnose.finding import conclude, counts_text
    from wizard.services.diagnostics import Diagnostics

    host, machine = road.look()
    findings = Diagnostics(host).look(machine).findings
    counting = [finding for finding in findings if finding.counts]
    road.say(conclude(findings).text)
    road.say(f"{counts_text(finding.status for finding in findings)}.")
    options: list[Option[Finding | str | None]] = []
    options += (Option(_head(each), each) for each in counting)
    options += (Option(ALL, ALL, "a"), Option(BACK, None, "0"))
    while True:
        chosen = road.ask.choose(FINDINGS, options, len(options) - 1, explain=FINDINGS_MORE)
        if chosen is None:
            return 0
        if isinstance(chosen, str):
            road.carry_out("diagnose", *road.app_words)
            continue
        command = _tell(road, chosen, counting)
        if command:  # what was found here holds no longer after it
            return road.carry_out(*command)


def _head(finding: Finding) -> str:
    return clean(f"{finding.status.word} ({finding.confidence.value}): {finding.title}")


def _tell(road: Road, finding: Finding, among: Sequence[Finding]) -> Sequence[str]:
    """One finding whole; the words of the command that mends it, where that is wanted."""
    from wizard.diagnose.fix_settings import without_plan
    from wizard.report.findings import fix_command, whole_lines

    road.say()
    for line in whole_lines(finding):
        road.say(line)
    command = fix_command(finding, among)
    if not command:
        if told := without_plan(finding):
            road.say(told)
        return ()
    options = [Option("back to the findings", False), Option(MEND, True)]
    try:
        wanted = road.ask.choose("What now?", options, explain=MEND_MORE)
    except WentBack:
        return ()
    return shlex.split(command)[1:] if wanted else ()
