"""The kernel log of this machine as findings; and that it could not be read."""

from wizard.diagnose.finding import Status
from wizard.diagnose.kernel import kernel_findings
from wizard.machine.facts import Fact, Unknown

REFUSED = Unknown("permission refused")
HUNG = "[  812.404551] amdgpu: qcm fence wait loop timeout expired\n"


def test_what_the_log_proves_is_told_with_its_line() -> None:
    (finding,) = kernel_findings(lambda argv, deadline: HUNG)
    assert finding.cause == "compute-queue-preemption-hang"
    assert finding.evidence[0].where == "kernel log, line 1"


def test_who_may_not_read_the_one_may_read_the_other() -> None:
    def read(argv: tuple[str, ...], deadline: float) -> Fact[str]:
        return HUNG if argv[0] == "dmesg" else REFUSED

    assert kernel_findings(read)[0].status is Status.FAULT


def test_a_log_that_nobody_may_read_was_not_tested() -> None:
    (finding,) = kernel_findings(lambda argv, deadline: REFUSED)
    assert finding.status is Status.NOT_TESTED
    assert "permission refused" in finding.meaning


def test_a_quiet_log_proves_nothing_wrong() -> None:
    assert kernel_findings(lambda argv, deadline: "[    1.000001] amdgpu: ready\n") == ()
