"""The torch for ROCm that a distribution ships as a package of its own."""

from __future__ import annotations

from typing import NamedTuple

from wizard.apt.packages import Package
from wizard.knowledge.cards import targets_of
from wizard.machine.facts import Environment, Machine, Unknown
from wizard.machine.pythons import DISTRIBUTION

PYTHON, LIBRARY = "python3-torch-rocm", "libtorch-rocm-"


class DistributionTorch(NamedTuple):
    """The package that a torch belongs to, and the chips that its library holds code for."""

    package: Package
    targets: tuple[str, ...]
    """Empty where this version was not read."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Where it comes from, and for which chips."""
        package = f"from the package {self.package.name} {self.package.version}"
        code = f"with code for {', '.join(self.targets)}" if self.targets else ""
        return (package, code or "it is not known for which chips this version has code")

    def without(self, gfx: str) -> tuple[str, str]:
        """That the card is none of these chips, as a title, and what it means."""
        card = f"your card ({gfx})" if gfx else "your card"
        return (
            "Your distribution's own torch has no code for this card",
            f"Your distribution's package {self.package.name} has code for "
            f"{', '.join(self.targets)}, but not for {card}. It can only use the card "
            "with HSA_OVERRIDE_GFX_VERSION=10.3.0, which runs code for another chip (gfx1030) on "
            "it. With that override, users report hangs and crashes from ROCm 5.3 on.",
        )


def distribution_torch(machine: Machine, environment: Environment) -> DistributionTorch | None:
    """What is known of an environment's torch; None where it is not the distribution's for ROCm."""
    torch, packages = environment.torch, machine.rocm_packages
    if environment.path != DISTRIBUTION or torch is None or torch.build != "rocm":
        return None
    installed = {} if isinstance(packages, Unknown) else {one.name: one for one in packages}
    if PYTHON not in installed:
        return None
    libraries = (one for name, one in installed.items() if name.startswith(LIBRARY))
    read = (targets_of(one.name, one.version) for one in libraries)
    return DistributionTorch(installed[PYTHON], next(filter(None, read), ()))
