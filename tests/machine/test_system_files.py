"""Files of the system that belong to a ROCm set-up."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.records import make
from wizard.apt.sources import KEY_ID, holds_amds_key
from wizard.machine.facts import SystemFile
from wizard.machine.rocm import DETAIL_LIMIT, SYSTEM_FILES, read_system_files

BINARY = b"\x99\x02\x0d\x04" + b"k" * 90 + KEY_ID + b"\xff" * 20
ARMORED = (
    b"-----BEGIN PGP PUBLIC KEY BLOCK-----\nComment: AMD\n\n"
    + base64.encodebytes(BINARY)
    + b"=abcd\n-----END PGP PUBLIC KEY BLOCK-----\n"
)
AMD_LIST = {
    "/etc/apt/sources.list.d/rocm.list": (
        "deb [signed-by=/root/keys/other.gpg] https://repo.radeon.com/rocm/apt/5.7.1 jammy main\n"
    )
}


def found(
    folder: Path, files: dict[str, str | bytes], **record: object
) -> dict[str, tuple[str, str]]:
    """Kind and detail of each file that belongs to a set-up."""
    host = make(folder, {"/etc/hostname": "", **files}, **record)
    return {file.path: (file.kind, file.detail) for file in read_system_files(host).value}


@pytest.mark.parametrize(
    ("path", "content", "detail"),
    [
        ("/etc/apt/keyrings/x.gpg", BINARY, "contains AMD's ROCm release key"),
        ("/etc/apt/keyrings/x.asc", ARMORED, "contains AMD's ROCm release key"),
        ("/usr/share/keyrings/x.gpg", BINARY, "contains AMD's ROCm release key"),
        (
            "/etc/apt/trusted.gpg.d/x.gpg",
            BINARY,
            "contains AMD's ROCm release key, trusted for every source",
        ),
        (
            "/etc/apt/trusted.gpg",
            b"others" + BINARY,
            "contains AMD's ROCm release key, trusted for every source",
        ),
        ("/etc/apt/keyrings/rocm.gpg", b"", "named like AMD's, but not ROCm's key"),
        (
            "/etc/apt/trusted.gpg.d/old-amdgpu.asc",
            b"?",
            "named like AMD's, but not ROCm's key, trusted for every source",
        ),
        ("/root/keys/other.gpg", b"x", "used by an AMD source, but not ROCm's key"),
        ("/root/keys/other.gpg", BINARY, "contains AMD's ROCm release key"),
    ],
)
def test_a_key_is_amds_by_content_by_source_or_by_name(
    path: str, content: bytes, detail: str, tmp_path: Path
) -> None:
    files: dict[str, str | bytes] = {**AMD_LIST, path: content}

    assert found(tmp_path, files)[path] == ("key", detail)


@pytest.mark.parametrize("name", ["google-amd64.gpg", "chromium.gpg", "procmail.asc"])
def test_other_keys_are_left_alone(name: str, tmp_path: Path) -> None:
    assert found(tmp_path, {f"/etc/apt/keyrings/{name}": b"\x99another key"}) == {}


def test_a_key_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    path = "/etc/apt/keyrings/rocm.gpg"

    assert found(tmp_path, {path: BINARY}, unreadable=[path])[path] == (
        "key", f"no permission to read {path}",
    )  # fmt: skip


def test_a_key_that_a_source_names_and_nobody_put_there_is_told(tmp_path: Path) -> None:
    assert found(tmp_path, dict(AMD_LIST))["/root/keys/other.gpg"] == (
        "key", "there is no /root/keys/other.gpg",
    )  # fmt: skip


PIN = "Package: *\nPin: release o=repo.radeon.com\nPin-Priority: 600\n"


@pytest.mark.parametrize(
    ("path", "text", "detail"),
    [
        ("rocm-pin-600", PIN, "priority 600 for * (release o=repo.radeon.com)"),
        ("x.pref", f"# ours\n\n{PIN}", "priority 600 for * (release o=repo.radeon.com)"),
        (
            "x",
            'package: *\npin: origin "repo.radeon.com"\npin-priority: 1001\n',
            'priority 1001 for * (origin "repo.radeon.com")',
        ),
        (
            "x",
            "Package: rocminfo rocm-*\nPin: version 5.*\nPin-Priority: -1\n",
            "priority -1 for rocminfo rocm-* (version 5.*)",
        ),
    ],
)
def test_a_pin_is_told_with_its_priority(path: str, text: str, detail: str, tmp_path: Path) -> None:
    file = f"/etc/apt/preferences.d/{path}"

    assert found(tmp_path, {file: text}) == {file: ("pin", detail)}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/etc/apt/preferences.d/firefox", "Package: *\nPin: origin x\nPin-Priority: 1\n"),
        ("/etc/apt/preferences.d/rocm.bak", PIN),
        ("/etc/apt/preferences.d/rocm", PIN.replace("P", "#P")),
        ("/etc/apt/preferences", "Package: rocm-dev\n"),
    ],
)
def test_what_apt_does_not_read_or_amd_does_not_feel_is_no_pin(
    path: str, text: str, tmp_path: Path
) -> None:
    assert found(tmp_path, {path: text}) == {}


def test_alternatives_are_told_with_where_they_lead(tmp_path: Path) -> None:
    record = "auto\n/opt/rocm\n\n/opt/rocm-5.7.1\n50701\n\n"
    files: dict[str, str | bytes] = {
        "/opt/rocm-5.7.1/bin/rocminfo": "",
        "/var/lib/dpkg/alternatives/rocm": record,
    }
    links = {
        "/etc/alternatives/rocm": "/opt/rocm-5.7.1",
        "/etc/alternatives/rocminfo": "/opt/rocm-5.7.1/bin/rocminfo",
        "/etc/alternatives/amd-smi": "/opt/rocm-6.2.4/bin/amd-smi",
        "/etc/alternatives/vim": "/usr/bin/vim.basic",
    }

    assert found(tmp_path, {**files, "/etc/alternatives/README": ""}, links=links) == {
        "/etc/alternatives/amd-smi": (
            "alternative",
            "points to /opt/rocm-6.2.4/bin/amd-smi, which does not exist",
        ),
        "/etc/alternatives/rocm": ("alternative", "points to /opt/rocm-5.7.1"),
        "/var/lib/dpkg/alternatives/rocm": ("alternative", "auto, /opt/rocm-5.7.1"),
        "/etc/alternatives/rocminfo": ("alternative", "points to /opt/rocm-5.7.1/bin/rocminfo"),
    }


@pytest.mark.parametrize(
    ("path", "text", "kind", "detail"),
    [
        ("/etc/ld.so.conf.d/10-rocm-opencl.conf", "/opt/rocm-5.7.1/lib\n", "loader path",
         "/opt/rocm-5.7.1/lib"),
        ("/etc/ld.so.conf.d/mine.conf", "# amdgpu\n/opt/amdgpu/lib\n/opt/rocm/lib\n",
         "loader path", "/opt/amdgpu/lib; /opt/rocm/lib"),
        ("/etc/udev/rules.d/70-kfd.rules", 'SUBSYSTEM=="kfd", MODE="0660"\n', "udev rule",
         'SUBSYSTEM=="kfd", MODE="0660"'),
        ("/etc/udev/rules.d/99-mine.rules", 'KERNEL=="renderD*", MODE="0666"\n', "udev rule",
         'KERNEL=="renderD*", MODE="0666"'),
        ("/usr/lib/udev/rules.d/70-amdgpu.rules", "", "udev rule", ""),
        ("/etc/OpenCL/vendors/amdocl64_50701_98.icd", "libamdocl64.so\n", "opencl vendor",
         "libamdocl64.so"),
        ("/etc/modprobe.d/amdgpu.conf", "options amdgpu noretry=0\n", "module option",
         "options amdgpu noretry=0"),
        ("/etc/modprobe.d/blacklist-radeon.conf", "blacklist radeon\n", "module option",
         "blacklist radeon"),
    ],
)  # fmt: skip
def test_each_kind_of_file_is_told_by_what_it_says(
    path: str, text: str, kind: str, detail: str, tmp_path: Path
) -> None:
    assert found(tmp_path, {path: text}) == {path: (kind, detail)}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/etc/ld.so.conf.d/libc.conf", "/usr/local/lib\n"),
        ("/etc/ld.so.conf.d/rocm.conf.dpkg-old", "/opt/rocm/lib\n"),
        ("/etc/ld.so.conf.d/off.conf", "#/opt/rocm/lib\n"),
        # Both name kfd or render nodes, but come with every distribution.
        ("/usr/lib/udev/rules.d/50-udev-default.rules", 'KERNEL=="kfd", GROUP="render"\n'),
        ("/usr/lib/udev/rules.d/70-uaccess.rules", 'KERNEL=="renderD*"\n'),
        ("/etc/udev/rules.d/10-disk.rules", 'KERNEL=="sda"\n'),
        ("/etc/OpenCL/vendors/mesa.icd", "libMesaOpenCL.so.1\n"),
        ("/etc/modprobe.d/blacklist-framebuffer.conf", "blacklist radeonfb\n"),
        ("/etc/modprobe.d/x.conf", "# options amdgpu x=1\n"),
    ],
)
def test_files_that_have_nothing_to_do_with_it_are_left_out(
    path: str, text: str, tmp_path: Path
) -> None:
    assert found(tmp_path, {path: text}) == {}


def test_a_long_file_is_told_in_one_short_line(tmp_path: Path) -> None:
    path = "/etc/ld.so.conf.d/rocm.conf"

    kind, detail = found(tmp_path, {path: "/opt/rocm/lib\n" * 5000})[path]

    assert kind == "loader path"
    assert "\n" not in detail
    assert len(detail) == DETAIL_LIMIT + len(" ...")


def test_the_row_counts_each_kind() -> None:
    key = SystemFile("/etc/apt/keyrings/rocm.gpg", "key", "contains AMD's ROCm release key")
    pin = SystemFile("/etc/apt/preferences.d/rocm-pin-600", "pin", "priority 600")

    assert SYSTEM_FILES.tell((key, key, pin)) == (
        "2 keys, 1 pin",
        (*2 * (f"{key.path}: key, {key.detail}",), f"{pin.path}: pin, priority 600"),
    )
    assert SYSTEM_FILES.tell(()) == ("none", ())


@given(st.binary(max_size=200))
def test_no_bytes_of_a_key_raise(content: bytes) -> None:
    assert not holds_amds_key(b"-----BEGIN PGP" + content)
