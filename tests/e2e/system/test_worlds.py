"""Each world is what it says, to dpkg, to apt and to the wizard itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

from tests.e2e.system import seeds
from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import Row, detected, of_amd, packages
from tests.e2e.system.authority import HOST
from tests.e2e.system.bases import JAMMY, NOBLE, OWNER, Suite
from tests.e2e.system.roots import Root
from tests.e2e.system.states import (
    AMDGPU_INSTALL,
    DISTRIBUTION,
    HALF_DELETED,
    NOTHING,
    ROCM_57,
    ROCM_62,
    ROCM_70,
    SOURCE_LIST,
    STATES,
    Enter,
    State,
    add_source,
    install_dependent,
    worlds,
)
from tests.e2e.system.troubles import held_lock

pytestmark = pytest.mark.e2e

RUNTIME_57 = {
    "rocm-core": "5.7.1.50701-98~22.04",
    "hsa-rocr": "1.11.0.50701-98~22.04",
    "rocminfo": "1.0.0.50701-98~22.04",
    "comgr": "2.5.0.50701-98~22.04",
    "hip-runtime-amd": "5.7.31921.50701-98~22.04",
    "miopen-hip": "2.20.0.50701-98~22.04",
    "rocblas": "3.1.0.50701-98~22.04",
}
AMD: Mapping[State, Mapping[str, str]] = {
    NOTHING: {},
    ROCM_57: {**RUNTIME_57, "rocm-hip-libraries": "5.7.1.50701-98~22.04"},
    ROCM_62: {
        "rocm-core": "6.2.4.60204-139~22.04",
        "rocm-hip-sdk": "6.2.4.60204-139~22.04",
        "rocm-llvm": "18.0.0.24392.60204-139~22.04",
        "miopen-hip": "3.2.0.60204-139~22.04",
    },
    ROCM_70: {
        "rocm": "7.0.2.70002-56~22.04",
        "rocm-core": "7.0.2.70002-56~22.04",
        "rocm-opencl": "2.0.0.70002-56~22.04",
        "miopen-hip": "3.5.0.70002-56~22.04",
    },
    AMDGPU_INSTALL: {
        "amdgpu-dkms-firmware": "1:6.8.5.60204-2070768.22.04",
        "libdrm-amdgpu-amdgpu1": "1:2.4.120.60204-2070768.22.04",
        "rocm-core": "6.2.4.60204-139~22.04",
    },
    HALF_DELETED: RUNTIME_57,
    DISTRIBUTION: {},
}
"""Some of AMD's packages of each state, as dpkg must have them."""
LOCAL = {AMDGPU_INSTALL: {"amdgpu-install"}}
"""Installed from a file: apt names no origin."""
RELEASES = {ROCM_57: "5.7.1", ROCM_62: "6.2.4", ROCM_70: "7.0.2", AMDGPU_INSTALL: "6.2.4"}


@dataclass(frozen=True)
class Entered:
    """A root that these tests only look at."""

    state: State
    root: Root


@pytest.fixture(scope="module", params=STATES, ids=str)
def entered(request: pytest.FixtureRequest, served: ArchiveServer) -> Iterator[Entered]:
    """Each state in turn."""
    served.restore()
    state: State = request.param
    with worlds(served) as enter:
        yield Entered(state, enter(state))


def test_dpkg_holds_the_packages_of_the_state(entered: Entered) -> None:
    rows = packages(entered.root)
    expected = {name: Row(version, "ii") for name, version in AMD[entered.state].items()}
    assert {name: rows.get(name) for name in expected} == expected
    unfinished = {name: row for name, row in rows.items() if row.status not in ("ii", "rc")}
    broken = {"amdgpu-dkms": Row("1:6.8.5.60204-2070768.22.04", "iF")}
    assert unfinished == (broken if entered.state is AMDGPU_INSTALL else {})


def test_apt_finds_them_in_amds_archive_and_nothing_else(entered: Entered) -> None:
    amd = of_amd(entered.root)
    assert set(AMD[entered.state]) <= amd
    if not AMD[entered.state]:
        assert amd == set()
    if entered.state in (ROCM_57, HALF_DELETED):
        assert not amd & set(entered.root.suite.shared)


def test_the_wizard_gives_each_package_the_origin_that_apt_gives_it(entered: Entered) -> None:
    found = {package["name"]: package for package in detected(entered.root)["rocm_packages"]}
    rows = packages(entered.root)
    amd = of_amd(entered.root) | LOCAL.get(entered.state, set())
    assert {name for name, package in found.items() if package["origin"] == "amd"} == amd
    assert {package["origin"] for package in found.values()} <= {"amd", "distribution"}
    assert {name: package["version"] for name, package in found.items()} == {
        name: rows[name].version for name in found
    }


def test_the_release_and_its_alternative_are_below_opt(entered: Entered) -> None:
    opt = entered.root.folder / "opt"
    trees = {path.name for path in opt.iterdir()} - {"rdna1-setup"}
    release = RELEASES.get(entered.state)
    driver = {"amdgpu"} if entered.state is AMDGPU_INSTALL else set()
    assert trees == ({f"rocm-{release}", "rocm", *driver} if release else set())
    if release:
        told = entered.root.run("update-alternatives", "--query", "rocm").stdout
        assert f"Value: /opt/rocm-{release}\n" in told
        paths = {tree["path"]: tree["version"] for tree in detected(entered.root)["rocm_trees"]}
        assert paths[f"/opt/rocm-{release}"] == release


def test_the_owner_is_where_the_guides_put_him(entered: Entered) -> None:
    groups = set(entered.root.run("id", "-Gn", user=OWNER).stdout.split())
    joined = set() if entered.state is NOTHING else {"render", "video"}
    assert groups == {OWNER, *joined}


def test_the_package_system_works_but_for_the_failed_driver(entered: Entered) -> None:
    check = entered.root.run("apt-get", "check", check=False)
    assert check.returncode == 0
    again = entered.root.apt("install", "base-files", check=False)
    if entered.state is AMDGPU_INSTALL:
        assert again.returncode == 100
        assert "error exit status 10" in again.stdout + again.stderr
    else:
        assert again.returncode == 0


def test_the_seeds_settings_are_there_and_the_wizard_sees_them(enter: Enter) -> None:
    root = enter(ROCM_57)
    settings = detected(root)["settings"]
    files = {setting["file"] for setting in settings}
    assert {seeds.PROFILE, seeds.PROFILE_52, seeds.BASHRC} <= files
    twice = [s for s in settings if s["file"] == seeds.BASHRC and s["name"] == "ROCM_PATH"]
    assert [setting["value"] for setting in twice] == ["/opt/rocm-5.2.0"] * 2


def test_what_the_seeds_remover_hides_is_that_apt_removed_nothing(enter: Enter) -> None:
    root = enter(ROCM_57)
    before = packages(root)
    words = seeds.remove_by_globs(root)
    assert "Unable to locate package roctx*" in words
    assert packages(root) == before
    missing = {p["name"] for p in detected(root)["rocm_packages"] if p["missing"]}
    assert set(RUNTIME_57) <= missing
    assert not missing & set(root.suite.shared)


@pytest.mark.parametrize("state", [ROCM_57, ROCM_70, AMDGPU_INSTALL], ids=str)
def test_with_the_source_gone_the_wizard_still_tells_whose_the_packages_are(
    state: State, enter: Enter
) -> None:
    root = enter(state)
    amd = of_amd(root) | LOCAL.get(state, set())
    for path in (root.folder / "etc/apt/sources.list.d").iterdir():
        path.unlink()
    root.run("apt-get", "-qq", "update")
    assert of_amd(root) == set()
    found = {p["name"]: p["origin"] for p in detected(root)["rocm_packages"]}
    assert {name for name, origin in found.items() if origin == "amd"} == amd
    assert "unclear" not in found.values()


def test_a_mirror_under_another_name_is_amds_by_its_release_file(
    enter: Enter, archive: ArchiveServer
) -> None:
    root = enter(ROCM_57)
    root.resolve({"mirror.example": archive.address})
    source = root.path(SOURCE_LIST)
    source.write_text(source.read_text().replace(f"https://{HOST}", "http://mirror.example"))
    root.run("apt-get", "-qq", "update")
    found = {p["name"]: p["grounds"] for p in detected(root)["rocm_packages"]}
    assert {name for name, grounds in found.items() if grounds == "index"} >= set(RUNTIME_57)
    assert [s["file"] for s in detected(root)["apt_sources"] if s["amd"]] == [SOURCE_LIST]


def test_who_holds_the_lock_has_a_name(enter: Enter) -> None:
    root = enter(NOTHING)
    with held_lock(root):
        assert detected(root)["package_work"]["lock_holder"].startswith("python3 (process ")
        refused = root.run("apt-get", "install", "base-files", check=False)
        assert "It is held by process" in refused.stderr
    assert detected(root)["package_work"]["lock_holder"] == ""


def test_packages_of_one_release_have_its_folder_and_no_alternative(enter: Enter) -> None:
    root = enter(NOTHING)
    add_source(root, "5.2.0")
    root.apt("install", "rocm-core5.2.0", "hsa-rocr5.2.0")
    (tree,) = detected(root)["rocm_trees"]
    assert (tree["path"], tree["version"], tree["owner"]) == (
        "/opt/rocm-5.2.0",
        "5.2.0",
        "rocm-core5.2.0",
    )


def test_the_smallest_set_of_52_installs_and_the_seeds_full_set_does_not(enter: Enter) -> None:
    root = enter(NOTHING)
    add_source(root, "5.2.0")
    full = root.apt("-s", "install", "rocm-dev", "rocm-libs", "miopen-hip", check=False)
    assert full.returncode == 100
    words = full.stdout + full.stderr
    for name in ("python", "libstdc++-5-dev", "libgcc-7-dev", "libpython3.8"):
        assert f"{name} but it is not installable" in words
    root.apt("install", "rocm-core", "hsa-rocr", "rocminfo")
    assert packages(root)["rocm-core"] == Row("5.2.0.50200-65", "ii")


def test_a_package_of_the_users_own_would_go_along(enter: Enter) -> None:
    root = enter(ROCM_57)
    install_dependent(root, "hip-runtime-amd")
    told = root.run("apt-get", "-s", "remove", "hip-runtime-amd").stdout
    assert "Remv raytracer [1.0]" in told


@pytest.mark.parametrize("suite", [JAMMY, NOBLE], ids=lambda suite: suite.name)
def test_ubuntu_roots_come_into_the_same_state(suite: Suite, enter: Enter) -> None:
    root = enter(ROCM_57, suite)
    rows = packages(root)
    assert {name: rows.get(name) for name in RUNTIME_57} == {
        name: Row(version, "ii") for name, version in RUNTIME_57.items()
    }
    found = {p["name"] for p in detected(root)["rocm_packages"] if p["origin"] == "amd"}
    assert found == of_amd(root)
