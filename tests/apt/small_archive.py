"""A signed archive of a few packages in a folder, and a system of a few packages, for real apt."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

AMD = "ROCm Dev Support <rocm-dev.support@amd.com>"
DEADLINE_S = 60
TOOLS = ("apt-get", "apt-cache", "dpkg-deb", "gpg", "gpgconf")
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]


def run(*argv: str, text: str = "") -> str:
    """What a program printed; it must succeed."""
    done = subprocess.run(
        argv, input=text, capture_output=True, text=True, check=False, timeout=DEADLINE_S
    )
    assert done.returncode == 0, f"{argv}: {done.stderr}"
    return done.stdout


@contextmanager
def signing_key(name: str) -> Iterator[tuple[str, str]]:
    """gpg's folder with a new key, and its fingerprint."""
    # Not below pytest's folders: the path of the agent's socket must be short.
    with tempfile.TemporaryDirectory(prefix="gpg") as home:
        gpg = ("gpg", "--homedir", home, "--batch", "--quiet", "--passphrase", "")
        try:
            run(*gpg, "--quick-generate-key", name, "ed25519", "sign", "never")
            listing = run(*gpg, "--with-colons", "--list-keys")
            yield home, next(row.split(":")[9] for row in listing.splitlines() if row[:3] == "fpr")
        finally:
            run("gpgconf", "--homedir", home, "--kill", "all")


@dataclass(frozen=True, slots=True)
class SmallArchive:
    """A folder that is laid out like AMD's repository."""

    folder: Path
    fingerprint: str

    @property
    def address(self) -> str:
        """As ``--rocm-repo`` takes it."""
        return f"file://{self.folder}/rocm/apt"


def build_deb(folder: Path, name: str, version: str, **fields: str) -> Path:
    """A package without files."""
    tree = folder / f"tree-{name}"
    (tree / "DEBIAN").mkdir(parents=True)
    rows = {"Package": name, "Version": version, "Architecture": "amd64", "Maintainer": AMD}
    rows |= {"Installed-Size": "1000", **{k.replace("_", "-"): v for k, v in fields.items()}}
    rows["Description"] = "stand-in"
    (tree / "DEBIAN/control").write_text("".join(f"{k}: {v}\n" for k, v in rows.items()))
    deb = folder / f"{name}_{version}_amd64.deb"
    run("dpkg-deb", "--root-owner-group", "--build", str(tree), str(deb))
    shutil.rmtree(tree)
    return deb


def publish(
    folder: Path, release: str, suite: str, home: str, signer: str, debs: list[Path]
) -> None:
    """Index and signature of one suite."""
    place = folder / "rocm/apt" / release
    index = ""
    for deb in debs:
        pool = place / "pool" / deb.name
        pool.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(deb, pool)
        content = deb.read_bytes()
        index += run("dpkg-deb", "--field", str(deb))
        index += f"Filename: pool/{deb.name}\nSize: {len(content)}\n"
        index += f"SHA256: {sha256(content).hexdigest()}\n\n"
    dists = place / "dists" / suite
    packages = dists / "main/binary-amd64/Packages"
    packages.parent.mkdir(parents=True)
    packages.write_text(index)
    digest = sha256(index.encode()).hexdigest()
    release_text = (
        "Origin: repo.radeon.com\nLabel: repo.radeon.com\n"
        f"Suite: {suite}\nCodename: {suite}\nComponents: main\nArchitectures: amd64\n"
        "Date: Fri, 08 Nov 2024 18:58:55 UTC\n"
        f"SHA256:\n {digest} {len(index)} main/binary-amd64/Packages\n"
    )
    gpg = ("gpg", "--homedir", home, "--batch", "--quiet", "--passphrase", "")
    signed = run(*gpg, "--local-user", signer, "--clear-sign", text=release_text)
    (dists / "InRelease").write_text(signed)


def small_system(root: Path, *packages: str) -> Path:
    """A system's own folders, with these paragraphs in dpkg's list."""
    for name in ("etc/apt/sources.list.d", "etc/apt/preferences.d", "var/lib/apt/lists"):
        (root / name).mkdir(parents=True)
    (root / "var/lib/dpkg").mkdir(parents=True)
    (root / "var/lib/dpkg/status").write_text("\n\n".join((*packages, "")))
    return root


def installed(name: str, version: str, **fields: str) -> str:
    """A paragraph of dpkg's list."""
    rows = {
        "Package": name,
        "Status": "install ok installed",
        "Maintainer": AMD,
        "Architecture": "amd64",
        "Version": version,
        **{key.replace("_", "-"): value for key, value in fields.items()},
        "Description": "stand-in",
    }
    return "\n".join(f"{key}: {value}" for key, value in rows.items())
