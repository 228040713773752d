"""The recorded machines, each against the reviewed list of what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import Golden
from tests.machine.records import NAMES, seen
from wizard.diagnose.finding import Finding, Status
from wizard.diagnose.machine import diagnose


def lines(findings: tuple[Finding, ...]) -> Iterator[str]:
    """A finding in a line, what proves it below; all of what is not wrong in one line each."""
    for finding in findings:
        if finding.status is Status.OK:
            yield f"ok: {finding.cause}: {finding.title}"
        elif finding.status is Status.NOT_TESTED:
            yield f"not tested: {finding.cause}: {finding.title}: {finding.meaning}"
        else:
            yield f"{finding.status.value}, {finding.confidence.value}: {finding.cause}"
            yield from (f"    {each.where}: {each.text}" for each in finding.evidence)
            yield f"    first: {finding.fix[0]}"


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_machine_gives_its_expected_findings(name: str, golden: Golden) -> None:
    diagnosis = diagnose(seen(name))

    text = "\n".join((f"RDNA1 card: {diagnosis.rdna1}", *lines(diagnosis.findings)))
    golden.check(f"diagnose/{name}.txt", text + "\n")


def test_no_check_fails_on_any_recorded_machine() -> None:
    for name in NAMES:
        findings = diagnose(seen(name)).findings
        assert not [finding for finding in findings if finding.cause == "none"]
