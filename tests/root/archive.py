"""Stand-in packages and a signed archive of them, small enough to be made for each test."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.system.roots import Root

ARCHIVE = "/srv/archive"
KEYRING = "/etc/apt/keyrings/rdna1-setup-rocm.asc"
SOURCE = "/etc/apt/sources.list.d/rdna1-setup-rocm.list"
SOURCE_LINE = f"deb [arch=amd64 signed-by={KEYRING}] file:{ARCHIVE} stand-in main\n"
FOLDER = "main/binary-amd64"


@dataclass(frozen=True)
class StandIn:
    """A package with next to nothing in it."""

    name: str
    version: str
    files: dict[str, str] = field(default_factory=dict)
    """Content by absolute path."""
    fields: tuple[str, ...] = ()
    """More lines of its control file, such as ``Depends: x``."""
    scripts: dict[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    """Which of its files are settings that dpkg keeps when they were changed."""
    links: dict[str, str] = field(default_factory=dict)
    """Where each link leads, by absolute path."""
    architecture: str = "amd64"


def build(package: StandIn, folder: Path) -> Path:
    """Its package file, in a folder."""
    version = package.version.replace(":", "%3a")
    tree = folder / f"{package.name}_{version}_{package.architecture}"
    control = tree / "DEBIAN"
    control.mkdir(parents=True)
    lines = (
        f"Package: {package.name}",
        f"Version: {package.version}",
        f"Architecture: {package.architecture}",
        "Maintainer: nobody <nobody@example.org>",
        *package.fields,
        "Description: stand-in",
    )
    (control / "control").write_text("\n".join(lines) + "\n")
    for name, text in package.files.items():
        path = tree / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, target in package.links.items():
        path = tree / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    for name, text in package.scripts.items():
        (control / name).write_text(f"#!/bin/sh\nset -e\n{text}\n")
        (control / name).chmod(0o755)
    if package.settings:
        (control / "conffiles").write_text("".join(f"{path}\n" for path in package.settings))
    deb = tree.with_name(f"{tree.name}.deb")
    pack = ("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "-b", str(tree), str(deb))
    subprocess.run(pack, check=True, capture_output=True, timeout=60)
    return deb


def publish(root: Root, *packages: StandIn, scratch: Path) -> None:
    """An archive of these packages alone at ``/srv/archive`` in a root, signed with its key."""
    suite = root.path(ARCHIVE) / "dists/stand-in"
    pool = root.path(ARCHIVE) / "pool"
    for folder in (suite / FOLDER, pool):
        folder.mkdir(parents=True, exist_ok=True)
    stanzas = []
    for package in packages:
        deb = build(package, scratch)
        (pool / deb.name).write_bytes(deb.read_bytes())
    for deb in sorted(pool.glob("*.deb")):
        shown = ("dpkg-deb", "-f", str(deb))
        fields = subprocess.run(shown, check=True, capture_output=True, text=True, timeout=60)
        digest = hashlib.sha256(deb.read_bytes()).hexdigest()
        own = f"Filename: pool/{deb.name}\nSize: {deb.stat().st_size}\nSHA256: {digest}\n"
        stanzas.append(fields.stdout + own)
    index = "\n".join(stanzas).encode()
    (suite / FOLDER / "Packages").write_bytes(index)
    (suite / FOLDER / "Packages.gz").write_bytes(gzip.compress(index))
    (suite / "Release").write_text(_release(suite))
    _sign(suite, scratch)


def _release(suite: Path) -> str:
    lines = ["Origin: stand-in", "Suite: stand-in", "Codename: stand-in", "Components: main"]
    lines += ["Architectures: amd64", "Date: Mon, 01 Jan 2024 00:00:00 UTC", "SHA256:"]
    for name in (f"{FOLDER}/Packages", f"{FOLDER}/Packages.gz"):
        data = (suite / name).read_bytes()
        lines.append(f" {hashlib.sha256(data).hexdigest()} {len(data)} {name}")
    return "\n".join(lines) + "\n"


def _sign(suite: Path, scratch: Path) -> None:
    """With a key of the archive's own, made the first time; the roots have no gpg-agent."""
    home = _home_of_key(scratch)
    if not home.exists():
        home.mkdir(mode=0o700)
        _gpg(home, "--passphrase", "", "--quick-gen-key", "stand-in", "ed25519", "sign", "never")
    _gpg(home, "--clearsign", "--output", f"{suite}/InRelease", f"{suite}/Release")


def _home_of_key(scratch: Path) -> Path:
    return scratch / "gnupg"


def _gpg(home: Path, *words: str) -> str:
    gpg = ("gpg", "--homedir", str(home), "--batch", "--yes", "--pinentry-mode", "loopback")
    done = subprocess.run((*gpg, *words), check=True, capture_output=True, text=True, timeout=60)
    kill = ("gpgconf", "--homedir", str(home), "--kill", "all")
    subprocess.run(kill, check=True, capture_output=True, timeout=60)
    return done.stdout


def public_key(scratch: Path) -> str:
    """The key that the archive is signed with, in letters."""
    return _gpg(_home_of_key(scratch), "--armor", "--export", "stand-in")


def add_source(root: Root, scratch: Path) -> None:
    """Let apt know the archive, as our own source does it."""
    root.write(KEYRING, public_key(scratch))
    root.write(SOURCE, SOURCE_LINE)
    root.run("apt-get", "-qq", "update")
