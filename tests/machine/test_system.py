"""The operating system and the board below it."""

from __future__ import annotations

from pathlib import Path

from tests.machine.records import make
from wizard.core.fact import Unknown
from wizard.machine.system import read_system


def test_os_release_is_also_found_below_usr_lib(tmp_path: Path) -> None:
    system = read_system(make(tmp_path, {"/usr/lib/os-release": 'ID=debian\nVERSION_ID="12"\n'}))

    assert (system.value.distribution, system.value.release) == ("debian", "12")


def test_quotes_of_both_kinds_are_taken_off(tmp_path: Path) -> None:
    text = "ID='arch'\nPRETTY_NAME=\"Arch Linux\"\n"
    system = read_system(make(tmp_path, {"/etc/os-release": text})).value

    assert (system.distribution, system.pretty_name) == ("arch", "Arch Linux")


def test_a_rolling_release_without_version_is_unknown_with_its_reason(tmp_path: Path) -> None:
    system = read_system(make(tmp_path, {"/etc/os-release": "ID=arch\n"})).value

    assert system.release == Unknown("os-release has no VERSION_ID")


def test_nothing_readable_gives_reasons_and_no_traceback(tmp_path: Path) -> None:
    system = read_system(make(tmp_path, {"/etc/hostname": "x"})).value

    assert system.kernel == Unknown("there is no /proc/sys/kernel/osrelease")
    assert system.cpu == Unknown("there is no /proc/cpuinfo")
    assert system.glibc == Unknown("the C library was not recorded")
    assert isinstance(system.pretty_name, Unknown)
