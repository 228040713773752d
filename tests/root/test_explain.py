"""What apt and dpkg say when they fail, in plain words: happened, meaning, next step."""

from __future__ import annotations

import errno
import os

import pytest

from assets.root.failures import explain
from assets.root.processes import Ended
from assets.root.trouble import as_trouble

SAID = (
    (
        "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 "
        "(unattended-upgr)\n"
        "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another "
        "process using it?\n",
        "process 812 unattended-upgr",
    ),
    ("dpkg: error: dpkg frontend lock was locked by another process with pid 77\n", "process 77"),
    (
        "E: dpkg was interrupted, you must manually run 'sudo dpkg --configure -a' to correct "
        "the problem. \n",
        "interrupted",
    ),
    (
        "E: You don't have enough free space in /var/cache/apt/archives/.\n",
        "full: /var/cache/apt/archives/",
    ),
    (
        "dpkg: error processing archive /x/rocm-core_1_amd64.deb (--unpack):\n"
        " cannot copy extracted data for './opt/x' to '/opt/x.dpkg-new': failed to write "
        "(No space left on device)\n",
        "disk is full",
    ),
    (
        "Err:1 https://repo.radeon.com/rocm/apt/5.2 ubuntu InRelease\n"
        "  The following signatures were invalid: EXPKEYSIG 9386B48A1A693C5C James\n",
        "repository's signing key 9386B48A1A693C5C has expired",
    ),
    (
        "W: GPG error: https://repo.radeon.com/rocm/apt/5.2 ubuntu InRelease: The following "
        "signatures couldn't be verified because the public key is not available: "
        "NO_PUBKEY 9386B48A1A693C5C\nE: The repository '...' is not signed.\n",
        "not signed with the key that was checked, but with 9386B48A1A693C5C",
    ),
    (
        "W: GPG error: https://repo.radeon.com/rocm/apt/5.2 ubuntu InRelease: The following "
        "signatures were invalid: BADSIG 9386B48A1A693C5C James\n",
        "The repository has no valid signature",
    ),
    (
        "E: The repository 'https://repo.radeon.com/rocm/apt/5.2 focal Release' does not have a "
        "Release file.\n",
        "suite does not exist: https://repo.radeon.com/rocm/apt/5.2 focal Release",
    ),
    (
        "E: Failed to fetch https://x.example/a.deb  Hash Sum mismatch\n",
        "not match the checksum that the repository lists",
    ),
    (
        "W: Failed to fetch https://repo.radeon.com/rocm/apt/5.2/dists/ubuntu/InRelease  "
        "Could not resolve 'repo.radeon.com'\n",
        "repo.radeon.com was not found",
    ),
    (
        "dpkg: error processing archive x.deb (--unpack):\n trying to overwrite "
        "'/opt/amdgpu/share/x', which is also in package libdrm-amdgpu-common 1.0\n",
        "/opt/amdgpu/share/x already belongs to the package libdrm-amdgpu-common",
    ),
    (
        "dpkg: error processing package amdgpu-dkms (--configure):\n installed amdgpu-dkms package "
        "post-installation script subprocess returned error exit status 10\n",
        "amdgpu-dkms failed: installed amdgpu-dkms package post-installation script subprocess "
        "returned error exit status 10",
    ),
    ("E: Version '1.0' for 'rocm-core' was not found\n", "provides rocm-core 1.0"),
    ("E: Unable to locate package rocm-core\n", "provides rocm-core."),
    (
        "The following packages have unmet dependencies:\n rocm-llvm : Depends: python but it is "
        "not installable\nE: Unable to correct problems, you have held broken packages.\n",
        "cannot be installed together",
    ),
    (
        "E: Held packages were changed and -y was used without --allow-change-held-packages.\n",
        "packages that are on hold",
    ),
    (
        "E: Malformed entry 1 in list file /etc/apt/sources.list.d/x.list (Component)\n"
        "E: The list of sources could not be read.\n",
        "cannot read /etc/apt/sources.list.d/x.list: Malformed entry 1.",
    ),
    ("E: something never seen before\n", "(exit code 100): E: something never seen before"),
    ("", "no output"),
)


@pytest.mark.parametrize(("output", "told"), SAID, ids=[told[:24] for _, told in SAID])
def test_what_apt_says_is_told_in_plain_words(output: str, told: str) -> None:
    trouble = explain(Ended(100, output))
    assert told in trouble.happened
    for text in trouble.texts().values():
        assert text.endswith(".")
        assert not {"{", "}"} & set(text)
        assert "  " not in text


@pytest.mark.parametrize(
    ("number", "told"),
    [(errno.ENOSPC, "full"), (errno.EROFS, "read-only"), (errno.EACCES, "Permission denied")],
)
def test_a_failed_call_is_told_in_plain_words(number: int, told: str) -> None:
    trouble = as_trouble(OSError(number, os.strerror(number), "/etc/apt/x.list"))
    assert "/etc/apt/x.list" in trouble.happened
    assert told in trouble.happened
