"""Steps: what a plan is made of. ``str(step)`` is what Review shows and what gets carried out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from wizard.core.journal import Kind, name_of
from wizard.operations.check_torch import CheckTorch
from wizard.operations.clear_executable_stack import ClearExecutableStack
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.drop_downloads import DropDownloads
from wizard.operations.edit_lines import PutLinesBack, TakeLinesOut
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.groups import AddToGroups, TakeFromGroups
from wizard.operations.install_python import InstallPython
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.packages import (
    AptChange,
    AptUpdate,
    FinishInterrupted,
    KeepDebs,
    MakeSnapshot,
    MarkPackages,
    RestoreSettings,
)
from wizard.operations.resolve import Resolve
from wizard.operations.root_step import RootStep
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.operations.system_files import (
    PutSystemPathBack,
    SetSystemPathAside,
    WriteSystemFile,
)
from wizard.operations.write_file import PinInstalled, WriteFile

Step = Union[  # noqa: UP007 - a closed union in one list
    InstallPython,
    CreateEnvironment,
    FetchWheels,
    InstallWheels,
    WriteFile,
    PinInstalled,
    ClearExecutableStack,
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
    notes: tuple[str, ...]
    """What the user must know before saying yes."""
    first: str = ""
    """What the user must do before the card can be used, since no step does it."""
    user_torch: str = ""
    """A torch among the user's own packages that the environment sees: ``left`` alone, or moved
    ``aside``; ``""`` where there is none."""
    cause: str = ""
    """Of a fix: the cause of the finding that it fixes."""
    takes_back: str = ""
    """Of a rollback: the id of the plan that it undoes."""

    @property
    def relogin_needed(self) -> bool:
        """True where it counts only from the next login."""
        return any(step.relogin_needed for step in self.steps)

    @property
    def restart_needed(self) -> bool:
        """True where it is complete only once the machine was restarted."""
        return any(step.restart_needed for step in self.steps)

    @property
    def resolved(self) -> bool:
        """True when every step says exactly what it does, so that it can be begun."""
        return all(step.resolved for step in self.steps)

    def undo_of(self, step: Step) -> str:
        """What undoes a step, in words: to undo a rollback is to do again what it undid."""
        return "run the plan again" if self.kind is Kind.ROLLBACK else step.undo

    @property
    def changes_existing(self) -> bool:
        """True where it replaces packages of an environment that is there."""
        return bool(self.set_aside)

    @property
    def apt_changes(self) -> tuple[AptChange, ...]:
        """The steps that change packages of the system."""
        return tuple(step for step in self.steps if isinstance(step, AptChange))

    @property
    def set_aside(self) -> tuple[SetAsidePackages, ...]:
        """The steps that make room for other packages."""
        return tuple(step for step in self.steps if isinstance(step, SetAsidePackages))

    @property
    def indexes(self) -> tuple[str, ...]:
        """Addresses of the indexes that it names, with their logins."""
        resolve = self.resolve
        return (resolve.manifest.index,) if resolve is not None and resolve.manifest.index else ()

    @property
    def resolve(self) -> Resolve | None:
        """The step that chooses the versions of packages; None where there is none."""
        return next((step for step in self.steps if isinstance(step, Resolve)), None)

    @property
    def root_steps(self) -> tuple[RootStep, ...]:
        """Root's part of it."""
        return tuple(step for step in self.steps if isinstance(step, RootStep))

    @property
    def name(self) -> str:
        """What it is called in titles and lists."""
        return name_of(self.kind, self.stack, self.cause)
