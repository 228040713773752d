"""Create a virtual environment."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.environment import made_with_venv, site_packages
from wizard.host.files import Print, listing
from wizard.operations.operation import After, Before, Operation
from wizard.system.system import News, System
from wizard.system.uv import create_environment, without_settings

MARK_FOR_BACKUPS = "CACHEDIR.TAG"
"""uv puts it into an environment: backup programs then leave out the folder, and with it whatever
the user keeps in there."""


@dataclass(frozen=True, slots=True)
class CreateEnvironment(Operation):
    """Create a virtual environment in a folder, where the user may have files already."""

    reason: str
    uv: str
    python: str
    """The interpreter that it is made of."""
    venv: str
    downloads: str
    """Where the downloads will go: that folder's parents are made too, and undone with these."""
    deadline_s: float = 300.0

    title = "Create the environment"
    undo = "remove the new files"

    @property
    def argv(self) -> tuple[str, ...]:
        """The call that creates it."""
        return create_environment(self.uv, self.python, self.venv)

    def shown(self) -> str:
        """The call, and what is removed after it."""
        return f"{shlex.join(self.argv)} && {shlex.join(('rm', '-f', self._mark))}"

    def observe(self) -> Before:
        """The user's files and folders in there, and which folders are made for it."""
        there = listing(Path(self.venv))
        made = [str(path) for path in self._parents() if not path.exists()]
        return {
            "before": sorted(there.files),
            "folders_before": sorted(there.folders),
            "made_folders": made,
        }

    async def do(self, system: System, before: Before) -> News:
        """Create it."""
        system.make_folder(str(Path(self.venv).parent))
        environment = without_settings(system.environment())
        async with aclosing(system.run(self.argv, environment, self.deadline_s)) as output:
            async for lines in output:
                yield lines
        system.remove(self._mark)

    def verify(self, before: Before) -> After:
        """That it has its configuration, its Python and its site folder."""
        venv = Path(self.venv)
        whole = (venv / "pyvenv.cfg").is_file() and (venv / "bin/python").exists()
        if not whole or not site_packages(venv):
            raise Trouble(
                f"{self.venv} is not a whole environment.",
                "Its pyvenv.cfg, its Python or its site-packages folder is missing.",
                "Read the log above, or try another Python.",
            )
        return After(f"{self.venv} is an environment of {self.python}", self.remains(before))

    def remains(self, before: Before) -> Mapping[str, Print]:
        """All that it has of an environment; half of one may look whole to uv."""
        return made_with_venv(Path(self.venv), before.get("before", ()))

    @property
    def _mark(self) -> str:
        return f"{self.venv}/{MARK_FOR_BACKUPS}"

    def _parents(self) -> Iterator[Path]:
        """The folder of the environment and that of the downloads with all above, deepest first."""
        wanted = (Path(self.venv), Path(self.downloads).parent)
        every = {folder for path in wanted for folder in (path, *path.parents)}
        yield from sorted(every, key=lambda folder: (len(folder.parts), str(folder)), reverse=True)
