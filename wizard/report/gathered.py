"""All that a report is made of, as it was found: nothing of it leaves before it is redacted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from wizard.conv2d.runs.last_sweep import LastSweep, sweeps
from wizard.diagnose.machine import Diagnosis, diagnose
from wizard.diagnose.parallel import Look
from wizard.diagnose.this_machine import looks_here
from wizard.host.host import Host
from wizard.journalform import OlderRun, Record
from wizard.machine.detect import detect
from wizard.machine.disclosure import told_machine
from wizard.machine.facts import Fact, Machine
from wizard.places import Places
from wizard.redaction.values import told_value
from wizard.report.identity import Identity, identity_of
from wizard.report.log_ends import log_ends
from wizard.run.log import log_of
from wizard.run.runs import older_runs, read_records


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was found, or why there is nothing of it."""

    name: str
    about: str
    text: Fact[str]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a report is made of."""

    machine: Machine
    identity: Identity
    diagnosis: Diagnosis
    records: tuple[Record, ...]
    older: tuple[OlderRun, ...]
    """Runs that an older version of this program recorded."""
    sweep: LastSweep | None
    before: LastSweep | None
    logs: tuple[Log, ...]


Looks = Callable[[Host, Machine, Places], tuple[Look, ...]]
"""What is looked at beside the facts of a machine."""


def gather(host: Host, places: Places, looks: Looks = looks_here) -> Gathered:
    """Looks at everything; a recorded machine has no runs, logs and kernel log of its own."""
    machine, recorded = told_machine(detect(host)), bool(host.name)
    runs = Path(places.runs)
    records = () if recorded else read_records(runs)
    latest = [] if recorded else list(map(_told, islice(sweeps(Path(places.conv2d)), 2)))
    sweep, before = (*latest, None, None)[:2]
    return Gathered(
        machine=machine,
        identity=identity_of(host),
        diagnosis=diagnose(machine, looks(host, machine, places)),
        records=records,
        older=() if recorded else older_runs(runs),
        sweep=sweep,
        before=before,
        logs=() if recorded else _logs(records, places),
    )


def _told(sweep: LastSweep) -> LastSweep:
    """The sweep without what somebody may have put into a variable beside a fact."""
    return replace(
        sweep,
        results=tuple(
            replace(
                result,
                asked=_values(result.asked),
                loaded=replace(result.loaded, setting=_values(result.loaded.setting)),
            )
            for result in sweep.results
        ),
    )


def _values(setting: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((name, told_value(name, value)) for name, value in setting)


def _logs(records: tuple[Record, ...], places: Places) -> tuple[Log, ...]:
    found = []
    if records:
        about = f"log of the last run ({records[0].id})"
        found.append(Log("logs/last-run.txt", about, log_ends(Path(log_of(records[0])))))
    from wizard.conv2d.runs.folders import runs_of

    runs = runs_of(places)
    if runs and runs[0].log.exists():
        about = f"other output of the Conv2d measurement {runs[0].id}"
        found.append(Log("logs/conv2d-run.txt", about, log_ends(runs[0].log)))
    return tuple(found)
