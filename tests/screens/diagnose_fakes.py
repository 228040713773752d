"""Findings as they might be, and roads to them: illustrative values, not facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tests.screens import examples
from tests.screens.collaborators import fake
from wizard.core.journal import Kind
from wizard.diagnose.explain import Answer, Explanation
from wizard.diagnose.finding import Confidence, Evidence, Finding, Status, in_order
from wizard.diagnose.listed_cards import ListedCard
from wizard.diagnose.machine import Diagnosis, Progress
from wizard.machine.facts import Machine
from wizard.plan.steps import Plan
from wizard.services.machine import Diagnostics

OVERRIDE = Finding(
    "stale-override",
    Status.FAULT,
    Confidence.CERTAIN,
    "HSA_OVERRIDE_GFX_VERSION is left over from another stack",
    (
        Evidence("torch 2.10.0 (gfx1010)", "~/ai/native"),
        Evidence("HSA_OVERRIDE_GFX_VERSION=10.3.0", "~/.bashrc:118"),
    ),
    "These wheels hold code for the card itself. With the variable set, the card passes for a "
    "gfx1030, for which they hold none.",
    (
        "Take the line out of ~/.bashrc (rdna1-setup clean-up does).",
        "Log out completely and log in again.",
    ),
    "source code",
    ("https://github.com/ROCm/TheRock/blob/main/docs/environment.md",),
)
GROUPS = Finding(
    "kfd-permission",
    Status.FAULT,
    Confidence.LIKELY,
    "This user may not open the card's devices",
    (Evidence("active groups: sam", "/proc/self/status"),),
    "Programs that compute open /dev/kfd and a render node.",
    ("sudo usermod -aG render,video sam",),
    "source code",
    explains=("visible-devices-mask",),
)
IDLE = Finding(
    "noop-setting",
    Status.WARNING,
    Confidence.CERTAIN,
    "A variable is set but has no effect",
    (Evidence("MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1", "~/.bashrc:119"),),
    "Programs behave the same with or without this variable.",
    ("You can remove the variable. rdna1-setup clean-up shows the lines that set it.",),
    "source code",
)
UNREAD = Finding(
    "compute-queue-preemption-hang",
    Status.NOT_TESTED,
    Confidence.POSSIBLE,
    "The kernel log was not read",
    (),
    "dmesg: permission refused. A member of the group adm may read it.",
    (),
)
FINE = tuple(
    Finding(cause, Status.OK, Confidence.CERTAIN, title, (), "", ())
    for cause, title in (
        ("disk-full", "There is enough free space"),
        ("kfd-missing", "amdgpu drives RX 5600 XT"),
        ("numpy2-abi", "Each torch works with its numpy"),
    )
)
BROKEN = Finding(
    "none",
    Status.NOT_TESTED,
    Confidence.POSSIBLE,
    "The check of numpy did not finish",
    (),
    "A mistake in this program: KeyError: 'x'. The other checks are not affected. Please report "
    "it: rdna1-setup report",
    (),
)
FINDINGS = (OVERRIDE, GROUPS, IDLE, UNREAD, *FINE)
SOUND = Diagnosis(True, FINE)
FROM_TEXT = Explanation(
    Answer.FOUND,
    (replace(GROUPS, evidence=(Evidence("Unable to open /dev/kfd", "line 12"),)),),
    (ListedCard("1002:731f", "gfx1010", "RX 5700 XT", "0b:00.0", "lspci", "line 3"),),
    ("lspci",),
)


def looking(*findings: Finding, rdna1: bool = True) -> Callable[..., Diagnosis]:
    """A look that finds these, one a check."""

    def look(machine: Machine, on_progress: Callable[[Progress], None]) -> Diagnosis:
        for number, finding in enumerate(findings, 1):
            waited_for = Progress(finding.cause.replace("-", " "), number, len(findings))
            on_progress(waited_for)
            on_progress(replace(waited_for, findings=(finding,)))
        return Diagnosis(rdna1, in_order(findings))

    return look


def make_fix(machine: Machine, finding: Finding) -> Plan:
    """The plan that clears up."""
    return examples.make_clearing(machine, Kind.CLEAN_UP, ())


def fixes(*causes: str) -> Callable[..., dict[Finding, Plan | None]]:
    """Plans for the findings with these causes, and for no others."""

    def plans(machine: Machine, findings: Iterable[Finding]) -> dict[Finding, Plan | None]:
        return {each: make_fix(machine, each) for each in findings if each.cause in causes}

    return plans


DIAGNOSING = fake(
    Diagnostics,
    look=looking(*FINDINGS),
    explain=lambda text: FROM_TEXT,
    explain_file=lambda path: FROM_TEXT,
    fixes=fixes("stale-override", "noop-setting"),
    make_fix=make_fix,
)
