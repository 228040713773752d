"""Before anything is begun: locks, states, files, room, and apt's own word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.apt.asked import Reply, Scripted, asking, listed, said, when
from tests.machine.records import make
from tests.plan.system_machines import amd, with_packages
from wizard.apt.packages import LocalDeb
from wizard.apt.sources import SOURCE
from wizard.core.amounts import size_text
from wizard.core.journal import Kind
from wizard.core.trouble import Trouble
from wizard.host.host import Disk, Host
from wizard.operations.edit_lines import TakeLinesOut, sha256
from wizard.operations.packages import AptChange, AptUpdate, FinishInterrupted, KeepDebs
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.removal import make_removal, system_plan
from wizard.plan.room import SPARE, Need, shortage
from wizard.plan.start_check import check
from wizard.plan.steps import Plan, Step

VERSION = "1.0.0.50701-98~22.04"
ROWS = (
    f"comgr\t{VERSION}\tii \tROCm Dev Support <rocm-dev.support@amd.com>",
    f"rocm-core\t{VERSION}\tii \tROCm Dev Support <rocm-dev.support@amd.com>",
    "zlib1g\t1.2\tii \tUbuntu Developers <ubuntu-devel-discuss@lists.ubuntu.com>",
)
PURGED = f"Purg comgr [{VERSION}]\nPurg rocm-core [{VERSION}]\n"
RECORDS = (
    f"Package: comgr\nVersion: {VERSION}\nInstalled-Size: 4000\nFilename: x\nSize: 1000000\n"
    f"Package: rocm-core\nVersion: {VERSION}\nInstalled-Size: 2000\nFilename: y\nSize: 500000\n"
)
LOCK = "/var/lib/dpkg/lock-frontend"


def removal(*extra: Step) -> Plan:
    plan = make_removal(replace(with_packages(amd("comgr"), amd("rocm-core")), system_files=()))
    return system_plan(Kind.REMOVE, (*plan.steps, *extra), ())


def replies(simulated: str = PURGED, records: str = RECORDS, code: int = 0) -> tuple[Reply, ...]:
    return (when("-s", answer=said(simulated, code=code)), when("show", answer=said(records)))


async def checked(
    folder: Path,
    plan: Plan,
    *answers: Reply,
    host: Host | None = None,
    rows: tuple[str, ...] = ROWS,
) -> tuple[Trouble, ...]:
    return await check(plan, asking(folder, *(answers or replies()), host=host, rows=rows))


async def only(folder: Path, plan: Plan, *answers: Reply, host: Host | None = None) -> str:
    """All words of the one refusal."""
    found = await checked(folder, plan, *answers, host=host)
    (refusal,) = found
    for text in (refusal.happened, refusal.meaning, refusal.next_step):
        assert text
    return f"{refusal.happened} {refusal.meaning} {refusal.next_step}"


async def test_a_plan_that_finds_everything_as_it_was_is_let_through(tmp_path: Path) -> None:
    assert await checked(tmp_path, removal()) == ()


async def test_looking_changes_nothing_but_the_folder_of_the_view(tmp_path: Path) -> None:
    await checked(tmp_path, removal())
    assert {path.name for path in tmp_path.iterdir()} == {"machine", "view"}


async def test_a_plan_that_is_not_resolved_is_not_even_looked_at(tmp_path: Path) -> None:
    plan = system_plan(Kind.REMOVE, (AptChange("", install=(("rocm-core", ""),)),), ())
    with_what = asking(tmp_path)
    found = await check(plan, with_what)
    assert "has not been queried yet" in found[0].happened
    assert isinstance(with_what.programs, Scripted)
    assert with_what.programs.asked == []


async def test_who_holds_the_lock_is_named_and_the_lock_is_to_stay(tmp_path: Path) -> None:
    files = {
        LOCK: "",
        "/proc/locks": "1: POSIX  ADVISORY  WRITE 3187 fe:01:42 0 EOF\n",
        "/proc/self/mountinfo": "21 1 254:1 / / rw - ext4 /dev/vda1 rw\n",
        "/proc/3187/comm": "unattended-upgr\n",
    }
    host = listed(tmp_path / "locked", *ROWS, files=files, inodes={LOCK: 42})
    words = await only(tmp_path, removal(), host=host)
    assert "unattended-upgr (process 3187) is installing or removing packages right now" in words
    assert "Never delete the lock" in words


async def test_an_interrupted_dpkg_is_named_unless_the_plan_lets_it_finish(tmp_path: Path) -> None:
    host = listed(tmp_path / "cut", *ROWS, files={"/var/lib/dpkg/updates/0001": ""})
    assert "sudo dpkg --configure -a" in await only(tmp_path, removal(), host=host)
    finishing = removal(FinishInterrupted("why"))
    assert await checked(tmp_path, finishing, host=host) == ()


async def test_a_half_configured_package_is_named_unless_it_goes(tmp_path: Path) -> None:
    half = ROWS[0].replace("\tii ", "\tiF ")
    assert await checked(tmp_path, removal(), rows=(half, *ROWS[1:])) == ()
    other = ROWS[2].replace("\tii ", "\tiU ")
    host = listed(tmp_path / "half", *ROWS[:2], other)
    words = await only(tmp_path, removal(), host=host)
    assert "zlib1g (unpacked)" in words
    assert "Run `sudo dpkg --configure -a`" in words
    assert "--reinstall" not in words


@pytest.mark.parametrize("short", ["iH ", "iHR", "iUR"])
async def test_a_package_that_dpkg_cannot_finish_is_to_come_anew_or_to_go(
    tmp_path: Path, short: str
) -> None:
    host = listed(tmp_path / "half", *ROWS[:2], ROWS[2].replace("\tii ", f"\t{short}"))
    words = await only(tmp_path, removal(), host=host)
    assert "Run `sudo apt-get install --reinstall zlib1g`" in words
    assert "`sudo dpkg --remove --force-remove-reinstreq zlib1g`" in words
    assert "dpkg --configure -a" not in words
    tries = removal(FinishInterrupted("dpkg cannot finish it either"))
    assert await only(tmp_path, tries, host=host) == words


async def test_held_packages_are_named_with_what_lets_go_of_them(tmp_path: Path) -> None:
    held = ROWS[0].replace("\tii ", "\thi ")
    host = listed(tmp_path / "held", held, *ROWS[1:])
    assert "sudo apt-mark unhold comgr" in await only(tmp_path, removal(), host=host)


async def test_packages_that_changed_since_the_plan_was_made_are_named(tmp_path: Path) -> None:
    host = listed(tmp_path / "other", ROWS[0].replace("50701-98", "60204-139"), *ROWS[1:])
    words = await only(tmp_path, removal(), host=host)
    assert f"no longer installed: comgr {VERSION}" in words


async def test_without_dpkgs_list_nothing_is_begun(tmp_path: Path) -> None:
    host = without_dpkg(tmp_path)
    assert "The list of installed packages cannot be" in await only(tmp_path, removal(), host=host)


def without_dpkg(folder: Path) -> Host:
    return make(folder / "silent", {"/etc/hostname": ""}, answers={})


@pytest.mark.parametrize(
    ("simulated", "words"),
    [
        (f"{PURGED}Purg blender [3.0]\n", "would also remove blender"),
        (f"Purg comgr [{VERSION}]\n", "would not remove rocm-core"),
        (
            f"{PURGED}Inst zlib1g [1.2] (1.3 Ubuntu:22.04/jammy [amd64])\n",
            "also install zlib1g 1.3",
        ),
        (f"{PURGED}Purg odd\n", "printed something unknown: Purg odd"),
    ],
)
async def test_another_transaction_than_the_reviewed_one_is_refused(
    tmp_path: Path, simulated: str, words: str
) -> None:
    assert words in await only(tmp_path, removal(), *replies(simulated))


async def test_what_apt_itself_refuses_is_told_in_plain_words(tmp_path: Path) -> None:
    held = "E: Held packages were changed and -y was used without --allow-change-held-packages."
    assert "apt-mark unhold" in await only(tmp_path, removal(), *replies(held, code=100))


async def test_the_lists_of_our_source_are_fetched_before_its_packages_are_simulated(
    tmp_path: Path,
) -> None:
    pair = ("rocm-core", "5.2.0.50200-65")
    steps = (AptUpdate("x"), AptChange("", install=(pair,), expect_install=(pair,)))
    plan = system_plan(Kind.REMOVE, steps, ())
    away = said("Could not resolve 'repo.radeon.com'", code=100)
    words = await only(tmp_path, plan, when("update", answer=away), *replies())
    assert "repo.radeon.com was not found" in words


async def test_packages_in_roots_own_backup_are_left_to_the_helper_to_simulate(
    tmp_path: Path,
) -> None:
    deb = LocalDeb("/var/lib/rdna1-setup/runs/r/backup/debs/x.deb", "0" * 64, "xx", "1")
    change = AptChange("", debs=(deb,), expect_install=(("xx", "1"),))
    with_what = asking(tmp_path, rows=ROWS)
    assert await check(system_plan(Kind.REMOVE, (change,), ()), with_what) == ()
    assert isinstance(with_what.programs, Scripted)
    assert with_what.programs.asked == []


async def test_files_that_changed_since_are_named(tmp_path: Path) -> None:
    steps = (
        WriteSystemFile("", SOURCE, "ours\n", before=sha256("reviewed\n")),
        TakeLinesOut("", "/home/ada/.bashrc", ((1, "x"),), sha256("x\n"), sha256("")),
        SetSystemPathAside("", "/opt/rocm-5.2.0"),
        SetSystemPathAside("", "/opt/rocm-5.7.1", may_be_gone=True),
    )
    files = {SOURCE: "another\n", "/home/ada/.bashrc": "y\n"}
    host = listed(tmp_path / "changed", *ROWS, files=files)
    words = await only(tmp_path, system_plan(Kind.REMOVE, steps, ()), host=host)
    assert f"{SOURCE}, /home/ada/.bashrc, /opt/rocm-5.2.0." in words


@pytest.mark.parametrize("now", ["reviewed\n", "ours\n"])
async def test_files_as_reviewed_or_as_they_shall_be_are_let_through(
    tmp_path: Path, now: str
) -> None:
    step = WriteSystemFile("", SOURCE, "ours\n", before=sha256("reviewed\n"))
    host = listed(tmp_path / "same", *ROWS, files={SOURCE: now})
    assert await checked(tmp_path, system_plan(Kind.REMOVE, (step,), ()), host=host) == ()


async def test_a_file_where_none_was_is_named(tmp_path: Path) -> None:
    step = WriteSystemFile("", SOURCE, "ours\n", before=None)
    host = listed(tmp_path / "there", *ROWS, files={SOURCE: "theirs\n"})
    assert SOURCE in await only(tmp_path, system_plan(Kind.REMOVE, (step,), ()), host=host)


def disks(*rooms: tuple[str, str, int]) -> list[dict[str, object]]:
    return [
        {"path": path, "filesystem": mount, "total_bytes": 10**12, "free_bytes": free}
        for path, mount, free in rooms
    ]


FULL = ("/opt", "/", SPARE + 8_000_000)


async def test_room_is_added_up_for_each_file_system_and_told_with_what_for(
    tmp_path: Path,
) -> None:
    brings = (("rocm-core", "5.2.0.50200-65"),)
    change = AptChange(
        "",
        install=brings,
        expect_install=brings,
        download_bytes=3_000_000,
        installed_bytes=6_000_000,
    )
    same = disks(FULL, ("/var/cache/apt/archives", "/", FULL[2]), ("/var/lib/rdna1-setup", "/", 0))
    host = listed(tmp_path / "full", *ROWS, disks=same)
    words = await only(tmp_path, system_plan(Kind.REMOVE, (change,), ()), host=host)
    assert f"/ has only {size_text(FULL[2])} free" in words
    assert "3 MB for downloads (/var/cache/apt/archives), 6 MB for installed files (/opt)" in words
    assert "sudo apt-get clean" in words


async def test_on_two_file_systems_each_need_has_its_own_room(tmp_path: Path) -> None:
    apart = disks(FULL, ("/var/cache/apt/archives", "/var", FULL[2]))
    host = listed(tmp_path / "apart", *ROWS, disks=apart)
    needs = (
        Need("/opt", 6_000_000, "installed"),
        Need("/var/cache/apt/archives", 3_000_000, "for downloads"),
    )
    assert shortage(needs, host.disk) is None
    refusal = shortage((*needs, Need("/opt", 6_000_000, "more")), host.disk)
    assert refusal is not None
    assert "for downloads" not in refusal.happened
    assert isinstance(host.disk("/opt"), Disk)


LOST = (("comgr", VERSION),)
NO_COMGR = RECORDS.replace("Filename: x\n", "")


async def test_what_no_archive_has_any_more_refuses_the_plan(tmp_path: Path) -> None:
    words = await only(tmp_path, removal(), *replies(records=NO_COMGR))
    assert (
        f"has the package files for comgr {VERSION}. Rollback could not restore the removed "
        f"packages" in words
    )
    assert "Configure their archive again" in words
    assert "run again with --without-rollback to remove them permanently" in words
    assert "rocm-core" not in words


async def test_all_that_no_archive_has_is_named_however_much_it_is(tmp_path: Path) -> None:
    packages = tuple(amd(f"rocm-part{number}") for number in range(120))
    plan = make_removal(replace(with_packages(*packages), system_files=()))
    rows = tuple(f"{one.name}\t{one.version}\tii \tROCm <x@amd.com>" for one in packages)
    answers = replies(records="")
    (refusal,) = await checked(tmp_path, plan, *answers, rows=rows)
    assert all(f"{one.name} {one.version}" in refusal.happened for one in packages)


async def test_what_goes_for_good_by_choice_is_not_looked_for(tmp_path: Path) -> None:
    machine = replace(with_packages(amd("comgr"), amd("rocm-core")), system_files=())
    plan = make_removal(machine, for_good=LOST)
    assert await checked(tmp_path, plan, *replies(records=NO_COMGR)) == ()
    words = await only(tmp_path, plan, *replies(records=""))
    assert f"has the package files for rocm-core {VERSION}" in words


async def test_what_was_to_go_for_good_and_is_another_version_by_now_is_named(
    tmp_path: Path,
) -> None:
    machine = replace(with_packages(amd("comgr"), amd("rocm-core")), system_files=())
    plan = make_removal(machine, for_good=LOST)
    host = listed(tmp_path / "other", ROWS[0].replace("50701-98", "60204-139"), *ROWS[1:])
    words = await only(tmp_path, plan, host=host)
    assert f"no longer installed: comgr {VERSION}" in words


async def test_where_no_option_removes_them_for_good_none_is_named(tmp_path: Path) -> None:
    plan = replace(removal(), kind=Kind.FIX, cause="missing-pin")
    words = await only(tmp_path, plan, *replies(records=NO_COMGR))
    assert f"comgr {VERSION}" in words
    assert "--without-rollback" not in words
    assert "sudo apt-get purge comgr" in words


async def test_what_lies_in_apts_cache_needs_no_archive(tmp_path: Path) -> None:
    cached = f"/var/cache/apt/archives/comgr_{VERSION}_amd64.deb"
    host = listed(tmp_path / "cached", *ROWS, files={cached: ""})
    assert await checked(tmp_path, removal(), *replies(records=NO_COMGR), host=host) == ()


async def test_plans_without_packages_ask_apt_nothing(tmp_path: Path) -> None:
    with_what = asking(tmp_path, host=without_dpkg(tmp_path))
    step = SetSystemPathAside("", "/etc/hostname")
    assert await check(system_plan(Kind.REMOVE, (step,), ()), with_what) == ()
    assert isinstance(with_what.programs, Scripted)
    assert with_what.programs.asked == []


async def test_keeping_packages_is_refused_while_somebody_else_works_on_them(
    tmp_path: Path,
) -> None:
    host = listed(tmp_path / "x", *ROWS, files={"/var/lib/dpkg/updates/0001": ""})
    plan = system_plan(Kind.REMOVE, (KeepDebs("", (("comgr", VERSION),)),), ())
    assert "dpkg was interrupted" in await only(tmp_path, plan, host=host)
