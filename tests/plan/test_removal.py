"""Removal is by exact list: what goes was seen installed, and nothing else is touched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import clean_jammy
from tests.machine.records import NAMES
from tests.plan.system_machines import (
    AMDGPU,
    ROCM,
    ROCM_LIST,
    amd,
    distribution,
    recorded,
    source,
    with_packages,
)
from wizard.apt.files import Belongings, TreeContent
from wizard.apt.packages import PackageWork
from wizard.apt.sources import KEYRING, SOURCE, AptSource
from wizard.core.fact import Unknown
from wizard.machine.facts import Machine, RocmTree, SystemFile
from wizard.operations.edit_lines import sha256
from wizard.operations.packages import AptChange, FinishInterrupted, KeepDebs
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.amd_packages import AMD, DRIVER, SCOPES
from wizard.plan.impossible import NothingToDo, PlanImpossible
from wizard.plan.leftover_files import FilesNow
from wizard.plan.removal import make_removal
from wizard.plan.steps import Plan

GONE = {
    "rx5600xt-noble-rocm57": (12, "/opt/rocm-5.7.1"),
    "rx5600xt-noble-rocm52-mix": (3, "/opt/rocm-5.2.0"),
    "rx5600xt-noble-rocm62-miopen": (9, "/opt/rocm-6.2.4"),
    "rx5600xt-noble-rocm702": (9, "/opt/rocm-7.0.2"),
    "rx5700-rx5500xt-noble": (5, ""),
    "prov520-jammy-cloud": (4, "/opt/rocm-7.2.0"),
    "docker-no-kfd": (3, "/opt/rocm-6.2.4"),
}
"""Recorded machines with packages of AMD's: how many go, and which folder is left."""
NOTHING = {
    "rx5700xt-jammy-clean": "no package from AMD's repository is installed",
    "rx5700xt-trixie-execstack": "The distribution's own ROCm packages are kept: rocminfo",
    "rx5500xt-apu-vga": "libamdhip64-5, libhsa-runtime64-1, rocminfo",
    "rx5500xt-bookworm-distro": "and 3 more",
    "rx6700xt-noble": "no package from AMD's repository is installed",
    "nvidia-only": "no package from AMD's repository is installed",
    "wsl-noble": "no package from AMD's repository is installed",
    "bc250-fedora": "fedora does not use apt",
    "no-amd-gpu": "fedora does not use apt",
}
"""The others, and what is said of them."""


def change(plan: Plan) -> AptChange:
    return next(step for step in plan.steps if isinstance(step, AptChange))


def moved(plan: Plan) -> list[str]:
    return [step.path for step in plan.steps if isinstance(step, SetSystemPathAside)]


def written(plan: Plan) -> list[WriteSystemFile]:
    return [step for step in plan.steps if isinstance(step, WriteSystemFile)]


def test_every_recorded_machine_is_in_one_of_the_tables() -> None:
    assert {*GONE, *NOTHING} == set(NAMES)
    assert not GONE.keys() & NOTHING.keys()


@pytest.mark.parametrize("name", GONE)
def test_amds_packages_of_a_recorded_machine_go_and_no_others(name: str) -> None:
    machine, files = recorded(name)
    plan = make_removal(machine, files=files)
    count, tree = GONE[name]
    packages = machine.rocm_packages
    assert isinstance(packages, tuple)
    theirs = {one.name for one in packages if one.origin == "amd"}
    assert len(change(plan).remove) == count
    assert set(change(plan).remove) <= theirs
    assert change(plan).expect_remove == change(plan).remove
    assert [path for path in moved(plan) if path.startswith("/opt")] == [tree] * bool(tree)


@pytest.mark.parametrize("name", NOTHING)
def test_where_nothing_of_amds_is_installed_the_plan_says_so(name: str) -> None:
    machine, files = recorded(name)
    with pytest.raises(PlanImpossible) as raised:
        make_removal(machine, files=files)
    assert NOTHING[name] in str(raised.value)
    assert isinstance(raised.value, NothingToDo) is ("fedora" not in NOTHING[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_package_file_of_everything_that_goes_is_kept_before_anything_goes(name: str) -> None:
    machine, files = recorded(name)
    try:
        plan = make_removal(machine, files=files)
    except PlanImpossible:
        return
    kinds = [type(step) for step in plan.steps]
    keep = next(step for step in plan.steps if isinstance(step, KeepDebs))
    assert tuple(package for package, _ in keep.packages) == change(plan).remove
    assert kinds.index(KeepDebs) < kinds.index(AptChange)


LOST = ("rocm-core", amd("rocm-core").version)


def test_what_goes_for_good_is_not_kept_and_is_named() -> None:
    machine = with_packages(amd("rocm-core"), amd("comgr"))
    plan, usual = make_removal(machine, for_good=(LOST,)), make_removal(machine)
    keep = next(step for step in plan.steps if isinstance(step, KeepDebs))
    assert [name for name, _ in keep.packages] == ["comgr"]
    assert change(plan).remove == change(usual).remove
    assert change(plan).for_good == (LOST,)
    assert change(plan).request()["for_good"] == [list(LOST)]
    assert f"no package file is kept for rocm-core={LOST[1]}" in str(change(plan))
    assert "install 1 package again from the backup; 1 cannot be restored" in change(plan).undo
    lost = f"rocm-core {LOST[1]}"
    assert plan.notes[0].startswith(f"These packages will be removed permanently: {lost}. ")
    assert plan.id != usual.id


def test_where_all_goes_for_good_nothing_is_kept() -> None:
    plan = make_removal(with_packages(amd("rocm-core")), for_good=(LOST,))
    assert not any(isinstance(step, KeepDebs) for step in plan.steps)
    assert str(change(plan)).endswith("no package file is kept for them")


def test_another_version_does_not_go_for_good_by_the_same_word() -> None:
    machine = with_packages(amd("rocm-core"), amd("comgr"))
    assert make_removal(machine, for_good=(("rocm-core", "1"),)) == make_removal(machine)


def test_a_package_of_the_distribution_with_a_name_of_amds_stays() -> None:
    machine = with_packages(amd("rocm-core"), distribution("rocminfo"))
    plan = make_removal(machine)
    assert change(plan).remove == ("rocm-core",)
    assert any("rocminfo" in note for note in plan.notes)


def test_the_distributions_rocm_goes_only_when_that_is_asked_for() -> None:
    machine, files = recorded("rx5500xt-bookworm-distro")
    plan = make_removal(machine, ("distribution",), files)
    assert len(change(plan).remove) == 9
    assert "rocminfo" in change(plan).remove
    assert moved(plan) == []


def test_a_package_of_unclear_origin_stays_and_is_named() -> None:
    unclear = amd("hipcc")._replace(origin="unclear", grounds="version alone")
    plan = make_removal(with_packages(amd("rocm-core"), unclear))
    assert change(plan).remove == ("rocm-core",)
    assert any("hipcc" in note and "version alone" in note for note in plan.notes)


def test_graphics_packages_of_amds_stay_with_their_source_key_and_pin() -> None:
    machine = with_packages(amd("rocm-core"), amd("mesa-amdgpu-va-drivers"), amd("amdgpu-core"))
    machine = replace(
        machine,
        apt_sources=(
            *machine.apt_sources,
            source("/etc/apt/sources.list.d/amdgpu.list", AMDGPU),
        ),
    )
    plan = make_removal(machine)
    assert change(plan).remove == ("rocm-core",)
    assert moved(plan) == [ROCM_LIST, "/opt/rocm-5.7.1"]
    assert any("mesa-amdgpu-va-drivers, amdgpu-core" in note for note in plan.notes)


def test_amds_own_libdrm_stays_whatever_is_to_go_and_so_does_a_distributions_graphics() -> None:
    drm = amd("libdrm2-amdgpu")._replace(version="1:2.4.120.60204-2070768.22.04")
    xorg = distribution("xserver-xorg-amdgpu-video-amdgpu")
    plan = make_removal(with_packages(amd("rocm-core"), drm, xorg), SCOPES)
    assert change(plan).remove == ("rocm-core",)
    assert any(
        "graphics packages are kept, because they are not part of ROCm: libdrm2-amdgpu" in n
        for n in plan.notes
    )


@pytest.mark.parametrize(
    ("state", "scopes", "goes"),
    [
        ("installed", ("amd",), False),
        ("installed", ("amd", "driver"), True),
        ("half-configured", ("amd",), True),
        ("unpacked, must be reinstalled", ("amd",), True),
    ],
)
def test_amds_kernel_driver_goes_when_it_is_broken_or_asked_for(
    state: str, scopes: tuple[str, ...], goes: bool
) -> None:
    machine = with_packages(amd("rocm-core"), amd("amdgpu-dkms", state=state))
    assert ("amdgpu-dkms" in change(make_removal(machine, scopes)).remove) is goes


def test_a_broken_driver_that_goes_unasked_is_named_with_why() -> None:
    machine, files = recorded("rx5600xt-noble-rocm52-mix")
    why = (
        "AMD's kernel driver package (amdgpu-dkms) will also be removed. It is half installed, "
        "and apt will fail until it is removed. The kernel's own driver is kept."
    )
    assert why in make_removal(machine, files=files).notes
    assert why not in make_removal(machine, (AMD, DRIVER), files).notes


def test_settings_that_stay_are_named_with_their_lines() -> None:
    machine, files = recorded("rx5600xt-noble-rocm52-mix")
    place = "/etc/profile.d/rocm-rdna1-52.sh (lines 2, 4-17), ~/.bashrc (lines 4-5)"
    told = [note for note in make_removal(machine, files=files).notes if "profile.d" in note]
    assert told == [
        f"Settings for ROCm remain in {place}. To remove them, run rdna1-setup clean-up."
    ]


def test_the_firmware_of_a_broken_driver_goes_with_it() -> None:
    broken = amd("amdgpu-dkms", state="half-configured")
    plan = make_removal(with_packages(amd("rocm-core"), broken, amd("amdgpu-dkms-firmware")))
    assert set(change(plan).remove) == {"rocm-core", "amdgpu-dkms", "amdgpu-dkms-firmware"}


def test_the_installer_goes_unless_it_has_the_source_of_something_that_stays() -> None:
    alone = with_packages(amd("rocm-core"), amd("amdgpu-install"))
    assert "amdgpu-install" in change(make_removal(alone)).remove
    driver = with_packages(amd("rocm-core"), amd("amdgpu-install"), amd("amdgpu-dkms"))
    assert change(make_removal(driver)).remove == ("rocm-core",)


def test_sources_pins_and_keys_go_after_the_packages_that_may_own_them() -> None:
    plan = make_removal(with_packages(amd("rocm-core")))
    assert moved(plan) == [
        ROCM_LIST,
        "/etc/apt/preferences.d/rocm-pin-600",
        "/etc/apt/keyrings/rocm.gpg",
        "/opt/rocm-5.7.1",
    ]
    kinds = [type(step) for step in plan.steps]
    assert kinds.index(AptChange) < kinds.index(SetSystemPathAside)
    assert all(step.may_be_gone for step in plan.steps if isinstance(step, SetSystemPathAside))


LINES = (
    "deb http://archive.ubuntu.com/ubuntu jammy main\n"
    "# AMD\n"
    f"deb [signed-by=/etc/apt/keyrings/rocm.gpg] {ROCM} jammy main\n"
    "deb https://example.org/apt stable main\n"
)
PARAGRAPHS = (
    "Types: deb\nURIs: http://archive.ubuntu.com/ubuntu\nSuites: jammy\nComponents: main\n"
    "\n"
    f"Types: deb\nURIs: {ROCM}\nSuites: jammy\nComponents: main\n"
    "Signed-By: /etc/apt/keyrings/rocm.gpg\n"
    "\n"
    "Types: deb\nURIs: https://example.org/apt\nSuites: stable\nComponents: main\n"
)


def shared(file: str, line: int, text: str) -> tuple[Machine, FilesNow]:
    """A machine on which AMD's entry stands between others."""
    entries: tuple[AptSource, ...] = (
        source(file, "http://archive.ubuntu.com/ubuntu", whose="ubuntu"),
        source(file, ROCM, line=line),
    )
    machine = replace(with_packages(amd("rocm-core")), apt_sources=entries)
    return machine, FilesNow({file: text})


@pytest.mark.parametrize(
    ("file", "line", "text", "left"),
    [
        (
            "/etc/apt/sources.list",
            3,
            LINES,
            LINES.replace(LINES.splitlines()[2] + "\n", ""),
        ),
        (
            "/etc/apt/sources.list.d/all.sources",
            6,
            PARAGRAPHS,
            "".join(PARAGRAPHS.split("\n\n")[0:1]) + "\n\n\n" + PARAGRAPHS.split("\n\n")[2],
        ),
    ],
)
def test_only_amds_entry_leaves_a_file_that_others_share(
    file: str, line: int, text: str, left: str
) -> None:
    plan = make_removal(*with_scope(shared(file, line, text)))
    (step,) = written(plan)
    assert (step.path, step.content, step.before) == (file, left, sha256(text))
    assert file not in moved(plan)


def with_scope(
    given: tuple[Machine, FilesNow],
) -> tuple[Machine, tuple[str, ...], FilesNow]:
    machine, files = given
    return machine, ("amd",), files


def test_a_shared_file_that_could_not_be_read_is_left_and_named() -> None:
    machine, _ = shared("/etc/apt/sources.list", 3, LINES)
    plan = make_removal(machine)
    assert written(plan) == []
    assert any(
        "/etc/apt/sources.list" in note and "Edit it yourself" in note for note in plan.notes
    )


def test_what_this_program_wrote_for_a_system_rocm_goes_with_it() -> None:
    files = FilesNow({SOURCE: "deb ...", KEYRING: "key"})
    plan = make_removal(with_packages(amd("rocm-core")), files=files)
    assert moved(plan)[-2:] == [SOURCE, KEYRING]
    kept = make_removal(with_packages(distribution("rocminfo")), ("distribution",), files)
    assert not {KEYRING, SOURCE} & set(moved(kept))


def test_a_key_that_another_source_names_stays() -> None:
    other = source("/etc/apt/sources.list.d/x.list", "https://example.org", whose="example")
    other = other._replace(signed_by="/etc/apt/keyrings/rocm.gpg")
    machine = with_packages(amd("rocm-core"))
    plan = make_removal(replace(machine, apt_sources=(*machine.apt_sources, other)))
    assert "/etc/apt/keyrings/rocm.gpg" not in moved(plan)


def test_a_file_of_pins_that_prefers_others_too_stays_and_is_named() -> None:
    pins = "/etc/apt/preferences.d/rocm-pin-600"
    text = (
        "Package: *\nPin: release o=repo.radeon.com\nPin-Priority: 600\n\n"
        "Package: firefox\nPin: release o=LP-PPA-mozillateam\nPin-Priority: 1001\n"
    )
    plan = make_removal(with_packages(amd("rocm-core")), files=FilesNow({pins: text}))
    assert pins not in moved(plan)
    assert any(pins in note for note in plan.notes)


def test_a_folder_of_the_users_own_below_opt_stays() -> None:
    machine, files = recorded("rx5600xt-noble-rocm62-miopen")
    plan = make_removal(machine, files=files)
    assert "/opt/rocm-miopen-rdna1" not in moved(plan)
    assert any("/opt/rocm-miopen-rdna1 belongs to no package" in note for note in plan.notes)


def test_a_hand_made_link_goes_with_the_folder_that_it_leads_to() -> None:
    machine = with_packages(amd("rocm-core"))
    link, tree = machine.rocm_trees
    machine = replace(machine, rocm_trees=(link._replace(link_to=tree.path), tree))
    assert {"/opt/rocm", "/opt/rocm-5.7.1"} <= set(moved(make_removal(machine)))


def test_files_of_the_distributions_own_opencl_or_loader_stay() -> None:
    files = (
        SystemFile("/etc/ld.so.conf.d/mixed.conf", "loader path", "/opt/rocm/lib; /opt/mine/lib"),
        SystemFile("/etc/ld.so.conf.d/rocm.conf", "loader path", "/opt/rocm/lib; /opt/rocm/lib64"),
        SystemFile("/etc/modprobe.d/vfio.conf", "module option", "softdep amdgpu pre: vfio-pci"),
    )
    plan = make_removal(replace(with_packages(amd("rocm-core")), system_files=files))
    assert [path for path in moved(plan) if path.startswith("/etc/ld")] == [files[1].path]
    assert files[2].path not in moved(plan)


def test_held_packages_are_named_with_what_lets_go_of_them() -> None:
    machine, files = recorded("rx5700-rx5500xt-noble")
    assert "sudo apt-mark unhold rocminfo" in make_removal(machine, files=files).first


def test_dpkg_finishes_first_what_was_interrupted_and_last_what_is_another_s() -> None:
    work = PackageWork("", ("amdgpu-dkms (half-configured)", "snapd (unpacked)"), interrupted=True)
    broken = amd("amdgpu-dkms", state="half-configured")
    plan = make_removal(replace(with_packages(broken), package_work=work))
    finishing = [step for step in plan.steps if isinstance(step, FinishInterrupted)]
    assert (plan.steps[0], plan.steps[-1]) == (finishing[0], finishing[1])
    assert "snapd" in finishing[1].reason
    assert "amdgpu-dkms" not in finishing[1].reason


def test_without_knowing_what_is_installed_nothing_is_planned() -> None:
    machine = replace(clean_jammy(), rocm_packages=Unknown("dpkg-query did not answer"))
    with pytest.raises(PlanImpossible, match="dpkg-query did not answer"):
        make_removal(machine)


def test_leftovers_without_packages_are_moved_too() -> None:
    machine = replace(
        with_packages(),
        rocm_trees=(RocmTree("/opt/rocm-5.7.1", "5.7.1", None, ""),),
        system_files=(
            SystemFile(
                "/etc/alternatives/rocm",
                "alternative",
                "points to /opt/rocm-5.2.0, which does not exist",
            ),
            SystemFile("/var/lib/dpkg/alternatives/rocm", "alternative", "auto, /opt/rocm-5.2.0"),
        ),
    )
    plan = make_removal(machine)
    assert moved(plan) == [
        ROCM_LIST,
        "/etc/alternatives/rocm",
        "/var/lib/dpkg/alternatives/rocm",
    ]
    assert not any(step.may_be_gone for step in plan.steps if isinstance(step, SetSystemPathAside))


TREE = "/opt/rocm-5.7.1"


def knowing(owners: dict[str, str], *in_tree: str, stray: bool) -> FilesNow:
    content = TreeContent(TREE, frozenset(in_tree), stray)
    return FilesNow(belongings=Belongings(owners, {TREE: content}))


def test_files_of_a_package_that_goes_are_left_to_it_and_those_of_nobody_are_moved() -> None:
    files = knowing({ROCM_LIST: "amdgpu-install"}, "rocm-core", stray=True)
    machine = with_packages(amd("rocm-core"), amd("amdgpu-install"))
    plan = make_removal(machine, files=files)
    assert ROCM_LIST not in moved(plan)
    assert {"/etc/apt/keyrings/rocm.gpg", TREE} <= set(moved(plan))


def test_a_folder_that_its_packages_take_away_whole_is_not_moved() -> None:
    files = knowing({}, "rocm-core", stray=False)
    assert TREE not in moved(make_removal(with_packages(amd("rocm-core")), files=files))


def test_a_folder_in_which_a_package_that_stays_has_files_stays_and_that_is_said() -> None:
    unclear = amd("mine")._replace(origin="unclear", grounds="version alone")
    files = knowing({}, "rocm-core", "mine", stray=True)
    plan = make_removal(with_packages(amd("rocm-core"), unclear), files=files)
    assert TREE not in moved(plan)
    assert any(
        f"{TREE} is kept, because it contains files from mine" in note for note in plan.notes
    )


def test_a_key_for_every_source_stays_while_a_source_of_amds_does() -> None:
    machine = with_packages(amd("rocm-core"), amd("amdgpu-core"))
    key = SystemFile("/etc/apt/trusted.gpg.d/rocm-keyring.gpg", "key", "holds AMD's release key")
    plain = source("/etc/apt/sources.list.d/amdgpu.list", AMDGPU)._replace(signed_by="")
    sources = (*machine.apt_sources, plain)
    staying = replace(machine, apt_sources=sources, system_files=(key,))
    assert key.path not in moved(make_removal(staying))
    going = replace(with_packages(amd("rocm-core")), system_files=(key,))
    assert key.path in moved(make_removal(going))
