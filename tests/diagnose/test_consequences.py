"""What several checks prove is told once."""

from __future__ import annotations

from dataclasses import replace

from wizard.diagnose.explain import joined
from wizard.diagnose.finding import Confidence, Evidence, Finding, Status
from wizard.diagnose.outcomes import fine, found

HANG = "compute-queue-preemption-hang"
OVERRIDE = "override-isa-mismatch"


def hang(text: str, sure: Confidence, status: Status = Status.FAULT) -> Finding:
    return found(HANG, (Evidence(text, "somewhere"),), sure, status=status)


def test_a_hang_with_three_witnesses_is_one_finding() -> None:
    (one,) = joined(
        (
            hang("a process in D", Confidence.LIKELY),
            hang("the kernel's line", Confidence.CERTAIN),
            hang("the last sweep", Confidence.CERTAIN),
        )
    )
    assert one.confidence is Confidence.CERTAIN
    texts = [each.text for each in one.evidence]
    assert texts == ["the kernel's line", "a process in D", "the last sweep"]


def test_what_is_fine_is_not_mixed_with_what_is_not() -> None:
    told = joined((fine(HANG, "Nothing is stuck"), hang("a line", Confidence.LIKELY)))
    assert [one.status for one in told] == [Status.OK, Status.FAULT]


def test_the_same_override_is_not_warned_of_where_it_is_proved() -> None:
    torch = Evidence("torch 2.2.2+rocm5.7", "~/rocm57")
    proved = found(OVERRIDE, (torch, Evidence("16->32 hung", "conv2d")))
    warned = found(OVERRIDE, (torch,), status=Status.WARNING)
    elsewhere = replace(warned, evidence=(Evidence("torch 2.5.1+rocm6.2", "~/other"),))
    assert joined((warned, elsewhere, proved)) == (elsewhere, proved)
