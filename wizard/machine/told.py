"""The facts of a machine as they may leave it: settings tell values of known forms alone."""

from __future__ import annotations

from dataclasses import replace

from wizard.machine.facts import Machine
from wizard.redaction.values import told_value


def told_machine(machine: Machine) -> Machine:
    """The machine without what somebody may have put into a variable beside a fact."""
    told = (one._replace(value=told_value(one.name, one.value)) for one in machine.settings)
    return replace(machine, settings=tuple(told))
