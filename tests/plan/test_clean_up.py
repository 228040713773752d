"""What other scripts left is cleared away by a plan of its own, and the user's own stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import HOME, clean_jammy
from tests.machine.records import NAMES
from tests.plan.system_machines import amd, recorded, with_packages
from wizard.apt.packages import PackageWork
from wizard.core.fact import Unknown
from wizard.machine.facts import Machine, RocmTree, Setting, SystemFile
from wizard.operations.edit_lines import TakeLinesOut, sha256, without_lines
from wizard.operations.packages import AptChange
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.clean_up import make_clean_up
from wizard.plan.impossible import NothingToDo
from wizard.plan.leftover_files import FilesNow
from wizard.plan.steps import Plan

OUT = {
    "rx5600xt-noble-rocm57": (7, "/etc/profile.d/rocm-rdna1-57.sh"),
    "rx5600xt-noble-rocm52-mix": (2, "/etc/profile.d/rocm-rdna1-52.sh"),
    "rx5600xt-noble-rocm62-miopen": (3, "/opt/rocm-miopen-rdna1"),
    "rx5600xt-noble-rocm702": (0, "/etc/profile.d/rocm.sh"),
    "rx5700-rx5500xt-noble": (0, ""),
    "rx5500xt-apu-vga": (2, ""),
    "rx5500xt-bookworm-distro": (2, ""),
    "prov520-jammy-cloud": (1, ""),
    "bc250-fedora": (1, ""),
    "rx6700xt-noble": (1, ""),
    "wsl-noble": (1, ""),
}
"""Recorded machines with something left: lines that go, and what of the system's is moved."""
CLEAN = {
    "rx5700xt-jammy-clean",
    "rx5700xt-trixie-execstack",
    "no-amd-gpu",
    "nvidia-only",
    "docker-no-kfd",
}


def taken(plan: Plan) -> list[TakeLinesOut]:
    return [step for step in plan.steps if isinstance(step, TakeLinesOut)]


def moved(plan: Plan) -> list[str]:
    return [step.path for step in plan.steps if isinstance(step, SetSystemPathAside)]


def with_setting(path: str, text: str) -> tuple[Machine, FilesNow]:
    setting = Setting("ROCM_PATH", "/opt/rocm", path, 1, "")
    return replace(clean_jammy(), settings=(setting,)), FilesNow({path: text})


def test_every_recorded_machine_is_in_one_of_the_tables() -> None:
    assert {*OUT, *CLEAN} == set(NAMES)
    assert not OUT.keys() & CLEAN


@pytest.mark.parametrize("name", OUT)
def test_lines_and_files_of_a_recorded_machine_go_as_the_table_says(name: str) -> None:
    machine, files = recorded(name)
    plan = make_clean_up(machine, files)
    lines, path = OUT[name]
    assert sum(len(step.lines) for step in taken(plan)) == lines
    assert [one for one in moved(plan) if one.startswith(("/etc/profile", "/opt"))] == (
        [path] if path else []
    )
    assert all(step.path.startswith("/home/") for step in taken(plan))
    assert not any(step.needs_root for step in taken(plan))


@pytest.mark.parametrize("name", sorted(CLEAN))
def test_where_nothing_is_left_that_is_said(name: str) -> None:
    with pytest.raises(NothingToDo, match="other scripts left nothing behind"):
        make_clean_up(*recorded(name))


def test_a_step_knows_the_file_before_and_after_by_hash() -> None:
    text = "echo a\nexport ROCM_PATH=/opt/rocm\n"
    (step,) = taken(make_clean_up(*with_setting(f"{HOME}/.bashrc", text)))
    assert step.before == sha256(text)
    assert step.after == sha256(without_lines(text, step.lines)) == sha256("echo a\n")
    assert step.content_lines() == ("line 2: export ROCM_PATH=/opt/rocm",)


def test_no_other_line_of_the_users_file_stands_in_the_plan() -> None:
    text = "export TOKEN=secret\nexport ROCM_PATH=/opt/rocm\n"
    plan = make_clean_up(*with_setting(f"{HOME}/.bashrc", text))
    assert "secret" not in repr(plan)


def test_a_profile_file_with_more_in_it_keeps_the_rest() -> None:
    text = "umask 027\nexport ROCM_PATH=/opt/rocm\n"
    plan = make_clean_up(*with_setting("/etc/profile.d/site.sh", text))
    (step,) = plan.steps
    assert isinstance(step, WriteSystemFile)
    assert (step.content, step.before) == ("umask 027\n", sha256(text))


def test_a_profile_file_of_another_name_that_cannot_be_edited_is_left_and_named() -> None:
    text = "if true; then\n  export ROCM_PATH=/opt/rocm\nfi\n"
    with pytest.raises(NothingToDo, match=r"/etc/profile\.d/site\.sh does more"):
        make_clean_up(*with_setting("/etc/profile.d/site.sh", text))


@pytest.mark.parametrize("path", ["/etc/environment", "/etc/bash.bashrc"])
def test_other_files_of_the_system_are_left_and_named(path: str) -> None:
    with pytest.raises(NothingToDo, match=f"{path}:1 is kept"):
        make_clean_up(*with_setting(path, "ROCM_PATH=/opt/rocm\n"))


def test_packages_whose_files_somebody_deleted_go_by_apt() -> None:
    machine = with_packages(amd("rocm-core"), amd("rocblas"))
    plan = make_clean_up(replace(machine, rocm_trees=()), FilesNow())
    change = next(step for step in plan.steps if isinstance(step, AptChange))
    assert change.remove == ("rocm-core", "rocblas")


def test_when_opt_could_not_be_read_no_package_is_taken_for_deleted() -> None:
    machine = replace(
        with_packages(amd("rocm-core")), rocm_trees=(), unread=(Unknown("no permission: /opt"),)
    )
    with pytest.raises(NothingToDo):
        make_clean_up(machine, FilesNow())


def test_rocm_that_works_stays_with_its_sources() -> None:
    with pytest.raises(NothingToDo):
        make_clean_up(with_packages(amd("rocm-core")), FilesNow())


def test_a_broken_driver_goes_and_the_rest_of_amds_stays() -> None:
    machine = with_packages(amd("rocm-core"), amd("amdgpu-dkms", state="half-configured"))
    work = PackageWork("", ("amdgpu-dkms (half-configured)",), interrupted=False)
    plan = make_clean_up(replace(machine, package_work=work), FilesNow())
    change = next(step for step in plan.steps if isinstance(step, AptChange))
    assert change.remove == ("amdgpu-dkms",)
    assert moved(plan) == []


def test_a_folder_of_no_package_that_goes_is_not_said_to_stay() -> None:
    tree = RocmTree("/opt/rocm-4.5.2", "4.5.2", None, "")
    machine = replace(with_packages(amd("rocm-core")), rocm_trees=(tree,))
    plan = make_clean_up(machine, FilesNow())
    assert tree.path in moved(plan)
    assert not any(tree.path in note for note in plan.notes)


def test_links_into_nothing_go_and_those_that_lead_somewhere_stay() -> None:
    trees = (
        RocmTree("/opt/rocm", Unknown("gone"), "/opt/rocm-5.2.0", ""),
        RocmTree("/opt/rocm-here", "6.2.4", "/opt/rocm-6.2.4", ""),
        RocmTree("/opt/rocm-6.2.4", "6.2.4", None, "rocm-core"),
    )
    plan = make_clean_up(replace(clean_jammy(), rocm_trees=trees), FilesNow())
    assert moved(plan) == ["/opt/rocm"]


def test_sources_without_any_package_are_left_overs_too() -> None:
    machine = replace(with_packages(), rocm_trees=())
    pin = "/etc/apt/preferences.d/rocm-pin-600"
    assert moved(make_clean_up(machine, FilesNow())) == [
        "/etc/apt/sources.list.d/rocm.list",
        pin,
        "/etc/apt/keyrings/rocm.gpg",
    ]
    ours = SystemFile("/etc/apt/preferences.d/rdna1-setup-rocm", "pin", "priority 600")
    alone = replace(clean_jammy(), system_files=(ours,))
    with pytest.raises(NothingToDo):
        make_clean_up(alone, FilesNow())


def test_an_exchanged_library_is_told_with_what_rids_of_it() -> None:
    files = FilesNow(exchanged=("/opt/rocm-5.7.1/lib/libMIOpen.so.1.original",))
    with pytest.raises(NothingToDo, match=r"libMIOpen\.so\.1\.original was replaced"):
        make_clean_up(with_packages(amd("rocm-core")), files)
