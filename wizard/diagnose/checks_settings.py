"""Checks of variables that do nothing, that hide the card, or that leave MIOpen no choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wizard.advice.algorithms import left_by
from wizard.advice.card import chosen_card
from wizard.diagnose.conclusions_settings import IDLE, MASKS, hides
from wizard.diagnose.finding import NO_CAUSE, About, Confidence, Evidence, Finding, Status
from wizard.diagnose.outcomes import fine, found, shown_settings, warned
from wizard.host.host import Host
from wizard.knowledge.claims import Grade
from wizard.knowledge.solvers import OFF, ONLY, load_families
from wizard.machine.facts import Machine

ENFORCE = "MIOPEN_FIND_ENFORCE"
EXHAUSTIVE = ("3", "4", "search", "search_db_update")
SLOW = (
    "With this setting, MIOpen first times every variant of every algorithm. The first call takes "
    "many minutes for each shape, which looks like a hang but is not one."
)
TUNING = "https://rocm.docs.amd.com/projects/MIOpen/en/latest/conceptual/tuningdb.html"
UNSET = f"Unset {ENFORCE} and try again. rdna1-setup clean-up finds where it is set."
FOLDERS = (("MIOPEN_CUSTOM_CACHE_DIR", ".cache/miopen"), ("MIOPEN_USER_DB_PATH", ".config/miopen"))
CACHE = "miopen-cache"
RESTRICTED = "miopen-solver-restricted"


def idle(machine: Machine) -> Iterator[Finding]:
    """Variables that do nothing, each with the place where it is set."""
    wrong = [one for one in machine.settings if one.effect.split(":")[0] in IDLE]
    if wrong:
        about = About(settings=tuple(wrong))
        yield warned("noop-setting", shown_settings(wrong, machine), about=about)
    else:
        yield fine("noop-setting", "No useless variable is set")


def masks(machine: Machine) -> Iterator[Finding]:
    """Variables that name a GPU past the last one, or none."""
    card = chosen_card(machine)
    count = sum(gpu.kfd_node is not None for gpu in machine.gpus)
    if card is None or not count:
        return
    hiding = [s for s in machine.settings if s.name in MASKS and hides(s.value, count)]
    if hiding:
        status = Status.FAULT if any(not one.within for one in hiding) else Status.WARNING
        about = About(settings=tuple(hiding))
        evidence = shown_settings(hiding, machine)
        yield found("visible-devices-mask", evidence, status=status, about=about)
    else:
        yield fine("visible-devices-mask", "No variable hides the card")


def families(machine: Machine) -> Iterator[Finding]:
    """MIOpen's families of algorithms that are switched off, where few layers or none have one."""
    switches = {each.variable for each in load_families()}
    everywhere = [one for one in machine.settings if not one.within]
    off = [s for s in everywhere if s.name in switches and s.value.lower() in OFF]
    gone, left = len({one.name for one in off}), left_by(machine, everywhere) if off else ()
    evidence = shown_settings(off, machine)
    if gone == len(switches):
        yield _asked(found(RESTRICTED, evidence, about=About(settings=tuple(off))), left)
    elif left or gone == len(switches) - 1:  # with one left somebody may have meant it so
        yield _asked(warned(RESTRICTED, evidence, Confidence.POSSIBLE), left)


def _asked(finding: Finding, left: tuple[str, ...]) -> Finding:
    """The same, with what MIOpen itself answered first."""
    meaning = " ".join((*left, finding.meaning))
    return replace(finding, meaning=meaning, grade=Grade.LIBRARY.value) if left else finding


def searching(machine: Machine) -> Iterator[Finding]:
    """Settings that make MIOpen search for long, or that leave it a single solver."""
    everywhere = [one for one in machine.settings if not one.within]
    if slow := [s for s in everywhere if s.name == ENFORCE and s.value.lower() in EXHAUSTIVE]:
        title = "MIOpen is set to try every algorithm before it computes"
        evidence = shown_settings(slow, machine)
        told = warned(NO_CAUSE, evidence, title=title, meaning=SLOW, fix=(UNSET,))
        yield replace(told, grade="source code", links=(TUNING,))
    if single := [s for s in everywhere if s.name == ONLY and s.value]:
        told = warned(RESTRICTED, shown_settings(single, machine), Confidence.POSSIBLE)
        yield _asked(told, left_by(machine, everywhere))


def miopen_folders(host: Host, machine: Machine) -> Iterator[Finding]:
    """The folders that are there and may not be written; asked of the kernel, nothing is opened."""
    paths = [host.environ.get(name) or f"{host.home}/{usual}" for name, usual in FOLDERS]
    there = [path for path in paths if host.exists(path)]
    closed = [path for path in there if not host.usable(path)]
    if closed:
        why = "you do not have permission to write here"
        yield found(CACHE, (Evidence(why, path) for path in closed))
    elif there:
        yield fine(CACHE, "MIOpen can write to its cache and database folders")
