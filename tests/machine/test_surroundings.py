"""Containers, virtual machines, Windows, Secure Boot, the seat and snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.fact import Fact, Unknown
from wizard.machine.facts import Surroundings
from wizard.machine.surroundings import SECURE_BOOT, SURROUNDINGS, TIMESHIFT, read_surroundings

DMI = "/sys/class/dmi/id"
SEAT = "/run/systemd/seats/seat0"
FLAGS = "processor\t: 0\nmodel name\t: Ryzen\nflags\t\t: fpu vme{}\n\nprocessor\t: 1\n"


def around(
    folder: Path, files: Mapping[str, str | bytes] | None = None, **environ: str
) -> Surroundings:
    """The surroundings of a machine of these files."""
    return read_surroundings(make(folder, files or {}, environ=environ)).value


@pytest.mark.parametrize(
    ("content", "secure"),
    [
        (b"\x06\x00\x00\x00\x01", True),
        (b"\x06\x00\x00\x00\x00", False),
        (b"\x06\x00\x00\x00", Unknown(f"{SECURE_BOOT} is empty")),
        (b"", Unknown(f"{SECURE_BOOT} is empty")),
        (b"\x06\x00\x00\x00\x02", Unknown(f"{SECURE_BOOT} is empty")),
    ],
)
def test_secure_boot_is_the_fifth_byte(content: bytes, secure: Fact[bool], tmp_path: Path) -> None:
    assert around(tmp_path, {SECURE_BOOT: content}).secure_boot == secure


def test_secure_boot_is_told_to_be_harmless_here(tmp_path: Path) -> None:
    found = around(tmp_path, {SECURE_BOOT: b"\x06\x00\x00\x00\x01"})

    assert (
        "Secure Boot: on (no problem: this program loads no kernel modules)"
    ) in SURROUNDINGS.tell(found)[1]


UNSEEN = Unknown("the firmware is not visible from here")


@pytest.mark.parametrize(
    ("files", "secure"),
    [
        ({"/sys/firmware/acpi/tables/DSDT": ""}, False),
        ({"/sys/firmware/efi/fw_vendor": ""}, Unknown("the firmware does not report it here")),
        ({}, UNSEEN),
        ({"/sys/firmware/acpi/x": "", "/.dockerenv": ""}, UNSEEN),
        ({"/sys/firmware/acpi/x": "", "/dev/dxg": ""}, UNSEEN),
    ],
)  # fmt: skip
def test_without_the_variable_only_a_bios_is_a_no(
    files: dict[str, str], secure: Fact[bool], tmp_path: Path
) -> None:
    assert around(tmp_path, files).secure_boot == secure


@pytest.mark.parametrize(
    ("files", "environ", "container"),
    [
        ({"/.dockerenv": ""}, {}, "docker"),
        ({"/run/.containerenv": 'engine="podman-5.0"\n'}, {}, "podman"),
        ({"/run/systemd/container": "lxc\n"}, {}, "lxc"),
        ({"/run/systemd/container": "systemd-nspawn"}, {}, "systemd-nspawn"),
        ({"/run/systemd/container": "docker\n", "/.dockerenv": ""}, {}, "docker"),
        ({}, {"container": "podman"}, "podman"),
        ({}, {"container": "flatpak"}, ""),
        ({"/run/systemd/container": "wsl\n"}, {}, ""),
        ({}, {"container": "[red] x"}, ""),
        ({"/run/systemd/container": "\x00" * 5000}, {}, ""),
        ({}, {}, ""),
    ],
)
def test_a_container_is_told_by_its_marks(
    files: dict[str, str], environ: dict[str, str], container: str, tmp_path: Path
) -> None:
    assert around(tmp_path, files, **environ).container == container


@pytest.mark.parametrize(
    ("files", "wsl"),
    [
        ({"/proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n"}, True),
        ({"/proc/sys/kernel/osrelease": "4.4.0-19041-Microsoft\n"}, True),
        ({"/dev/dxg": ""}, True),
        ({"/proc/sys/kernel/osrelease": "6.14.0-35-generic\n"}, False),
        ({}, False),
    ],
)
def test_windows_below_is_told_by_kernel_or_device(
    files: dict[str, str], wsl: bool, tmp_path: Path
) -> None:
    assert around(tmp_path, files).wsl is wsl


@pytest.mark.parametrize(
    ("dmi", "flags", "maker"),
    [
        ({"sys_vendor": "QEMU", "product_name": "Standard PC (Q35 + ICH9, 2009)"}, "", "QEMU"),
        ({"sys_vendor": "VMware, Inc."}, "", "VMware"),
        ({"sys_vendor": "innotek GmbH", "product_name": "VirtualBox"}, "", "VirtualBox"),
        ({"sys_vendor": "Microsoft Corporation", "product_name": "Virtual Machine"}, "", "Hyper-V"),
        ({"sys_vendor": "Microsoft Corporation", "product_name": "Surface Laptop 3"}, "", ""),
        ({"sys_vendor": "Gigabyte", "bios_vendor": "Phoenix Technologies"}, "", ""),
        ({"sys_vendor": "Axenta", "product_name": "kvmtop"}, "", ""),
        ({"sys_vendor": "To Be Filled By O.E.M."}, " hypervisor", "unknown maker"),
        ({"sys_vendor": "Amazon EC2", "product_name": "g4ad.xlarge"}, " hypervisor", "Amazon EC2"),
        ({"sys_vendor": "Amazon EC2", "product_name": "c5.metal"}, "", ""),
        ({}, " hypervisor", "unknown maker"),
        ({}, " hypervisorx", ""),
        ({}, "", ""),
    ],
)
def test_a_virtual_machine_is_told_by_its_tables_or_its_processor(
    dmi: dict[str, str], flags: str, maker: str, tmp_path: Path
) -> None:
    files = {f"{DMI}/{name}": f"{text}\n" for name, text in dmi.items()}

    found = around(tmp_path, {**files, "/proc/cpuinfo": FLAGS.format(flags)})

    assert found.virtual_machine == maker


@pytest.mark.parametrize(
    ("files", "environ", "confined"),
    [
        ({}, {"SNAP": "/snap/code/180"}, "snap"),
        ({}, {"FLATPAK_ID": "com.visualstudio.code"}, "flatpak"),
        ({"/.flatpak-info": "[Application]\n"}, {}, "flatpak"),
        ({}, {"SNAP": ""}, ""),
        ({}, {}, ""),
    ],
)
def test_a_confined_terminal_is_told(
    files: dict[str, str], environ: dict[str, str], confined: str, tmp_path: Path
) -> None:
    found = around(tmp_path, files, **environ)

    assert found.confined == confined
    assert bool(confined) == any("another terminal" in line for line in SURROUNDINGS.tell(found)[1])


def seat(active: str, sessions: str, **classes: str) -> dict[str, str]:
    """A seat of logind's and the classes of its sessions."""
    files = {
        SEAT: f"# private\nIS_SEAT0=1\nACTIVE={active}\nACTIVE_UID=1000\nSESSIONS={sessions}\n"
    }
    return files | {
        f"/run/systemd/sessions/{name}": f"UID=1000\nACTIVE=1\nCLASS={kind}\nTYPE=wayland\n"
        for name, kind in classes.items()
    }


@pytest.mark.parametrize(
    ("files", "used"),
    [
        (seat("2", "2", **{"2": "user"}), True),
        (seat("c1", "c1", c1="greeter"), False),
        (seat("c1", "c1 3", c1="greeter", **{"3": "user"}), True),
        (seat("4", "4", **{"4": "user-early"}), True),
        (seat("", ""), False),
        (seat("9", "9"), False),
        (seat("../../../etc/x", "../x"), False),
        ({SEAT: b"\xff\x00ACTIVE"}, False),
        ({}, Unknown("logind reports no seat")),
    ],
)
def test_a_seat_is_in_use_when_a_user_and_no_greeter_has_it(
    files: dict[str, str], used: Fact[bool], tmp_path: Path
) -> None:
    assert around(tmp_path, files).seat_in_use == used


@pytest.mark.parametrize(
    ("files", "tools"),
    [
        ({TIMESHIFT[0]: '{\n "backup_device_uuid" : "9b22569d-9410",\n}'}, ("timeshift",)),
        ({TIMESHIFT[1]: '{"backup_device_uuid":"9b22569d-9410"}'}, ("timeshift",)),
        ({TIMESHIFT[0]: '{"backup_device_uuid" : "", "do_first_run" : "true"}'}, ()),
        ({TIMESHIFT[0]: "\xff{["}, ()),
        ({"/etc/snapper/configs/root": "SUBVOLUME=/"}, ("snapper",)),
        ({"/etc/snapper/config-templates/default": ""}, ()),
        ({}, ()),
    ],
)
def test_snapshots_count_once_they_are_set_up(
    files: dict[str, str], tools: tuple[str, ...], tmp_path: Path
) -> None:
    assert around(tmp_path, files).snapshots == tools


def test_a_plain_machine_is_summed_up_as_one(tmp_path: Path) -> None:
    assert SURROUNDINGS.tell(around(tmp_path))[0] == "no container or virtual machine"


def test_every_kind_of_surroundings_is_in_the_summary(tmp_path: Path) -> None:
    files = {"/.dockerenv": "", "/dev/dxg": "", "/proc/cpuinfo": FLAGS.format(" hypervisor")}

    summary, _ = SURROUNDINGS.tell(around(tmp_path, files, SNAP="/snap/x"))

    assert summary == "container (docker), WSL, virtual machine (Hyper-V), snap terminal"
