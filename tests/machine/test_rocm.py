"""ROCm folders and packages of the system."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import machine, make
from wizard.machine.facts import Package, RocmTree, Unknown
from wizard.machine.rocm import read_rocm_packages, read_rocm_trees

AMD = "ROCm Dev Support <rocm-dev.support@amd.com>"
UBUNTU = "Ubuntu Developers <ubuntu-devel-discuss@lists.ubuntu.com>"


def packages(folder: Path, *rows: str) -> tuple[Package, ...]:
    """The ROCm packages of a dpkg listing."""
    host = make(folder, {"/etc/hostname": ""}, answers={"DPKG_PACKAGES": list(rows)})
    found = read_rocm_packages(host).value
    assert not isinstance(found, Unknown)
    return found


@pytest.mark.parametrize(
    ("version", "maintainer", "origin"),
    [
        ("5.7.1.50701-98~22.04", AMD, "amd"),
        ("14.0.0.22204.50200-65", "", "amd"),
        ("1:6.2.4.50701-1664922.22.04", AMD, "amd"),
        ("7.14.0~20260801", AMD, "amd"),
        ("5.7.1-3build1", UBUNTU, "distribution"),
        ("5.2.3-2", "Debian ROCm Team <debian-ai@lists.debian.org>", "distribution"),
    ],
)
def test_the_origin_is_told_by_version_and_maintainer(
    version: str, maintainer: str, origin: str, tmp_path: Path
) -> None:
    (package,) = packages(tmp_path, f"rocminfo\t{version}\tii \t{maintainer}")

    assert package == Package("rocminfo", version, origin)


@pytest.mark.parametrize(
    "name",
    ["libarccommon", "libircclient1", "hippotat-client", "hipercontracer", "krdc", "librocksdb8.9",
     "python3-setproctitle", "mesa-vulkan-drivers", "libdrm-amdgpu1", "linux-firmware", "halfmoon"],
)  # fmt: skip
def test_packages_with_similar_names_are_left_alone(name: str, tmp_path: Path) -> None:
    assert packages(tmp_path, f"{name}\t1.0-1\tii \t{UBUNTU}") == ()


@pytest.mark.parametrize(
    "name",
    ["rocm-core", "rocm-core5.2.0", "rocminfo", "hip-runtime-amd", "hsa-rocr", "miopen-hip",
     "rocblas", "comgr", "rccl", "libamdhip64-5", "libhsa-runtime64-1", "librocblas0",
     "amdgpu-dkms", "half"],
)  # fmt: skip
def test_the_parts_of_rocm_are_found(name: str, tmp_path: Path) -> None:
    assert [one.name for one in packages(tmp_path, f"{name}\t1.0\tii \t{AMD}")] == [name]


def test_a_removed_package_with_configuration_left_is_not_installed(tmp_path: Path) -> None:
    rows = ("rocm-dev\t5.2.0.50200-65\trc \t" + AMD, "amdgpu-dkms\t1:6.2.4\tiF \t" + AMD)

    assert [one.name for one in packages(tmp_path, *rows)] == ["amdgpu-dkms"]


def test_rows_that_are_none_are_passed_over(tmp_path: Path) -> None:
    assert packages(tmp_path, "", "rocm-core", "\t\t\t", "rocm-core\t1\t\t") == ()


def test_rpm_is_asked_where_there_is_no_dpkg(tmp_path: Path) -> None:
    host = make(
        tmp_path, {"/etc/hostname": ""}, answers={"RPM_PACKAGES": ["rocm-hip\t6.3.1-3.fc42"]}
    )

    assert read_rocm_packages(host).value == (Package("rocm-hip", "6.3.1-3.fc42", "distribution"),)


def test_without_dpkg_and_rpm_the_packages_are_unknown_and_not_none(tmp_path: Path) -> None:
    found = read_rocm_packages(make(tmp_path, {"/etc/hostname": ""})).value

    assert found == Unknown("dpkg-query is not installed, and rpm is not installed")


def test_the_link_and_the_tree_below_opt_are_both_told() -> None:
    assert read_rocm_trees(machine("rx5600xt-noble-rocm57")).value == (
        RocmTree("/opt/rocm", "5.7.1", "/etc/alternatives/rocm"),
        RocmTree("/opt/rocm-5.7.1", "5.7.1", None),
    )


def test_a_tree_without_a_version_may_be_a_leftover(tmp_path: Path) -> None:
    (tree,) = read_rocm_trees(make(tmp_path, {"/opt/rocm-5.2.0/lib/x": ""})).value

    assert tree.version == Unknown("/opt/rocm-5.2.0 has no .info/version, so it may be a leftover")


def test_version_dev_serves_where_version_is_missing(tmp_path: Path) -> None:
    (tree,) = read_rocm_trees(
        make(tmp_path, {"/opt/rocm-5.2.0/.info/version-dev": "5.2.0-65"})
    ).value

    assert tree.version == "5.2.0"


def test_other_folders_below_opt_are_none_of_our_business(tmp_path: Path) -> None:
    assert (
        read_rocm_trees(make(tmp_path, {"/opt/rocketchat/x": "", "/opt/google/x": ""})).value == ()
    )
