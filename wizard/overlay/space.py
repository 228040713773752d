"""How much space a rehearsal takes: everything that comes, and once more what goes and returns."""

from __future__ import annotations

from wizard.plan.root_steps import AptChange
from wizard.plan.steps import Plan

MB, KB = 1_000_000, 1024
SPARE_MB = 150
"""Copies of dpkg's and apt's own files."""


def megabytes_of(plan: Plan, status: str) -> int:
    """An estimate, from the plan and dpkg's status file."""
    sizes = installed_sizes(status)
    changes = [step for step in plan.steps if isinstance(step, AptChange)]
    comes = sum(step.download_bytes + step.installed_bytes for step in changes)
    # Once as its kept file, which is smaller, and once as it is installed again on the way back.
    goes = 2 * sum(sizes.get(name, 0) for step in changes for name in step.expect_remove)
    return (comes + goes) // MB + SPARE_MB


def installed_sizes(status: str) -> dict[str, int]:
    """Bytes of each package, by name, as dpkg's status file tells them."""
    found = {}
    for paragraph in status.split("\n\n"):
        lines = (line.partition(": ") for line in paragraph.splitlines())
        fields = {name: value for name, _, value in lines if not name.startswith(" ")}
        size = fields.get("Installed-Size", "")
        if size.isdecimal():
            found[fields.get("Package", "")] = int(size) * KB
    return found
