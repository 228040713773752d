"""Install the wheels that were fetched."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

from wizard.core.amounts import counted, listed, size_text
from wizard.core.events import Output, Progress
from wizard.core.trouble import Trouble
from wizard.host.distributions import (
    contents,
    info_of,
    installed,
    lock_pins,
    missing_files,
    others_installed,
    version_of,
    wheel_files,
    wheel_targets,
)
from wizard.host.environment import site_packages
from wizard.host.files import Print, digest, prints
from wizard.operations.operation import After, Before, Operation
from wizard.system.space import free_bytes, mount_point
from wizard.system.system import News, System
from wizard.system.uv import (
    PATIENT,
    cache_of,
    check_packages,
    install_wheels,
    lock_of,
    without_settings,
)

LOOK_S = 1.0
"""Time without a line of output after which the disk is looked at."""
CHECK_S = 120.0
DRAFT = ".tmp??????"
"""How uv names a file that it has not written whole."""
UNPACKED_A_SECOND = 300_000_000
"""Bytes; measured on 2 cores, as the next: 674 MB in 2.0 s, then 2,533 files in 6 s."""
COMPILED_A_SECOND = 210
"""Python files, on each core."""


@dataclass(frozen=True, slots=True)
class InstallWheels(Operation):
    """Install fetched wheels into an environment, without an index, every hash required."""

    reason: str
    uv: str
    venv: str
    staging: str
    """The folder of the wheels."""
    lock: str
    """The requirements with hashes that uv reads."""
    site: str = ""
    """The site folder of an environment that the user had before; ``""`` for one of ours."""
    deadline_s: float = 3600.0

    title = "Install the downloaded packages"
    undo = "remove the installed files"

    @property
    def python(self) -> str:
        """The environment's Python."""
        return f"{self.venv}/bin/python"

    @property
    def cache(self) -> str:
        """uv's cache, which is there only while it runs."""
        return cache_of(self.venv)

    @property
    def argv(self) -> tuple[str, ...]:
        """The call that installs."""
        return install_wheels(self.uv, self.python, self.venv, self.staging, self.lock)

    def shown(self) -> str:
        """The call, and the check after it."""
        settings = "".join(f"{name}={shlex.quote(value)} " for name, value in PATIENT)
        check = "" if self.site else f" && {shlex.join(check_packages(self.uv, self.python))}"
        return f"{settings}{shlex.join(self.argv)}{check}"

    def observe(self) -> Before:
        """Files that lie where the wheels write: bytecode of a package that was backed up."""
        return {"there": sorted(self._files())}

    def writes(self) -> tuple[str, ...]:
        """uv's cache."""
        return (self.cache,)

    async def do(self, system: System, before: Before) -> News:
        """Install all, then ask uv whether the packages get on with one another."""
        environment = {**without_settings(system.environment()), **dict(PATIENT)}
        await asyncio.to_thread(system.remove_tree, self.cache)  # of a run that was killed
        await asyncio.to_thread(self._drop_emptied, system)
        unpacking = await asyncio.to_thread(Unpacking, self)
        _require_room(unpacking.bytes, Path(self.venv))
        yield unpacking.beginning()
        installing = system.run(self.argv, environment, self.deadline_s)
        try:
            async with aclosing(with_looks(installing, unpacking.look)) as news:
                async for each in news:
                    yield each
        except Trouble:
            if changed := await asyncio.to_thread(self._changed):
                for wheel in changed:
                    system.remove(str(wheel))
                raise _changed_since(changed) from None
            raise
        finally:  # before anything changes what the cache shares with the environment
            await asyncio.to_thread(system.remove_tree, self.cache)
        if self.site:  # an environment of the user's may hold a conflict since long ago
            return
        check = check_packages(self.uv, self.python)
        async with aclosing(system.run(check, environment, CHECK_S)) as output:
            async for lines in output:
                yield lines

    def verify(self, before: Before) -> After:
        """That no file is missing of what the wheels' own lists name."""
        venv, lock = Path(self.venv), Path(self.lock)
        if missing := missing_files(venv, lock, self.site):
            more = f" (nor {counted(len(missing) - 1, 'other file')})" if len(missing) > 1 else ""
            raise Trouble(
                f"Everything should be installed, but {missing[0]} cannot be found{more}.",
                "An earlier installation was interrupted, or another program is changing this "
                "folder.",
                "Undo this run with `rdna1-setup rollback` and start again.",
            )
        found = "" if self.site else ", and uv finds no conflict"
        files = {**installed(venv, lock_pins(lock), self.site), **self._uv_lock()}
        return After(f"installed: no file is missing{found}", files)

    def probe(self, before: Before) -> bool:
        """Cut off, it is done anew: nothing tells whether the last file was written whole."""
        self.refuse_other_versions()
        return False

    def remains(self, before: Before) -> Mapping[str, Print]:
        """What it wrote."""
        there = frozenset(before.get("there", ()))
        found = {**self._files(), **self._uv_lock()}
        return {path: seen for path, seen in found.items() if path not in there}

    @property
    def own_folders(self) -> tuple[str, ...]:
        """uv's cache, where a kill has left it."""
        return (self.cache,)

    def refuse_to_overwrite(self, before: Collection[str], ours: Collection[str]) -> None:
        """Of an environment that was there, nothing but the run's own work is written over."""
        self.refuse_other_versions()
        if not (self.site or before):
            return
        there = wheel_files(Path(self.venv), tuple(self.wheels), self.site).keys()
        if self.site:  # bytecode goes with its source, whoever compiled it
            taken = sorted(p for p in there - frozenset(ours) if not p.endswith(".pyc"))
        else:
            taken = sorted(there & frozenset(before))
        if taken:
            more = f" (and {len(taken) - 1} more)" if len(taken) > 1 else ""
            raise Trouble(
                f"{self.venv}/{taken[0]}{more} already exists, and this program did not create it.",
                "A wheel contains a file with the same name and would overwrite the existing file.",
                "Move the existing files out of the way, or undo this run and choose a new folder "
                "with --venv.",
            )

    def refuse_other_versions(self) -> None:
        """Raise Trouble when a package stands there in another version: what somebody installed
        since is not ours, and uv would remove it."""
        pins = lock_pins(Path(self.lock))
        if others := others_installed(Path(self.venv), pins, self.site):
            raise Trouble(
                f"{self.venv} contains {', '.join(others)} in addition to what this plan installs.",
                "This package was installed in the meantime, or there were two versions of it. "
                "Continuing would damage both installations.",
                "Remove the extra packages with pip, then undo this run (rdna1-setup rollback) and "
                "start over.",
            )

    def _drop_emptied(self, system: System) -> None:
        """Remove what is empty of the wheels' folders: uv makes them before it fills them, and
        believes in a package whose dist-info is there."""
        for folder in self.emptied:
            system.remove_if_empty(f"{self.venv}/{folder}")

    @property
    def emptied(self) -> tuple[str, ...]:
        """Folders that the wheels make in the site folder, deepest first."""
        venv, inside = Path(self.venv), set[Path]()
        for packages in site_packages(venv, self.site):
            for wheel in self.wheels:
                targets = tuple(wheel_targets(venv, packages, wheel))
                lowest = {path.parent for path in targets}
                lowest |= {p.parent / "__pycache__" for p in targets if p.suffix == ".py"}
                every = {at for folder in lowest for at in (folder, *folder.parents)}
                inside |= {at for at in every if packages in at.parents}
        deepest_first = sorted(inside, key=lambda folder: len(folder.parts), reverse=True)
        return tuple(os.path.relpath(folder, venv) for folder in deepest_first)

    def _files(self) -> dict[str, Print]:
        """Files that are there now of those that uv writes for the wheels, also half of them."""
        venv = Path(self.venv)
        drafts = [draft for folder in self._drafts_in() for draft in folder.glob(DRAFT)]
        return {**wheel_files(venv, tuple(self.wheels), self.site), **prints(venv, drafts)}

    def _drafts_in(self) -> Iterator[Path]:
        """Where uv writes files under another name first."""
        yield Path(self.venv, "bin")
        for packages in site_packages(Path(self.venv), self.site):
            yield from (packages / info_of(wheel) for wheel in self.wheels)

    def _uv_lock(self) -> Mapping[str, Print]:
        return prints(Path(self.venv), (Path(lock_of(self.venv)),))

    @property
    def wheels(self) -> list[Path]:
        """The files that were fetched."""
        return sorted(Path(self.staging).glob("*.whl"))

    def _changed(self) -> list[Path]:
        """Wheels whose content is not what the lock names."""
        hashes = Path(self.lock).read_text("utf-8")
        return [wheel for wheel in self.wheels if digest(wheel) not in hashes]


def _changed_since(wheels: list[Path]) -> Trouble:
    return Trouble(
        f"{listed([each.name for each in wheels], 4)} changed after the download.",
        "The SHA-256 no longer matches: another program wrote to the download folder, or the disk "
        "is failing. What changed was deleted.",
        "Run the same command again. What was deleted is downloaded again.",
    )


class Unpacking:
    """How far uv is, seen on the disk: it unpacks all into its cache, then compiles all."""

    def __init__(self, step: InstallWheels) -> None:
        """Reads the lists of all wheels."""
        wheels = step.wheels
        self._names = [" ".join(version_of(wheel)) for wheel in wheels]
        files = [f for w in wheels for f in contents(Path(step.venv), w, step.site)]
        self._cache = Path(step.cache)
        self._size = sum(size for _, size in files)
        sources = [(path, size) for path, size in files if path.suffix == ".py"]
        self._sources = len(sources)
        # Byte code takes about as much room as its source.
        self._compiled_size = sum(size for _, size in sources)
        self._folders = {path.parent / "__pycache__" for path, _ in sources}
        self._compiled_before = self._compiled()
        unpack_s = self._size / UNPACKED_A_SECOND
        compile_s = self._sources / COMPILED_A_SECOND / (os.cpu_count() or 1)
        self._unpack_share = unpack_s / ((unpack_s + compile_s) or 1.0)

    @property
    def bytes(self) -> int:
        """What it takes on the disk."""
        return self._size + self._compiled_size

    def beginning(self) -> Output:
        """What is going to be installed."""
        return Output(
            (
                f"Installing {counted(len(self._names), 'package')}, {size_text(self._size)} on "
                f"disk: {', '.join(self._names)}",
                "Large packages can take several minutes: uv unpacks all of them, then compiles "
                "their Python files.",
            )
        )

    def look(self) -> Progress:
        """How far all of it is: by the time that unpacking and compiling usually take."""
        compiled = self._compiled() - self._compiled_before
        if compiled > 0:
            what = f"compiling {counted(self._sources, 'Python file')}"
            part = min(1.0, compiled / self._sources)
            share = self._unpack_share + (1.0 - self._unpack_share) * part
        else:
            what = f"unpacking {counted(len(self._names), 'package')}"
            part = min(1.0, _bytes_in(self._cache) / max(1, self._size))
            share = self._unpack_share * part
        return Progress(int(100 * share), 100, "percent", what, None)

    def _compiled(self) -> int:
        return sum(1 for folder in self._folders for _ in folder.glob("*.pyc"))


def _require_room(needed: int, folder: Path) -> None:
    """Raise Trouble where it does not fit: of some wheels nobody knows the size before."""
    free = free_bytes(folder)
    if needed > free:
        disk = mount_point(folder)
        raise Trouble(
            f"{disk} has only {size_text(free)} free, but the installation needs "
            f"{size_text(needed)}.",
            "All packages are downloaded, but none of them was installed.",
            f"Free up {size_text(needed - free)} on {disk}, then run the same command again. "
            "Anything already downloaded is kept.",
        )


def _bytes_in(folder: Path) -> int:
    """Bytes of all files in a folder that is being written."""
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.stat(f"{at}/{name}").st_size  # noqa: PTH116 - thousands a second
    return total


async def with_looks(
    outputs: AsyncGenerator[Output, None], look: Callable[[], Progress], every_s: float = LOOK_S
) -> News:
    """The output as it comes, and what a look shows whenever none comes for a while."""
    async with aclosing(outputs):
        coming = asyncio.ensure_future(_next(outputs))
        try:
            while True:
                await asyncio.wait({coming}, timeout=every_s)
                if not coming.done():
                    yield await asyncio.to_thread(look)
                elif (item := coming.result()) is None:
                    return
                else:
                    coming = asyncio.ensure_future(_next(outputs))
                    yield item
        finally:
            if not coming.done():
                coming.cancel()
                with suppress(asyncio.CancelledError):
                    await coming


async def _next(outputs: AsyncGenerator[Output, None]) -> Output | None:
    return await anext(outputs, None)
