"""The program that reads packages: every bundle of code is found, and none that is not there."""

from __future__ import annotations

import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from assets import FOLDER
from tests.miopen.targets import (
    BUNDLE,
    ZSTD,
    Unreadable,
    entries,
    read_package,
    table_text,
    targets_below,
)
from wizard.knowledge.cards import load_distribution_packages, targets_of

HOST = "host-x86_64-unknown-linux-gnu-"
WITHOUT_ZSTD = pytest.mark.skipif(not Path(ZSTD).exists(), reason="zstd is not installed")
WITHOUT_DPKG = pytest.mark.skipif(not Path("/usr/bin/dpkg-deb").exists(), reason="no dpkg-deb")


def bundle(*names: str, size: int = 4096) -> bytes:
    """A bundle as clang writes it: an entry for the host, then one for each chip."""
    table = b"".join(
        struct.pack("<QQQ", 4096, 0 if name == HOST else size, len(name)) + name.encode()
        for name in (HOST, *names)
    )
    return BUNDLE + struct.pack("<Q", len(names) + 1) + table + bytes(4096)


def code(*chips: str) -> bytes:
    return bundle(*(f"hipv4-amdgcn-amd-amdhsa--{chip}" for chip in chips))


def compressed(data: bytes, version: int) -> bytes:
    """The same packed, with the head of one version."""
    packed = zlib.compress(data)
    sizes = {
        1: struct.pack("<IQ", len(data), 7),
        2: struct.pack("<IIQ", 24 + len(packed), len(data), 7),
        3: struct.pack("<QQQ", 32 + len(packed), len(data), 7),
    }
    return b"CCOB" + struct.pack("<HH", version, 0) + sizes[version] + packed


def library(folder: Path, *parts: bytes, name: str = "libsome.so.1") -> Path:
    path = folder / "usr/lib" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x7fELF" + bytes(60) + b"".join(parts))
    return folder


def test_every_bundle_of_a_library_is_read(tmp_path: Path) -> None:
    parts = (code("gfx1010:xnack-"), bytes(99), code("gfx90a:sramecc+:xnack-", "gfx1030"))
    assert targets_below(library(tmp_path, *parts)) == ("gfx90a", "gfx1010", "gfx1030")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_compressed_bundle_is_read(version: int, tmp_path: Path) -> None:
    folder = library(tmp_path, compressed(code("gfx1012"), version), compressed(code("gfx908"), 2))
    assert targets_below(folder) == ("gfx908", "gfx1012")


@WITHOUT_ZSTD
def test_a_bundle_that_zstd_packed_is_read_from_its_beginning(tmp_path: Path) -> None:
    data = code("gfx1010") + bytes(range(256)) * 40_000
    packed = subprocess.run((ZSTD, "-cq"), input=data, capture_output=True, check=True).stdout
    head = b"CCOB" + struct.pack("<HHIIQ", 2, 1, 24 + len(packed), len(data), 7)
    assert targets_below(library(tmp_path, head + packed)) == ("gfx1010",)


def test_a_file_of_code_is_known_by_its_name(tmp_path: Path) -> None:
    for name in ("Kernels.so-000-gfx1010-xnack-.hsaco", "TensileLibrary_gfx1011.co"):
        library(tmp_path, name=name)
    library(tmp_path, name="TensileLibrary_lazy_gfx1012.dat")  # which only lists the others
    assert targets_below(tmp_path) == ("gfx1010", "gfx1011")


def test_a_chip_that_is_only_named_has_no_code(tmp_path: Path) -> None:
    words = b"gfx1010\0hipv4-amdgcn-amd-amdhsa--gfx1010\0" + BUNDLE + b"\0CCOB\0"
    empty = bundle("hipv4-amdgcn-amd-amdhsa--gfx1011", size=0)
    assert targets_below(library(tmp_path, words, empty)) == ()
    assert list(entries(BUNDLE)) == []


def test_a_compressed_bundle_that_cannot_be_read_ends_it(tmp_path: Path) -> None:
    packed = zlib.compress(b"no bundle at all")
    head = b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(packed), 16, 7)
    with pytest.raises(Unreadable, match=r"libsome\.so\.1 at 64"):
        targets_below(library(tmp_path, head + packed))


@WITHOUT_DPKG
def test_a_package_is_read_with_its_version_and_hash(tmp_path: Path) -> None:
    folder = library(tmp_path / "tree", code("gfx1010"))
    control = folder / "DEBIAN/control"
    control.parent.mkdir()
    control.write_text(
        "Package: libsome1\nVersion: 1:2.3+dfsg-4\nArchitecture: amd64\n"
        "Maintainer: nobody <nobody@example.org>\nDescription: some\n"
    )
    path = tmp_path / "libsome1.deb"
    subprocess.run(("/usr/bin/dpkg-deb", "-Zgzip", "--build", folder, path), check=True)
    read = read_package("Some 1", path)
    assert (read.distribution, read.name, read.version) == ("Some 1", "libsome1", "1:2.3+dfsg-4")
    assert read.targets == ("gfx1010",)
    assert len(read.sha256) == 64


def test_the_table_is_what_the_program_writes() -> None:
    assert (FOLDER / "distributions.toml").read_text("utf-8") == table_text(
        load_distribution_packages()
    )


def test_each_version_of_a_package_is_there_once_for_each_distribution() -> None:
    rows = [(row.distribution, row.name, row.version) for row in load_distribution_packages()]
    assert len(rows) == len(set(rows))


def test_a_version_that_was_not_read_has_no_answer() -> None:
    assert targets_of("libtorch-rocm-2.9", "2.9.1") is None
    assert targets_of("libmiopen1", "7.1.1+dfsg-0ubuntu1") == ()
