"""The plain road through what is wrong: findings by number, their details, and a fix by plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.plain.asking import Option, WentBack
from wizard.plain.fixes import fix_of, has_plan, look
from wizard.run.lines import clean

if TYPE_CHECKING:
    from wizard.diagnose.finding import Finding
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.plain.road import Road

FINDINGS = "Which finding? Its number tells what proves it and what mends it."
ALL = "all of it, also what is fine"
BACK = "back to the beginning"
MEND = "mend it: the plan is shown first, and you are asked"
BY_HAND = "Mend it by hand, as told above: there is no plan for it."


def walk(road: Road) -> int:
    """Tell what was found, then each finding that is asked for; gives the exit code of a fix."""
    host, machine = road.look()
    findings = look(host, machine).findings
    counting = [finding for finding in findings if finding.counts]
    fine = len(findings) - len(counting)
    road.say(f"{len(counting)} to do something about, {fine} checks that found nothing wrong.")
    options: list[Option[Finding | str | None]] = []
    options += (Option(_head(each), each) for each in counting)
    options += (Option(ALL, ALL, "a"), Option(BACK, None, "0"))
    code = 0
    while True:
        chosen = road.ask.choose(FINDINGS, options, len(options) - 1)
        if chosen is None:
            return code
        if isinstance(chosen, str):
            road.carry_out("diagnose")
            continue
        mended = _tell(road, host, machine, chosen)
        code = code if mended is None else mended


def _head(finding: Finding) -> str:
    from wizard.report.findings import MARKS

    return clean(f"{MARKS[finding.status]} ({finding.confidence.value}): {finding.title}")


def _tell(road: Road, host: Host, machine: Machine, finding: Finding) -> int | None:
    """One finding whole; the exit code of its fix, None where none was begun."""
    from wizard.report.findings import finding_lines

    for line in finding_lines((finding,)):
        road.say(line)
    if not has_plan(finding):
        if finding.fix:
            road.say(BY_HAND)
        return None
    options = [Option("back to the findings", False), Option(MEND, True)]
    try:
        wanted = road.ask.choose("What now?", options)
    except WentBack:
        return None
    return _mend(road, host, machine, finding) if wanted else None


def _mend(road: Road, host: Host, machine: Machine, finding: Finding) -> int:
    import argparse

    from wizard.commands.carrying import carry, refuse
    from wizard.plan.impossible import PlanImpossible

    try:
        plan = fix_of(host, machine, finding)
    except PlanImpossible as error:
        return refuse(clean(str(error)))
    asked = argparse.Namespace(**{**vars(road.arguments), "yes": False, "json": False})
    return carry(plan, asked, host)
