"""Steps that only plans for an environment that exists already are made of."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wizard.core.credentials import redact
from wizard.core.sizes import counted

if TYPE_CHECKING:
    from wizard.plan.steps import Plan


@dataclass(frozen=True, slots=True)
class ResolveHeld:
    """One resolver run that may decide on some packages and on no other one that is there."""

    reason: str
    argv: tuple[str, ...]
    otherwise: tuple[str, ...]
    """What is run should that fail; ``()`` for nothing."""
    venv: str
    site: str
    held: tuple[str, ...]
    """``name==version`` of every distribution that stays as it is."""
    leaving: tuple[str, ...]
    """Names of the distributions that the resolver must take for absent."""
    constraints: str
    """Where ``held`` is written for pip to read."""
    seen: str
    """A folder of links to the metadata of what stays: all that pip sees as installed."""
    report: str
    inverse: str
    environment: tuple[tuple[str, str], ...] = ()
    deadline_s: float = 900.0
    needs_root: bool = False

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Choose exact versions"

    def __str__(self) -> str:
        settings = "".join(f"{name}={shlex.quote(value)} " for name, value in self.environment)
        calls = " || ".join(shlex.join(argv) for argv in (self.argv, self.otherwise) if argv)
        return redact(
            f"{settings}{calls}  # {self.constraints} pins the {len(self.held)} packages that are "
            f"kept; {self.seen} shows pip only those"
        )


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


@dataclass(frozen=True, slots=True)
class ResolveCarried:
    """One resolver run for a stack and, as far as they fit, the packages of another environment."""

    reason: str
    argv: tuple[str, ...]
    otherwise: tuple[str, ...]
    carried: tuple[tuple[str, str], ...]
    """Name and version of what the other environment was asked to hold."""
    report: str
    folder: str
    """Made first, for the report."""
    told: str
    """A file that tells what came in another version, what did not come, and why."""
    inverse: str
    environment: tuple[tuple[str, str], ...] = ()
    deadline_s: float = 900.0
    """For each run of the resolver."""
    needs_root: bool = False

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Choose exact versions"

    def __str__(self) -> str:
        settings = "".join(f"{name}={shlex.quote(value)} " for name, value in self.environment)
        wanted = shlex.join(f"{name}=={version}" for name, version in self.carried)
        return redact(
            f"{settings}{shlex.join(self.argv)} {wanted}  # if a version does not exist, any "
            f"other is tried; if none fits, the package is left out; {self.told} lists both"
        )


def changes_existing(plan: Plan) -> bool:
    """True for a plan that replaces the torch of an environment that is there."""
    return any(isinstance(step, SetAsidePackages) for step in plan.steps)
