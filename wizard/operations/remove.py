"""Remove what a run made, as long as it is as the run left it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from wizard.core.events import REMOVED, Output, Progress
from wizard.core.trouble import Trouble
from wizard.host.files import Print, print_of
from wizard.operations.operation import After, AtOnce, Before, Operation
from wizard.system.system import News, System

AT_ONCE = 100
"""Files that are removed before it is told how far it is."""


@dataclass(frozen=True, slots=True)
class Remove(Operation):
    """Remove files that nobody changed since, and folders that are ours alone.

    What was removed can only be brought back by doing again what this undoes.
    """

    reason: str
    what: str
    """What is removed, in words, such as ``the installed files``."""
    root: str
    files: Mapping[str, Print] = field(default_factory=dict)
    """By path relative to ``root``: as each looked when the run had written it."""
    folders: tuple[str, ...] = ()
    """Removed with all that is in them."""
    emptied: tuple[str, ...] = ()
    """Folders below ``root``, deepest first, that are removed where nothing is left in them."""

    title = "Remove the files of a run"

    def shown(self) -> str:
        """What is removed."""
        return f"remove {self.what}"

    async def do(self, system: System, before: Before) -> News:
        """Remove file after file; what cannot be removed is told, and the rest goes."""
        removing, done = self.removing(system), 0
        while some := await asyncio.to_thread(lambda: tuple(islice(removing, AT_ONCE))):
            if problems := tuple(filter(None, some)):
                yield Output(problems)
            done += len(some)
            yield Progress(done, len(self.files), REMOVED, "", None)
        for folder in self.folders:
            await asyncio.to_thread(system.remove_tree, folder)
        for folder in self.emptied:
            system.remove_if_empty(f"{self.root}/{folder}")

    def removing(self, system: System) -> Iterator[str]:
        """Removes a file at each step; gives why it was left, or ``""``."""
        for path, seen in self.files.items():
            full = Path(self.root, path)
            if print_of(full) not in (None, seen):
                yield f"not removed, because it was changed: {full}"
                continue
            try:
                system.remove(str(full))
            except OSError as error:
                yield f"not removed: {full}: {error.strerror or error}"
            else:
                yield ""

    def verify(self, before: Before) -> After:
        """That all is gone but what was changed."""
        left = [path for path in self._left() if os.path.lexists(path)]
        if left:
            raise Trouble(
                f"{left[0]} could not be removed.",
                "Something protects the file, or the file system is read-only.",
                "Fix the cause, then run the same command again.",
            )
        return After("removed")

    def _left(self) -> Iterable[str]:
        yield from self.folders
        for path, seen in self.files.items():
            if print_of(Path(self.root, path)) == seen:
                yield f"{self.root}/{path}"


@dataclass(frozen=True, slots=True)
class DropDownloads(AtOnce):
    """Remove a folder of downloads of ours."""

    reason: str
    folder: str

    title = "Delete the downloads"
    undo = "nothing to undo: the files can be downloaded again"

    def shown(self) -> str:
        """Which folder."""
        return f"remove {self.folder}"

    def act(self, system: System, before: Before) -> str:
        """Remove it."""
        system.remove_tree(self.folder)
        return "removed"

    def verify(self, before: Before) -> After:
        """That it is gone."""
        if os.path.lexists(self.folder):
            raise Trouble(
                f"{self.folder} could not be removed.",
                "Another program may be writing to it.",
                "Run the same command again.",
            )
        return After()

    def inverse(self, before: Before, after: After | None) -> tuple[Operation, ...]:
        """Remove what is left of it: the folder is ours alone."""
        return (Remove("The run made it.", "the downloads", "/", {}, (self.folder,)),)
