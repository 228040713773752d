"""Packages of another architecture, and two of one name, go and come back as what they were."""

from __future__ import annotations

import itertools
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.system.roots import Root
from tests.root.archive import StandIn, build
from tests.root.conversation import apt_change, do_all, done_all, keep_debs, undo
from tests.root.listing import listing
from tests.root.test_restore import WAYS, come_back

pytestmark = pytest.mark.e2e
SAME = ("Multi-Arch: same",)
BOTH = tuple(
    StandIn("stand-both", "1:1.0", {f"/opt/rocm-5.0/{one}/x": f"{one}\n"}, SAME, architecture=one)
    for one in ("amd64", "i386")
)
FOREIGN = StandIn(
    "stand-foreign",
    "1.0",
    {"/opt/rocm-5.0/lib/icd": "x\n", "/etc/stand-foreign.conf": "as delivered\n"},
    settings=("/etc/stand-foreign.conf",),
    architecture="i386",
)
ALL = StandIn("stand-all", "1.0", {"/opt/rocm-5.0/all": "x\n"}, architecture="all")
NAMES = (
    ("stand-both", "1:1.0"),
    ("stand-both:i386", "1:1.0"),
    ("stand-foreign:i386", "1.0"),
    ("stand-all", "1.0"),
)
CACHE = "/var/cache/apt/archives"
_numbers = itertools.count(1)
FORM = "${binary:Package} ${Architecture} ${db:Status-Abbrev}${Version}${Conffiles}\n"


@pytest.fixture
def both(root: Root, scratch: Path) -> Root:
    """A root of two architectures, with package files of both in apt's cache."""
    root.run("dpkg", "--add-architecture", "i386")
    folder = scratch / f"both-{len(list(scratch.iterdir()))}"
    folder.mkdir()
    debs = [build(one, folder) for one in (*BOTH, FOREIGN, ALL)]
    for deb in debs:
        root.path(f"{CACHE}/{deb.name}").write_bytes(deb.read_bytes())
    root.run("dpkg", "-i", *(f"{CACHE}/{deb.name}" for deb in debs))
    root.run("apt-mark", "auto", "stand-both:i386", "stand-foreign:i386")
    root.write("/etc/stand-foreign.conf", "changed by the user\n")
    return root


def seen(root: Root) -> tuple[object, ...]:
    return (
        listing(root, "/opt/rocm-5.0", "/etc/stand-foreign.conf"),
        root.run("dpkg-query", "-W", "-f", FORM, "stand-*").stdout,
        sorted(root.run("apt-mark", "showauto").stdout.split()),
    )


def gone(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in NAMES if pair[0] in names)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "going",
    [
        gone("stand-both"),
        gone("stand-both:i386"),
        gone("stand-foreign:i386", "stand-all"),
        NAMES,
    ],
    ids=["its own", "the other", "only there", "all"],
)
def test_each_comes_back_for_the_architecture_that_it_had(
    both: Root, going: tuple[tuple[str, str], ...], way: str
) -> None:
    before, run = seen(both), f"architectures-{next(_numbers)}"
    names = tuple(name for name, _ in going)
    kept, _ = done_all(both, keep_debs(*going), apt_change((), names, purge=True), run=run)
    stays = {name for name, _ in NAMES} - set(names)
    listed = both.run("dpkg-query", "-W", "-f", "${binary:Package}\n", "stand-*", check=False)
    there = {line.removesuffix(":amd64") for line in listed.stdout.split()}
    assert there & {name for name, _ in NAMES} == stays
    come_back(both, run, way, kept["kept"])
    assert seen(both) == before


def test_what_came_beside_the_same_package_of_another_architecture_goes_alone(both: Root) -> None:
    both.run("dpkg", "--purge", "stand-both:amd64")
    before = seen(both)
    place = f"{CACHE}/stand-both_1%3a1.0_amd64.deb"
    file = (place, sha256(both.path(place).read_bytes()).hexdigest())
    done_all(both, apt_change(debs=(file,), expect_install=(NAMES[0],)), run="arch-beside")
    done = undo(both, "arch-beside")
    assert done.returncode == 0, done.stdout + done.stderr
    assert seen(both) == before


def test_a_kept_file_of_another_architecture_counts_for_nothing(both: Root) -> None:
    both.path(f"{CACHE}/stand-both_1%3a1.0_amd64.deb").unlink()
    change = apt_change((), ("stand-both",), purge=True)
    kept, changed = do_all(both, keep_debs(NAMES[0]), change, run="arch-missing")
    assert (kept["event"], changed["event"]) == ("failed", "failed")
    assert "No package file" in kept["happened"]
    assert "stand-both:amd64 amd64 ii" in both.run("dpkg-query", "-W", "-f", FORM).stdout
