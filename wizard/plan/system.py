"""Root steps of the footprint ``venv+system``: planned and shown, not yet carried out."""

from __future__ import annotations

from typing import Any

from wizard.knowledge.tables import read_table
from wizard.machine.facts import Machine
from wizard.plan.steps import AddToGroups, RunProgram, Step, WriteFile

KEYRING = "/etc/apt/keyrings/rdna1-setup-rocm.asc"
SOURCE = "/etc/apt/sources.list.d/rdna1-setup-rocm.list"
PIN = "/etc/apt/preferences.d/rdna1-setup-rocm"
_APT = (
    "apt-get",
    "--yes",
    "--no-install-recommends",
    "-o",
    "Dpkg::Options::=--force-confold",
    "-o",
    "Dpkg::Use-Pty=0",
    "-o",
    "DPkg::Lock::Timeout=120",
    "-o",
    "APT::Update::Error-Mode=any",
)


def system_steps(machine: Machine, release: str) -> tuple[Step, ...]:
    """The steps that install one system ROCm release beside the venv, smallest useful set."""
    table = read_table("releases.toml")
    entry = table["release"][release]
    line = f"deb [arch=amd64 signed-by={KEYRING}] {table['repository']}/{entry['directory']} "
    line += f"{_suite(machine, entry)} main\n"
    only_ours = ("-o", f"Dir::Etc::sourcelist={SOURCE}", "-o", "Dir::Etc::sourceparts=-")
    return (
        *_trust(table),
        _root_file(SOURCE, line, f"The apt source of ROCm {release}. {entry['caution']}"),
        _root_file(
            PIN,
            "Package: *\nPin: release o=repo.radeon.com\nPin-Priority: 600\n",
            "Without the pin the distribution's packages of the same names win.",
        ),
        RunProgram(
            "Read the lists of our own source only; others are not our business.",
            (*_APT, *only_ours, "update"),
            "nothing to undo",
            needs_root=True,
        ),
        RunProgram(
            f"Install the smallest useful set of ROCm {release}; torch itself does not need it.",
            (*_APT, "install", *entry["packages"]),
            f"apt-get purge {' '.join(entry['packages'])}",
            deadline_s=3600,
            needs_root=True,
        ),
    )


def group_steps(machine: Machine) -> tuple[Step, ...]:
    """Joining ``render`` and ``video`` where the user is in neither file nor force."""
    groups = machine.access.groups_in_file
    if not isinstance(groups, tuple):
        return ()
    missing = tuple(name for name in ("render", "video") if name not in groups)
    if not missing:
        return ()
    return (
        AddToGroups(
            "The device files of the GPU belong to these groups. Counts from the next login.",
            machine.access.user,
            missing,
            "gpasswd -d for each of them",
        ),
    )


def _trust(table: dict[str, Any]) -> tuple[Step, ...]:
    fingerprint = table["fingerprint"]
    return (
        RunProgram(
            "A folder that apt's own user can read.",
            ("install", "-d", "-m", "0755", "/etc/apt/keyrings"),
            "nothing to undo",
            needs_root=True,
        ),
        RunProgram(
            f"AMD's key. Its fingerprint must be {fingerprint}.",
            ("curl", "--fail", "--location", "--silent", "--output", KEYRING, table["key"]),
            f"remove {KEYRING}",
            creates=(KEYRING,),
            needs_root=True,
        ),
    )


def _suite(machine: Machine, entry: dict[str, Any]) -> str:
    suites: dict[str, str] = entry["suites"]
    system = machine.system
    return suites.get(f"{system.distribution} {system.release}", suites["*"])


def _root_file(path: str, content: str, reason: str) -> WriteFile:
    return WriteFile(reason, path, content, 0o644, f"remove {path}", needs_root=True)
