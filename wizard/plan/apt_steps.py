"""Root steps that change packages: each one exact, so that apt can be held to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wizard.apt.packages import LocalDeb, Versions
from wizard.apt.sources import SOURCE
from wizard.core.sizes import counted

KERNEL_DRIVERS = frozenset({"amdgpu-dkms", "rock-dkms"})
UNSETTLED = ""
"""Stands for a version that only the archive knows, until it has been asked."""


@dataclass(frozen=True, slots=True)
class AptUpdate:
    """Read the package lists of our own source, and of no other."""

    reason: str
    inverse: str = "nothing to undo"
    needs_root: bool = True

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Read the list of new packages"

    def request(self) -> dict[str, Any]:
        """As the helper reads it."""
        return {"verb": "apt_update"}

    def __str__(self) -> str:
        return f"as root, run apt-get update for {SOURCE} only"


@dataclass(frozen=True, slots=True)
class AptChange:
    """One transaction of apt, carried out only if apt means to do exactly what stands here."""

    reason: str
    inverse: str
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
    needs_root: bool = True

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        coming, going = len(self.expect_install), len(self.expect_remove)
        if coming and going:
            return "Replace system packages"
        if not self.settled:
            return "Install system packages"
        verb = "Remove" if going else "Install"
        return f"{verb} {counted(coming or going, 'system package')}"

    @property
    def settled(self) -> bool:
        """False while a version is not known, because the archive was not asked yet."""
        asked = {(deb.name, deb.version) for deb in self.debs} | set(self.install)
        versions = (version for _, version in (*self.install, *self.expect_install))
        return UNSETTLED not in versions and asked <= set(self.expect_install)

    @property
    def takes_driver_out(self) -> bool:
        """True where a kernel driver goes: what is loaded of it stays until a restart."""
        gone = {name.partition(":")[0] for name in (*self.remove, *self.expect_remove)}
        return bool(gone & KERNEL_DRIVERS)

    def request(self) -> dict[str, Any]:
        """As the helper reads it; raises ValueError while it is not settled."""
        if not self.settled:
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

    def __str__(self) -> str:
        words = (*self._calls(), self._expected(), *self._kept(), *self._unkept())
        return f"as root, {'; '.join(words)}"

    def _calls(self) -> list[str]:
        verb = "purge" if self.purge else "remove"
        calls = [f"apt-get {verb} {' '.join(self.remove)}"] if self.remove else []
        files = (f"{deb.path} (SHA-256 {deb.sha256[:12]})" for deb in self.debs)
        words = " ".join((*map(_exactly, self.install), *files))
        return [*calls, f"apt-get install {words}"] if words else calls

    def _expected(self) -> str:
        if not self.settled:
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
class KeepDebs:
    """Put a package file of each package into the backup, so that it can come back offline."""

    reason: str
    packages: Versions
    coming: bool = False
    """True for what is to be installed: fetched before anything else is changed."""
    inverse: str = "nothing to undo: the files stay in the backup"
    needs_root: bool = True

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        verb = "Download" if self.coming else "Back up"
        what = counted(len(self.packages), "system package") if self.settled else "system packages"
        return f"{verb} {what}"

    @property
    def settled(self) -> bool:
        """False while a version is not known, because the archive was not asked yet."""
        return all(version != UNSETTLED for _, version in self.packages)

    def request(self) -> dict[str, Any]:
        """As the helper reads it; raises ValueError while it is not settled."""
        if not self.settled:
            raise ValueError("the exact versions are not known until the repository is queried")
        return {"verb": "keep_debs", "packages": [list(pair) for pair in self.packages]}

    def __str__(self) -> str:
        how = "download" if self.coming else "keep"
        return f"as root, {how} the .deb of {', '.join(map(_exactly, self.packages))}"


@dataclass(frozen=True, slots=True)
class MarkPackages:
    """Tell apt which packages came only as dependencies, and which were asked for."""

    reason: str
    inverse: str
    auto: tuple[str, ...] = ()
    manual: tuple[str, ...] = ()
    needs_root: bool = True

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Tell apt which packages it may remove"

    def request(self) -> dict[str, Any]:
        """As the helper reads it."""
        return {"verb": "mark", "auto": list(self.auto), "manual": list(self.manual)}

    def __str__(self) -> str:
        calls = (
            *((f"apt-mark auto {' '.join(self.auto)}",) if self.auto else ()),
            *((f"apt-mark manual {' '.join(self.manual)}",) if self.manual else ()),
        )
        return f"as root, {'; '.join(calls)}"


@dataclass(frozen=True, slots=True)
class FinishInterrupted:
    """Let dpkg finish what an interruption left half done."""

    reason: str
    inverse: str = "nothing to undo"
    needs_root: bool = True

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Finish interrupted package work"

    def request(self) -> dict[str, Any]:
        """As the helper reads it."""
        return {"verb": "configure"}

    def __str__(self) -> str:
        return "as root, dpkg --configure -a"


@dataclass(frozen=True, slots=True)
class RestoreSettings:
    """What package files do not bring along: how a run found the packages that it took away."""

    reason: str
    run: str
    inverse: str
    needs_root: bool = True

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return "Restore package settings"

    def request(self) -> dict[str, Any]:
        """As the helper reads it."""
        return {"verb": "restore_settings", "run": self.run}

    def __str__(self) -> str:
        return (
            "as root, restore settings, changed and deleted files, marks and alternatives of "
            f"packages to their state before run {self.run}; remove unfinished files and empty "
            "folders from that run"
        )


@dataclass(frozen=True, slots=True)
class MakeSnapshot:
    """Let the user's own Timeshift or Snapper make a snapshot, before anything is changed."""

    reason: str
    tool: str
    """``timeshift`` or ``snapper``."""
    config: str = ""
    """Snapper's configuration of the file system ``/``; ``""`` for Timeshift."""
    inverse: str = "nothing to undo: the snapshot is kept until you delete it"
    needs_root: bool = True

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return f"Make a snapshot with {self.tool.capitalize()}"

    def request(self) -> dict[str, Any]:
        """As the helper reads it."""
        return {"verb": "snapshot", "tool": self.tool, "config": self.config}

    def __str__(self) -> str:
        if self.tool == "snapper":
            return f"as root, snapper -c {self.config} create --print-number --description NAME"
        return "as root, timeshift --create --scripted --comments NAME"


def _exactly(pair: tuple[str, str]) -> str:
    name, version = pair
    return f"{name}={version}" if version else f"{name} (in the repository's version)"
