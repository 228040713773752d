"""What a stack asks of a machine: what rules it out, and what is still missing."""

from __future__ import annotations

from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Gpu, Machine, Unknown
from wizard.plan.card import chosen_card
from wizard.plan.room import GIGABYTE, disk_full, unsure_size
from wizard.sizes import memory_size_text

STRICT_GLIBC = Version("2.41")
"""From this release on, glibc refuses libraries that ask for an executable stack."""
MEMORY_ASKED = 8 * GIGABYTE
"""What the notes ask for (hkevin01/rocm-patch, README.md); firmware takes its share of 8 GB."""
MEMORY_SHARE = 0.9
RDNA1 = "RX 5500, 5600, 5700 and relatives"


@dataclass(frozen=True, slots=True)
class MissingRight:
    """A right that the user must get before the stack can use the card; no plan gives it."""

    text: str
    needs_root: bool
    """False where a new login is enough."""


def obstacles(machine: Machine, stack: Stack) -> tuple[str, ...]:
    """What rules the stack out here, each with what would mend it."""
    card = (_wrong_card(machine, stack), _wrong_processor(machine)) if stack.gfx else ()
    return tuple(text for text in (*card, disk_full(machine, stack)) if text)


def needs(machine: Machine, stack: Stack) -> tuple[str, ...]:
    """What the stack needs that is not there yet, or that could not be seen."""
    if not stack.gfx:
        return tuple(text for text in (unsure_size(machine, stack),) if text)
    texts = (
        _driver(chosen_card(machine)),
        _access(machine, stack),
        _glibc(machine, stack),
        _memory(machine),
        unsure_size(machine, stack),
        _unknown_processor(machine),
    )
    return tuple(text for text in texts if text)


def _wrong_card(machine: Machine, stack: Stack) -> str:
    card = chosen_card(machine)
    if card is None:
        return f"no AMD card was found; this stack is for {RDNA1}"
    if isinstance(card.gfx, Unknown):
        return f"the target of {card.name} is not known: {card.gfx.because}"
    if card.gfx in stack.gfx:
        return ""
    if card.gfx == "gfx1013":
        note = card.note or "a relative of RDNA1 for which no wheel is built or attested"
        return f"{card.name} is gfx1013: {note}"
    return f"{card.name} is {card.gfx}; this stack is for {', '.join(stack.gfx)} ({RDNA1})"


def _wrong_processor(machine: Machine) -> str:
    architecture = machine.system.architecture
    if isinstance(architecture, Unknown) or architecture == "x86_64":
        return ""
    return f"ROCm wheels exist for x86_64 only; this processor is {architecture}"


def _driver(card: Gpu | None) -> str:
    if card is None or isinstance(card.driver, Unknown) or card.driver == "amdgpu":
        return ""
    held = f"held by {card.driver}" if card.driver else "not driven by anything"
    return f"the kernel driver amdgpu for {card.name}, which is {held}"


def _access(machine: Machine, stack: Stack) -> str:
    if chosen_card(machine) is None:
        return ""
    if not machine.access.kfd.present:
        return "/dev/kfd, which amdgpu makes when it drives the card (in a container: pass it in)"
    missing = missing_right(machine, stack)
    return missing.text if missing else ""


def missing_right(machine: Machine, stack: Stack) -> MissingRight | None:
    """The right to open the card's devices, and how to get it; None where nothing is missing."""
    card, access = chosen_card(machine), machine.access
    if card is None or not stack.gfx or not access.kfd.present:
        return None
    ours = [node for node in access.render_nodes if node.path == card.render_node]
    closed = [node for node in (access.kfd, *ours) if node.present and not node.usable]
    if not closed:
        return None
    paths = " and ".join(node.path for node in closed)
    groups = {node.group for node in closed if not isinstance(node.group, Unknown)} or {"render"}
    remedy, needs_root = _remedy(machine, sorted(groups))
    return MissingRight(f"the right to open {paths}: {remedy}", needs_root)


def _remedy(machine: Machine, groups: list[str]) -> tuple[str, bool]:
    """What gives the right, and whether root must do it."""
    joined = machine.access.groups_in_file
    if not isinstance(joined, Unknown) and all(group in joined for group in groups):
        return f"you are in {', '.join(groups)}, but only from your next login on", False
    if "root" in groups:
        return "the device belongs to root alone; a udev rule of the distribution is missing", True
    return f"sudo usermod -aG {','.join(groups)} {machine.access.user}, then log in again", True


def _glibc(machine: Machine, stack: Stack) -> str:
    if not stack.executable_stack:
        return ""
    cure = "clear the executable-stack flag of libamdhip64.so and libhiprtc.so after installing"
    version = machine.system.glibc
    if isinstance(version, Unknown):
        return f"glibc is not known ({version.because}); if it is 2.41 or newer: {cure}"
    try:
        strict = Version(version) >= STRICT_GLIBC
    except InvalidVersion:
        return f"glibc calls itself {version}; if it is 2.41 or newer: {cure}"
    return f"{cure}: glibc {version} refuses them otherwise" if strict else ""


def _memory(machine: Machine) -> str:
    memory = machine.system.memory_bytes
    if isinstance(memory, Unknown) or memory >= MEMORY_ASKED * MEMORY_SHARE:
        return ""
    return (
        "8 GB of memory by the notes of hkevin01/rocm-patch; "
        f"this machine has {memory_size_text(memory)}"
    )


def _unknown_processor(machine: Machine) -> str:
    architecture = machine.system.architecture
    if not isinstance(architecture, Unknown):
        return ""
    return f"an x86_64 processor; what this one is could not be read ({architecture.because})"
