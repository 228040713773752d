"""ROCm folders of the system, and which package they belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import machine, make
from wizard.core.fact import Unknown
from wizard.machine.facts import RocmTree
from wizard.machine.rocm import ROCM_TREES, read_rocm_trees

INFO = "/var/lib/dpkg/info"
NO_DPKG = Unknown(f"there is no {INFO}")


def test_the_link_and_the_tree_below_opt_are_both_told() -> None:
    assert read_rocm_trees(machine("rx5600xt-noble-rocm57")).value == (
        RocmTree("/opt/rocm", "5.7.1", "/etc/alternatives/rocm", NO_DPKG),
        RocmTree("/opt/rocm-5.7.1", "5.7.1", None, NO_DPKG),
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


@pytest.mark.parametrize(
    ("path", "lists", "owner"),
    [
        ("/opt/rocm-5.7.1", {"rocm-core": "/.\n/opt\n/opt/rocm-5.7.1\n"}, "rocm-core"),
        ("/opt/rocm-5.2.0", {"rocm-core5.2.0": "/opt/rocm-5.2.0/x\n"}, "rocm-core5.2.0"),
        ("/opt/rocm-5.7.1", {"comgr": "/opt\n/opt/rocm-5.7.1/lib\n"}, "comgr"),
        # rocm-core of another release does not own it: this one was unpacked by hand.
        ("/opt/rocm-6.2.4", {"rocm-core": "/opt/rocm-5.7.1\n"}, ""),
        ("/opt/rocm-5.7", {"rocm-core": "/opt/rocm-5.7.1\n"}, ""),
        ("/opt/rocm", {"rocm-core": "/opt/rocm-5.7.1\n"}, ""),
        ("/opt/amdgpu", {"amdgpu-core": "/opt/amdgpu\n"}, "amdgpu-core"),
        ("/opt/amdgpu-pro", {"amdgpu-core": "/opt/amdgpu\n"}, ""),
        ("/opt/rocm-5.7.1", {"bash": "/bin/bash\n"}, ""),
        ("/opt/rocm-5.7.1", {}, Unknown("there is no /var/lib/dpkg/info")),
    ],
)
def test_the_owner_of_a_folder_is_the_package_whose_list_has_it(
    path: str, lists: dict[str, str], owner: str | Unknown, tmp_path: Path
) -> None:
    files = {f"{INFO}/{name}.list": text for name, text in lists.items()}

    (tree,) = read_rocm_trees(make(tmp_path, {f"{path}/lib/x": "", **files})).value

    assert tree.owner == owner


def test_the_row_says_which_folder_belongs_to_no_package(tmp_path: Path) -> None:
    host = make(tmp_path, {"/opt/rocm-5.2.0/.info/version": "5.2.0", f"{INFO}/bash.list": ""})

    _, lines = ROCM_TREES.tell(read_rocm_trees(host).value)

    assert lines == ("/opt/rocm-5.2.0: 5.2.0, not from a package that dpkg knows",)


def test_amds_driver_folders_are_seen_and_state_no_version(tmp_path: Path) -> None:
    trees = read_rocm_trees(make(tmp_path, {"/opt/amdgpu/x": "", "/opt/amdgpu-pro/x": ""})).value

    assert [tree.path for tree in trees] == ["/opt/amdgpu", "/opt/amdgpu-pro"]
    assert trees[0].version == Unknown("/opt/amdgpu reports no version")
