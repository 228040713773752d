"""Real apt, run by an ordinary user on a small system and a small signed archive in folders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.apt.asked import listed
from tests.apt.small_archive import (
    MISSING,
    SmallArchive,
    build_deb,
    installed,
    publish,
    run,
    signing_key,
    small_system,
)
from tests.handmade import clean_jammy
from tests.plan.system_machines import amd, with_packages
from tests.run.places import tree
from wizard.apt.programs import Children
from wizard.apt.view import Asking
from wizard.core.own_files import places
from wizard.core.trouble import NoRollback, Trouble
from wizard.machine.facts import Machine
from wizard.operations.packages import AptChange, KeepDebs
from wizard.plan.choice import Choice
from wizard.plan.package_resolution import prepare
from wizard.plan.planner import make_plan
from wizard.plan.removal import make_removal
from wizard.plan.start_check import check
from wizard.plan.steps import Plan
from wizard.plan.system import Prepared
from wizard.run.executor import now
from wizard.system.web import open_web

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not here: {', '.join(MISSING)}")
HOME = "/home/ada"
NEW = "5.2.0.50200-65"
OLD = "1.0.0.50701-98~22.04"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallArchive]:
    """ROCm 5.2.0 with the names and dependency lines that matter."""
    folder = tmp_path_factory.mktemp("archive")
    debs = tmp_path_factory.mktemp("debs")
    built = [
        build_deb(debs, "rocm-core", NEW),
        build_deb(debs, "hsa-rocr", NEW, Depends="rocm-core"),
        build_deb(debs, "rocminfo", NEW, Depends="hsa-rocr"),
        build_deb(debs, "rocm-llvm", NEW, Depends="python, libstdc++-5-dev | libstdc++-7-dev"),
        build_deb(debs, "rocm-gdb", NEW, Depends="libpython3.8"),
        build_deb(debs, "rocm-dev", NEW, Depends=f"rocm-llvm, rocm-gdb, rocminfo (= {NEW})"),
        build_deb(debs, "rocm-libs", NEW, Depends="rocm-core"),
        build_deb(debs, "miopen-hip", NEW, Depends="rocm-core"),
    ]
    with signing_key("Stand-in of an archive") as (home, fingerprint):
        publish(folder, "5.2", "ubuntu", home, fingerprint, built)
        gpg = ("gpg", "--homedir", home, "--batch")
        key = run(*gpg, "--armor", "--export", fingerprint)
        (folder / "rocm/rocm.gpg.key").write_text(key)
        yield SmallArchive(folder, fingerprint)


def asking(
    folder: Path, *packages: str, rows: tuple[str, ...] = (), cached: tuple[str, ...] = ()
) -> Asking:
    """With these packages installed, and the files of some in apt's cache."""
    root = small_system(folder / "root", *packages)
    files = {f"/var/cache/apt/archives/{name}_{OLD}_amd64.deb": "" for name in cached}
    host = listed(folder / "machine", *rows, files=files)
    environ: dict[str, str] = {}
    return Asking(host, Children(environ), open_web(environ), folder / "view", now(), root)


def choice(archive: SmallArchive, **options: Any) -> Choice:
    mirror = {"rocm_repo": archive.address, "rocm_key_fingerprint": archive.fingerprint}
    return Choice("rocm52", "venv+system", f"{HOME}/ai", **{**mirror, **options})


async def planned(machine: Machine, wanted: Choice, with_what: Asking) -> tuple[Plan, Prepared]:
    prepared = await prepare(machine, wanted, "5.2.0", with_what)
    return make_plan(machine, wanted, places({}, HOME), None, prepared), prepared


async def test_a_plan_is_settled_by_a_signed_archive_and_found_so_again(
    tmp_path: Path, archive: SmallArchive
) -> None:
    with_what = asking(tmp_path)
    before = tree(with_what.root)
    plan, prepared = await planned(clean_jammy(), choice(archive), with_what)
    assert prepared.offer is not None
    assert dict(prepared.offer.brings) == dict.fromkeys(("rocm-core", "hsa-rocr", "rocminfo"), NEW)
    assert prepared.offer.installed_bytes == 3 * 1000 * 1024
    assert 0 < prepared.offer.download_bytes < 10_000
    assert plan.resolved
    assert await check(plan, with_what) == ()
    assert tree(with_what.root) == before


async def test_the_full_set_is_made_installable_by_a_package_that_stands_in(
    tmp_path: Path, archive: SmallArchive
) -> None:
    with_what = asking(tmp_path)
    plan, prepared = await planned(clean_jammy(), choice(archive, system_set="full"), with_what)
    assert prepared.offer is not None
    (deb,) = prepared.offer.debs
    provides = run("dpkg-deb", "--field", deb.path, "Provides").strip()
    assert provides == "libpython3.8, libstdc++-7-dev, python"
    assert {"rocm-dev", "rocm-llvm", deb.name} <= dict(prepared.offer.brings).keys()
    assert await check(plan, with_what) == ()


async def test_where_python_is_python3_is_installed_it_stays(
    tmp_path: Path, archive: SmallArchive
) -> None:
    contender = installed("python-is-python3", "3.11.4-1", Breaks="python")
    rows = ("python-is-python3\t3.11.4-1\tii \tDebian",)
    with_what = asking(tmp_path, contender, rows=rows)
    plan, prepared = await planned(clean_jammy(), choice(archive, system_set="full"), with_what)
    assert prepared.offer is not None
    versions = {deb.name: deb.version for deb in prepared.offer.debs}
    assert versions["rocm-llvm"] == f"{NEW}+rdna1.1"
    assert await check(plan, with_what) == ()
    change = next(step for step in plan.steps if isinstance(step, AptChange))
    assert change.expect_remove == ()


async def test_what_goes_first_makes_room_for_what_comes(
    tmp_path: Path, archive: SmallArchive
) -> None:
    there = (installed("rocm-core", OLD), installed("rocblas", OLD, Depends="rocm-core"))
    names = ("rocm-core", "rocblas")
    rows = tuple(f"{name}\t{OLD}\tii \tROCm <x@amd.com>" for name in names)
    with_what = asking(tmp_path, *there, rows=rows, cached=names)
    machine = with_packages(amd("rocm-core"), amd("rocblas"))
    machine = replace(machine, system_files=(), apt_sources=())
    plan, _ = await planned(machine, choice(archive), with_what)
    removing, installing = (step for step in plan.steps if isinstance(step, AptChange))
    assert set(removing.expect_remove) == {"rocm-core", "rocblas"}
    assert ("rocm-core", NEW) in installing.expect_install
    assert await check(plan, with_what) == ()


async def test_what_depends_on_a_package_that_goes_is_named_before_anything_goes(
    tmp_path: Path,
) -> None:
    there = (installed("rocm-core", OLD), installed("my-tool", "1.0", Depends="rocm-core"))
    rows = (f"rocm-core\t{OLD}\tii \tROCm <x@amd.com>", "my-tool\t1.0\tii \tMe <me@home>")
    with_what = asking(tmp_path, *there, rows=rows, cached=("rocm-core",))
    machine = replace(with_packages(amd("rocm-core")), system_files=())
    (refusal,) = await check(make_removal(machine), with_what)
    assert "would also remove my-tool" in refusal.happened


async def test_an_archive_that_a_stranger_signed_is_refused_by_apt_itself(
    tmp_path: Path, archive: SmallArchive
) -> None:
    folder = tmp_path / "forged"
    with signing_key("Stranger") as (home, stranger):
        publish(folder, "5.2", "ubuntu", home, stranger, [])
    key = (archive.folder / "rocm/rocm.gpg.key").read_text()
    (folder / "rocm/rocm.gpg.key").write_text(key)
    forged = SmallArchive(folder, archive.fingerprint)
    with pytest.raises(Trouble) as raised:
        await planned(clean_jammy(), choice(forged), asking(tmp_path))
    assert "not signed with the key that was checked" in raised.value.happened


async def test_packages_that_no_index_has_are_found_out_for_the_way_back(
    tmp_path: Path,
) -> None:
    rows = (f"rocm-core\t{OLD}\tii \tROCm <x@amd.com>",)
    with_what = asking(tmp_path, installed("rocm-core", OLD), rows=rows)
    machine = replace(with_packages(amd("rocm-core")), system_files=())
    (refusal,) = await check(make_removal(machine), with_what)
    assert f"has the package files for rocm-core {OLD}." in refusal.happened


NAMES = ("rocm-core", "rocblas", "rocfft", "comgr")
CHAIN = (
    installed("rocm-core", OLD),
    installed("rocblas", OLD, Depends="rocm-core"),
    installed("rocfft", OLD, Depends="rocblas (>= 1.0)"),
    installed("comgr", OLD),
)


def with_chain(folder: Path) -> tuple[Machine, Asking]:
    """Of all but the first of these there are files, and two of them need the first."""
    rows = tuple(f"{name}\t{OLD}\tii \tROCm <x@amd.com>" for name in NAMES)
    with_what = asking(folder, *CHAIN, rows=rows, cached=NAMES[1:])
    machine = with_packages(*map(amd, NAMES))
    return replace(machine, system_files=(), apt_sources=()), with_what


async def test_what_needs_a_lost_package_is_named_as_lost_too(tmp_path: Path) -> None:
    machine, with_what = with_chain(tmp_path)
    (refusal,) = await check(make_removal(machine), with_what)
    first, second = refusal.happened.split(" These packages depend ")
    assert f"for rocm-core {OLD}." in first
    assert f"could not be restored either: rocblas {OLD}, rocfft {OLD}." in second
    assert "comgr" not in refusal.happened


async def test_exchanging_a_release_that_no_archive_has_is_refused_unless_that_is_chosen(
    tmp_path: Path, archive: SmallArchive
) -> None:
    machine, with_what = with_chain(tmp_path)
    with pytest.raises(Trouble) as raised:
        await planned(machine, choice(archive), with_what)
    assert isinstance(raised.value, NoRollback)
    assert f"rocm-core {OLD}" in raised.value.happened
    wanted = choice(archive, without_rollback=True)
    plan, _ = await planned(machine, wanted, with_what)
    keep, coming = (step for step in plan.steps if isinstance(step, KeepDebs))
    assert (keep.coming, coming.coming) == (False, True)
    change = next(step for step in plan.steps if isinstance(step, AptChange))
    assert keep.packages == (("comgr", OLD),)
    assert {name for name, _ in change.for_good} == {"rocm-core", "rocblas", "rocfft"}
    assert set(change.expect_remove) == set(NAMES)
    (note,) = (
        note
        for note in plan.notes
        if note.startswith("These packages will be removed permanently: ")
    )
    assert all(f"{name} {OLD}" in note for name in ("rocm-core", "rocblas", "rocfft"))
    assert await check(plan, with_what) == ()
