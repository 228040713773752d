"""Checks of what MIOpen is told to search, and of which ROCm a torch really runs."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.advice.leftovers import short_path
from wizard.diagnose.checked import fine, found, shown_settings
from wizard.diagnose.checks_torch import OFFICIAL, each_torch
from wizard.diagnose.finding import Confidence, Evidence, Finding, Status
from wizard.diagnose.reach import reaching
from wizard.diagnose.versions import rocm_of, torch_before
from wizard.knowledge.solvers import ONLY
from wizard.machine.facts import Machine, Unknown

ENFORCE = "MIOPEN_FIND_ENFORCE"
EXHAUSTIVE = ("3", "4", "search", "search_db_update")
SLOW = (
    "MIOpen then times every variant of every algorithm first. The first call takes many minutes "
    "for each shape, which looks like a hang but is not one."
)
UNSET = f"Unset {ENFORCE} (rdna1-setup clean-up finds where it is set), and try again."


def searching(machine: Machine) -> Iterator[Finding]:
    """Settings that make MIOpen search for long, or that leave it a single solver."""
    everywhere = [one for one in machine.settings if not one.within]
    slow = [s for s in everywhere if s.name == ENFORCE and s.value.lower() in EXHAUSTIVE]
    if slow:
        title = "MIOpen is set to try everything before it computes"
        yield Finding(
            "none",
            Status.WARNING,
            Confidence.CERTAIN,
            title,
            shown_settings(slow, machine),
            SLOW,
            (UNSET,),
            "source code",
            ("https://rocm.docs.amd.com/projects/MIOpen/en/latest/conceptual/tuningdb.html",),
        )
    single = [s for s in everywhere if s.name == ONLY and s.value]
    if single:
        evidence = shown_settings(single, machine)
        sure, status = Confidence.POSSIBLE, Status.WARNING
        yield found("miopen-solver-restricted", evidence, sure, status=status)


def own_rocm(machine: Machine) -> Iterator[Finding]:
    """That a wheel runs the ROCm inside it, where the system has another release.

    Nothing is wrong then; but people exchange the system's ROCm to mend what the wheel does.
    """
    system = [t for t in machine.rocm_trees if not t.link_to and not isinstance(t.version, Unknown)]
    for environment, torch in each_torch(machine):
        own = rocm_of(torch.version)
        others = [t for t in system if own and not str(t.version).startswith(f"{own[0]}.{own[1]}")]
        led_away = torch_before(torch.version, (2, 1)) and any(
            s.name == "LD_LIBRARY_PATH" for s in reaching(machine, environment)
        )
        if own is None or not OFFICIAL.search(torch.version) or not others or led_away:
            continue
        names = ", ".join(short_path(tree.path, machine) for tree in others)
        place = short_path(environment.path, machine)
        title = f"torch {torch.version} uses its own ROCm {own[0]}.{own[1]}, not {names}"
        yield fine("mixed-rocm-libraries", title, Evidence(f"torch {torch.version}", place))
