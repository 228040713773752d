"""What plans edit, and what belongs to packages, is read from files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.apt.files import TreeContent
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost
from wizard.plan.leftover_files import FilesNow, files_now

VERSION = "5.7.1.50701-98~22.04"
AMD = "ROCm Dev Support <rocm-dev.support@amd.com>"
INFO = "/var/lib/dpkg/info"
TREE = "/opt/rocm-5.7.1"
CORE = (
    f"/.\n/opt\n{TREE}\n{TREE}/.info\n{TREE}/.info/version\n{TREE}/lib\n{TREE}/lib/librocm.so.1\n"
)
OPENCL = f"{TREE}/lib/libamdocl64.so\n/etc/OpenCL/vendors/amdocl64.icd\n"
FILES: dict[str, str | bytes] = {
    f"{INFO}/rocm-core.list": CORE,
    f"{INFO}/rocm-opencl:amd64.list": OPENCL,
    f"{TREE}/.info/version": "5.7.1-98\n",
    f"{TREE}/lib/librocm.so.1": "library",
    f"{TREE}/lib/libamdocl64.so": "library",
}
ROWS = [f"{name}\t{VERSION}\tii \t{AMD}" for name in ("rocm-core", "rocm-opencl")]


def read(
    folder: Path, files: dict[str, str | bytes], rows: list[str] | None = None
) -> tuple[FilesNow, RecordedHost]:
    host = make(folder, files, answers={"DPKG_PACKAGES": ROWS if rows is None else rows})
    return files_now(host, detect(host)), host


def test_settings_and_folders_are_told_with_the_packages_that_own_them(tmp_path: Path) -> None:
    found, _ = read(tmp_path, FILES)
    assert found.belongings is not None
    assert found.belongings.owners == {"/etc/OpenCL/vendors/amdocl64.icd": "rocm-opencl"}
    assert found.belongings.trees == {
        TREE: TreeContent(TREE, frozenset({"rocm-core", "rocm-opencl"}), stray=False)
    }


@pytest.mark.parametrize(
    "stray", [f"{TREE}/lib/libMIOpen.so.1.original", f"{TREE}/deep/er/cache.pyc"]
)
def test_a_file_of_no_package_in_a_folder_is_noticed(tmp_path: Path, stray: str) -> None:
    found, _ = read(tmp_path, {**FILES, stray: "mine"})
    assert found.belongings is not None
    assert found.belongings.trees[TREE].stray


def test_without_dpkgs_lists_nothing_is_said_of_belongings(tmp_path: Path) -> None:
    files = {name: text for name, text in FILES.items() if "opencl" not in name}
    assert read(tmp_path, files)[0].belongings is None


def test_lists_of_the_distributions_packages_are_not_needed(tmp_path: Path) -> None:
    theirs = "hipcc\t5.7.1-3\tii \tDebian ROCm Team <debian-ai@lists.debian.org>"
    found, _ = read(tmp_path, FILES, [*ROWS, theirs])
    assert found.belongings is not None


def test_an_exchanged_library_is_found(tmp_path: Path) -> None:
    kept = f"{TREE}/lib/libMIOpen.so.1.0.50701.original"
    found, _ = read(tmp_path, {**FILES, kept: "x", f"{TREE}/lib/libMIOpen.so.1": "y"})
    assert found.exchanged == (kept,)


def test_texts_of_files_that_plans_edit_are_read_and_those_that_are_no_text_are_not(
    tmp_path: Path,
) -> None:
    bashrc, profile = "/home/owner/.bashrc", "/etc/profile.d/site.sh"
    files: dict[str, str | bytes] = {
        bashrc: "export ROCM_PATH=/opt/rocm\n",
        profile: b"export ROCM_PATH=/opt/rocm # \xff\n",
    }
    found, _ = read(tmp_path, files, [])
    assert found.texts[bashrc] == "export ROCM_PATH=/opt/rocm\n"
    assert profile not in found.texts
