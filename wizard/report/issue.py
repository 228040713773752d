"""What the reader of an issue needs, most important first; the JSON form holds all of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wizard.machine.facts import Machine, Setting, Unknown
from wizard.report.conv2d import counted_line, table_lines
from wizard.report.conv2d_since import since_lines
from wizard.report.last_sweep import LastSweep
from wizard.report.machine import recorded_lines, section_lines
from wizard.report.units import WIDTH, fact_text
from wizard.run.journal import UNFINISHED, Record

LATEST_RUNS = 5
MACHINE = ("Graphics", "System", "Access", "PyTorch and environments")
"""Sections of the machine that are told whole."""


def sweep_section(sweep: LastSweep | None, before: LastSweep | None = None) -> Iterator[str]:
    """The last verdicts, and what changed since the sweep before."""
    if sweep is None:
        yield "No verdicts yet. To measure: rdna1-setup conv2d"
        return
    yield f"{sweep.time}{'' if sweep.finished else ', not finished'}"
    if sweep.results:
        yield from counted_line(sweep.results)
        yield from table_lines(sweep.results)
        yield from _settings_of(sweep)
    if before is not None:
        yield from since_lines(before.results, sweep.results)
    if sweep.lost:
        text = f"Shape number {sweep.lost} was launched, and its outcome was never written: it "
        yield from textwrap.wrap(f"{text}hung, or the machine or the sweep was ended.", WIDTH)


def _settings_of(sweep: LastSweep) -> Iterator[str]:
    setting = sweep.results[-1].loaded.setting
    if setting:
        yield "In force while it was measured:"
    yield from (f"  {name}={value}" for name, value in setting)


def machine_section(machine: Machine) -> Iterator[str]:
    """Cards, system, access, torch; system ROCm and settings in brief."""
    yield from recorded_lines(machine)
    for title in MACHINE:
        yield from section_lines(machine, title)
    yield "System ROCm"
    yield f"  {_rocm(machine)}"
    yield "Settings"
    yield from _settings(machine.settings)


def run_section(records: Sequence[Record]) -> Iterator[str]:
    """The latest runs, newest first, with why an unfinished one failed."""
    for record in records[:LATEST_RUNS]:
        yield f"{record.id} {record.plan['stack']} {record.plan['venv']} {record.state}"
        if record.state == UNFINISHED:
            yield from (f"  {line}" for line in _failure(Path(record.folder) / "log.txt"))
    if not records:
        yield "none"


def _failure(log: Path) -> Sequence[str]:
    """The last failure in a log: what happened, what it means, what to do."""
    try:
        lines = log.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    begun = [number for number, line in enumerate(lines) if line.startswith("failed: ")]
    return lines[begun[-1] : begun[-1] + 3] if begun else ()


def _rocm(machine: Machine) -> str:
    trees = [f"{t.path} ({fact_text(t.version)})" for t in machine.rocm_trees if not t.link_to]
    packages = machine.rocm_packages
    if isinstance(packages, Unknown):
        return f"{', '.join(trees) or 'no folder'}; packages: {fact_text(packages)}"
    found = f"{len(packages)} packages" if packages else "no packages"
    return f"{', '.join(trees) or 'no folder'}; {found}"


def _settings(settings: Iterable[Setting]) -> Iterator[str]:
    places: dict[tuple[str, str], list[str]] = {}
    for setting in settings:
        where = f"{setting.file}:{setting.line}" if setting.file else "this shell"
        places.setdefault((setting.name, setting.value), []).append(where)
    for (name, value), found in places.items():
        yield f"  {name}={value}  ({', '.join(found)})"
    if not places:
        yield "  none"
