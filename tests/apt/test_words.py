"""What apt prints is understood line by line; the lines here are apt's own."""

from __future__ import annotations

import pytest

from tests.apt.asked import said
from wizard.apt.dependencies import unmet
from wizard.apt.indexes import package_records
from wizard.apt.programs import explained
from wizard.apt.view import Coming, transaction

INSTALLING = """\
Reading package lists...
The following NEW packages will be installed:
  comgr rocm-core rocm-dev rocm-gdb rocm-llvm rocminfo
0 upgraded, 6 newly installed, 0 to remove and 46 not upgraded.
Inst rocm-core (5.2.0.50200-65 repo.radeon.com:ubuntu [amd64])
Inst libtinfo5 (6.3-2ubuntu0.3 local-deb [amd64])
Inst rdna1-setup-rocm52-compat (1.0 local-deb [all])
Inst rocminfo [1.0.0.50200-65] (5.7.1-3build1 Ubuntu:24.04/noble [amd64])
Inst libc6 [2.39-0ubuntu8] (2.39-0ubuntu8.12 Ubuntu:24.04/noble-updates, Ubuntu:24.04/x [amd64]) []
Inst libgcc-s1:i386 (14-20240412 Ubuntu:24.04/noble [i386]) [libc6:i386 ]
Conf rocm-core (5.2.0.50200-65 repo.radeon.com:ubuntu [amd64])
"""
PURGING = """\
The following packages will be REMOVED:
0 upgraded, 0 newly installed, 6 to remove and 46 not upgraded.
Purg rocm-dev [5.2.0.50200-65]
Purg rocm-core [5.2.0.50200-65] [rocm-gdb:amd64 ]
Purg rocm-gdb [11.2.50200-65]
Remv python3-setproctitle [1.3.3-1build2]
Remv rdna1-setup-rocm52-compat [1.0]
"""
BROKEN = """\
Some packages could not be installed. This may mean that you have
requested an impossible situation or if you are using the unstable
distribution that some required packages have not yet been created
or been moved out of Incoming.
The following information may help to resolve the situation:

The following packages have unmet dependencies:
 comgr : Depends: libtinfo5 but it is not installable
 rocm-dev : Depends: rocminfo (= 1.0.0.50200-65) but 5.7.1-3build1 is to be installed
            Depends: rocm-gdb but it is not going to be installed
 rocm-llvm : Depends: python but it is not installable
             Depends: libstdc++-5-dev but it is not installable or
                      libstdc++-7-dev but it is not installable
             Recommends: gcc-multilib but it is not going to be installed
E: Unable to correct problems, you have held broken packages.
"""


def test_a_simulated_installation_is_read_with_versions_and_origins() -> None:
    found = transaction(INSTALLING.splitlines())
    assert found.coming[0] == Coming("rocm-core", "5.2.0.50200-65", "", "repo.radeon.com:ubuntu")
    assert [(one.name, one.old) for one in found.coming[3:]] == [
        ("rocminfo", "1.0.0.50200-65"),
        ("libc6", "2.39-0ubuntu8"),
        ("libgcc-s1:i386", ""),
    ]
    assert found.brings[2] == ("rdna1-setup-rocm52-compat", "1.0")
    assert (found.leaving, found.unread) == ((), ())


def test_a_simulated_removal_is_read_through_its_groups_of_broken_packages() -> None:
    found = transaction(PURGING.splitlines())
    assert found.leaving == (
        ("rocm-dev", "5.2.0.50200-65"),
        ("rocm-core", "5.2.0.50200-65"),
        ("rocm-gdb", "11.2.50200-65"),
        ("python3-setproctitle", "1.3.3-1build2"),
        ("rdna1-setup-rocm52-compat", "1.0"),
    )
    assert (found.coming, found.unread) == ((), ())


@pytest.mark.parametrize("line", ["Purg rocm-core", "Inst rocm-core 5.2.0", "Remv A [1]"])
def test_a_line_that_says_something_in_another_form_is_never_passed_over(line: str) -> None:
    found = transaction([line])
    assert (found.coming, found.leaving, found.unread) == ((), (), (line,))


def test_what_lacks_is_read_with_its_alternatives_and_without_recommendations() -> None:
    found = unmet(BROKEN.splitlines())
    assert [(one.package, [each.name for each in one.missing]) for one in found] == [
        ("comgr", ["libtinfo5"]),
        ("rocm-dev", ["rocminfo"]),
        ("rocm-dev", ["rocm-gdb"]),
        ("rocm-llvm", ["python"]),
        ("rocm-llvm", ["libstdc++-5-dev", "libstdc++-7-dev"]),
    ]
    rocminfo = found[1].missing[0]
    assert (rocminfo.relation, rocminfo.why) == (
        "= 1.0.0.50200-65",
        "5.7.1-3build1 is to be installed",
    )
    assert [one.missing[0].nowhere for one in found] == [True, False, False, True, True]


def test_without_such_a_block_nothing_lacks() -> None:
    assert unmet(INSTALLING.splitlines()) == ()


RECORDS = """\
Package: hello
Version: 2.10-3
Installed-Size: 277
Depends: libc6 (>= 2.34)
Description: example
 with more words
Filename: pool/main/h/hello/hello_2.10-3_amd64.deb
Size: 53080

Package: hello
Status: install ok installed
Version: 2.10-2
Installed-Size: 280
"""


@pytest.mark.parametrize("text", [RECORDS, RECORDS.replace("\n\n", "\n")])
def test_records_tell_sizes_and_whether_an_archive_has_the_file(text: str) -> None:
    new, old = package_records(text)
    assert (new.name, new.version, new.download_bytes) == ("hello", "2.10-3", 53080)
    assert new.installed_bytes == 277 * 1024
    assert (new.downloadable, old.downloadable) == (True, False)


@pytest.mark.parametrize(
    ("words", "happened", "remedy"),
    [
        (
            "W: Failed to fetch https://repo.radeon.com/rocm/apt/5.2/dists/ubuntu/InRelease  "
            "Could not resolve 'repo.radeon.com'",
            "repo.radeon.com was not found: DNS returned no address.",
            "Acquire::https::Proxy",
        ),
        (
            "W: Failed to fetch http://archive.ubuntu.com/ubuntu/dists/noble/InRelease  "
            "Temporary failure resolving 'proxy.example'",
            "proxy.example was not found: no name server answered.",
            "`getent hosts proxy.example`",
        ),
        (
            "W: Failed to fetch http://repo.radeon.com/rocm/apt/5.2/dists/ubuntu/InRelease  "
            "Cannot initiate the connection to repo.radeon.com:80 (2001:db8::1).",
            "apt cannot reach repo.radeon.com:80.",
            "Acquire::https::Proxy",
        ),
        (
            "E: Failed to fetch http://repo.radeon.com/rocm/apt/5.2/pool/rocm-core.deb  "
            "Connection failed [IP: 192.0.2.1 80]",
            "apt cannot reach repo.radeon.com.",
            "Acquire::https::Proxy",
        ),
        (
            "W: GPG error: https://repo.radeon.com/rocm/apt/5.2 ubuntu InRelease: The following "
            "signatures were invalid: EXPKEYSIG 9386B48A1A693C5C James Adrian Edwards",
            "repository's signing key 9386B48A1A693C5C has expired",
            "Check the date",
        ),
        (
            "W: GPG error: http://mirror.example noble InRelease: The following signatures "
            "couldn't be verified because the public key is not available: NO_PUBKEY "
            "871920D1991BC93C\nE: The repository 'http://mirror.example noble InRelease' is not "
            "signed.",
            "not signed with the key that was checked",
            "--rocm-key-fingerprint",
        ),
        (
            "E: The repository 'http://mirror.example/ubuntu rocmfocal Release' does not have a "
            "Release file.",
            "suite does not exist: http://mirror.example/ubuntu rocmfocal Release",
            "--rocm-repo",
        ),
        ("E: Failed to fetch x  Hash Sum mismatch", "not match the checksum", "Wait"),
        (
            "E: Release file for https://x/InRelease is not valid yet (invalid for another 6h 2min "
            "1s). Updates for this repository will not be applied.",
            "lists are dated 6h 2min 1s in the future",
            "Set the clock",
        ),
        (
            "E: Conflicting values set for option Signed-By regarding source "
            "https://repo.radeon.com/rocm/apt/5.2/ ubuntu: /a != /b",
            "also lists https://repo.radeon.com/rocm/apt/5.2/",
            "--system-removal amd",
        ),
        (
            "E: Held packages were changed and -y was used without --allow-change-held-packages.",
            "packages that are on hold",
            "apt-mark unhold",
        ),
        (
            "E: Unmet dependencies. Try 'apt --fix-broken install' with no packages",
            "Some packages on this system are already missing",
            "apt --fix-broken install",
        ),
        ("E: Unable to locate package rocm-dev", "provides rocm-dev", "apt-cache policy"),
        (
            "E: Type 'this' is not known on line 1 in source list /tmp/view/sources.list.d/x.list\n"
            "E: The list of sources could not be read.",
            "apt cannot read /etc/apt/sources.list.d/x.list: Type 'this' is not known on line 1.",
            "Fix the file",
        ),
        (
            "E: Malformed entry 1 in list file /home/ada/.cache/preflight/sources.list (Suite)",
            "apt cannot read /etc/apt/sources.list: Malformed entry 1.",
            "Fix the file",
        ),
        (
            "E: Something new",
            "(exit code 100): E: Something new",
            "Fix the problem that apt reports",
        ),
        ("", "(exit code 100): no output", "Fix the problem that apt reports"),
    ],
)
def test_apts_errors_are_told_with_cause_and_remedy(words: str, happened: str, remedy: str) -> None:
    found = explained(said(words, code=100))
    assert happened in found.happened
    assert remedy in found.next_step
    assert "Nothing was changed." in found.meaning


def test_no_login_of_a_repository_is_told() -> None:
    words = "E: Failed to fetch https://me:secret@mirror.example/x  503  Service Unavailable"
    found = explained(said(words, code=100))
    assert "mirror.example/x" in found.happened
    assert "secret" not in found.happened
