"""Machines of every kind, any fact of them perhaps unknown."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from hypothesis import strategies as st

from tests.handmade import (
    GIGABYTE,
    HOME,
    card,
    clean_jammy,
    in_the_dark,
    noble_with_leftovers,
    node,
    python,
)
from wizard.core.fact import Fact, Unknown
from wizard.host.host import Disk
from wizard.machine.facts import Access, Gpu, Machine, Process, Surroundings

T = TypeVar("T")
DARK = Unknown("no permission")
BASES = (clean_jammy(), noble_with_leftovers())


def facts(*values: T) -> st.SearchStrategy[Fact[T]]:
    """One of some values, or unknown."""
    return st.one_of(st.just(DARK), st.sampled_from(values))


def mostly(draw: st.DrawFn, usual: T, odd: st.SearchStrategy[T]) -> T:
    """What is usual, two times in three: else hardly any road would ever be open."""
    return draw(odd) if draw(st.integers(0, 2)) == 0 else usual


DRIVERS: st.SearchStrategy[Fact[str]] = facts("amdgpu", "vfio-pci", "")
GLIBCS: st.SearchStrategy[Fact[str]] = facts("2.12", "2.17", "2.27", "2.35", "2.41", "odd")
MEMORIES: st.SearchStrategy[Fact[int]] = facts(GIGABYTE, 16 * GIGABYTE, 64 * GIGABYTE)
VRAMS: st.SearchStrategy[Fact[int]] = facts(3 * GIGABYTE, 6 * GIGABYTE, 8 * GIGABYTE)
FIRMWARES: st.SearchStrategy[Fact[int]] = facts(140, 150)
GROUPS: st.SearchStrategy[Fact[tuple[str, ...]]] = facts(("ada",), ("ada", "render"))
STUCK = (Process(4211, "python3", "D", ("/dev/kfd",), compute=True),)
PROCESSES: st.SearchStrategy[Fact[tuple[Process, ...]]] = facts((), STUCK)


@st.composite
def cards(draw: st.DrawFn) -> Gpu:
    """A card of any of our targets or of others, whatever is known of it."""
    others = st.sampled_from(["gfx1012", "gfx1013", "gfx1031"])
    found = card(mostly(draw, "gfx1010", others))
    if draw(st.integers(0, 7)) == 0:
        return in_the_dark(found)
    return replace(
        found,
        driver=mostly(draw, found.driver, DRIVERS),
        vram_bytes=draw(VRAMS),
        atomics=mostly(draw, found.atomics, facts(True, False)),
        mec_firmware=draw(FIRMWARES),
        kfd_node=mostly(draw, found.kfd_node, st.none()),
    )


@st.composite
def accesses(draw: st.DrawFn, base: Access) -> Access:
    """Who we are and what we may open."""
    return replace(
        base,
        home=mostly(draw, HOME, st.sampled_from(["/", "", "/root"])),
        groups_in_file=draw(GROUPS),
        kfd=node("/dev/kfd", usable=draw(st.booleans()))._replace(
            present=draw(st.booleans()),
            group=draw(facts("render", "root")),
        ),
    )


@st.composite
def surroundings(draw: st.DrawFn) -> Surroundings:
    """Around the system, as often as not nothing."""
    return Surroundings(
        secure_boot=False,
        container=draw(st.sampled_from(["", "", "docker"])),
        wsl=draw(st.integers(0, 9)) == 0,
        virtual_machine=draw(st.sampled_from(["", "", "QEMU"])),
        confined=draw(st.sampled_from(["", "", "snap"])),
        seat_in_use=draw(facts(True, False)),
        snapshots=(),
    )


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """A machine."""
    base = draw(st.sampled_from(BASES))
    system = replace(
        base.system,
        glibc=mostly(draw, base.system.glibc, GLIBCS),
        architecture=mostly(draw, base.system.architecture, facts("aarch64")),
        memory_bytes=mostly(draw, base.system.memory_bytes, MEMORIES),
    )
    free = mostly(draw, 91 * GIGABYTE, st.sampled_from([0, 2 * GIGABYTE, 20 * GIGABYTE]))
    return replace(
        base,
        gpus=tuple(draw(st.lists(cards(), min_size=draw(st.integers(0, 1)), max_size=2))),
        system=system,
        surroundings=draw(surroundings()),
        access=draw(accesses(base.access)),
        processes=draw(PROCESSES),
        disks=mostly(draw, (Disk(HOME, "/", 500 * GIGABYTE, free),), st.just(())),
        interpreters=tuple(
            python(version, makes_venvs=draw(st.booleans()))
            for version in draw(st.lists(st.sampled_from(["3.8", "3.10.12", "3.12", "3.14"])))
        ),
        uv=mostly(draw, base.uv, facts("/usr/bin/uv")),
        rocm_packages=draw(facts(())),
    )
