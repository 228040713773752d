"""A copy of a part of an archive: what it takes along, what it lacks, nothing with another hash."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from tests.fleet.targets import PLAIN, recorded_target
from wizard.fleet.archive_index import indexes_in, packages_in, taken_by
from wizard.fleet.debs import _copied
from wizard.fleet.target import target_of
from wizard.knowledge.releases import load_catalogue
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost
from wizard.places import places
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.run.acting import Surroundings
from wizard.run.downloads.web import open_web
from wizard.run.events import Output
from wizard.run.trouble import Trouble

MACHINES = Path(__file__).parents[1] / "machines"
TARGET = replace(PLAIN, stack="rocm57", system_release="5.7.1", system_set="smallest")


def paragraph(name: str, content: bytes, **fields: str) -> str:
    more = "".join(f"{key.replace('_', '-')}: {text}\n" for key, text in fields.items())
    digest = sha256(content).hexdigest()
    return f"Package: {name}\n{more}Filename: pool/main/{name}.deb\nSHA256: {digest}\n\n"


def archive(folder: Path) -> Path:
    """An archive that asks for all that the smallest set of 5.7.1 names, and a little more."""
    entry = load_catalogue().releases["5.7.1"]
    place, suite = folder / entry.directory, "jammy"
    first, *others = entry.sets["smallest"]
    wanted = {first: "deeper (= 1) | other, libelf1 (>= 0.1)", **dict.fromkeys(others, "libc6")}
    index = "".join(paragraph(name, name.encode(), Depends=text) for name, text in wanted.items())
    index += paragraph("deeper", b"deeper", Depends=first) + paragraph("unwanted", b"unwanted")
    (place / "pool/main").mkdir(parents=True)
    for name in (*wanted, "deeper", "unwanted"):
        (place / f"pool/main/{name}.deb").write_text(name)
    below = place / f"dists/{suite}/main/binary-amd64"
    below.mkdir(parents=True)
    forms = {"Packages": index.encode(), "Packages.gz": gzip.compress(index.encode())}
    rows = ""
    for name, content in forms.items():
        (below / name).write_bytes(content)
        rows += f" {sha256(content).hexdigest()} {len(content)} main/binary-amd64/{name}\n"
    release = f"Origin: x\nMD5Sum:\n 00 1 main/binary-amd64/Packages\nSHA256:\n{rows}"
    (place / f"dists/{suite}/InRelease").write_text(release)
    return place


def copied(place: Path, folder: Path) -> list[str]:
    release = (place / "dists/jammy/InRelease").read_text()
    around = Surroundings(os.environ, str(folder), lambda: False)
    folder.mkdir(exist_ok=True)
    news = _copied(place.as_uri(), "jammy", release, TARGET, folder, open_web({}), around)
    return [line for each in news if isinstance(each, Output) for line in each.lines]


def test_what_the_set_takes_comes_and_nothing_else(tmp_path: Path) -> None:
    place = archive(tmp_path / "amd")
    said = copied(place, tmp_path / "copy")
    names = {path.stem for path in (tmp_path / "copy").rglob("*.deb")}
    assert {"deeper", *load_catalogue().releases["5.7.1"].sets["smallest"]} == names
    assert "libc6, libelf1" in said[0]
    assert (tmp_path / "copy/from-the-distribution.txt").read_text() == "libc6\nlibelf1\n"
    copied(place, tmp_path / "copy")


def test_a_package_with_another_hash_is_refused(tmp_path: Path) -> None:
    place = archive(tmp_path / "amd")
    (place / "pool/main/deeper.deb").write_text("another")
    with pytest.raises(Trouble, match="wrong SHA-256"):
        copied(place, tmp_path / "copy")


def test_an_archive_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    place = archive(tmp_path / "amd")
    (place / "pool/main/deeper.deb").unlink()
    with pytest.raises(Trouble, match="is not there"):
        copied(place, tmp_path / "copy")


def rewrite_index(place: Path, name: str, content: bytes) -> None:
    """Another index in the same place, named by a release that says so."""
    for form in ("Packages", "Packages.gz"):
        (place / f"dists/jammy/main/binary-amd64/{form}").unlink()
    (place / f"dists/jammy/main/binary-amd64/{name}").write_bytes(content)
    row = f" {sha256(content).hexdigest()} {len(content)} main/binary-amd64/{name}\n"
    (place / "dists/jammy/InRelease").write_text(f"SHA256:\n{row}")


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("Packages.gz", gzip.compress(b"Package: one\n")),
        ("Packages.xz", lzma.compress(b"Package: one\n")),
        ("Packages.bz2", bz2.compress(b"Package: one\n")),
    ],
    ids=["gz", "xz", "bz2"],
)
@pytest.mark.parametrize("cut_off", [True, False])
def test_an_index_that_cannot_be_unpacked_is_refused_in_words(
    tmp_path: Path, name: str, packed: bytes, cut_off: bool
) -> None:
    place = archive(tmp_path / "amd")
    rewrite_index(place, name, packed[:-4] if cut_off else b"\x1f\x8b something else")
    with pytest.raises(Trouble, match=f"{name} is damaged or cut off"):
        copied(place, tmp_path / "copy")


def test_more_than_there_is_room_for_is_not_begun(tmp_path: Path) -> None:
    place = archive(tmp_path / "amd")
    index = (place / "dists/jammy/main/binary-amd64/Packages").read_text()
    index = index.replace("Package: deeper\n", f"Package: deeper\nSize: {10**14}\n")
    rewrite_index(place, "Packages", index.encode())
    with pytest.raises(Trouble, match=r"is full; .* more are needed"):
        copied(place, tmp_path / "copy")
    assert list((tmp_path / "copy").rglob("*.deb")) == []


@pytest.mark.parametrize("path", ["../../etc/x.deb", "/etc/x.deb", "a b.deb", "pool/../x.deb"])
def test_a_path_that_leads_elsewhere_names_no_package(path: str) -> None:
    text = f"Package: evil\nFilename: {path}\nSHA256: {'0' * 64}\n"
    assert packages_in(text) == ()


def test_what_provides_a_name_serves_for_it() -> None:
    text = paragraph("a", b"", Depends="virtual") + paragraph("b", b"", Provides="virtual (= 1)")
    taken = taken_by(("a",), packages_in(text))
    assert [package.name for package in taken.packages] == ["a", "b"]
    assert taken.elsewhere == ()


def test_what_is_elsewhere_is_named_with_all_that_may_stand_for_it() -> None:
    text = paragraph("a", b"", Depends="libdrm-amd | libdrm (>= 2), libelf1")
    assert taken_by(("a",), packages_in(text)).elsewhere == ("libdrm-amd | libdrm", "libelf1")


def test_only_hashes_of_the_right_kind_are_read() -> None:
    release = f"MD5Sum:\n {'0' * 64} 1 main/binary-amd64/Packages\nSHA256:\n {'1' * 64} 1 main/x\n"
    assert indexes_in(release) == ()


def test_the_release_of_the_stack_comes_where_the_footprint_wants_it() -> None:
    host = RecordedHost(MACHINES / "rx5600xt-noble-rocm57")
    choice = Choice("rocm57", "venv+system", f"{host.home}/ai/rocm57", without_card=True)
    there = detect(host), places(host.environ, host.home)
    target = target_of(there[0], choice, there[1])
    assert (target.system_release, target.system_set) == ("5.7.1", "smallest")
    assert recorded_target("rx5600xt-noble-rocm57", "rocm57").system_release == ""
    for other in (replace(choice, stack="cpu"), replace(choice, system_release="1.2.3")):
        with pytest.raises(PlanImpossible):
            target_of(there[0], other, there[1])


def test_a_distribution_without_such_packages_is_refused() -> None:
    host = RecordedHost(MACHINES / "bc250-fedora")
    choice = Choice("rocm62", "venv+system", f"{host.home}/ai/x", without_card=True)
    with pytest.raises(PlanImpossible):
        target_of(detect(host), choice, places(host.environ, host.home))
