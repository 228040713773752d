"""AMD's package indexes as apt keeps them, also packed, mirrored or broken."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.apt.indexes import amd_versions
from wizard.apt.sources import LISTS, is_amd_host, is_amd_release
from wizard.machine.recorded import RecordedHost

AMD = f"{LISTS}/repo.radeon.com_rocm_apt_6.2.4_dists_noble"
MIRROR = f"{LISTS}/mirror.example_rocm_dists_noble"
FLAT = f"{LISTS}/mirror.example_rocm_._"
UBUNTU = f"{LISTS}/archive.ubuntu.com_ubuntu_dists_noble"
PACKAGES = "main_binary-amd64_Packages"
RELEASE = "Origin: repo.radeon.com\nLabel: repo.radeon.com\nSuite: noble\n"
SIGNED = f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{RELEASE}"
INDEX = """Package: rocm-core
Architecture: amd64
Depends: libc6
Version: 6.2.4.60204-139~24.04
Description: ROCm
 Version: 1

Version: 9
Package: rocminfo
Version: 1.0.0.60204-139~24.04
"""
FOUND = {("rocm-core", "6.2.4.60204-139~24.04"), ("rocminfo", "1.0.0.60204-139~24.04")}


def versions(host: RecordedHost) -> set[tuple[str, str]]:
    """What AMD's indexes hold."""
    return set(amd_versions(host)[0])


@pytest.mark.parametrize(
    "files",
    [
        {f"{AMD}_InRelease": SIGNED, f"{AMD}_{PACKAGES}": INDEX},
        {f"{AMD}_Release": RELEASE, f"{AMD}_{PACKAGES}": INDEX},
        # Neither Release file, as with [trusted=yes].
        {f"{AMD}_{PACKAGES}": INDEX},
        # The server is enough, whatever its Release file says.
        {f"{AMD}_InRelease": "Origin: somebody\n", f"{AMD}_{PACKAGES}": INDEX},
        {f"{MIRROR}_InRelease": SIGNED, f"{MIRROR}_{PACKAGES}": INDEX},
        {f"{MIRROR}_Release": "Label: repo.radeon.com\n", f"{MIRROR}_{PACKAGES}": INDEX},
        {f"{FLAT}InRelease": SIGNED, f"{FLAT}Packages": INDEX},
        {f"{AMD}_{PACKAGES}.gz": gzip.compress(INDEX.encode())},
        {f"{AMD}_{PACKAGES}.xz": lzma.compress(INDEX.encode())},
        {f"{LISTS}/repo.radeon.com:443_rocm_apt_6.2.4_dists_noble_{PACKAGES}": INDEX},
        {f"{LISTS}/rocm.nightlies.amd.com_deb_1_dists_stable_{PACKAGES}": INDEX},
    ],
)
def test_amds_index_is_found_by_server_or_by_release_file(
    files: dict[str, str | bytes], tmp_path: Path
) -> None:
    assert versions(make(tmp_path, files)) == FOUND


@pytest.mark.parametrize(
    "files",
    [
        {f"{UBUNTU}_InRelease": "Origin: Ubuntu\n", f"{UBUNTU}_{PACKAGES}": INDEX},
        {f"{MIRROR}_InRelease": "Origin: Ubuntu\n", f"{MIRROR}_{PACKAGES}": INDEX},
        {f"{MIRROR}_{PACKAGES}": INDEX},
        # A name that only begins or ends like AMD's.
        {f"{LISTS}/repo.radeon.com.example.org_x_dists_noble_{PACKAGES}": INDEX},
        {f"{LISTS}/notamd.com_x_dists_noble_{PACKAGES}": INDEX},
        {f"{MIRROR}_InRelease": "Description: Origin: repo.radeon.com\n", f"{MIRROR}_x": INDEX},
        {f"{AMD}_main_i18n_Translation-en": INDEX},
        {f"{AMD}_InRelease": SIGNED},
        {"/etc/hostname": ""},
    ],
)
def test_other_indexes_are_not_amds(files: dict[str, str | bytes], tmp_path: Path) -> None:
    versions, unread = amd_versions(make(tmp_path, files))

    assert (versions, unread) == (frozenset(), ())


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        (".lz4", b"\x04\x22\x4d\x18", "is compressed in a way that Python cannot read"),
        (".zst", b"", "is compressed in a way that Python cannot read"),
        (".gz", b"no gzip at all", "could not be unpacked"),
        (".xz", b"no xz at all", "could not be unpacked"),
    ],
)
def test_an_index_that_cannot_be_read_is_told_and_the_others_are_read(
    name: str, content: bytes, reason: str, tmp_path: Path
) -> None:
    other = f"{LISTS}/repo.radeon.com_amdgpu_6.2.4_ubuntu_dists_noble_{PACKAGES}"
    versions, (unread,) = amd_versions(
        make(tmp_path, {f"{AMD}_{PACKAGES}{name}": content, other: INDEX})
    )

    assert versions == FOUND
    assert unread.because.startswith(f"{AMD}_{PACKAGES}{name} {reason}")


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("keep", [1, 20, -1])
def test_a_packed_index_that_was_cut_off_does_not_raise(
    pack: object, keep: int, tmp_path: Path
) -> None:
    assert callable(pack)
    name = "gz" if pack is gzip.compress else "xz"
    packed = pack(INDEX.encode())[:keep]

    assert versions(make(tmp_path, {f"{AMD}_{PACKAGES}.{name}": packed})) <= FOUND


def test_an_index_that_unpacks_to_gigabytes_is_read_to_a_limit(tmp_path: Path) -> None:
    bomb = gzip.compress(INDEX.encode() + b"\n" * (64 * 1024 * 1024))

    assert versions(make(tmp_path, {f"{AMD}_{PACKAGES}.gz": bomb})) == FOUND


def test_a_list_without_permission_is_told(tmp_path: Path) -> None:
    host = make(tmp_path, {f"{AMD}_{PACKAGES}": INDEX}, unreadable=[f"{AMD}_{PACKAGES}"])

    assert [one.because for one in amd_versions(host)[1]] == [
        f"no permission to read {AMD}_{PACKAGES}"
    ]


def test_a_release_file_is_read_by_its_fields(tmp_path: Path) -> None:
    host = make(tmp_path, {"/a": SIGNED, "/b": "Suite: repo.radeon.com\n", "/c": b"\xff\x00"})

    assert [is_amd_release(host, path) for path in ("/a", "/b", "/c", "/d")] == [
        True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "amd"),
    [
        ("repo.radeon.com", True),
        ("repo.amd.com", True),
        ("REPO.radeon.com:443", True),
        ("stable.repo.amd.com", True),
        ("amd.com.example.org", False),
        ("xamd.com", False),
        ("", False),
    ],
)
def test_servers_of_amds(name: str, amd: bool) -> None:
    assert is_amd_host(name) is amd
