"""What somebody else does to a root between a killed run and its way back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.system.roots import OWNER, Root
from tests.root.everything import OTHER, PROFILE

NEW_PROFILE = "/etc/profile.d/rdna1-setup-rocm.sh"
LOADER = "/etc/ld.so.conf.d/rdna1-setup-rocm.conf"
SETTINGS = "/etc/stand-tool.conf"
PRISTINE = (PROFILE, OTHER, SETTINGS)
"""Files that are there before, of those that others write to."""


@dataclass(frozen=True)
class Edit:
    """A change by somebody else, what is of it afterwards, and how they take it away again."""

    about: str
    """What it is of, as in a state: a path, ``package x``, or ``group x``."""
    do: Callable[[Root], object]
    stands: Callable[[Root], bool]
    """True while it is there."""
    take_away: Callable[[Root, Path], object]
    """Without a trace, where the run has nothing to do with it; gets a folder of pristine files."""
    give_way: Callable[[Root], object] = lambda _: None
    """Out of the way of what comes back."""
    must_be_named: Callable[[Root, bool, bool], bool] = lambda *_: False
    """Is it by now in the way of what comes back; hears whether the run had to do with it when it
    was made, and whether it had changed it."""
    own: tuple[str, ...] = ()
    """Names that may be otherwise while it stands, besides what it is about."""
    names: tuple[str, ...] = ()
    """One of these is said where it is named."""
    two_values: bool = False
    """True for a mark and a membership: there is but a yes and a no."""


def file(path: str, text: str) -> Edit:
    """A file written, or written over."""

    def take_away(root: Root, pristine: Path) -> None:
        root.path(path).unlink(missing_ok=True)
        if (kept := pristine / Path(path).name).exists():
            shutil.copy2(kept, root.path(path))

    return Edit(
        about=path,
        do=lambda root: root.write(path, text),
        stands=lambda root: root.path(path).is_file() and root.path(path).read_text() == text,
        take_away=take_away,
        give_way=lambda root: root.path(path).unlink(),
        own=(f"{path}.dpkg-",),
        must_be_named=lambda _, __, changed: changed,
        names=(path,),
    )


def group(name: str, *, joins: bool) -> Edit:
    """The owner joined to a group, or taken out of it."""
    join, leave = ("usermod", "-aG", name, OWNER), ("gpasswd", "-d", OWNER, name)
    do, undo = (join, leave) if joins else (leave, join)
    return Edit(
        about=f"group {name}",
        do=lambda root: root.run(*do, check=False),
        stands=lambda root: (name in root.run("id", "-nG", OWNER).stdout.split()) == joins,
        take_away=lambda root, _: root.run(*undo, check=False),
        own=("/etc/group", "/etc/gshadow"),
        two_values=True,
    )


def mark(name: str, how: str) -> Edit:
    """A mark of apt's changed."""
    other = {"auto": "manual", "manual": "auto"}[how]
    return Edit(
        about=f"package {name}",
        do=lambda root: root.run("apt-mark", how, name, check=False),
        stands=lambda root: name in root.run("apt-mark", f"show{how}").stdout.split(),
        take_away=lambda root, _: root.run("apt-mark", other, name),
        two_values=True,
    )


def apt(root: Root, *words: str) -> None:
    """What apt can do, after dpkg has finished what waits, as apt asks everybody for."""
    root.run("dpkg", "--force-confold", "--configure", "-a", check=False)
    root.apt("-o", "Dpkg::Options::=--force-confold", *words, check=False)


def version_of(root: Root, name: str) -> str:
    """The version of a package that is there; ``""`` for none."""
    form = "${db:Status-Abbrev}${Version}"
    told = root.run("dpkg-query", "-W", "-f", form, name, check=False).stdout
    return told[3:] if told[1:2] == "i" else ""


def upgraded(name: str, version: str, before: str) -> Edit:
    """A package brought to a version that is neither that of before nor ours."""

    def take_away(root: Root, _: Path) -> None:
        root.apt("install", "--allow-downgrades", f"{name}={before}")
        root.run("apt-mark", "auto", name)

    return Edit(
        about=f"package {name}",
        do=lambda root: apt(root, "install", f"{name}={version}"),
        stands=lambda root: version_of(root, name) == version,
        take_away=take_away,
        give_way=lambda root: root.run("dpkg", "--force-all", "--purge", name),
        must_be_named=lambda _, touched, __: touched,
        own=("/opt", f"/var/lib/dpkg/info/{name}."),
        names=(f"{name} {version}",),
    )


def put_back(root: Root) -> None:
    """The tool from the archive, with the core that is there or had been."""
    core = version_of(root, "stand-core") or "1.0"
    apt(root, "install", "--reinstall", "stand-tool=1.0", f"stand-core={core}")


def purge(root: Root, *names: str) -> None:
    """Packages taken off by dpkg, whatever needs them."""
    there = [name for name in names if version_of(root, name)]
    if there:
        root.run("dpkg", "--force-depends", "--purge", *there)


FILES: dict[str, Edit] = {
    "the old profile rewritten": file(PROFILE, "# mine now\n"),
    "our profile rewritten": file(NEW_PROFILE, "# mine too\n"),
    "the other source written anew": file(OTHER, "# mine as well\n"),
    "our loader file rewritten": file(LOADER, "/opt/mine\n"),
    "a setting edited": file(SETTINGS, "edited since\n"),
    "render joined": group("render", joins=True),
    "video left": group("video", joins=False),
    "games joined": group("games", joins=True),
    "the core marked manual": mark("stand-core", "manual"),
    "the tool marked auto": mark("stand-tool", "auto"),
}
PACKAGES: dict[str, Edit] = {
    "the core upgraded": upgraded("stand-core", "3.0", "1.0"),
    "the tool put back by dpkg": Edit(
        about="package stand-tool",
        do=put_back,
        stands=lambda root: version_of(root, "stand-tool") == "1.0",
        take_away=lambda *_: None,
        give_way=lambda root: root.path(SETTINGS).unlink(missing_ok=True),
        own=("package stand-core", SETTINGS, "/opt", "/var/lib/dpkg/info/stand-"),
        names=(SETTINGS,),
    ),
    "something of its own installed": Edit(
        about="package stand-spare",
        do=lambda root: apt(root, "install", "stand-spare=1.0"),
        stands=lambda root: version_of(root, "stand-spare") == "1.0",
        take_away=lambda root, _: purge(root, "stand-spare"),
        own=("/opt", "/var/lib/dpkg/info/stand-spare."),
    ),
    "something installed that needs more": Edit(
        about="package stand-needy",
        do=lambda root: apt(root, "install", "stand-needy=1.0", "stand-more=2.0"),
        stands=lambda root: version_of(root, "stand-needy") == "1.0",
        take_away=lambda root, _: purge(root, "stand-needy", "stand-more"),
        give_way=lambda root: purge(root, "stand-needy"),
        must_be_named=lambda root, *_: not version_of(root, "stand-more"),
        own=("package stand-more", "/opt", "/var/lib/dpkg/info/stand-"),
        names=("stand-needy",),
    ),
}
