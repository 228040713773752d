"""Reads whether this machine is a virtual one, and whether Windows is below it."""

from __future__ import annotations

import re

from wizard.host.host import Host

DMI = "/sys/class/dmi/id"
DMI_FILES = ("sys_vendor", "product_name", "board_vendor", "bios_vendor")
MAKERS = (
    ("qemu", "QEMU"),
    ("kvm", "KVM"),
    ("vmware", "VMware"),
    ("virtualbox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("xen", "Xen"),
    ("parallels", "Parallels"),
    ("bhyve", "bhyve"),
    ("bochs", "Bochs"),
    ("openstack", "OpenStack"),
    ("google compute engine", "Google"),
    ("microsoft corporation virtual machine", "Hyper-V"),
)
"""What virtual machines put into their DMI tables, as systemd-detect-virt knows it too."""
AMAZON = "amazon ec2"
KERNEL = "/proc/sys/kernel/osrelease"
CPUINFO = "/proc/cpuinfo"
FIRST_PROCESSOR = 4096
"""Bytes that hold the flags of the first processor."""


def virtual_machine(host: Host) -> str:
    """The maker of the virtual machine that this is; ``""`` on real hardware."""
    texts = (host.read(f"{DMI}/{name}") for name in DMI_FILES)
    told = " ".join(text.strip() for text in texts if isinstance(text, str)).lower()
    maker = next((maker for words, maker in MAKERS if re.search(rf"\b{words}\b", told)), "")
    if maker or not _has_hypervisor(host):
        return maker
    if is_wsl(host):
        return "Hyper-V"
    # Its machines without a hypervisor have the same name in their tables.
    return "Amazon EC2" if AMAZON in told else "unknown maker"


def is_wsl(host: Host) -> bool:
    """True for the Windows Subsystem for Linux."""
    kernel = host.read(KERNEL)
    release = kernel.lower() if isinstance(kernel, str) else ""
    return "microsoft" in release or "wsl" in release or host.exists("/dev/dxg")


def _has_hypervisor(host: Host) -> bool:
    head = host.head(CPUINFO, FIRST_PROCESSOR)
    lines = head.splitlines() if isinstance(head, bytes) else []
    flags = next((line for line in lines if line.startswith(b"flags")), b"")
    return b"hypervisor" in flags.split()
