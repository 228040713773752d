"""What root's part does to packages: each step exact, so that apt can be held to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wizard.apt.packages import LocalDeb, Versions
from wizard.apt.sources import SOURCE
from wizard.core.amounts import counted
from wizard.operations.root_step import RUNS, RootStep, call, not_done

KERNEL_DRIVERS = frozenset({"amdgpu-dkms", "rock-dkms"})
UNRESOLVED = ""
"""Stands for a version that only the archive knows, until it has been asked."""


@dataclass(frozen=True, slots=True)
class AptUpdate(RootStep):
    """Read the package lists of our own source, and of no other."""

    reason: str

    title = "Read the list of new packages"

    def request(self) -> dict[str, Any]:
        """As root's part reads it."""
        return {"verb": "apt_update"}

    def shown(self) -> str:
        """What is read."""
        return f"as root, run apt-get update for {SOURCE} only"

    def by_hand(self) -> Iterator[str]:
        """The call."""
        yield "apt-get update\n"


@dataclass(frozen=True, slots=True)
class AptChange(RootStep):
    """One transaction of apt, carried out only if apt means to do exactly what stands here."""

    reason: str
    install: Versions = ()
    """What is asked for; dependencies stand in ``expect_install``."""
    remove: tuple[str, ...] = ()
    purge: bool = False
    """True to remove their settings below ``/etc`` too."""
    debs: tuple[LocalDeb, ...] = ()
    expect_install: Versions = ()
    """Everything that apt installs or changes, ``debs`` among it."""
    expect_remove: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Files of those that go which somebody changed. Root keeps these, and any others that it
    finds, and they come back with their packages."""
    for_good: Versions = ()
    """Of those that go, of which no package file is kept: root removes none that is not named."""
    download_bytes: int = 0
    installed_bytes: int = 0

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        coming, going = len(self.expect_install), len(self.expect_remove)
        if coming and going:
            return "Replace system packages"
        if not self.resolved:
            return "Install system packages"
        verb = "Remove" if going else "Install"
        return f"{verb} {counted(coming or going, 'system package')}"

    @property
    def resolved(self) -> bool:
        """False while a version is not known, because the archive was not asked yet."""
        asked = {(deb.name, deb.version) for deb in self.debs} | set(self.install)
        versions = (version for _, version in (*self.install, *self.expect_install))
        return UNRESOLVED not in versions and asked <= set(self.expect_install)

    @property
    def effect(self) -> str:
        """How many packages went and came."""
        counts = (("removal", self.expect_remove), ("installation", self.expect_install))
        return ", ".join(f"{what} of {counted(len(e), 'package')}" for what, e in counts if e)

    @property
    def restart_needed(self) -> bool:
        """True where a kernel driver goes: what is loaded of it stays until a restart."""
        gone = {name.partition(":")[0] for name in (*self.remove, *self.expect_remove)}
        return bool(gone & KERNEL_DRIVERS)

    def request(self) -> dict[str, Any]:
        """As root's part reads it; raises ValueError while it is not resolved."""
        if not self.resolved:
            raise ValueError("the exact versions are not known until the repository is queried")
        return {
            "verb": "apt_change",
            "install": [list(pair) for pair in self.install],
            "remove": list(self.remove),
            "purge": self.purge,
            "debs": [{"path": deb.path, "sha256": deb.sha256} for deb in self.debs],
            "expect": {
                "install": [list(pair) for pair in self.expect_install],
                "remove": list(self.expect_remove),
            },
            "for_good": [list(pair) for pair in self.for_good],
        }

    @property
    def undo(self) -> str:
        """How far its packages go and come back."""
        coming, going, lost = map(len, (self.expect_install, self.expect_remove, self.for_good))
        if not going:
            purged = f"purge {counted(coming, 'package')}"
            return purged if self.resolved else "remove the packages again"
        if not lost:
            return "install the packages again from the backup"
        if lost == going:
            return "not possible: the packages are removed permanently"
        return (
            f"install {counted(going - lost, 'package')} again from the backup; {lost} cannot be "
            "restored"
        )

    def by_hand(self) -> Iterator[str]:
        """The call; apt asks before it changes anything."""
        purge = ("--purge",) if self.purge else ()
        options = ("--no-install-recommends", "--allow-downgrades", *purge)
        files = (deb.path for deb in self.debs)
        gone = (f"{name}-" for name in self.remove)
        yield call("apt-get", *options, "install", *_exact(self.install), *files, *gone)

    def shown(self) -> str:
        """The calls, all that apt changes with them, and what is kept."""
        words = (*self._calls(), self._expected(), *self._kept(), *self._unkept())
        return f"as root, {'; '.join(words)}"

    def _calls(self) -> list[str]:
        verb = "purge" if self.purge else "remove"
        calls = [f"apt-get {verb} {' '.join(self.remove)}"] if self.remove else []
        files = (f"{deb.path} (SHA-256 {deb.sha256[:12]})" for deb in self.debs)
        words = " ".join((*map(_exactly, self.install), *files))
        return [*calls, f"apt-get install {words}"] if words else calls

    def _expected(self) -> str:
        if not self.resolved:
            return "all dependencies are read from the repository before anything is changed"
        more = [pair for pair in self.expect_install if pair not in set(self._named())]
        others = [name for name in self.expect_remove if name not in set(self.remove)]
        told = (
            *((f"apt also installs {', '.join(map(_exactly, more))}",) if more else ()),
            *((f"apt also removes {', '.join(others)}",) if others else ()),
        )
        return (
            f"{'; '.join(told) or 'apt changes nothing else'}; stop if apt would do anything else"
        )

    def _kept(self) -> tuple[str, ...]:
        if not self.changed:
            return ()
        return (f"these changed files are kept in the backup: {', '.join(self.changed)}",)

    def _unkept(self) -> tuple[str, ...]:
        if not self.for_good:
            return ()
        if {name for name, _ in self.for_good} == set(self.expect_remove):
            return ("no package file is kept for them",)
        return (f"no package file is kept for {', '.join(map(_exactly, self.for_good))}",)

    def _named(self) -> Versions:
        return (*self.install, *((deb.name, deb.version) for deb in self.debs))


@dataclass(frozen=True, slots=True)
class KeepDebs(RootStep):
    """Put a package file of each package into the backup, so that it can come back offline."""

    reason: str
    packages: Versions
    coming: bool = False
    """True for what is to be installed: fetched before anything else is changed."""

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        verb = "Download" if self.coming else "Back up"
        what = counted(len(self.packages), "system package") if self.resolved else "system packages"
        return f"{verb} {what}"

    @property
    def resolved(self) -> bool:
        """False while a version is not known, because the archive was not asked yet."""
        return all(version != UNRESOLVED for _, version in self.packages)

    def request(self) -> dict[str, Any]:
        """As root's part reads it; raises ValueError while it is not resolved."""
        if not self.resolved:
            raise ValueError("the exact versions are not known until the repository is queried")
        return {"verb": "keep_debs", "packages": [list(pair) for pair in self.packages]}

    undo = "nothing to undo: the files stay in the backup"

    def by_hand(self) -> Iterator[str]:
        """Downloads them: what is coming to where apt looks for it."""
        download = call("apt-get", "download", *_exact(self.packages)).strip()
        folder = "/var/cache/apt/archives" if self.coming else '"$kept"'
        yield f"(cd {folder} && {download})\n"

    def shown(self) -> str:
        """Of which packages."""
        how = "download" if self.coming else "keep"
        return f"as root, {how} the .deb of {', '.join(map(_exactly, self.packages))}"


@dataclass(frozen=True, slots=True)
class MarkPackages(RootStep):
    """Tell apt which packages came only as dependencies, and which were asked for."""

    reason: str
    auto: tuple[str, ...] = ()
    manual: tuple[str, ...] = ()

    title = "Tell apt which packages it may remove"
    undo = "nothing to undo: the marks are removed with the packages"

    def request(self) -> dict[str, Any]:
        """As root's part reads it."""
        return {"verb": "mark", "auto": list(self.auto), "manual": list(self.manual)}

    def by_hand(self) -> Iterator[str]:
        """The calls."""
        marks = (("auto", self.auto), ("manual", self.manual))
        yield from (call("apt-mark", how, *names) for how, names in marks if names)

    def shown(self) -> str:
        """The calls."""
        calls = (
            *((f"apt-mark auto {' '.join(self.auto)}",) if self.auto else ()),
            *((f"apt-mark manual {' '.join(self.manual)}",) if self.manual else ()),
        )
        return f"as root, {'; '.join(calls)}"


@dataclass(frozen=True, slots=True)
class FinishInterrupted(RootStep):
    """Let dpkg finish what an interruption left half done."""

    reason: str

    title = "Finish interrupted package work"
    undo = "not possible: packages stay configured. Remove one with apt if you do not want it"

    def request(self) -> dict[str, Any]:
        """As root's part reads it."""
        return {"verb": "configure"}

    def shown(self) -> str:
        """The call."""
        return "as root, dpkg --configure -a"

    def by_hand(self) -> Iterator[str]:
        """The call."""
        yield "dpkg --configure -a\n"


@dataclass(frozen=True, slots=True)
class RestoreSettings(RootStep):
    """What package files do not bring along: how a run found the packages that it took away."""

    reason: str
    run: str

    title = "Restore package settings"

    def request(self) -> dict[str, Any]:
        """As root's part reads it."""
        return {"verb": "restore_settings", "run": self.run}

    def by_hand(self) -> Iterator[str]:
        """Nothing: only root's part knows how it found them."""
        yield not_done(f"restoring package settings. Their earlier state is in {RUNS}/{self.run}")

    def shown(self) -> str:
        """All that is restored."""
        return (
            "as root, restore settings, changed and deleted files, marks and alternatives of "
            f"packages to their state before run {self.run}; remove unfinished files and empty "
            "folders from that run"
        )


@dataclass(frozen=True, slots=True)
class MakeSnapshot(RootStep):
    """Let the user's own Timeshift or Snapper make a snapshot, before anything is changed."""

    reason: str
    tool: str
    """``timeshift`` or ``snapper``."""
    config: str = ""
    """Snapper's configuration of the file system ``/``; ``""`` for Timeshift."""

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return f"Make a snapshot with {self.tool.capitalize()}"

    def request(self) -> dict[str, Any]:
        """As root's part reads it."""
        return {"verb": "snapshot", "tool": self.tool, "config": self.config}

    undo = "nothing to undo: the snapshot is kept until you delete it"

    def by_hand(self) -> Iterator[str]:
        """Nothing: who works by hand decides on that too."""
        yield not_done("a snapshot. Make one yourself if you want one.")

    def shown(self) -> str:
        """The call."""
        if self.tool == "snapper":
            return f"as root, snapper -c {self.config} create --print-number --description NAME"
        return "as root, timeshift --create --scripted --comments NAME"


def _exactly(pair: tuple[str, str]) -> str:
    name, version = pair
    return f"{name}={version}" if version else f"{name} (in the repository's version)"


def _exact(packages: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (f"{name}={version}" for name, version in packages)
