"""The few verbs by which a plan changes anything on this machine; a dry run has none of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from wizard.core.credentials import redact
from wizard.core.events import Done, Output, Progress
from wizard.core.process import Exited, child_environment, stream
from wizard.core.trouble import explained
from wizard.system.backup import Backup, Row, move_aside, write_manifest
from wizard.system.executable_stack import clear
from wizard.system.whole_file import write_whole

LAST_LINES = 400
"""Of what a program printed, so much is looked at for the reason of its failure."""


class Stopped(Exception):
    """What ran stopped at a safe point because the user asked for it."""


News = AsyncGenerator[Union[Output, Progress, Done], None]  # noqa: UP007 - read at run time on 3.10
"""What an operation tells while it acts."""


@dataclass(frozen=True, slots=True)
class System:
    """This machine, to be changed for the user who runs the plan."""

    environ: Mapping[str, str]
    scratch: str
    """A folder on a big disk for programs that want a temporary one."""
    cancelled: Callable[[], bool]
    indexes: tuple[str, ...] = ()
    """Addresses of package indexes, with their logins: no lock holds one."""
    as_root: Callable[[], News] | None = None
    """Has root's part carry out the operation at hand; None where nothing can be done as root."""

    def environment(self, additions: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
        """The environment of a child of this run."""
        return child_environment(self.environ, (("TMPDIR", self.scratch), *additions))

    async def run(
        self,
        argv: tuple[str, ...],
        environment: Mapping[str, str],
        deadline_s: float,
    ) -> AsyncGenerator[Output, None]:
        """Run a program to its end; raises Trouble with its own words when it fails."""
        seen: list[str] = []
        async with aclosing(stream(argv, environment=environment, deadline_s=deadline_s)) as output:
            async for item in output:
                if isinstance(item, Exited):
                    if item.code != 0:
                        raise explained("\n".join(seen), item.code)
                else:
                    seen = [*seen, *item][-LAST_LINES:]
                    yield Output(tuple(map(redact, item)))

    def make_folder(self, path: str) -> None:
        """Make a folder with its parents; one that is there stays as it is."""
        Path(path).mkdir(parents=True, exist_ok=True)

    def make_private_folder(self, path: str) -> None:
        """Make a folder that nobody else may look into; one that is there stays as it is."""
        Path(path).mkdir(mode=0o700, exist_ok=True)

    def write(self, path: str, text: str, mode: int = 0o644, *, like: str = "") -> None:
        """Write a file: after a kill there is the old one or the new one.

        ``like``: a file whose group and attributes (ACLs among them) the new one gets.
        """
        write_whole(Path(path), text, mode, like=Path(like) if like else None)

    def move(self, path: str, to: str) -> None:
        """Rename a file, on the same file system."""
        Path(path).rename(to)

    def write_bytes(self, path: str, content: bytes) -> None:
        """Write a file of work, with its parents."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content)

    def clear_executable_stack(self, library: str) -> bool:
        """Put a copy without the flag in its place; False when there was nothing to clear.

        Raises ValueError where the file has none that could be cleared.
        """
        return clear(Path(library))

    def list_backup(self, aside: Backup, rows: Iterable[Row]) -> None:
        """Write the list of a backup: from here on its files may move."""
        write_manifest(aside, rows)

    def move_aside(self, aside: Backup) -> None:
        """Move what the list of a backup names into it, as far as it is as it was."""
        move_aside(aside)

    def remove(self, path: str) -> None:
        """Remove a file or a link; nothing where there is none."""
        Path(path).unlink(missing_ok=True)

    def remove_tree(self, path: str) -> None:
        """Remove a folder with all that is in it; nothing where there is none."""
        if os.path.lexists(path):
            shutil.rmtree(path)

    def remove_if_empty(self, path: str) -> None:
        """Remove a folder that holds nothing; one that holds something stays."""
        with suppress(OSError):
            Path(path).rmdir()
