"""A result card: everything of a run that somebody else needs to compare, and nobody's name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from wizard import __version__
from wizard.conv2d.cards.card_words import (
    told_distribution,
    told_gfx,
    told_kernel,
    told_library,
    told_name,
    told_phrases,
    told_setting,
    told_version,
)
from wizard.conv2d.verdicts import Loaded, Result
from wizard.host.host import Host
from wizard.machine.access import DRIVER
from wizard.machine.facts import Driver, Fact, Gpu, System
from wizard.machine.gpus import GPUS
from wizard.machine.part import PATIENCE_S, Reading
from wizard.machine.system import SYSTEM

SCHEMA = 1
FIGURES = ("cold_s", "warm_s", "max_abs_error", "tolerance")
COUNTS = ("nonfinite", "memory_bytes")
OWN_WORDS = ("hang_class", "phase", "process", "operation")
"""Fields of a result that hold words of this program alone, or nothing."""


@dataclass(frozen=True, slots=True)
class Chip:
    """The card that was measured, as its kernel and its ids tell of it."""

    name: str | None = None
    gfx: str | None = None
    """Its own target, whatever an override calls it; None where several cards leave it open."""
    pci_id: str | None = None
    vram_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """What it was measured with."""

    torch: str | None = None
    hip: str | None = None
    libraries: tuple[str, ...] = ()
    driver: str | None = None
    kernel: str | None = None
    distribution: str | None = None
    glibc: str | None = None


@dataclass(frozen=True, slots=True)
class ResultCard:
    """A run, fit to be given to strangers."""

    time: str
    """When it was measured: ISO, UTC, to the minute."""
    version: str
    """Of the program that wrote it."""
    finished: bool
    chip: Chip
    stack: Stack
    results: tuple[Result, ...]
    """Without free texts; what was published for a shape is left out, being no part of a run."""


@dataclass(frozen=True, slots=True)
class Here:
    """What a card tells of the machine on which it was measured."""

    gpus: tuple[Gpu, ...]
    driver: Driver
    system: System

    @property
    def gfx(self) -> str | None:
        """The target of its one card of amdgpu; None for none and for several."""
        amd = _cards_of(self)
        return told_gfx(_known(amd[0].gfx)) if len(amd) == 1 else None


def look_here(host: Host) -> Here:
    """Card, driver and system of a machine, each with its own patience."""
    gpus, driver, system = Reading(GPUS, host), Reading(DRIVER, host), Reading(SYSTEM, host)
    return Here(
        gpus.result(PATIENCE_S).value,
        driver.result(PATIENCE_S).value,
        system.result(PATIENCE_S).value,
    )


def make_card(
    results: Sequence[Result],
    when: datetime,
    here: Here,
    *,
    finished: bool,
) -> ResultCard:
    """The card of a run that was measured here."""
    loaded = next((r.loaded for r in reversed(results) if r.loaded.device), Loaded())
    return ResultCard(
        time=when.astimezone(timezone.utc).isoformat(timespec="minutes"),
        version=__version__,
        finished=finished,
        chip=_chip(here, loaded),
        stack=_stack(here, loaded),
        results=tuple(map(told_result, results)),
    )


def told_result(result: Result) -> Result:
    """A result without any text that could name somebody: made of what is listed here alone."""
    loaded = result.loaded
    return Result(
        shape=result.shape,
        engine=result.engine,
        verdict=result.verdict,
        detail=told_phrases(result.detail),
        runs=result.runs,
        loaded=Loaded(
            torch=told_version(loaded.torch),
            hip=told_version(loaded.hip),
            device=told_name(loaded.device),
            gfx=told_gfx(loaded.gfx),
            setting=told_setting(loaded.setting),
        ),
        because=None if result.because is None else told_phrases(result.because),
        asked=told_setting(result.asked),
        work=result.work,
        **{name: getattr(result, name) for name in (*FIGURES, *COUNTS, *OWN_WORDS)},
    )


def _cards_of(here: Here) -> tuple[Gpu, ...]:
    return tuple(gpu for gpu in here.gpus if gpu.driver == "amdgpu" and not gpu.integrated)


def _chip(here: Here, loaded: Loaded) -> Chip:
    """The card of amdgpu; where there are several, only what torch said."""
    name, amd = told_name(loaded.device), _cards_of(here)
    if loaded.device == "cpu" or loaded.hip is None or len(amd) != 1:
        return Chip(name)
    gpu = amd[0]
    return Chip(
        told_name(gpu.name) or name,
        told_gfx(_known(gpu.gfx)),
        gpu.pci_id,
        gpu.vram_bytes if isinstance(gpu.vram_bytes, int) else None,
    )


def _stack(here: Here, loaded: Loaded) -> Stack:
    system, driver = here.system, here.driver
    origin = _known(driver.origin) or "amdgpu" if driver.loaded else None
    return Stack(
        torch=told_version(loaded.torch),
        hip=told_version(loaded.hip),
        libraries=tuple(map(told_library, loaded.libraries)),
        driver=" ".join(filter(None, (origin, told_version(driver.version)))) if origin else None,
        kernel=told_kernel(_known(system.kernel) or ""),
        distribution=told_distribution(_known(system.distribution), _known(system.release)),
        glibc=told_version(_known(system.glibc)),
    )


def _known(fact: Fact[str]) -> str | None:
    return fact if isinstance(fact, str) else None
