"""Makes ``assets/distributions.toml``: for which chips the packages of a distribution hold code.

For maintainers. It reads ``.deb`` files and believes no description: the names of files of code,
and the bundles of code inside libraries and such files, compressed ones too. It needs dpkg-deb and
zstd. The packages come from apt, which checks their signatures, in a root of that distribution:

    apt-get download libtorch-rocm-2.9 librocblas5 libmiopen1 librccl1 libhipblaslt1 ...
    python3 -m tests.miopen.targets "Ubuntu 26.04" *.deb

What it finds replaces the rows of that distribution. RPM files are not read: Fedora's packages were
out of reach when this was written.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import mmap
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from assets import FOLDER
from wizard.knowledge.cards import DistributionPackage, load_distribution_packages

DPKG_DEB, ZSTD = "/usr/bin/dpkg-deb", "/usr/bin/zstd"
TABLE = FOLDER / "distributions.toml"
HEAD = """\
# For which chips the packages of distributions hold code, read from their files by
# tests/miopen/targets.py. [[package]] keys are the fields of
# wizard.knowledge.cards.DistributionPackage.
#
# targets is empty where a package holds code for no chip: MIOpen compiles its own when it runs, and
# that of python3-torch-rocm is in libtorch-rocm. Nothing of this was run on a card.
"""
CODE_NAME = re.compile(r"(gfx[0-9a-f]+)[^/]*\.(?:co|hsaco)")
BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
ENTRY = re.compile(r"hip(?:v4)?-amdgcn-amd-amdhsa-[^-]*-(gfx[0-9a-f]+)")
ENTRY_LIMIT = 256
COMPRESSED = re.compile(rb"CCOB[\1-\3]\0[\0\1]\0")
HEAD_SIZES = {1: 20, 2: 24, 3: 32}
"""By version of a compressed bundle: magic, version, method, sizes and a hash."""
BEGINNING = 1 << 18
"""What a bundle holds is told at its beginning, in some 60 bytes for each target."""


class Unreadable(Exception):
    """A bundle of code is not as it should be: a package must not pass for one without code."""


def main() -> int:
    """Read the packages, and write their rows in place of those of the same distribution."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("distribution", help="for example: Ubuntu 26.04")
    parser.add_argument("packages", type=Path, nargs="+", metavar="FILE.deb")
    arguments = parser.parse_args()
    others = [
        row for row in load_distribution_packages() if row.distribution != arguments.distribution
    ]
    read = [read_package(arguments.distribution, path) for path in arguments.packages]
    rows = sorted((*others, *read), key=lambda row: (row.distribution, row.name))
    TABLE.write_text(table_text(rows), "utf-8")
    for row in read:
        print(f"{row.name} {row.version}: {' '.join(row.targets) or 'no code'}")
    return 0


def read_package(distribution: str, path: Path) -> DistributionPackage:
    """One package by its files."""
    show = (DPKG_DEB, "--show", "--showformat=${Package}\\n${Version}", str(path))
    shown = subprocess.run(show, capture_output=True, text=True, check=True)
    name, version = shown.stdout.split()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run((DPKG_DEB, "--extract", str(path), folder), check=True)
        targets = targets_below(Path(folder))
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return DistributionPackage(distribution, name, version, today, digest.hexdigest(), targets)


def targets_below(folder: Path) -> tuple[str, ...]:
    """The chips that the files of a folder hold code for, by number."""
    found: set[str] = set()
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            found |= {match[1] for match in [CODE_NAME.search(path.name)] if match}
            found |= set(targets_in(path))
    return tuple(sorted(found, key=lambda target: (len(target), target)))


def targets_in(path: Path) -> Iterator[str]:
    """The chips that the bundles within a file hold code for."""
    if path.stat().st_size == 0:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for match in re.finditer(re.escape(BUNDLE), content):
            yield from entries(content[match.start() : match.start() + BEGINNING])
        for match in COMPRESSED.finditer(content):
            packed = content[match.start() : match.start() + BEGINNING]
            yield from entries(unpacked(packed, f"{path.name} at {match.start()}"))


def entries(bundle: bytes) -> Iterator[str]:
    """The chips of a bundle; none where its name stands as a word alone, as in a compiler."""
    place = len(BUNDLE) + 8
    (count,) = struct.unpack_from("<Q", bundle.ljust(place, b"\0"), len(BUNDLE))
    if count > ENTRY_LIMIT:
        return
    for _ in range(count):
        _offset, size, length = struct.unpack_from("<QQQ", bundle, place)
        name = bundle[place + 24 : place + 24 + length].decode("ascii", "replace")
        place += 24 + length
        if size and (match := ENTRY.match(name)):
            yield match[1]


def unpacked(packed: bytes, where: str) -> bytes:
    """The beginning of a compressed bundle. Raises ``Unreadable``."""
    version, method = struct.unpack_from("<HH", packed, 4)
    data = packed[HEAD_SIZES[version] :]
    if method == 0:
        bundle = zlib.decompressobj().decompress(data, BEGINNING)
    else:
        # Only the beginning is here, so zstd ends with an error, after what it could unpack.
        bundle = subprocess.run((ZSTD, "-dcq"), input=data, capture_output=True, check=False).stdout
    if not bundle.startswith(BUNDLE):
        raise Unreadable(f"{where}: not a bundle after unpacking")
    return bundle


def table_text(rows: Iterable[DistributionPackage]) -> str:
    """The rows as TOML: a string or list of plain words is written as in JSON."""
    texts = (
        "\n[[package]]\n"
        + "".join(f"{key} = {json.dumps(value)}\n" for key, value in asdict(row).items())
        for row in rows
    )
    return HEAD + "".join(texts)


if __name__ == "__main__":
    sys.exit(main())
