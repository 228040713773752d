"""The states in which machines are found, each brought about by the commands of its guide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from tests.e2e.system import debs, roots, seeds
from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.authority import HOST
from tests.e2e.system.bases import BOOKWORM, NOBLE, OWNER, Suite, base_tar
from tests.e2e.system.cache import kept, pack
from tests.e2e.system.debs import Deb
from tests.e2e.system.rocm_archive import KEY_FILE, PIN
from tests.e2e.system.rocm_packages import read_data
from tests.e2e.system.roots import Root, fresh_root

KEYRING = "/etc/apt/keyrings/rocm.gpg"
SOURCE_LIST = "/etc/apt/sources.list.d/rocm.list"
PIN_FILE = "/etc/apt/preferences.d/rocm-pin-600"
UDEV_57 = 'SUBSYSTEM=="kfd", KERNEL=="kfd", TAG+="uaccess", GROUP="video"\n'
UDEV_70 = """\
KERNEL=="kfd", GROUP="render", MODE="0660"
SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="render", MODE="0660"
"""
LOADER = "/opt/rocm/lib\n/opt/rocm/lib64\n"


@dataclass(frozen=True, slots=True)
class State:
    """A state by name, and what brings a fresh installation into it."""

    name: str
    bring: Callable[[Root], None]

    def __str__(self) -> str:
        return self.name


class Enter(Protocol):
    """Brings a copy of its own of a root in a state up; it ends with whom it was given to."""

    def __call__(self, state: State, suite: Suite = BOOKWORM) -> Root:
        """The root, which reaches the archive."""


@contextmanager
def worlds(server: ArchiveServer) -> Iterator[Enter]:
    """Roots in states until this is left."""
    with ExitStack() as stack:

        def enter(state: State, suite: Suite = BOOKWORM) -> Root:
            tar = state_tar(state, suite, server)
            return stack.enter_context(fresh_root(suite, tar, server.address))

        yield enter


def state_tar(state: State, suite: Suite, server: ArchiveServer) -> Path:
    """The packed root in a state, brought about once."""
    base = base_tar(suite)
    if state is NOTHING:
        return base
    sources = (Path(__file__), *(Path(module.__file__ or "") for module in (debs, roots, seeds)))
    known = (base.name, server.archive.folder.name, *(path.read_text() for path in sources))
    recipe = sha256("\n".join(known).encode()).hexdigest()[:12]
    family = f"state-{suite.name}-{state.name}-"

    def make(tar: Path) -> None:
        with fresh_root(suite, base, server.address) as root:
            state.bring(root)
            folder = root.folder
            pack(folder, tar)

    return kept(f"{family}{recipe}.tar", make, family=family)


def nothing(root: Root) -> None:
    """A fresh installation."""


def add_source(root: Root, release: str) -> None:
    """AMD's key, source and pin as its guides say it."""
    url = f"https://{HOST}/{KEY_FILE}"
    fetch = f"import urllib.request; print(urllib.request.urlopen({url!r}).read().decode())"
    root.run("mkdir", "-p", "-m", "0755", "/etc/apt/keyrings")
    key = root.run("python3", "-c", fetch).stdout
    root.run("gpg", "--dearmor", "--output", KEYRING, text=key)
    directory, suite = release.removesuffix(".0"), amd_suite(root.suite, release)
    options = f"[arch=amd64 signed-by={KEYRING}]"
    root.write(SOURCE_LIST, f"deb {options} https://{HOST}/rocm/apt/{directory} {suite} main\n")
    root.write(PIN_FILE, PIN)
    root.run("apt-get", "-qq", "update")


def amd_suite(suite: Suite, release: str) -> str:
    """The suite of AMD's repository of a release that fits; the older one where there is no own."""
    path = f"rocm/apt/{release.removesuffix('.0')}"
    rows = (row for row in read_data()["repositories"] if row["path"] == path)
    suites: list[str] = list(next(rows)["suites"])
    return suite.amd if suite.amd in suites else suites[0]


def join_groups(root: Root) -> None:
    """As every guide says."""
    root.run("usermod", "-a", "-G", "render,video", OWNER)


def rocm_57(root: Root) -> None:
    """5.7.1 by AMD's guide, beside distribution packages of names that AMD uses too; the seeds."""
    root.apt("install", "--no-install-recommends", *root.suite.shared)
    add_source(root, "5.7.1")
    root.write("/etc/udev/rules.d/70-kfd.rules", UDEV_57)
    # 24.04 has not the libcholmod3 that 22.04's hipsolver asks for: what its owners can install.
    libraries = "rocm-hip-runtime" if root.suite is NOBLE else "rocm-hip-libraries"
    root.apt("install", libraries, "miopen-hip")
    root.write("/etc/ld.so.conf.d/rocm.conf", LOADER)
    root.run("ldconfig")
    join_groups(root)
    seeds.write_settings(root)


def rocm_62(root: Root) -> None:
    """6.2.4 by AMD's guide: what develops HIP programs, with its compiler."""
    add_source(root, "6.2.4")
    root.apt("install", "--no-install-recommends", "rocm-hip-sdk", "miopen-hip")
    root.write("/etc/ld.so.conf.d/rocm.conf", LOADER)
    root.run("ldconfig")
    join_groups(root)


def rocm_70(root: Root) -> None:
    """7.0.2 by AMD's guide: everything."""
    add_source(root, "7.0.2")
    root.apt("install", "--no-install-recommends", "rocm")
    root.write("/etc/udev/rules.d/70-amdgpu.rules", UDEV_70)
    join_groups(root)


def amdgpu_install(root: Root) -> None:
    """AMD's installer with a driver that does not build on this kernel: it stops in the middle."""
    rows = (row for row in read_data()["installers"] if row["suite"] == root.suite.amd)
    name = str(next(rows)["file"])
    path = f"/home/{OWNER}/{Path(name).name}"
    fetch = f"import urllib.request as net; net.urlretrieve('https://{HOST}/{name}', '{path}')"
    root.run("python3", "-c", fetch)
    root.apt("install", path)
    root.run("amdgpu-install", "-y", "--usecase=rocm", check=False)
    join_groups(root)


def half_deleted(root: Root) -> None:
    """5.7.1 after the seeds' remover: dpkg believes in packages whose files are gone."""
    rocm_57(root)
    seeds.remove_by_globs(root)


def littered(root: Root) -> None:
    """The same beside what belongs to no package: a tree, a link into nothing, a line among others.

    Something of everything that ``clean-up`` takes.
    """
    half_deleted(root)
    seeds.scatter(root)


def distribution_rocm(root: Root) -> None:
    """The distribution's own ROCm, and no trace of AMD's archive."""
    names = ("rocminfo", "hipcc", "libamdhip64-5")
    root.apt("install", "--no-install-recommends", *names)
    join_groups(root)


def source_57(root: Root) -> None:
    """AMD's source for 5.7.1, and nothing of it installed."""
    add_source(root, "5.7.1")


NOTHING = State("nothing", nothing)
SOURCE_57 = State("source-5.7.1", source_57)
ROCM_57 = State("rocm-5.7.1", rocm_57)
ROCM_62 = State("rocm-6.2.4", rocm_62)
ROCM_70 = State("rocm-7.0.2", rocm_70)
AMDGPU_INSTALL = State("amdgpu-install", amdgpu_install)
HALF_DELETED = State("half-deleted", half_deleted)
LITTERED = State("littered", littered)
DISTRIBUTION = State("distribution", distribution_rocm)
STATES = (NOTHING, ROCM_57, ROCM_62, ROCM_70, AMDGPU_INSTALL, HALF_DELETED, DISTRIBUTION)


def install_dependent(root: Root, on: str) -> None:
    """A package of the user's own that needs another; it must not go along unasked."""
    own = Deb("raytracer", "1.0", "all", "Somebody <somebody@example.org>", depends=(on,))
    place = root.path(f"/root/{own.file_name}")
    debs.build(own, place)
    root.run("dpkg", "--install", f"/root/{own.file_name}")
    place.unlink()
