"""Whether a graphics card can be measured at all, by what is known of the machine and its torch."""

from __future__ import annotations

from wizard.machine.facts import Machine

CPU_BUILD = "This PyTorch was built for the CPU only."
NO_KFD = "WSL has no AMD GPU: there is no /dev/kfd."


def why_cpu_alone(machine: Machine | None, build: str) -> str:
    """Why a torch of this build can be measured on the processor alone, in one sentence.

    ``""`` where a card may be reached, or nobody knows.
    """
    if build == "cpu":
        return CPU_BUILD
    if machine is None or build == "cuda":  # which needs no kfd, below Windows either
        return ""
    return NO_KFD if machine.surroundings.wsl and not machine.access.kfd.present else ""
