"""Remove a folder of downloads."""

from __future__ import annotations

import os
from dataclasses import dataclass

from wizard.core.trouble import Trouble
from wizard.operations.operation import After, AtOnce, Before
from wizard.system.system import System


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

    @property
    def own_folders(self) -> tuple[str, ...]:
        """What is left of it."""
        return (self.folder,)
