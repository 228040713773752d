"""What a machine is there for already: the applications on it that stacks can be weighed for."""

from __future__ import annotations

from wizard.knowledge.tables import read_table
from wizard.machine.facts import Machine


def wishes_of(machine: Machine) -> tuple[str, ...]:
    """Ids of the applications found on it, in the order in which they are offered.

    A library that lies in the environment of an application came with that application, and
    is no wish of its own.
    """
    programs = {one.environment for one in machine.applications if one.path != one.environment}
    found = {
        one.id
        for one in machine.applications
        if one.path != one.environment or one.environment not in programs
    }
    # Not load_applications: this runs when the screens have just detected, and only ids matter.
    rows = read_table("applications.toml")["application"]
    return tuple(row["id"] for row in rows if row["id"] in found)
