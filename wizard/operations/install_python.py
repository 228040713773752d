"""Install a Python that this machine lacks, with uv and without root."""

from __future__ import annotations

import shlex
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from wizard.core.credentials import redact
from wizard.core.trouble import Trouble
from wizard.operations.operation import After, Before, Operation
from wizard.system.system import News, System
from wizard.system.uv import install_python


@dataclass(frozen=True, slots=True)
class InstallPython(Operation):
    """Install a Python into a folder of ours, where later environments find it too."""

    reason: str
    uv: str
    version: str
    """Such as ``3.10``."""
    folder: str
    mirror: str = ""
    """An address or a folder that it comes from; ``""`` for where uv looks."""
    deadline_s: float = 1800.0

    @property
    def title(self) -> str:
        """What it does."""
        return f"Install Python {self.version} with uv"

    @property
    def python(self) -> str:
        """The interpreter that is there afterwards."""
        name = f"cpython-{self.version}-linux-x86_64-gnu"
        return f"{self.folder}/{name}/bin/python{self.version}"

    @property
    def argv(self) -> tuple[str, ...]:
        """The call that installs it."""
        return install_python(self.uv, self.version, self.folder, self.mirror)

    def shown(self) -> str:
        """The call, without a login."""
        return redact(shlex.join(self.argv))

    async def do(self, system: System, before: Before) -> News:
        """Install it; one that is there already is left as it is."""
        output = system.run(self.argv, system.environment(), self.deadline_s)
        async with aclosing(output):
            async for lines in output:
                yield lines

    def verify(self, before: Before) -> After:
        """That the interpreter is there."""
        if not Path(self.python).exists():
            raise Trouble(
                f"The program succeeded, but did not create {self.python}.",
                "The program reported success, but it did not do its job.",
                "Read the log above, then run the same command again.",
            )
        return After(f"{self.python} exists")

    @property
    def undo(self) -> str:
        """What stays of it."""
        return f"nothing is removed: other venvs may use {self.folder}"
