"""Facts of machines to findings, each check by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import (
    HOME,
    TORCH_VERSION,
    card,
    clean_jammy,
    node,
    torch,
    with_distribution_torch,
)
from wizard.apt.packages import Package, PackageWork
from wizard.apt.sources import AptSource
from wizard.diagnose import machine as machine_module
from wizard.diagnose.finding import Confidence, Finding, Status, conclude
from wizard.diagnose.fix_settings import has_plan
from wizard.diagnose.machine import diagnose
from wizard.machine.facts import (
    ChangedLibrary,
    Disk,
    Driver,
    Environment,
    Gpu,
    Machine,
    OwnRun,
    Process,
    Setting,
    TorchInstall,
)

VENV = f"{HOME}/venv"


def usable(*gpus: Gpu) -> Machine:
    """A machine on which the devices may be opened."""
    return clean_jammy(*gpus)


def with_torch(installed: TorchInstall, *settings: Setting) -> Machine:
    return replace(
        usable(), environments=(Environment(VENV, "venv", "3.10", installed),), settings=settings
    )


def setting(name: str, value: str, effect: str = "") -> Setting:
    return Setting(name, value, f"{HOME}/.bashrc", 7, effect)


def counting(machine: Machine) -> dict[str, Finding]:
    return {f.cause: f for f in diagnose(machine).findings if f.counts}


OVERRIDE = setting("HSA_OVERRIDE_GFX_VERSION", "10.3.0")
NATIVE = replace(torch("2.9.1+rocm7.14.0"), native_gfx=("gfx1010",))


def test_a_machine_without_faults_has_none() -> None:
    assert counting(usable()) == {}


def test_an_override_beside_wheels_for_the_card_itself_is_stale() -> None:
    found = counting(with_torch(NATIVE, OVERRIDE))
    assert list(found) == ["stale-override"]
    assert ("HSA_OVERRIDE_GFX_VERSION=10.3.0", "~/.bashrc:7") in [
        (each.text, each.where) for each in found["stale-override"].evidence
    ]


def test_the_card_s_own_value_beside_such_wheels_is_fine() -> None:
    assert counting(with_torch(NATIVE, setting("HSA_OVERRIDE_GFX_VERSION", "10.1.0"))) == {}


def test_an_environment_of_ours_that_leaves_the_override_out_is_fine() -> None:
    ours = OwnRun("1", VENV, "native", "native", "finished")
    assert counting(replace(with_torch(NATIVE, OVERRIDE), runs=(ours,))) == {}
    for other in (ours._replace(state="undone"), ours._replace(folder=f"{HOME}/other")):
        machine = replace(with_torch(NATIVE, OVERRIDE), runs=(other,))
        assert list(counting(machine)) == ["stale-override"]


def test_the_torch_for_rocm_5_2_gets_along_with_the_override() -> None:
    assert counting(with_torch(torch("1.13.1+rocm5.2"), OVERRIDE)) == {}


def test_a_later_one_with_the_override_is_warned_of() -> None:
    found = counting(with_torch(torch("2.2.2+rocm5.7"), OVERRIDE))
    assert found["override-isa-mismatch"].status is Status.WARNING


def test_an_official_wheel_without_the_override_has_no_code_for_the_card() -> None:
    assert "wheel-lacks-gfx-target" in counting(with_torch(torch("2.2.2+rocm5.7")))


@pytest.mark.parametrize(
    ("version", "numpy", "wrong"),
    [
        ("1.13.1+rocm5.2", "2.0.1", True),
        ("2.2.2+rocm5.7", "2.2.0", True),
        ("2.2.2+rocm5.7", "1.26.4", False),
        ("2.5.1+rocm6.2", "2.2.0", False),
    ],
)
def test_numpy_2_beside_an_old_torch_is_a_fault(version: str, numpy: str, wrong: bool) -> None:
    found = counting(with_torch(replace(torch(version), numpy=numpy), OVERRIDE))
    assert ("numpy2-abi" in found) is wrong


@pytest.mark.parametrize(("glibc", "wrong"), [("2.41", True), ("2.42", True), ("2.40", False)])
def test_an_executable_stack_is_a_fault_from_glibc_2_41_on(glibc: str, wrong: bool) -> None:
    asking = replace(torch("1.13.1+rocm5.2"), executable_stack=("libamdhip64.so",))
    machine = with_torch(asking, OVERRIDE)
    machine = replace(machine, system=replace(machine.system, glibc=glibc))
    assert ("glibc-execstack" in counting(machine)) is wrong


def test_an_exchanged_library_is_told_with_both_sizes() -> None:
    changed = ChangedLibrary(f"{VENV}/lib/libMIOpen.so", 9_000_000, 8_000_000, "")
    machine = with_torch(replace(torch("1.13.1+rocm5.2"), changed=(changed,)), OVERRIDE)
    (evidence,) = counting(machine)["wheel-library-replaced"].evidence
    assert "libMIOpen.so: 8 MB, but 9 MB in the wheel" in evidence.text


def test_a_torch_for_nvidia_is_a_fault_where_there_is_no_such_card() -> None:
    assert "cuda-wheel" in counting(with_torch(torch("2.5.1+cu124", "cuda")))


@pytest.mark.parametrize(("firmware", "cause"), [(131, "mec-firmware-old"), (150, "pcie-atomics")])
def test_a_card_that_the_kernel_left_out_is_told_why(firmware: int, cause: str) -> None:
    left_out = replace(card(), atomics=False, kfd_node=None, mec_firmware=firmware)
    assert cause in counting(usable(left_out))


def test_a_slot_without_atomics_is_fine_where_the_kernel_takes_the_card() -> None:
    assert counting(usable(replace(card(), atomics=False))) == {}


@pytest.mark.parametrize(("driver", "cause"), [("vfio-pci", "vfio-bound"), ("", "kfd-missing")])
def test_a_card_that_amdgpu_does_not_drive_is_told_by_its_driver(driver: str, cause: str) -> None:
    assert list(counting(usable(replace(card(), driver=driver, kfd_node=None)))) == [cause]


def test_secure_boot_is_named_where_a_driver_was_built_and_none_runs() -> None:
    machine = usable(replace(card(), driver="", kfd_node=None))
    machine = replace(
        machine,
        driver=Driver(False, "dkms", "6.8.5", ("6.8.5",)),
        surroundings=machine.surroundings._replace(secure_boot=True),
    )
    assert list(counting(machine)) == ["secure-boot-key-rejected"]


def test_who_joined_the_group_only_now_is_told_to_log_in_again() -> None:
    machine = usable()
    access = replace(
        machine.access,
        kfd=node("/dev/kfd", usable=False),
        groups_in_file=("render", "video"),
        groups_in_force=("ada",),
    )
    found = counting(replace(machine, access=access))["kfd-permission"]
    assert "Log out" in found.fix[0]


def test_a_mask_past_the_last_card_hides_it() -> None:
    machine = replace(usable(), settings=(setting("HIP_VISIBLE_DEVICES", "1"),))
    assert "visible-devices-mask" in counting(machine)
    machine = replace(usable(), settings=(setting("HIP_VISIBLE_DEVICES", "9" * 5_000),))
    assert "visible-devices-mask" in counting(machine)
    for harmless in ("0", "³"):
        machine = replace(usable(), settings=(setting("HIP_VISIBLE_DEVICES", harmless),))
        assert counting(machine) == {}


def test_what_does_nothing_is_named_with_its_file_and_line() -> None:
    idle = setting("HIP_FORCE_COARSE_GRAIN", "1", "invented: nothing in ROCm reads it")
    found = counting(replace(usable(), settings=(idle,)))["noop-setting"]
    assert found.status is Status.WARNING
    assert found.evidence[0].where == "~/.bashrc:7"


@pytest.mark.parametrize(
    ("version", "status"),
    [("1.13.1+rocm5.2", Confidence.LIKELY), ("2.5.1+rocm6.2", None)],
)
def test_a_library_path_counts_for_wheels_that_heed_it(
    version: str, status: Confidence | None
) -> None:
    path = setting("LD_LIBRARY_PATH", "/opt/rocm-5.2.0/lib")
    found = counting(with_torch(torch(version), OVERRIDE, path)).get("library-path-shadow")
    assert (found.confidence if found else None) is status


def test_a_missing_pin_is_likely_where_the_distribution_s_packages_are_installed() -> None:
    source = AptSource(
        "/etc/apt/sources.list.d/rocm.list",
        1,
        ("deb",),
        ("https://repo.radeon.com/rocm/apt/6.2.4",),
        ("noble",),
        ("main",),
        "",
        True,
        True,
    )
    theirs = Package("rocminfo", "5.7.1-3build1", "distribution", "", "installed", False, False)
    machine = replace(usable(), apt_sources=(source,), rocm_packages=(theirs,))
    assert counting(machine)["apt-distro-shadows-amd"].confidence is Confidence.LIKELY


@pytest.mark.parametrize(
    ("work", "causes"),
    [
        (PackageWork("", (), True), ["dpkg-interrupted"]),
        (PackageWork("", ("amdgpu-dkms (half-configured)",), False), ["dkms-build-failed"]),
        (PackageWork("apt-get (process 4)", (), False), ["dpkg-lock"]),
        (PackageWork("", (), False), []),
    ],
)
def test_the_package_system_tells_what_it_waits_for(work: PackageWork, causes: list[str]) -> None:
    assert list(counting(replace(usable(), package_work=work))) == causes


def test_a_full_disk_is_a_fault_and_a_nearly_full_one_a_warning() -> None:
    for free, status in ((5 * 10**7, Status.FAULT), (5 * 10**8, Status.WARNING)):
        machine = replace(usable(), disks=(Disk("/tmp", "/", 10**11, free),))
        assert counting(machine)["disk-full"].status is status


def test_a_process_that_no_signal_ends_is_a_hang() -> None:
    stuck = Process(42, "python3", "D", ("/dev/kfd",), True)
    machine = replace(usable(), processes=(stuck,))
    assert "compute-queue-preemption-hang" in counting(machine)


def test_owners_of_other_cards_are_given_no_advice_for_rdna1() -> None:
    machine = replace(with_torch(torch("2.7.1+rocm6.3"), OVERRIDE), gpus=(card("gfx1031"),))
    diagnosis = diagnose(machine)
    assert not diagnosis.rdna1
    assert not [finding for finding in diagnosis.findings if finding.counts]


def test_a_check_that_fails_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(machine: Machine) -> object:
        raise ZeroDivisionError

    checks = (broken, *machine_module.FOR_ALL)
    monkeypatch.setattr(machine_module, "FOR_ALL", checks)
    found = diagnose(usable()).findings
    assert [f.cause for f in found if "broken" in f.title] == ["none"]
    assert any(f.cause == "disk-full" for f in found)


def beside(**facts: object) -> Machine:
    """A machine whose first card works, and a second one of RDNA1 with these facts."""
    other = replace(card("gfx1012"), pci_address="0000:23:00.0", render_node="/dev/dri/renderD129")
    machine = clean_jammy(card(), replace(other, **facts))  # type: ignore[arg-type]
    nodes = (*machine.access.render_nodes, node("/dev/dri/renderD129"))
    return replace(machine, access=replace(machine.access, render_nodes=nodes))


@pytest.mark.parametrize(
    ("facts", "cause", "title"),
    [
        ({"driver": "vfio-pci"}, "vfio-bound", "RX 5500 XT is reserved for a virtual machine"),
        ({"driver": ""}, "kfd-missing", "amdgpu does not drive RX 5500 XT"),
        (
            {"atomics": False, "kfd_node": None, "mec_firmware": 140},
            "mec-firmware-old",
            "The compute firmware of RX 5500 XT is too old for its slot",
        ),
        (
            {"atomics": False, "kfd_node": None, "mec_firmware": 150},
            "pcie-atomics",
            "The slot of RX 5500 XT does not support PCIe atomics",
        ),
    ],
)
def test_what_keeps_a_second_card_from_computing_is_a_warning(
    facts: dict[str, object], cause: str, title: str
) -> None:
    found = counting(beside(**facts))[cause]
    assert found.status is Status.WARNING
    assert found.title.startswith(title)
    assert found.fix


def test_a_second_card_that_may_not_be_opened_is_a_warning_with_a_plan() -> None:
    machine = beside()
    first, second = machine.access.render_nodes
    nodes = (first, second._replace(usable=False))
    closed = replace(machine, access=replace(machine.access, render_nodes=nodes))
    closed = replace(closed, access=replace(closed.access, groups_in_file=("ada",)))
    found = counting(closed)["kfd-permission"]
    assert found.status is Status.WARNING
    assert found.title == "This process may not open RX 5500 XT"
    assert has_plan(found)
    first = first._replace(usable=False)
    both = replace(closed, access=replace(closed.access, render_nodes=(first, nodes[1])))
    (told,) = (f for f in diagnose(both).findings if f.cause == "kfd-permission")
    assert told.status is Status.FAULT


def test_two_cards_that_work_have_no_fault() -> None:
    assert counting(beside()) == {}


def test_what_a_second_card_suffers_from_does_not_pass_for_the_cause_of_the_trouble() -> None:
    machine = replace(beside(driver="vfio-pci"), settings=(OVERRIDE,))
    machine = replace(
        machine, environments=(Environment(VENV, "venv", "3.10", torch("2.2.2+rocm5.7")),)
    )
    told = [f.cause for f in diagnose(machine).findings if f.counts]
    assert told == ["override-isa-mismatch", "vfio-bound"]
    alone = conclude(diagnose(beside(driver="vfio-pci")).findings)
    assert alone.text.startswith("No problem was found, but there is a warning: RX 5500 XT is")


def test_cards_of_one_name_are_told_apart_by_their_address() -> None:
    found = counting(beside(driver="vfio-pci", name=card().name))["vfio-bound"]
    assert found.title.startswith("RX 5700 XT (0000:23:00.0) is reserved")


def distribution_torch(*settings: Setting, version: str = TORCH_VERSION) -> Machine:
    return replace(with_distribution_torch(usable(), version), settings=settings)


def test_a_distributions_torch_without_code_for_the_card_is_told_with_what_it_would_take() -> None:
    told = counting(distribution_torch())["wheel-lacks-gfx-target"]
    assert told.status is Status.FAULT
    assert told.title == "Your distribution's own torch has no code for this card"
    assert "python3-torch-rocm has code for gfx908, " in told.meaning
    assert "but not for your card (gfx1010)" in told.meaning
    assert "only use the card with HSA_OVERRIDE_GFX_VERSION=10.3.0" in told.meaning


def test_a_distributions_torch_is_no_wheel_whose_record_it_could_match() -> None:
    told = {f.cause for f in diagnose(distribution_torch()).findings}
    assert "wheel-library-replaced" not in told


def test_with_the_override_it_is_warned_that_the_card_runs_code_for_another_chip() -> None:
    found = counting(distribution_torch(OVERRIDE))
    assert found["override-isa-mismatch"].status is Status.WARNING
    assert "wheel-lacks-gfx-target" not in found


def test_a_version_of_it_that_was_not_read_is_blamed_for_nothing() -> None:
    machine = distribution_torch(version="2.10.0+dfsg-1")
    assert counting(machine) == {}
    told = {f.cause: f for f in diagnose(machine).findings}
    assert told["wheel-lacks-gfx-target"].status is Status.NOT_TESTED


def test_the_distributions_torch_serves_a_card_that_it_has_code_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = ("gfx1010",)
    monkeypatch.setattr("wizard.machine.torch.targets_of", lambda *_: code)
    assert counting(distribution_torch()) == {}
    assert list(counting(distribution_torch(OVERRIDE))) == ["stale-override"]
