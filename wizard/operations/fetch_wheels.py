"""Download the chosen wheels into a folder of work."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.core.amounts import counted
from wizard.core.events import Output
from wizard.core.trouble import Trouble
from wizard.host.live import LiveHost
from wizard.host.pip_settings import pip_settings
from wizard.operations.operation import After, Before, Operation
from wizard.system.lock import Wheel, read_wheels, remarks, with_known_hashes, write_requirements
from wizard.system.system import News, Stopped, System


@dataclass(frozen=True, slots=True)
class FetchWheels(Operation):
    """Download what was chosen into a staging folder, by range, hashes checked."""

    reason: str
    chosen: str
    """The lock: which wheels, from where, with which hashes."""
    staging: str
    lock: str
    """The requirements with hashes that the installation will read."""
    hashes: tuple[tuple[str, str], ...] = ()
    """Known SHA-256 by file name; they outrank the index's."""

    title = "Download packages"
    undo = "remove the downloads"

    @property
    def noted(self) -> str:
        """A file that tells how much came over the line, and how long that took."""
        return f"{self.chosen}.received"

    def shown(self) -> str:
        """What is downloaded, and what is written."""
        return (
            f"download every file listed in {self.chosen} to {self.staging}, check each SHA-256, "
            f"and write {self.lock}"
        )

    async def do(self, system: System, before: Before) -> News:
        """Download all; what an interrupted download left is continued."""
        # It brings ssl and the network with it.
        from wizard.system.downloads import Received, fetch_files, wanted_in

        published, received = read_wheels(Path(self.chosen)), Received()
        wheels = with_known_hashes(published, self.hashes)
        for remark in remarks(published, wheels):
            yield Output((remark,))
        environ, indexes = self._reach(system, wheels)
        staging = Path(self.staging)
        news = fetch_files(
            wanted_in(staging, wheels),
            staging,
            cancelled=system.cancelled,
            environ=environ,
            indexes=indexes,
            received=received,
        )
        while (each := await asyncio.to_thread(next, news, None)) is not None:
            yield each
        if system.cancelled():
            raise Stopped
        pairs = tuple((each, received.hashes[each.file]) for each in wheels)
        system.write(self.noted, received.words)
        write_requirements(Path(self.lock), pairs)
        yield Output((f"{self.lock} lists {counted(len(wheels), 'wheel')}, each with its SHA-256",))

    def _reach(
        self, system: System, wheels: tuple[Wheel, ...]
    ) -> tuple[Mapping[str, str], tuple[str, ...]]:
        """The variables and the addresses with logins by which servers are reached, those of
        pip's own files among them."""
        if all(each.address.startswith("file:") for each in wheels):
            return system.environ, ()
        found = pip_settings(LiveHost(system.environ))
        environ = {**system.environ, **found.variables}
        return environ, (*system.indexes, found.index, *found.extra_indexes, *found.find_links)

    def verify(self, before: Before) -> After:
        """That every wheel is there; each was checked when it came."""
        wheels = read_wheels(Path(self.chosen))
        gone = [each.file for each in wheels if not Path(self.staging, each.file).is_file()]
        if gone or not Path(self.lock).is_file():
            raise Trouble(
                f"{Path(self.staging, gone[0]) if gone else self.lock} is missing.",
                "Another program may be changing the folder of downloads.",
                "Run the same command again. What is missing is then downloaded again.",
            )
        size = sum(Path(self.staging, each.file).stat().st_size for each in wheels)
        noted = Path(self.noted)
        told = noted.read_text("utf-8") if noted.is_file() else ""
        return After(f"{counted(len(wheels), 'wheel')}, {size} bytes, all hashes match{told}")

    @property
    def own_folders(self) -> tuple[str, ...]:
        """The downloads."""
        return (self.staging,)
