"""A stand-in of AMD's package archive on disk: packages, indexes, signatures, the key.

The folder mirrors ``https://repo.radeon.com``. Beside each InRelease and each key file lies what
the archive would show instead, if it were signed by a stranger or its key had expired.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import md5, sha1, sha256
from pathlib import Path

from tests.e2e.system import authority, debs, rocm_packages, scripts, signing
from tests.e2e.system.cache import kept
from tests.e2e.system.debs import Deb
from tests.e2e.system.rocm_packages import DATA, Data, Repository, read_data, repositories
from tests.e2e.system.signing import Keys, binary, throwaway_keys

KEY_FILE = "rocm/rocm.gpg.key"
STRANGER, STALE = ".stranger", ".stale"
"""Endings of what is shown instead; no request can name them."""
DATE = "Fri, 08 Nov 2024 18:58:55 UTC"
PIN = "Package: *\nPin: release o=repo.radeon.com\nPin-Priority: 600\n"
INSTALL = """#!/bin/sh
# Stand-in of amdgpu-install: the driver's package, then ROCm, in one go as the real one does.
set -e
driver=amdgpu-dkms
case " $* " in *" --no-dkms "*) driver= ;; esac
apt-get update
exec apt-get -y install $driver libdrm-amdgpu-amdgpu1 rocm-hip-libraries
"""


@dataclass(frozen=True, slots=True)
class Archive:
    """Where it lies, and by which key it is known."""

    folder: Path
    fingerprint: str

    def contents(self) -> dict[str, bytes]:
        """Every file by its path on the server, in the order of the paths."""
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {f"/{path.relative_to(self.folder)}": path.read_bytes() for path in files}

    def public_key(self) -> str:
        """The key that AMD's guides have people fetch, in letters."""
        return (self.folder / KEY_FILE).read_text()

    def stale_key(self) -> str:
        """The same key in an old copy, which has expired."""
        return (self.folder / f"{KEY_FILE}{STALE}").read_text()


def rocm_archive() -> Archive:
    """Built once for all sessions, and again when its data or makers change."""
    makers = (authority, debs, rocm_packages, scripts, signing)
    sources = (Path(__file__), DATA, *(Path(module.__file__ or "") for module in makers))
    name = sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]
    folder = kept(f"rocm-archive-{name}", _build, family="rocm-archive-")
    return Archive(folder, (folder / "fingerprint").read_text())


def _build(folder: Path) -> None:
    folder.mkdir()
    with throwaway_keys() as keys:
        _write_keys(folder, keys)
        for repository in repositories():
            _publish(folder, repository, keys)
        _installers(folder, keys)


def _write_keys(folder: Path, keys: Keys) -> None:
    path = folder / KEY_FILE
    path.parent.mkdir(parents=True)
    path.write_text(keys.public(keys.own))
    (folder / f"{KEY_FILE}{STALE}").write_text(keys.stale)
    (folder / f"{KEY_FILE}{STRANGER}").write_text(keys.public(keys.stranger))
    (folder / "fingerprint").write_text(keys.own)


def _publish(folder: Path, repository: Repository, keys: Keys) -> None:
    """One suite: the packages first, since their index names their hashes."""
    place = folder / repository.path
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda deb: _put(place, deb), repository.packages))
    index = "\n".join(rows).encode()
    binary = "main/binary-amd64"
    indexes = {f"{binary}/Packages": index, f"{binary}/Packages.gz": gzip.compress(index, mtime=0)}
    suite = place / "dists" / repository.suite
    for name, content in indexes.items():
        (suite / name).parent.mkdir(parents=True, exist_ok=True)
        (suite / name).write_bytes(content)
    release = _release(repository, indexes)
    (suite / "Release").write_text(release)
    (suite / "Release.gpg").write_text(keys.signature(release, keys.own))
    (suite / "InRelease").write_text(keys.clear_signed(release, keys.own))
    (suite / f"InRelease{STRANGER}").write_text(keys.clear_signed(release, keys.stranger))


def _put(place: Path, deb: Deb) -> str:
    """Build a package into the pool; its paragraph of the index."""
    name = f"pool/main/{deb.name[0]}/{deb.name}/{deb.file_name}"
    path = place / name
    if not path.exists():  # amdgpu-dkms-firmware is the same in two suites
        debs.build(deb, path)
    content = path.read_bytes()
    hashes = {"MD5sum": md5, "SHA1": sha1, "SHA256": sha256}
    sums = "".join(f"{key}: {make(content).hexdigest()}\n" for key, make in hashes.items())
    head, _, description = deb.control().rpartition("Description:")
    return f"{head}Filename: {name}\nSize: {len(content)}\n{sums}Description:{description}"


def _release(repository: Repository, indexes: Mapping[str, bytes]) -> str:
    """Its head as apt's own errors quote AMD's (ROCm issue 4022)."""
    title = "ROCm" if repository.path.startswith("rocm") else "AMDGPU"
    head = {
        "Origin": "repo.radeon.com",
        "Label": "repo.radeon.com",
        "Suite": repository.suite,
        "Codename": repository.suite,
        "Version": repository.release.removesuffix(".0"),
        "Date": DATE,
        "Architectures": "amd64",
        "Components": "main",
        "Description": f"{title} APT Repository",
    }
    lines = [f"{name}: {value}" for name, value in head.items()]
    for title, make in (("MD5Sum", md5), ("SHA1", sha1), ("SHA256", sha256)):
        lines.append(f"{title}:")
        lines += [f" {make(text).hexdigest()} {len(text)} {name}" for name, text in indexes.items()]
    return "\n".join(lines) + "\n"


def _installers(folder: Path, keys: Keys) -> None:
    for row in read_data()["installers"]:
        debs.build(_installer(row, keys.public(keys.own)), folder / row["file"])


def _installer(row: Data, key: str) -> Deb:
    """amdgpu-install: sources, pin and key as settings of its own."""
    settings = dict(_settings(row))
    return Deb(
        name="amdgpu-install",
        version=row["version"],
        architecture="all",
        maintainer="Advanced Micro Devices (AMD) <gpudriverdevsupport@amd.com>",  # [ours]
        files={
            **{name: text.encode() for name, text in settings.items()},
            "/etc/apt/trusted.gpg.d/rocm-keyring.gpg": binary(key),
        },
        programs={"/usr/bin/amdgpu-install": INSTALL.encode()},
        links={"/usr/bin/amdgpu-uninstall": "amdgpu-install"},
        conffiles=(*settings, "/etc/apt/trusted.gpg.d/rocm-keyring.gpg"),
    )


def _settings(row: Data) -> Iterator[tuple[str, str]]:
    base = "https://repo.radeon.com"
    amdgpu = f"deb {base}/amdgpu/{row['driver']}/ubuntu {row['suite']} main\n"
    rocm = f"deb [arch=amd64] {base}/rocm/apt/{row['release']} {row['suite']} main\n"
    yield "/etc/apt/sources.list.d/amdgpu.list", amdgpu
    yield "/etc/apt/sources.list.d/rocm.list", rocm
    yield "/etc/apt/preferences.d/repo-radeon-pin-600", PIN
    setup = f"BASEURL={base}\nRELEASE={row['release']}\n"
    yield "/etc/amdgpu-install/amdgpu-setup.conf", setup
