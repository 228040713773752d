"""What the public notes tell to check is checked, and what happened on their machine explained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.made import made
from tests.diagnose.measuring import LOADED, hung, measured
from tests.diagnose.notes_items import ITEMS
from tests.handmade import HOME, clean_jammy, torch
from tests.machine.records import seen
from wizard.conv2d.shapes import square
from wizard.core.own_files import places
from wizard.diagnose.checks_measured import measurement
from wizard.diagnose.explain import explain
from wizard.diagnose.finding import Finding, Status
from wizard.diagnose.machine import (
    FOR_ALL,
    FOR_RDNA1,
    Look,
    diagnose,
    diagnosis_of,
    looks_of,
    run_each,
)
from wizard.diagnose.this_machine import looks_here
from wizard.host.live import LiveHost
from wizard.knowledge.causes import load_causes
from wizard.machine.facts import Environment, Machine, Setting
from wizard.machine.stack_facts import stack_of


def test_what_a_note_says_to_check_is_checked_or_has_its_reason(tmp_path: Path) -> None:
    here = looks_here(LiveHost(), clean_jammy(), places({}, str(tmp_path)), try_torches=True)
    known = {check.__name__.replace("_", " ") for check in (*FOR_ALL, *FOR_RDNA1)}
    known |= {look.name for look in here} | {f"explain {cause}" for cause in load_causes()}
    assert [item for item in ITEMS if not set(item.by) <= known] == []
    assert [item for item in ITEMS if not item.by and len(item.why_not) <= 20] == []


def test_every_note_is_gone_through() -> None:
    assert {item.note for item in ITEMS} == {"000", "001", "002", "003", "004"}


def told(machine: Machine, *more: Finding) -> dict[str, Finding]:
    """What counts, by cause."""
    further = (Look("more", lambda _: more),)
    return {one.cause: one for one in diagnose(machine, further).findings if one.counts}


def fine(machine: Machine) -> str:
    return "\n".join(f.title for f in diagnose(machine).findings if f.status is Status.OK)


def shown(finding: Finding) -> str:
    return "\n".join(evidence.text for evidence in finding.evidence)


def test_note_000_ran_the_rocm_of_its_wheel_and_not_the_one_it_installed() -> None:
    machine = seen("rx5600xt-noble-rocm52-mix")
    found = told(machine)
    assert "uses its own ROCm 5.7, not /opt/rocm-5.2.0" in fine(machine)
    assert "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1" in shown(found["noop-setting"])
    assert "MIOPEN_DEBUG_CONV_GEMM=0" in shown(found["miopen-solver-restricted"])
    assert "::" in shown(found["library-path-shadow"])
    assert "torch 2.2.2+rocm5.7" in shown(found["override-isa-mismatch"])


def of_note_001() -> Machine:
    """The settings of that note around the torch that it names."""
    profile = "/etc/profile.d/rocm-rdna1.sh"
    idle = "no-op: it neither enables nor forces anything"
    return replace(
        clean_jammy(),
        environments=(Environment(f"{HOME}/venv", "venv", "3.10", torch("1.13.1+rocm5.2")),),
        settings=(
            Setting("HSA_OVERRIDE_GFX_VERSION", "10.3.0", profile, 3, ""),
            Setting("MIOPEN_DEBUG_CONV_IMPLICIT_GEMM", "1", profile, 4, idle),
            Setting("LD_LIBRARY_PATH", "/opt/rocm-5.2.0/lib:", profile, 5, ""),
        ),
    )


def test_note_001_worked_by_its_wheel_and_not_by_its_variable() -> None:
    found = told(of_note_001())
    assert sorted(found) == ["library-path-shadow", "noop-setting"]
    assert "IMPLICIT_GEMM=1" in shown(found["noop-setting"])


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            "The following packages have unmet dependencies:\n"
            " rocm-gdb : Depends: libtinfo5 but it is not installable\n"
            "            Depends: libpython3.8 but it is not installable\n"
            " rocm-llvm : Depends: python but it is not installable\n"
            "E: Unable to correct problems, you have held broken packages.\n",
            "apt-release-mismatch",
        ),
        (
            " rocm-dev : Depends: rocminfo (= 1.0.0.50200-65) but 5.7.1-3build1 is to be "
            "installed\nE: Unable to correct problems, you have held broken packages.\n",
            "apt-distro-shadows-amd",
        ),
        (
            "Looking in indexes: https://pypi.org/simple, https://download.pytorch.org/whl/rocm5.2"
            "\nERROR: Could not find a version that satisfies the requirement "
            "torch==1.13.1+rocm5.2 (from versions: 2.2.0, 2.2.1, 2.2.2, 2.3.0)\n",
            "python-too-new",
        ),
    ],
)
def test_the_commands_of_note_001_fail_on_ubuntu_24_04_for_a_reason(text: str, cause: str) -> None:
    assert [finding.cause for finding in explain(text.encode()).findings] == [cause]


def with_sweep(machine: Machine, *sizes: int) -> dict[str, Finding]:
    """What counts where 16->32 hung at these sizes, with the torch of that machine."""
    environment = next(e for e in machine.environments if e.torch)
    assert environment.torch is not None
    loaded = replace(LOADED, torch=environment.torch.version)
    results = [hung(shape=square(16, 32, size), loaded=loaded) for size in sizes]
    last = measured(
        made(square(16, 32, 32), loaded=loaded),
        *results,
        python=f"{environment.path}/bin/python",
        stack=stack_of(machine),
    )
    found = [finding for each in run_each(looks_of(machine), machine) for finding in each]
    whole = diagnosis_of(machine, (*found, *measurement((last,), machine)))
    return {one.cause: one for one in whole.findings if one.counts}


@pytest.mark.parametrize("sizes", [(44, 48, 64), (64,)], ids=["note 002", "note 003"])
def test_notes_002_and_003_ran_code_of_another_chip(sizes: tuple[int, ...]) -> None:
    found = with_sweep(seen("rx5600xt-noble-rocm57"), *sizes)
    first = next(iter(found.values()))
    assert (first.cause, first.status) == ("override-isa-mismatch", Status.FAULT)
    assert f"{len(sizes)} of {len(sizes) + 1} shapes hung" in first.title
    assert "torch 2.2.2+rocm5.7" in shown(first)
    assert "MIOPEN_FIND_ENFORCE=NONE" in shown(found["noop-setting"])


def test_note_004_measured_a_library_of_its_own_making() -> None:
    machine = seen("rx5600xt-noble-rocm62-miopen")
    first, *_ = diagnose(machine).findings
    assert first.cause == "wheel-library-replaced"
    assert "libMIOpen.so.original" in shown(first)
    found = told(machine)
    assert "MIOPEN_FORCE_RDNA1=1" in shown(found["noop-setting"])
    assert "python3 is stuck in the kernel" in shown(found["compute-queue-preemption-hang"])


def test_note_004_began_with_a_system_rocm_that_took_no_part() -> None:
    machine = seen("rx5600xt-noble-rocm702")
    assert "wheel-lacks-gfx-target" in told(machine)
    assert "uses its own ROCm 6.2, not /opt/rocm-7.0.2" in fine(machine)
