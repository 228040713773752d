"""Steps that only plans for an environment that exists already are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wizard.core.amounts import counted

if TYPE_CHECKING:
    from wizard.plan.steps import Plan


@dataclass(frozen=True, slots=True)
class SetAsidePackages:
    """Move the files of some distributions into a backup on the same file system."""

    reason: str
    root: str
    """The environment, or the folder ``~/.local`` of the user's own packages."""
    site: str
    packages: tuple[tuple[str, str], ...]
    """Name and version of each distribution that goes."""
    files: tuple[str, ...]
    """Further files that go where they are there, because the plan writes new ones."""
    staging: str
    """Wheels that come in their place: none may write over a file that stays."""
    backup: str
    inverse: str
    needs_root: bool = False

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return f"Back up {counted(len(self.packages), 'old package')}"

    def __str__(self) -> str:
        names = ", ".join(f"{name} {version}" for name, version in self.packages)
        files = ", ".join(self.files)
        what = "; ".join(
            (
                *((f"the files of {names}, as their RECORD lists them",) if names else ()),
                *((f"{files} (if it exists)",) if files else ()),
            )
        )
        return f"move {what}, to {self.backup} (a list there has the SHA-256 of each)"


def changes_existing(plan: Plan) -> bool:
    """True for a plan that replaces the torch of an environment that is there."""
    return any(isinstance(step, SetAsidePackages) for step in plan.steps)
