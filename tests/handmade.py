"""Machines built by hand, so that what follows from them is tested without detection."""

from __future__ import annotations

from dataclasses import replace

from wizard.apt.packages import Package, PackageWork
from wizard.core.fact import Unknown
from wizard.host.host import Disk
from wizard.machine.facts import (
    Access,
    DeviceNode,
    Driver,
    Environment,
    Gpu,
    Interpreter,
    Link,
    Machine,
    RocmTree,
    Setting,
    Surroundings,
    System,
    TorchInstall,
)

HOME = "/home/ada"
TORCH_VERSION = "2.9.1+dfsg-1~exp2ubuntu2"
"""Of Ubuntu 26.04's python3-torch-rocm."""
GIGABYTE = 10**9
NAMES = {
    "gfx1010": ("RX 5700 XT", "1002:731f", "c1"),
    "gfx1012": ("RX 5500 XT", "1002:7340", "c5"),
    "gfx1013": ("BC-250", "1002:13fe", "00"),
    "gfx1031": ("RX 6700 XT", "1002:73df", "c1"),
}


def card(gfx: str = "gfx1010", name: str = "", revision: str = "") -> Gpu:
    """A card that amdgpu drives."""
    usual, pci_id, usual_revision = NAMES[gfx]
    return Gpu(
        pci_address="0000:0b:00.0",
        pci_id=pci_id,
        pci_class="0300",
        revision=revision or usual_revision,
        name=name or usual,
        gfx=gfx,
        gfx_source="kfd",
        rdna1=gfx in ("gfx1010", "gfx1011", "gfx1012"),
        integrated=False,
        vram_bytes=8 * GIGABYTE,
        driver="amdgpu",
        drives_screen=True,
        render_node="/dev/dri/renderD128",
        kfd_node=1,
        compute_units=36,
        atomics=True,
        mec_firmware=150,
        link=Link(16, 16, "16.0 GT/s PCIe", "16.0 GT/s PCIe"),
        asleep=False,
        note="",
    )


def node(path: str, *, usable: bool = True) -> DeviceNode:
    """A device file of the group render."""
    return DeviceNode(path, present=True, usable=usable, group="render")


def python(version: str, *, makes_venvs: bool = True) -> Interpreter:
    """A Python of the distribution."""
    return Interpreter(f"/usr/bin/python{version}", version, makes_venvs)


def torch(version: str, build: str = "rocm", rocm: str | None = None) -> TorchInstall:
    """torch as its dist-info tells it."""
    return TorchInstall(version, build, rocm, "1.26.4", ())


def with_distribution_torch(machine: Machine, version: str = TORCH_VERSION) -> Machine:
    """A machine with Ubuntu's own torch for ROCm beside what it has."""
    own = torch("2.9.1+debian", rocm="7.1")
    place = Environment("/usr/lib/python3/dist-packages", "dist-packages", "3.14", own)
    packages = tuple(
        Package(name, version, "distribution", "", "installed", held=False, missing=False)
        for name in ("libtorch-rocm-2.9", "python3-torch-rocm")
    )
    return replace(machine, environments=(*machine.environments, place), rocm_packages=packages)


def clean_jammy(*cards: Gpu) -> Machine:
    """Ubuntu 22.04 with Python 3.10, groups in force, 91 GB free and nothing installed."""
    return Machine(
        recorded="",
        gpus=cards or (card(),),
        driver=Driver(loaded=True, origin="in-tree", version="", dkms=()),
        system=System(
            distribution="ubuntu",
            release="22.04",
            pretty_name="Ubuntu 22.04",
            kernel="6.8.0",
            glibc="2.35",
            architecture="x86_64",
            cpu="Ryzen 5 3600",
            memory_bytes=32 * GIGABYTE,
        ),
        surroundings=Surroundings(False, "", False, "", "", True, ()),
        access=Access(
            user="ada",
            uid=1000,
            home=HOME,
            groups_in_force=("ada", "render", "video"),
            groups_in_file=("ada", "render", "video"),
            kfd=node("/dev/kfd"),
            render_nodes=(node("/dev/dri/renderD128"),),
        ),
        processes=(),
        disks=(Disk(HOME, "/", 500 * GIGABYTE, 91 * GIGABYTE),),
        silent=(),
        interpreters=(python("3.10"),),
        uv="/opt/wizard/bin/uv",
        environments=(),
        rocm_trees=(),
        rocm_packages=(),
        package_work=PackageWork("", (), interrupted=False),
        apt_sources=(),
        system_files=(),
        settings=(),
        applications=(),
        miopen=(),
        runs=(),
        unread=(),
    )


def noble_with_leftovers() -> Machine:
    """An RX 5600 XT on Ubuntu 24.04 with ROCm 5.7, its torch, and the notes' settings."""
    profile = "/etc/profile.d/rocm-rdna1-57.sh"
    bashrc = f"{HOME}/.bashrc"
    machine = clean_jammy(card(name="RX 5600 XT", revision="ca"))
    return replace(
        machine,
        system=replace(machine.system, release="24.04", glibc="2.39", kernel="6.14.0"),
        interpreters=(python("3.12"),),
        environments=(Environment(f"{HOME}/venv", "venv", "3.12", torch("2.2.2+rocm5.7")),),
        rocm_trees=(
            RocmTree("/opt/rocm", "5.7.1", "/opt/rocm-5.7.1", ""),
            RocmTree("/opt/rocm-5.7.1", "5.7.1", None, "rocm-core"),
        ),
        settings=(
            Setting(
                "HSA_OVERRIDE_GFX_VERSION", "10.3.0", bashrc, 118, "the card passes for gfx1030"
            ),
            Setting("HSA_OVERRIDE_GFX_VERSION", "10.3.0", "", 0, "the card passes for gfx1030"),
            Setting("LD_LIBRARY_PATH", "/opt/rocm-5.7.1/lib:", profile, 4, ""),
            Setting("MIOPEN_DEBUG_CONV_DIRECT", "0", profile, 9, ""),
            Setting("MIOPEN_DEBUG_CONV_WINOGRAD", "0", profile, 10, ""),
        ),
    )


def with_nothing_known(machine: Machine) -> Machine:
    """The same machine, every fact that can be unknown made so."""
    dark = Unknown("no permission")
    system = System(dark, dark, dark, dark, dark, dark, dark, dark)
    return replace(
        machine,
        gpus=tuple(in_the_dark(gpu) for gpu in machine.gpus),
        system=system,
        access=replace(machine.access, groups_in_force=dark, groups_in_file=dark),
        disks=(),
        uv=dark,
        rocm_packages=dark,
    )


def in_the_dark(gpu: Gpu) -> Gpu:
    """The same card, nothing of it known but that it is there."""
    dark = Unknown("no permission")
    return replace(
        gpu,
        gfx=dark,
        gfx_source="",
        rdna1=False,
        vram_bytes=dark,
        driver=dark,
        drives_screen=dark,
        render_node=dark,
        kfd_node=None,
        compute_units=dark,
        atomics=dark,
        mec_firmware=dark,
        link=dark,
    )
