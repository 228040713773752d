"""Steps: what a plan is made of. ``str(step)`` is what Review shows and what gets carried out."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Union

from wizard.core.credentials import redact
from wizard.journalform import Kind, name_of
from wizard.operations.create_environment import CreateEnvironment as CreateEnvironment
from wizard.operations.fetch_wheels import FetchWheels as FetchWheels
from wizard.operations.install_wheels import InstallWheels as InstallWheels
from wizard.operations.operation import Operation
from wizard.operations.resolve import Resolve as Resolve
from wizard.plan.existing_steps import SetAsidePackages
from wizard.plan.root_steps import AddToGroups as AddToGroups
from wizard.plan.root_steps import (
    AptChange,
    AptUpdate,
    FinishInterrupted,
    KeepDebs,
    MakeSnapshot,
    MarkPackages,
    PutSystemPathBack,
    RestoreSettings,
    SetSystemPathAside,
    TakeFromGroups,
)
from wizard.plan.root_steps import WriteSystemFile as WriteSystemFile
from wizard.plan.titles import about_path
from wizard.plan.user_files import PutLinesBack, TakeLinesOut


@dataclass(frozen=True, slots=True)
class RunProgram:
    """Run one program, from an argv tuple, without a shell; logins in addresses are not shown."""

    reason: str
    argv: tuple[str, ...]
    inverse: str
    creates: tuple[str, ...] = ()
    """Paths that exist once it has worked: the outcome that is verified."""
    deadline_s: float = 600.0
    needs_root: bool = False
    title: str = "Run a program"
    """What it does, in a few words."""

    def __str__(self) -> str:
        prefix = "sudo " if self.needs_root else ""
        return redact(f"{prefix}{shlex.join(self.argv)}")


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Write a file of ours, whole, through a temporary file beside it."""

    reason: str
    path: str
    content: str
    mode: int
    inverse: str
    needs_root: bool = False
    title: str = "Write a file"
    """What it does, in a few words."""

    def __str__(self) -> str:
        return f"{'as root, ' if self.needs_root else ''}write {self.path} (mode {self.mode:04o})"


@dataclass(frozen=True, slots=True)
class PinInstalled:
    """Write the versions that the resolver chose as constraints: known only once installed."""

    reason: str
    venv: str
    names: tuple[str, ...]
    path: str
    inverse: str
    needs_root: bool = False
    site: str = ""

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Pin package versions"

    def __str__(self) -> str:
        return f"write the installed versions of {', '.join(self.names)} to {self.path}"


@dataclass(frozen=True, slots=True)
class ClearExecutableStack:
    """Clear the executable-stack flag of libraries, as ``patchelf --clear-execstack`` does."""

    reason: str
    venv: str
    libraries: tuple[str, ...]
    """File names inside ``torch/lib``."""
    inverse: str
    needs_root: bool = False
    site: str = ""

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Clear the executable-stack flag"

    def __str__(self) -> str:
        return f"clear the executable-stack flag of {', '.join(self.libraries)} in {self.venv}"


@dataclass(frozen=True, slots=True)
class SetAside:
    """Move a path into the backup on the same file system."""

    reason: str
    path: str
    backup: str
    inverse: str
    needs_root: bool = False

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return about_path("Back up", self.path, "what is in the way")

    def __str__(self) -> str:
        return f"{'as root, ' if self.needs_root else ''}move {self.path} to {self.backup}"


@dataclass(frozen=True, slots=True)
class CheckTorch:
    """Import torch in a child, run one tiny matmul, and see which libraries were really loaded."""

    reason: str
    python: str
    expect_torch: str
    """Version prefix that must be found."""
    device: str
    """``cuda`` or ``cpu``."""
    inverse: str = "nothing to undo"
    deadline_s: float = 180.0
    needs_root: bool = False

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Check that PyTorch works"

    def __str__(self) -> str:
        return f"{self.python} torch_check.py --device {self.device}"


@dataclass(frozen=True, slots=True)
class DropDownloads:
    """Remove a folder of downloads of ours."""

    reason: str
    folder: str
    inverse: str = "nothing to undo: the files can be downloaded again"
    needs_root: bool = False

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Delete the downloads"

    def __str__(self) -> str:
        return f"remove {self.folder}"


Step = Union[  # noqa: UP007 - a closed union in one list
    RunProgram,
    CreateEnvironment,
    FetchWheels,
    InstallWheels,
    WriteFile,
    PinInstalled,
    ClearExecutableStack,
    SetAside,
    CheckTorch,
    DropDownloads,
    Resolve,
    SetAsidePackages,
    TakeLinesOut,
    PutLinesBack,
    AptUpdate,
    AptChange,
    KeepDebs,
    WriteSystemFile,
    SetSystemPathAside,
    PutSystemPathBack,
    AddToGroups,
    TakeFromGroups,
    MarkPackages,
    FinishInterrupted,
    RestoreSettings,
    MakeSnapshot,
]


def undo_of(step: Step) -> str:
    """What undoes a step, in words."""
    return step.undo if isinstance(step, Operation) else step.inverse


USER_EDITS = (TakeLinesOut, PutLinesBack)
"""Steps that change files of the user's own, and whose way back is a step of the same kind."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order, with what they cost and what they are for."""

    id: str
    """Digest of all that is done: the same facts and choice give the same id."""
    kind: Kind
    stack: str
    """Which one it installs; ``""`` for a plan that installs none."""
    footprint: str
    venv: str
    steps: tuple[Step, ...]
    download_bytes: int | None
    installed_bytes: int | None
    relogin_needed: bool
    notes: tuple[str, ...]
    """What the user must know before saying yes."""
    first: str = ""
    """What the user must do before the card can be used, since no step does it."""
    user_torch: str = ""
    """A torch among the user's own packages that the environment sees: ``left`` alone, or moved
    ``aside``; ``""`` where there is none."""
    cause: str = ""
    """Of a fix: the cause of the finding that it mends."""
    takes_back: str = ""
    """Of a rollback: the id of the plan that it takes back."""

    @property
    def restart_needed(self) -> bool:
        """True where it is complete only once the machine was restarted."""
        return any(isinstance(step, AptChange) and step.takes_driver_out for step in self.steps)

    @property
    def name(self) -> str:
        """What it is called in titles and lists."""
        return name_of(self.kind, self.stack, self.cause)
