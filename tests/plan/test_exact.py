"""What installing would do is found out exactly, or refused with the reason, before any root."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.apt.asked import (
    VALID,
    VALID_FINGERPRINT,
    Reply,
    Scripted,
    Shelf,
    asking,
    said,
    when,
)
from tests.apt.small_archive import run
from tests.handmade import clean_jammy
from tests.plan.system_machines import RELEASES, amd, distribution, with_packages
from wizard.apt.packages import LocalDeb
from wizard.apt.programs import Answer, Children
from wizard.apt.view import Asking
from wizard.core.trouble import Trouble
from wizard.machine.facts import Machine
from wizard.plan.choice import Choice
from wizard.plan.package_resolution import prepare
from wizard.plan.system import Offer

MIRROR = "http://mirror.example/rocm/apt"
SHELF = {
    f"{MIRROR}/5.2/dists/ubuntu/InRelease": b"Origin: repo.radeon.com",
    f"{MIRROR}/5.7.1/dists/jammy/InRelease": b"Origin: repo.radeon.com",
    "http://mirror.example/rocm/rocm.gpg.key": VALID,
}
SMALLEST = """\
Inst pciutils (1:3.7.0-6 Ubuntu:22.04/jammy [amd64])
Inst rocm-core (5.2.0.50200-65 repo.radeon.com:ubuntu [amd64])
Inst hsa-rocr (1.5.0.50200-65 repo.radeon.com:ubuntu [amd64])
Inst rocminfo (1.0.0.50200-65 repo.radeon.com:ubuntu [amd64])
Conf rocminfo (1.0.0.50200-65 repo.radeon.com:ubuntu [amd64])
"""
SIZES = """\
Package: rocm-core
Version: 5.2.0.50200-65
Installed-Size: 1000
Filename: pool/rocm-core.deb
Size: 300000
Package: rocminfo
Version: 1.0.0.50200-65
Installed-Size: 50
Filename: pool/rocminfo.deb
Size: 20000
Package: rocminfo
Version: 5.0.0-1
Installed-Size: 9999
Filename: pool/other.deb
Size: 999999
"""
UNMET = """\
The following packages have unmet dependencies:
 comgr : Depends: libtinfo5 but it is not installable
 rocm-gdb : Depends: libpython3.8 but it is not installable
 rocm-llvm : Depends: python but it is not installable
             Depends: libstdc++-5-dev but it is not installable or
                      libstdc++-7-dev but it is not installable
E: Unable to correct problems, you have held broken packages.
"""
UPDATED = when("update", answer=said("Reading package lists..."))
SIZED = when("show", answer=said(SIZES))


def simulating(*answers: Answer) -> Reply:
    """Answers one simulation after the other; the last one again and again."""
    left = list(answers)

    def reply(argv: tuple[str, ...]) -> Answer | None:
        if "-s" not in argv:
            return None
        return left.pop(0) if len(left) > 1 else left[0]

    return reply


def chosen(**options: Any) -> Choice:
    mirror = {"rocm_repo": MIRROR, "rocm_key_fingerprint": VALID_FINGERPRINT}
    return Choice("rocm52", "venv+system", "/home/ada/ai", **{**mirror, **options})


async def found(
    folder: Path,
    *replies: Reply,
    machine: Machine | None = None,
    choice: Choice | None = None,
    release: str = "5.2.0",
    rows: tuple[str, ...] = (),
) -> Offer:
    with_what = asking(folder, *replies, shelf=Shelf(dict(SHELF)), rows=rows)
    return await offered(with_what, machine, choice, release)


async def offered(
    with_what: Asking, machine: Machine | None, choice: Choice | None, release: str
) -> Offer:
    wanted = choice or chosen()
    prepared = await prepare(machine or clean_jammy(), wanted, release, with_what)
    assert prepared.offer is not None
    return prepared.offer


async def refusal(folder: Path, *replies: Reply, **facts: Any) -> Trouble:
    with pytest.raises(Trouble) as raised:
        await found(folder, *replies, **facts)
    return raised.value


async def test_versions_suite_key_and_sizes_are_the_archives_own(tmp_path: Path) -> None:
    offer = await found(tmp_path, UPDATED, simulating(said(SMALLEST)), SIZED)
    assert (offer.suite, offer.key) == ("ubuntu", VALID.decode())
    assert offer.install == (
        ("rocm-core", "5.2.0.50200-65"),
        ("hsa-rocr", "1.5.0.50200-65"),
        ("rocminfo", "1.0.0.50200-65"),
    )
    assert offer.brings[0] == ("pciutils", "1:3.7.0-6")
    assert offer.download_bytes == 320_000
    assert offer.installed_bytes == 1050 * 1024
    assert (offer.debs, offer.notes) == ((), ())


async def test_what_goes_first_is_not_there_any_more_for_the_simulation(tmp_path: Path) -> None:
    machine = with_packages(amd("rocm-core"), amd("rocblas"))
    there = "\n".join(
        f"Package: {name}\nVersion: 1.0.0.{RELEASES['5.7.1']}\nFilename: x"
        for name in ("rocm-core", "rocblas")
    )
    known = when("--all-versions", answer=said(there))
    with_what = asking(
        tmp_path, UPDATED, simulating(said(SMALLEST)), known, SIZED, shelf=Shelf(dict(SHELF))
    )
    await offered(with_what, machine, None, "5.2.0")
    assert isinstance(with_what.programs, Scripted)
    simulated = next(argv for argv in with_what.programs.asked if "-s" in argv)
    assert f"Dir::State::status={tmp_path}/view/status" in simulated
    assert not (tmp_path / "view/sources.list.d/rocm.list").exists()


async def test_the_distributions_package_of_the_same_name_is_not_asked_for(tmp_path: Path) -> None:
    answer = said(SMALLEST.replace(SMALLEST.splitlines()[3] + "\n", ""))
    offer = await found(
        tmp_path,
        UPDATED,
        simulating(answer),
        SIZED,
        machine=with_packages(distribution("rocminfo")),
    )
    assert "rocminfo" not in dict(offer.install)
    assert any("The distribution's rocminfo 5.7.1-3build1 is kept" in n for n in offer.notes)


async def test_when_all_of_it_is_there_already_nothing_comes(tmp_path: Path) -> None:
    offer = await found(tmp_path, UPDATED, simulating(said("Reading package lists...")))
    assert (offer.install, offer.brings, offer.download_bytes) == ((), (), 0)


@pytest.mark.parametrize(
    ("line", "words", "remedy"),
    [
        (
            "Inst amdgpu-dkms (1:5.16.9.22.20-1438746~20.04 repo.radeon.com:ubuntu [all])",
            "amdgpu-dkms, which builds a kernel module",
            "smallest set",
        ),
        ("Remv python-is-python3 [3.11.4-1]", "would remove others: python-is-python3", "yourself"),
        (
            "Inst rocminfo [5.7.1-3build1] (1.0.0.50200-65 repo.radeon.com:ubuntu [amd64])",
            "replace installed packages: rocminfo 5.7.1-3build1 with 1.0.0.50200-65",
            "--system-removal amd,distribution",
        ),
        (
            "Inst libc6 [2.35-0ubuntu3] (2.35-0ubuntu3.8 Ubuntu:22.04/jammy-updates [amd64])",
            "libc6 2.35-0ubuntu3 with 2.35-0ubuntu3.8",
            "sudo apt-get upgrade",
        ),
        ("Inst rocm-core !", "that this program does not know: Inst rocm-core !", "report"),
    ],
)
async def test_a_transaction_that_does_more_than_install_is_refused(
    tmp_path: Path, line: str, words: str, remedy: str
) -> None:
    told = await refusal(tmp_path, UPDATED, simulating(said(SMALLEST, line)), SIZED)
    assert words in told.happened
    assert remedy in told.next_step
    assert "Nothing was changed." in told.meaning


async def test_lists_that_cannot_be_fetched_are_refused_in_plain_words(tmp_path: Path) -> None:
    failing = said("W: Failed to fetch x  Could not resolve 'mirror.example'", code=100)
    told = await refusal(tmp_path, when("update", answer=failing))
    assert told.happened.startswith("mirror.example was not found")


async def test_what_no_source_has_and_no_repair_makes_good_is_named(tmp_path: Path) -> None:
    broken = said(
        "The following packages have unmet dependencies:\n"
        " hipsolver : Depends: libcholmod3 but it is not installable\n"
        "E: Unable to correct problems, you have held broken packages.",
        code=100,
    )
    told = await refusal(tmp_path, UPDATED, simulating(broken), release="5.7.1")
    assert "does not have: libcholmod3" in told.happened
    assert "Nothing was changed" in told.meaning


async def test_what_stands_in_the_way_is_told_apart_from_what_is_nowhere(tmp_path: Path) -> None:
    broken = said(
        "The following packages have unmet dependencies:\n"
        " rocm-dev : Depends: rocminfo (= 1.0.0.50200-65) but 5.7.1-3build1 is to be installed\n",
        code=100,
    )
    told = await refusal(tmp_path, UPDATED, simulating(broken))
    assert (
        "packages conflicts with packages already installed: rocm-dev needs rocminfo (= "
        "1.0.0.50200-65)" in told.happened
    )
    assert "--system-removal" in told.next_step


@dataclass
class Building(Scripted):
    """Answers as it was told, but builds packages for real."""

    async def ask(
        self, argv: tuple[str, ...], deadline_s: float, environment: Mapping[str, str] | None = None
    ) -> Answer:
        if argv[0] == "dpkg-deb":
            return await Children({}).ask(argv, deadline_s, environment)
        return await super().ask(argv, deadline_s, environment)


def field(deb: LocalDeb, name: str) -> str:
    return run("dpkg-deb", "--field", deb.path, name).strip()


def building(folder: Path, *replies: Reply, rows: tuple[str, ...] = ()) -> Asking:
    plain = asking(folder, *replies, shelf=Shelf(dict(SHELF)), rows=rows)
    return replace(plain, programs=Building(list(replies)))


FULL = SMALLEST + "Inst rdna1-setup-rocm52-compat (1.0 local-deb [all])\n"
STOOD_IN = UNMET.replace(" comgr : Depends: libtinfo5 but it is not installable\n", "")


async def test_what_is_asked_for_and_never_used_is_stood_in_for_by_a_built_package(
    tmp_path: Path,
) -> None:
    replies = (UPDATED, simulating(said(STOOD_IN, code=100), said(FULL)), SIZED)
    with_what = building(tmp_path, *replies)
    offer = await offered(with_what, None, chosen(system_set="full"), "5.2.0")
    (deb,) = offer.debs
    assert field(deb, "Provides") == "libpython3.8, libstdc++-7-dev, python"
    assert field(deb, "Package") == deb.name == "rdna1-setup-rocm52-compat"
    assert any("python-is-python3 later" in note for note in offer.notes)
    again = await offered(
        building(
            tmp_path / "again",
            *replies[:1],
            simulating(said(STOOD_IN, code=100), said(FULL)),
            SIZED,
        ),
        None,
        chosen(system_set="full"),
        "5.2.0",
    )
    assert again.debs[0].sha256 == deb.sha256, "building twice gives one hash, and one plan"


async def test_what_the_repair_itself_lacks_is_made_good_in_the_next_round(tmp_path: Path) -> None:
    second = UNMET.replace("libpython3.8", "libgcc-7-dev").replace(
        " comgr : Depends: libtinfo5 but it is not installable\n", ""
    )
    rounds = simulating(said(STOOD_IN, code=100), said(second, code=100), said(FULL))
    offer = await offered(
        building(tmp_path, UPDATED, rounds, SIZED), None, chosen(system_set="full"), "5.2.0"
    )
    assert field(offer.debs[0], "Provides") == (
        "libgcc-7-dev, libpython3.8, libstdc++-7-dev, python"
    )


async def test_libraries_of_an_older_ubuntu_are_not_taken_without_ubuntus_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wizard.apt.debs.UBUNTU_KEYS", str(tmp_path / "no keyring"))
    rounds = simulating(said(UNMET, code=100))
    with pytest.raises(Trouble) as raised:
        await offered(
            building(tmp_path, UPDATED, rounds, SIZED), None, chosen(system_set="full"), "5.2.0"
        )
    assert "no longer has: libtinfo5" in raised.value.happened
    assert "ubuntu-keyring" in raised.value.next_step


async def test_where_python_is_python3_is_installed_the_compiler_is_packed_anew(
    tmp_path: Path,
) -> None:
    tree = tmp_path / "rocm-llvm"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        "Package: rocm-llvm\nVersion: 14.0.0.22204.50200-65\nArchitecture: amd64\n"
        "Maintainer: ROCm Compiler Support <rocm.compiler.support@amd.com>\n"
        "Depends: python, libc6, libstdc++6|libstdc++8,\n libstdc++-5-dev|libstdc++-7-dev\n"
        "Description: compiler\n"
    )
    (tree / "opt").mkdir()
    (tree / "opt/clang").write_text("clang")
    (tree / "opt/clang").chmod(0o755)
    rows = ("python-is-python3\t3.11.4-1\tii \tDebian\n".strip(),)
    view = tmp_path / "view"

    def downloading(argv: tuple[str, ...]) -> Answer | None:
        if "download" not in argv:
            return None
        assert argv[:2] == ("env", f"--chdir={view}")
        assert argv[-1] == "rocm-llvm"
        name = f"{view}/rocm-llvm_14.0.0.22204.50200-65_amd64.deb"
        run("dpkg-deb", "-b", str(tree), name)
        return said("fetched")

    record = (
        "Package: rocm-llvm\nVersion: 14.0.0.22204.50200-65\nInstalled-Size: 7000\n"
        "Filename: x\nSize: 1\n"
    )
    packed = "Inst rocm-llvm (14.0.0.22204.50200-65+rdna1.1 local-deb [amd64])\n"
    offer = await offered(
        building(
            tmp_path,
            UPDATED,
            simulating(said(STOOD_IN, code=100), said(FULL, packed)),
            downloading,
            when("show", answer=said(SIZES, record)),
            rows=rows,
        ),
        None,
        chosen(system_set="full"),
        "5.2.0",
    )
    stand_in, anew = offer.debs
    assert "python," not in f"{field(stand_in, 'Provides')},"
    assert field(anew, "Version") == anew.version == "14.0.0.22204.50200-65+rdna1.1"
    assert field(anew, "Depends").replace(" ", "") == (
        "libc6,libstdc++6|libstdc++8,libstdc++-5-dev|libstdc++-7-dev"
    )
    listing = run("dpkg-deb", "--contents", anew.path)
    assert "-rwxr-xr-x root/root" in listing
    assert any("repackaged without its dependency on python" in note for note in offer.notes)
    assert any("rdna1-setup-rocm52-compat, rocm-llvm" in note for note in offer.notes)
    assert offer.installed_bytes == (1050 + 7000) * 1024
    assert offer.download_bytes == 320_000, "what was packed again lies here already"
