"""What all findings come to: one status and one sentence, the same for screens, text and JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wizard.diagnose.finding import Finding, Status, in_order, worst

LONGEST_TITLE = 100
"""Characters: a title may quote what stands in a file."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a machine, or a text, stands."""

    status: Status
    """The worst of its findings; nothing that was looked at counts as not tested."""
    text: str
    """The same in a sentence, which names the most likely cause."""


def conclude(findings: Iterable[Finding]) -> Conclusion:
    """What these findings come to."""
    told = in_order(findings)
    if not told:
        return Conclusion(Status.NOT_TESTED, "Nothing could be checked.")
    status = worst(finding.status for finding in told)
    title = told[0].title
    if len(title) > LONGEST_TITLE:
        title = f"{title[:LONGEST_TITLE]}…"
    count = sum(finding.status is status for finding in told)
    if told[0].counts and told[0].minor:
        text = f"No problem was found, but there is a warning: {title}."
    elif told[0].counts:
        text = f"Most likely: {title}."
    elif status is Status.NOT_TESTED:
        checks = "1 check" if count == 1 else f"{count} checks"
        text = f"No problem was found, but {checks} could not be done."
    else:
        checks = "the one check is" if count == 1 else f"all {count} checks are"
        text = f"No problem was found: {checks} fine."
    return Conclusion(status, text)
