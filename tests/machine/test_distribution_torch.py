"""The torch for ROCm of a distribution: recognised by its package, with the chips of its code."""

from __future__ import annotations

from pathlib import Path

from tests.handmade import TORCH_VERSION
from tests.machine.records import make
from tests.machine.test_environments import torch
from wizard.knowledge.cards import load_distribution_packages
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.machine.pythons import DISTRIBUTION
from wizard.machine.torch import DistributionTorch, distribution_torch
from wizard.report.machine import machine_lines

PACKAGES = ("python3-torch-rocm", "libtorch-rocm-2.9", "libtorch-rocm-test", "librocblas5")
UBUNTU = "Ubuntu Developers <ubuntu-devel-discuss@lists.ubuntu.com>"


def resolute(
    folder: Path, *names: str, version: str = TORCH_VERSION, site: str = DISTRIBUTION
) -> Machine:
    """Ubuntu 26.04 with a torch for ROCm in one place, and with these packages."""
    files = torch("2.9.1+debian", site=site, hip="7.1.52801-9999")
    rows = [f"{name}\t{version}\tii \t{UBUNTU}" for name in names]
    return detect(make(folder, files, answers={"DPKG_PACKAGES": rows}))


def found(machine: Machine) -> DistributionTorch | None:
    (environment,) = machine.environments
    return distribution_torch(machine, environment)


def told(machine: Machine) -> str:
    return " ".join(" ".join(machine_lines(machine)).split())


def test_ubuntus_own_torch_is_known_by_its_package_and_has_no_code_for_rdna1(
    tmp_path: Path,
) -> None:
    own = found(resolute(tmp_path, *PACKAGES))

    assert own is not None
    assert (own.package.name, own.package.version) == ("python3-torch-rocm", TORCH_VERSION)
    assert "gfx1030" in own.targets
    assert not {"gfx1010", "gfx1011", "gfx1012"} & set(own.targets)


def test_the_report_says_where_it_comes_from_and_for_which_chips_it_has_code(
    tmp_path: Path,
) -> None:
    text = told(resolute(tmp_path, *PACKAGES))

    assert f"from the package python3-torch-rocm {TORCH_VERSION}" in text
    assert "with code for gfx908, gfx90a, gfx942, gfx1030, gfx1151, gfx1200, gfx1201" in text


def test_of_a_version_that_was_not_read_no_code_is_told(tmp_path: Path) -> None:
    machine = resolute(tmp_path, *PACKAGES, version="2.9.1+dfsg-2")
    own = found(machine)

    assert own is not None
    assert own.targets == ()
    assert "it is not known for which chips this version has code" in told(machine)


def test_another_torch_in_the_same_place_is_not_the_distributions(tmp_path: Path) -> None:
    assert found(resolute(tmp_path, "librocblas5")) is None


def test_a_torch_of_the_owners_beside_the_package_is_not_the_distributions(tmp_path: Path) -> None:
    local = "/usr/local/lib/python3.14/dist-packages"
    assert found(resolute(tmp_path, *PACKAGES, site=local)) is None


def test_its_packages_are_listed_with_rocm_s(tmp_path: Path) -> None:
    packages = resolute(tmp_path, *PACKAGES, "python3-torch", "python3-torch-cuda").rocm_packages
    assert isinstance(packages, tuple)
    assert {one.name for one in packages} == set(PACKAGES)


def test_the_override_that_is_named_fits_each_torch_that_was_read() -> None:
    libraries = [
        row for row in load_distribution_packages() if row.name.startswith("libtorch-rocm-")
    ]
    assert libraries
    assert [row for row in libraries if "gfx1030" not in row.targets] == []
