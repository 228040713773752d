"""One look at a machine, and the record that it gives."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.host.host import Host
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.machine.recording.disguise import Disguise, disguise_of
from wizard.machine.recording.facts import keep_facts
from wizard.machine.recording.recorder import keep_files
from wizard.machine.recording.values import values_of
from wizard.machine.recording.watch import RecordingHost
from wizard.machine.recording.write import Record, layout


@dataclass(frozen=True, slots=True)
class Made:
    """A record before it is written, and what it was made of."""

    machine: Machine
    disguise: Disguise
    record: Record
    left_out: frozenset[str]
    """Files that detection read although they are on no list."""


def make_record(inner: Host, name: str) -> Made:
    """The record of this name of the machine that the host looks at."""
    host, disguise = RecordingHost(inner), disguise_of(inner)
    machine = detect(host)
    kept = keep_files(host, disguise, machine)
    keep_facts(machine, host.asked, disguise, kept)
    record = layout(kept, values_of(host, name, kept, machine, disguise))
    return Made(machine, disguise, record, frozenset(kept.left_out))
