"""ROCm packages: whose they really are, and in which state."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.records import make
from wizard.apt.packages import LIBRARIES, SHORT, TOOLS, Package, is_rocm
from wizard.core.fact import Unknown
from wizard.machine.packages import PACKAGES, read_packages

AMD = "ROCm Dev Support <rocm-dev.support@amd.com>"
UBUNTU = "Ubuntu Developers <ubuntu-devel-discuss@lists.ubuntu.com>"
DEBIAN = "Debian ROCm Team <debian-ai@lists.debian.org>"
LIST = "/var/lib/apt/lists/repo.radeon.com_rocm_apt_5.2_dists_ubuntu"
STACK = {
    "comgr": "2.4.0.50200-65",
    "rocm-core": "5.2.0.50200-65",
    "rocm-dev": "5.2.0.50200-65",
    "rocm-gdb": "11.2.50200-65",
    "rocm-llvm": "14.0.0.22204.50200-65",
    "rocminfo": "1.0.0.50200-65",
}
"""ROCm 5.2.0 as it was installed on Ubuntu 24.04, whose own archive has a rocminfo too."""


def index(versions: dict[str, str]) -> dict[str, str]:
    """The files that apt keeps of AMD's repository."""
    paragraphs = (f"Package: {name}\nVersion: {version}\n" for name, version in versions.items())
    release = "Origin: repo.radeon.com\nLabel: repo.radeon.com\nSuite: ubuntu\n"
    return {
        f"{LIST}_InRelease": release,
        f"{LIST}_main_binary-amd64_Packages": "\n".join(paragraphs),
    }


def listed(folder: Path, *rows: str, files: dict[str, str] | None = None) -> tuple[Package, ...]:
    """The ROCm packages of a dpkg listing on a machine with these files."""
    host = make(folder, files or {"/etc/hostname": ""}, answers={"DPKG_PACKAGES": list(rows)})
    found = read_packages(host).value.rocm
    assert not isinstance(found, Unknown)
    return found


def row(name: str, version: str, maintainer: str = AMD, state: str = "ii ") -> str:
    """One line of dpkg's listing."""
    return f"{name}\t{version}\t{state}\t{maintainer}"


def test_amds_packages_are_told_by_its_index(tmp_path: Path) -> None:
    rows = [row(name, version) for name, version in STACK.items()]

    found = listed(tmp_path, *rows, row("hipcc", "5.7.1-3", UBUNTU), files=index(STACK))

    assert {one.name for one in found if one.origin == "amd"} == set(STACK)
    assert {one.grounds for one in found if one.origin == "amd"} == {"index"}


def test_a_package_of_another_architecture_keeps_it_in_its_name(tmp_path: Path) -> None:
    rows = [row(f"comgr:{one}", STACK["comgr"]) for one in ("amd64", "i386")]

    found = listed(tmp_path, *rows, files=index(STACK))

    assert [(one.name, one.grounds) for one in found] == [
        ("comgr", "index"),
        ("comgr:i386", "index"),
    ]


def test_a_distributions_package_of_which_amd_offers_another_version_stays_the_distributions(
    tmp_path: Path,
) -> None:
    (found,) = listed(tmp_path, row("rocminfo", "5.7.1-3build1", UBUNTU), files=index(STACK))

    assert (found.origin, found.grounds) == ("distribution", "")


def test_amds_rocminfo_is_found_though_the_distribution_has_the_name_and_the_source_is_gone(
    tmp_path: Path,
) -> None:
    found = listed(tmp_path, *(row(name, version) for name, version in STACK.items()))

    assert [one.name for one in found] == sorted(STACK)
    assert {(one.origin, one.grounds) for one in found} == {("amd", "version and maintainer")}


def test_a_package_in_amds_index_is_listed_whatever_its_name_and_maintainer(
    tmp_path: Path,
) -> None:
    mesa = {"mesa-amdgpu-va-drivers": "1:25.0.0.60402-2187269.24.04"}
    rows = [row(name, version, DEBIAN) for name, version in mesa.items()]

    (found,) = listed(tmp_path, *rows, files=index(mesa))

    assert (found.origin, found.grounds) == ("amd", "index")


def test_the_same_version_under_another_name_is_no_proof(tmp_path: Path) -> None:
    (found,) = listed(tmp_path, row("rocm-cmake", "5.2.0.50200-65", ""), files=index(STACK))

    assert (found.origin, found.grounds) == ("unclear", "version alone")


@pytest.mark.parametrize(
    ("version", "maintainer", "origin", "grounds"),
    [
        ("5.7.1.50701-98~22.04", AMD, "amd", "version and maintainer"),
        ("14.0.0.22204.50200-65", AMD, "amd", "version and maintainer"),
        ("14.0.0.22204.50200-65+rdna1.1", AMD, "amd", "version and maintainer"),
        ("1:6.2.4.50701-1664922.22.04", AMD, "amd", "version and maintainer"),
        ("1:5.16.9.22.20-1438746~20.04", AMD, "amd", "version and maintainer"),
        ("1:6.16.13.30300100-2303411.24.04", AMD, "amd", "version and maintainer"),
        ("26.2.0.70101-38.el8", "Advanced Micro Devices, Inc.", "amd", "version and maintainer"),
        ("1.0.0-56~22.04", "ROCm <rocm@amd.com>", "amd", "version and maintainer"),
        ("1.0.0-56~22.04", UBUNTU, "distribution", ""),
        ("1.0.0-56~22.04", "me <me@example.org>", "unclear", "version alone"),
        ("14.0.0.22204.50200-65", "", "unclear", "version alone"),
        ("5.7.1.50701-98", "me <me@example.org>", "unclear", "version alone"),
        ("7.14.0~20260801", AMD, "unclear", "maintainer alone"),
        ("1.0.0-local", AMD, "unclear", "maintainer alone"),
        ("5.7.1.50701-98", UBUNTU, "distribution", ""),
        ("5.7.1-3build1", UBUNTU, "distribution", ""),
        ("5.2.3-2", DEBIAN, "distribution", ""),
        ("6.3.1-3.fc42", "Fedora Project", "distribution", ""),
        ("5.7.1-1", "", "distribution", ""),
    ],
)
def test_without_an_index_only_version_and_maintainer_together_prove_it(
    version: str, maintainer: str, origin: str, grounds: str, tmp_path: Path
) -> None:
    (found,) = listed(tmp_path, row("rocminfo", version, maintainer))

    assert (found.origin, found.grounds) == (origin, grounds)


SIMILAR = (
    "libarccommon", "libircclient1", "librcc0", "rcclient", "hippotat-client", "hipercontracer",
    "libhipercontracer1", "krdc", "rdcheck", "rocksdb-tools", "librocksdb8.9", "rocs", "rocketcea",
    "python3-setproctitle", "mesa-vulkan-drivers", "libdrm-amdgpu1", "linux-firmware", "halfmoon",
    "half-life", "libgomp-plugin-hsa1", "libhsail-rt0", "hippomocks", "libhipi-perl",
    "amdgcn-tools", "libamd2", "xserver-xorg-video-amdgpu", "rppal", "rdc-viewer",
    "amdgpufetch", "hiphop",
)  # fmt: skip


def test_packages_with_similar_names_are_left_alone() -> None:
    assert [name for name in SIMILAR if is_rocm(name)] == []


PARTS = (
    "rocm", "rocm-core", "rocm-core5.2.0", "rocm-hip-sdk5.2.0", "rocminfo", "hip-runtime-amd",
    "hsa-rocr", "hsa-rocr5.2.0", "hsa-amd-aqlprofile", "hsakmt-roct-dev", "miopen-hip",
    "miopen-hip-gfx1030kdb", "miopenkernels-gfx1030-36kdb", "rocblas", "comgr", "comgr5.2.0",
    "rccl", "rccl-dev", "libamdhip64-5", "libhsa-runtime64-1", "librocblas0", "libamd-comgr2",
    "librocm-smi64-1", "libhiprtc-builtins5", "amdgpu-dkms", "amdgpu-dkms-firmware",
    "amdgpu-install", "half", "rdc", "rdc5.2.0", "rpp-dev", "roctracer-dev", "hipblas-common-dev",
    "openmp-extras-runtime", "amd-smi-lib", "rock-dkms", "rocr-debug-agent",
    "composablekernel-dev",
)  # fmt: skip


def test_the_parts_of_rocm_are_found() -> None:
    assert [name for name in PARTS if not is_rocm(name)] == []


GRAPHICS = "1:2.4.120.60204-2070768.22.04"


@pytest.mark.parametrize(
    "name", ["libdrm2-amdgpu", "libdrm-amdgpu-common", "libdrm-amdgpu-amdgpu1",
             "libllvm18.1-amdgpu", "mesa-amdgpu-va-drivers", "xserver-xorg-amdgpu-video-amdgpu"]
)  # fmt: skip
def test_amds_graphics_packages_are_known_without_its_index_and_are_no_rocm(
    name: str, tmp_path: Path
) -> None:
    (found,) = listed(tmp_path, row(name, GRAPHICS, "Alex Deucher <alexander.deucher@amd.com>"))
    assert found.origin == "amd"
    assert not is_rocm(name)


@pytest.mark.parametrize(
    ("name", "version", "maintainer"),
    [
        ("libdrm-amdgpu1", GRAPHICS, AMD),
        ("xserver-xorg-video-amdgpu", "23.0.0-1", DEBIAN),
        ("xserver-xorg-video-amdgpu", GRAPHICS, UBUNTU),
        ("libdrm2-amdgpu", "2.4.120-1", AMD),
        ("libdrm2-amdgpu", GRAPHICS, "me <me@example.org>"),
    ],
)
def test_the_distributions_own_graphics_are_never_taken_for_amds(
    name: str, version: str, maintainer: str, tmp_path: Path
) -> None:
    assert listed(tmp_path, row(name, version, maintainer)) == ()


KNOWN = {*LIBRARIES.replace("-?", "").split(), *TOOLS.split(), *SHORT.split()}
STEMS = st.sampled_from(sorted(name for name in KNOWN if "-" not in name))


@given(STEMS, st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=1, max_size=6))
def test_a_name_that_only_begins_like_a_part_is_none(stem: str, more: str) -> None:
    assert is_rocm(f"{stem}{more}") == (f"{stem}{more}" in KNOWN)


@pytest.mark.parametrize(
    ("short", "state"),
    [
        ("ii ", "installed"),
        ("ii", "installed"),
        ("iF ", "half-configured"),
        ("iH ", "half-installed"),
        ("iHR", "half-installed, must be reinstalled"),
        ("iU ", "unpacked"),
        ("iW ", "triggers awaited"),
        ("it ", "triggers pending"),
        ("hi ", "installed"),
        ("ri ", "installed"),
    ],
)
def test_the_state_is_dpkgs_word(short: str, state: str, tmp_path: Path) -> None:
    (found,) = listed(tmp_path, row("rocm-core", "5.2.0.50200-65", state=short))

    assert (found.state, found.held) == (state, short.startswith("h"))


@pytest.mark.parametrize("short", ["rc ", "un ", "pn ", "hc ", "", "i", "??"])
def test_what_is_not_installed_is_left_out(short: str, tmp_path: Path) -> None:
    assert listed(tmp_path, row("rocm-core", "5.2.0.50200-65", state=short)) == ()


def test_rows_that_are_none_are_passed_over(tmp_path: Path) -> None:
    assert listed(tmp_path, "", "rocm-core", "\t\t\t", "rocm-core\t1\t\t", "\t1\tii \t") == ()


GONE = {"/var/lib/dpkg/info/rocm-core.list": "/.\n/opt\n/opt/rocm-5.2.0\n/opt/rocm-5.2.0/.info\n"}


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        (GONE, True),
        ({**GONE, "/opt/rocm-5.7.1/lib/x": ""}, True),
        ({**GONE, "/opt/rocm-5.2.0/lib/x": ""}, False),
        ({"/var/lib/dpkg/info/rocm-core.list": "/.\n/usr\n/usr/share/doc\n"}, False),
        ({"/var/lib/dpkg/info/rocm-core:amd64.list": "/opt/rocm-5.2.0\n"}, True),
        ({"/etc/hostname": ""}, False),
    ],
)
def test_a_package_whose_folder_somebody_deleted_is_missing(
    files: dict[str, str], missing: bool, tmp_path: Path
) -> None:
    (found,) = listed(tmp_path, row("rocm-core", "5.2.0.50200-65"), files=files)

    assert found.missing is missing


def test_rpm_is_asked_where_there_is_no_dpkg(tmp_path: Path) -> None:
    rows = ["rocm-hip\t6.3.1-3.fc42\tii \tFedora Project", "rocminfo\t6.3.1-3.fc42"]
    host = make(tmp_path, {"/etc/hostname": ""}, answers={"RPM_PACKAGES": rows})

    found = read_packages(host).value.rocm

    assert not isinstance(found, Unknown)
    assert [(one.name, one.origin, one.state) for one in found] == [
        ("rocm-hip", "distribution", "installed"),
        ("rocminfo", "distribution", "installed"),
    ]


def test_without_dpkg_and_rpm_the_packages_are_unknown_and_not_none(tmp_path: Path) -> None:
    found = read_packages(make(tmp_path, {"/etc/hostname": ""})).value

    assert found.rocm == Unknown("dpkg-query is not installed, and rpm is not installed")
    assert found.work.unfinished == found.rocm


def test_the_row_names_what_is_odd_about_a_package(tmp_path: Path) -> None:
    host = make(
        tmp_path,
        GONE,
        answers={
            "DPKG_PACKAGES": [
                row("rocm-core", "5.2.0.50200-65", state="hi "),
                row("amdgpu-dkms", "1:5.16.9.22.20-1438746~20.04", state="iF "),
                row("rocblas", "1.0.0-local"),
            ]
        },
    )

    summary, lines = PACKAGES.tell(read_packages(host).value)

    assert summary == "2 from AMD, 0 from the distribution, 1 of unclear origin"
    assert lines == (
        "not fully installed: amdgpu-dkms (half-configured)",
        "amdgpu-dkms 1:5.16.9.22.20-1438746~20.04 (amd, judging by version and maintainer);"
        " half-configured",
        "rocblas 1.0.0-local (unclear, judging by maintainer alone)",
        "rocm-core 5.2.0.50200-65 (amd, judging by version and maintainer); held;"
        " its folder is gone",
    )
