"""What is looked at on this very machine beside its facts: logs, measurements, journals."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from wizard.diagnose import kernel, try_torch
from wizard.diagnose.checks_measured import measurement
from wizard.diagnose.checks_settings import miopen_folders
from wizard.diagnose.checks_since import since_last_good
from wizard.diagnose.finding import Finding
from wizard.diagnose.measurements import Measured, measured_here
from wizard.diagnose.parallel import Look
from wizard.host.host import Host
from wizard.machine.facts import Machine, Unknown
from wizard.machine.once import Once
from wizard.places import Places
from wizard.run.runs import read_records

STAT = "/proc/stat"


def looks_here(
    host: Host,
    machine: Machine,
    places: Places,
    *,
    kernel_log: str = "",
    try_torches: bool = False,
) -> tuple[Look, ...]:
    """All of it, for ``each`` and ``diagnose``; of a recorded machine what can be told of it.

    ``kernel_log``: a file in place of the machine's own log. ``try_torches``: use the card.
    """

    def read_log(_: Machine) -> tuple[Finding, ...]:
        return kernel.findings_in_file(kernel_log) if kernel_log else kernel.kernel_findings()

    log = Look("the kernel log", read_log, kernel.DEADLINE_S)
    if host.name:
        return (log,) if kernel_log else ()
    if not any(gpu.rdna1 for gpu in machine.gpus):
        return (log,)
    measured = Once(partial(measured_here, places))
    runs = partial(read_records, Path(places.runs))
    previous = "the kernel log of the previous boot"
    before = Look(previous, lambda _: _before(host, measured()), kernel.DEADLINE_S)
    tried = Look("each torch on the card", try_torch.try_torches, try_torch.DEADLINE_S)
    return (
        log,
        *(() if kernel_log else (before,)),
        Look("the last Conv2d results", lambda m: measurement(measured(), m)),
        Look("changes since it last worked", lambda m: since_last_good(measured(), runs(), m)),
        Look("MIOpen's folders", partial(miopen_folders, host)),
        *((tried,) if try_torches else ()),
    )


def _before(host: Host, measured: tuple[Measured, ...]) -> tuple[Finding, ...]:
    """The log of the start before, where a hang is suspected to have ended that one."""
    began = started_s(host)
    last = next(iter(measured), None)
    if last is None or began is None or not last.hung or last.when.timestamp() >= began:
        return ()
    return kernel.findings_before()


def started_s(host: Host) -> float | None:
    """When this machine was started, in seconds since 1970."""
    text = host.read(STAT)
    lines = () if isinstance(text, Unknown) else text.splitlines()
    told = next((line.split()[1:] for line in lines if line.startswith("btime ")), [])
    return float(told[0]) if told and re.fullmatch("[0-9]{1,15}", told[0]) else None
