"""MIOpen's families of convolution algorithms, and which names in its log are theirs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from wizard.knowledge.rows import read_rows

ONLY = "MIOPEN_DEBUG_FIND_ONLY_SOLVER"
"""Names the only solvers that MIOpen may consider."""
FIND_MODE = "MIOPEN_FIND_MODE"
FIND_MODES = ("NORMAL", "FAST", "HYBRID")
"""Beside DYNAMIC_HYBRID, which is the default of every release read."""
SEARCHES_MORE = ("NORMAL", "HYBRID", "1", "3")
"""Find modes in which a search also times solvers that the library does not list."""
FAST = ("FAST", "2")
"""Find modes without a search: the first solver is taken."""
OFF = ("0", "no", "off", "false", "disable", "disabled")
"""Values that switch a family off."""


@dataclass(frozen=True, slots=True)
class Family:
    """Algorithms that one variable takes away."""

    name: str
    """For people, for example ``implicit GEMM``."""
    variable: str
    """``0`` in it leaves the family out; no other value does anything."""
    begins: tuple[str, ...]
    """How the names of its solvers, kernels and source files begin."""
    solvers: tuple[str, ...]
    """Solvers that may serve alone, one for each direction."""

    @property
    def off(self) -> tuple[str, str]:
        """The variable that takes it away, and its value."""
        return self.variable, "0"

    @property
    def alone(self) -> tuple[str, str]:
        """The variable that leaves nothing but its plainest solvers, and its value."""
        return ONLY, ";".join(self.solvers)


@cache
def load_families() -> tuple[Family, ...]:
    """All families, in the order of the file."""
    return read_rows("solvers.toml", "family", Family, {})


def family_of(name: str) -> Family | None:
    """The family of a solver, a kernel or a source file; None for a name that is not known."""
    solver = name.rpartition(":")[2]  # MIOpen writes ALGORITHM:SOLVER where it times
    return next((each for each in load_families() if solver.startswith(each.begins)), None)
