"""The driver amdgpu: loaded or not, the kernel's own or built by DKMS."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.fact import Unknown
from wizard.machine.access import DKMS, DRIVER, MODULE, VERSION_FILE, read_driver
from wizard.machine.facts import Driver

LOADED = {f"{MODULE}/refcnt": "0\n"}


def test_a_driver_without_a_version_came_with_the_kernel(tmp_path: Path) -> None:
    driver = read_driver(make(tmp_path, LOADED)).value

    assert driver == Driver(loaded=True, origin="in-tree", version="", dkms=())
    assert DRIVER.tell(driver) == (
        "the kernel's own amdgpu",
        ("This driver came with the kernel (in-tree).",),
    )


def test_a_driver_that_states_a_version_was_built_by_dkms(tmp_path: Path) -> None:
    files = {VERSION_FILE: "6.8.5\n", f"{DKMS}/6.8.5-2041575.24.04/source/dkms.conf": ""}
    driver = read_driver(make(tmp_path, files)).value

    assert (driver.origin, driver.version) == ("dkms", "6.8.5")
    assert driver.dkms == ("6.8.5-2041575.24.04",)
    assert DRIVER.tell(driver)[0] == "AMD's amdgpu 6.8.5 (DKMS)"


def test_a_dkms_driver_that_is_not_in_use_is_told(tmp_path: Path) -> None:
    files = {**LOADED, f"{DKMS}/6.7.0-1787201.22.04/build/make.log": ""}
    links = {f"{DKMS}/kernel-6.8.0-45-generic-x86_64": "6.7.0-1787201.22.04/6.8.0-45-generic"}
    driver = read_driver(make(tmp_path, files, links=links)).value

    assert (driver.origin, driver.dkms) == ("in-tree", ("6.7.0-1787201.22.04",))
    assert DRIVER.tell(driver)[1][1].endswith("which is not used")


def test_without_the_driver_its_origin_is_unknown(tmp_path: Path) -> None:
    driver = read_driver(make(tmp_path, {})).value

    assert driver == Driver(False, Unknown("amdgpu is not loaded"), "", ())
    assert DRIVER.tell(driver) == ("amdgpu is not loaded", ())


@pytest.mark.parametrize("text", ["", "\n", "x", "6.8 5", "6" * 5000, b"\xff\xfe6.8"])
def test_a_damaged_version_is_unknown(text: str | bytes, tmp_path: Path) -> None:
    driver = read_driver(make(tmp_path, {VERSION_FILE: text})).value

    assert driver.origin == Unknown(f"{VERSION_FILE} has no version")
    assert driver.version == ""


def test_a_version_that_may_not_be_read_is_unknown(tmp_path: Path) -> None:
    host = make(tmp_path, {VERSION_FILE: "6.8.5"}, unreadable=[VERSION_FILE])

    assert read_driver(host).value.origin == Unknown(f"no permission to read {VERSION_FILE}")
