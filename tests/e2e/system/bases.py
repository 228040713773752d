"""Fresh installations of Debian and Ubuntu, made by debootstrap and kept as tars."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.e2e.homes import SOURCE
from tests.e2e.system.authority import authority
from tests.e2e.system.cache import cache_folder, kept, pack, remove
from tests.e2e.system.outside import located, run_outside

OWNER = "owner"
PASSWORD = "correct horse"
DEBIAN = "http://deb.debian.org/debian"
PREFIX = "/opt/rdna1-setup"
PARTS = ("wizard", "screens", "assets")
UBUNTU_MIRROR = "RDNA1_SETUP_UBUNTU_MIRROR"
PACKAGES = ("python3", "python3-venv", "sudo", "ca-certificates", "gpg", "tmux", "libdrm-amdgpu1")
"""What every desktop has and the smallest variant lacks; libdrm-amdgpu1 comes with Mesa."""
PROGRAMS = ("debootstrap", "unshare", "nsenter", "mount", "chroot", "tar", "openssl")
KEPT_DAYS = 7
"""Older lists of packages may name files that the archive no longer has."""
MAKING_S = 1200
CERTIFICATE = "usr/local/share/ca-certificates/testbed.crt"
SETTINGS = {
    "/etc/apt/apt.conf.d/90testbed": 'Acquire::Languages "none";\nAcquire::Retries "0";\n',
    # Killed processes are what we test, not a lost power supply: no waiting for the disk.
    "/etc/dpkg/dpkg.cfg.d/testbed": "force-unsafe-io\n",
    "/usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",
    f"{PREFIX}/bin/rdna1-setup": (
        f'#!/bin/sh\nPYTHONDONTWRITEBYTECODE=1 exec {PREFIX}/bin/python -m wizard "$@"\n'
    ),
}


@dataclass(frozen=True, slots=True)
class Suite:
    """A release of a distribution."""

    name: str
    python: str
    components: str
    amd: str
    """The suite of AMD's repositories for it, where a release has several."""
    shared: tuple[str, ...]
    """Packages of the distribution whose names AMD uses too, and that 5.7.1 leaves alone."""
    more: tuple[str, ...] = ()
    """What its roots have besides ``PACKAGES``."""


BOOKWORM = Suite("bookworm", "3.11", "main", "jammy", ("rocm-cmake", "rocm-device-libs"))
JAMMY = Suite("jammy", "3.10", "main universe", "jammy", ("rocm-cmake", "rocm-device-libs"))
NOBLE = Suite("noble", "3.12", "main universe", "noble", ("rocm-cmake",))
TRIXIE = Suite("trixie", "3.13", "main", "noble", (), more=("sudo-rs",))
"""Debian 13, for its sudo-rs."""
DEBIANS = (BOOKWORM, TRIXIE)

OLDER = {"3.10": ("exceptiongroup",)}
"""What our dependencies need on an older Python: pip asks their markers of its own."""


def require_root() -> None:
    """Skip where roots cannot be made, and say why."""
    if os.getuid() != 0:
        pytest.skip("making and entering a root needs root")
    for program in PROGRAMS:
        located(program)


def base_tar(suite: Suite) -> Path:
    """The tar of a fresh installation with the wizard's dependencies; skips where none can be."""
    require_root()
    if suite not in DEBIANS and UBUNTU_MIRROR not in os.environ:
        pytest.skip(f"{UBUNTU_MIRROR} names no archive for Ubuntu {suite.name}")
    recipe = _recipe(suite)
    days = (datetime.now(timezone.utc) - timedelta(age) for age in range(KEPT_DAYS))
    names = [f"{suite.name}-{day:%Y%m%d}-{recipe}.tar" for day in days]
    present = (cache_folder() / name for name in names)
    made = next((path for path in present if path.exists()), None)
    certificate = authority().certificate
    return made or kept(
        names[0], lambda tar: _make(suite, certificate, tar), family=f"{suite.name}-"
    )


def _recipe(suite: Suite) -> str:
    parts = (Path(__file__).read_text(), repr(suite), authority().certificate, _requirements())
    return sha256("\n".join(parts).encode()).hexdigest()[:12]


def _requirements() -> str:
    """The dependencies as ``pyproject.toml`` names them."""
    text = (SOURCE / "pyproject.toml").read_text()
    return text.partition("\ndependencies = [")[2].partition("\n]")[0]


def _mirror(suite: Suite) -> str:
    if suite not in DEBIANS:
        return os.environ[UBUNTU_MIRROR]
    if shutil.which("apt-get") is None:
        return DEBIAN
    form = ("--format", "$(REPO_URI) $(CODENAME)")
    done = run_outside("apt-get", "indextargets", *form, check=False)
    rows = (line.split() for line in done.stdout.splitlines())
    return next((row[0] for row in rows if row[1:] == [suite.name]), DEBIAN)


def _make(suite: Suite, certificate: str, tar: Path) -> None:
    mirror = _mirror(suite)
    root = tar.with_name(f"{tar.name}.root.making")
    remove(root)
    root.mkdir(mode=0o755)
    try:
        _debootstrap(suite, mirror, root)
        (root / CERTIFICATE).write_text(certificate)
        _resolve(suite, mirror, root)
        _install_dependencies(suite, root)
        pack(root, tar)
    finally:
        remove(root)


def _debootstrap(suite: Suite, mirror: str, root: Path) -> None:
    options = ["--variant=minbase", f"--include={','.join((*PACKAGES, *suite.more))}"]
    options.append(f"--components={suite.components.replace(' ', ',')}")
    keyring = Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
    if suite not in DEBIANS and not keyring.exists():
        options.append("--no-check-gpg")  # a root for tests; apt in it checks with its own keys
    # Debian's debootstrap treats all Ubuntu releases alike, but does not know every one by name.
    scripts = Path("/usr/share/debootstrap/scripts")
    script = scripts / (suite.name if (scripts / suite.name).exists() else "gutsy")
    command = ("unshare", "--mount", "debootstrap", *options, suite.name, str(root), mirror)
    done = run_outside(*command, str(script), check=False, timeout_s=MAKING_S)
    if done.returncode:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:]
        pytest.skip(f"debootstrap {suite.name} from {mirror} failed: {last}")


def _resolve(suite: Suite, mirror: str, root: Path) -> None:
    """An owner, what is configured, and apt's lists with their caches."""
    for name, text in SETTINGS.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    line = f"deb {mirror} {suite.name} {suite.components}\n"
    (root / "etc/apt/sources.list").write_text(line)
    # udev, which makes the group on every desktop, is not in the smallest variant.
    _inside(root, "groupadd", "--system", "--force", "render")
    _inside(root, "useradd", "--create-home", "--shell", "/bin/bash", OWNER)
    _inside(root, "chpasswd", text=f"{OWNER}:{PASSWORD}\n")
    _inside(root, "update-ca-certificates")
    for name in ("resolv.conf", "hosts"):
        shutil.copy(f"/etc/{name}", root / "etc" / name)
    _inside(root, "apt-get", "-qq", "update")
    _inside(root, "apt-get", "clean")
    _inside(root, "apt-cache", "gencaches")
    _inside(root, "python3", "-m", "venv", "--without-pip", PREFIX)


def _inside(root: Path, *argv: str, text: str = "") -> None:
    enter = ("unshare", "--mount", "--pid", "--fork", "chroot", str(root))
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
    run_outside(*enter, *argv, text=text, env=env, timeout_s=MAKING_S)


def _install_dependencies(suite: Suite, root: Path) -> None:
    """By this Python's pip, as wheels for the root's Python."""
    site = root / f"{PREFIX.lstrip('/')}/lib/python{suite.python}/site-packages"
    wheels = ("--only-binary", ":all:", "--python-version", suite.python, "--no-compile")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--target", str(site))
    names = (*_needed(suite), *OLDER.get(suite.python, ()))
    done = run_outside(*pip, *wheels, *names, check=False, timeout_s=MAKING_S)
    if done.returncode:
        pytest.skip(f"pip could not get the wizard's dependencies: {done.stderr.strip()[-300:]}")
    for program in (site / "bin").iterdir():  # where --target puts what belongs beside Python
        program.rename(root / PREFIX.lstrip("/") / "bin" / program.name)


def _needed(suite: Suite) -> Iterator[str]:
    """The dependencies for the root's Python: pip would ask the markers of its own."""
    for line in _requirements().splitlines():
        if '"' in line:
            wanted = Requirement(line.split('"')[1])
            if not wanted.marker or wanted.marker.evaluate({"python_version": suite.python}):
                yield f"{wanted.name}{wanted.specifier}"
