"""The kernel log of this machine since its start, read as a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wizard.diagnose.checked import not_tested
from wizard.diagnose.explain import explain
from wizard.diagnose.finding import Evidence, Finding
from wizard.machine.facts import Fact, Unknown
from wizard.machine.watched import output

READERS = (
    ("journalctl", "--dmesg", "--boot", "--no-pager", "--output=short-monotonic", "--lines=20000"),
    ("dmesg", "--color=never"),
)
ANSWER_S = 5.0


def kernel_findings(
    read: Callable[[tuple[str, ...], float], Fact[str]] = output,
) -> tuple[Finding, ...]:
    """What the log proves; that it could not be read where nobody may."""
    why = "it is empty"
    for argv in READERS:
        text = read(argv, ANSWER_S)
        if isinstance(text, Unknown):
            why = f"{argv[0]}: {text.because}"
        elif text.strip():
            return tuple(_of_log(finding) for finding in explain(text.encode()).findings)
    again = "A member of the groups adm or systemd-journal may read it, and root."
    title = "The kernel log was not read"
    return (not_tested("compute-queue-preemption-hang", title, f"{why}. {again}"),)


def _of_log(finding: Finding) -> Finding:
    evidence = (Evidence(e.text, f"kernel log, {e.where}") for e in finding.evidence)
    return replace(finding, evidence=tuple(evidence))
