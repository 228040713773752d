"""Checks of the card and its driver, the right to use it, the package system, and room on disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from wizard.advice.card import chosen_card, missing_right, with_card
from wizard.advice.leftovers import short_path
from wizard.apt.packages import Package
from wizard.apt.sources import AptSource
from wizard.core.amounts import size_text
from wizard.core.fact import Unknown
from wizard.diagnose.finding import HANG, About, Confidence, Evidence, Finding, Status
from wizard.diagnose.outcomes import fine, found, not_tested, warned
from wizard.knowledge.stacks import load_catalogue
from wizard.machine.facts import Gpu, Machine
from wizard.machine.gpus import ATOMICS_UNNEEDED
from wizard.plan.amd_packages import is_broken, release_of

HAND_IN = (
    "Start the container with --device=/dev/kfd --device=/dev/dri on a host that has these devices."
)
NOT_HANDED_IN = "This container ({0}) was started without the GPU's device /dev/kfd"
BESIDE = {
    "vfio-bound": "{0} is reserved for a virtual machine (vfio-pci)",
    "kfd-missing": "amdgpu does not drive {0}",
    "pcie-atomics": "The slot of {0} does not support PCIe atomics",
    "mec-firmware-old": "The compute firmware of {0} is too old for its slot",
}
"""How the causes are told of a further card."""
UNNEEDED = "The slot does not support PCIe atomics, but the card's firmware works without them"
AGAIN = "You are already in the group. Log out completely and log in again."


def windows_below(machine: Machine) -> Iterator[Finding]:
    """Below Windows there is no driver to look for."""
    if machine.surroundings.wsl:
        yield found("wsl-unsupported", (Evidence("this is the WSL kernel", "/proc/version"),))


def driver(machine: Machine) -> Iterator[Finding]:
    """What drives the card, and whether it made the device for compute work."""
    card = chosen_card(machine)
    if card is None:
        return
    if (undriven := _undriven(machine, card)) is not None:
        if undriven.counts and undriven.cause == "kfd-missing":
            yield from _module_refused(machine)
        yield undriven
    elif not machine.access.kfd.present:
        inside = machine.surroundings.container
        seen = f"/dev/kfd does not exist{f' (inside {inside})' if inside else ''}"
        # A container has no driver of its own that could be at fault.
        fix, title = ((HAND_IN,), NOT_HANDED_IN.format(inside)) if inside else ((), "")
        yield found("kfd-missing", (Evidence(seen, "/dev"),), fix=fix, title=title)
    else:
        where = f"/sys/bus/pci/devices/{card.pci_address}"
        yield fine("kfd-missing", f"amdgpu drives {card.name}", Evidence("driver: amdgpu", where))


def _undriven(machine: Machine, card: Gpu) -> Finding | None:
    """What is known of a card that amdgpu does not drive; None for one that it drives."""
    if isinstance(card.driver, Unknown):
        return not_tested("kfd-missing", "The card's driver is unknown", card.driver.because)
    if card.driver == "amdgpu":
        return None
    return found("vfio-bound" if card.reserved else "kfd-missing", _held(card, machine))


def _held(card: Gpu, machine: Machine) -> Iterator[Evidence]:
    """What holds a card that amdgpu does not drive, and the files that give it to vfio-pci."""
    held = f"uses the driver {card.driver}" if card.driver else "has no driver"
    yield Evidence(f"{card.name} {held}", f"/sys/bus/pci/devices/{card.pci_address}")
    if card.reserved:
        named = (file for file in machine.system_files if "vfio" in file.detail)
        yield from (Evidence(file.detail, file.path) for file in named)


def _module_refused(machine: Machine) -> Iterator[Finding]:
    if machine.surroundings.secure_boot is True and machine.driver.dkms:
        built = ", ".join(machine.driver.dkms)
        evidence = Evidence(f"Secure Boot is on, and DKMS built amdgpu {built}", "/var/lib/dkms")
        yield found("secure-boot-key-rejected", (evidence,), Confidence.LIKELY)


def slot(machine: Machine) -> Iterator[Finding]:
    """PCIe atomics, and the firmware that can do without them."""
    card = chosen_card(machine)
    if card is None or not card.rdna1:
        return
    if card.atomics is True:
        yield fine("pcie-atomics", "The slot supports PCIe atomics")
    elif isinstance(card.atomics, Unknown) and card.kfd_node is None:
        yield not_tested("pcie-atomics", "PCIe atomics were not tested", card.atomics.because)
    elif card.kfd_node is None:
        yield _left_out(card)
    elif card.atomics is False:
        yield fine("pcie-atomics", UNNEEDED)
    else:
        yield fine("pcie-atomics", f"The kernel's compute driver supports {card.name}")


def _left_out(card: Gpu) -> Finding:
    evidence = Evidence("the path to the processor does not support atomics", card.pci_address)
    firmware = card.mec_firmware
    if isinstance(firmware, Unknown):
        return found("pcie-atomics", (evidence,), Confidence.LIKELY)
    if firmware < ATOMICS_UNNEEDED:
        old = f"compute firmware (MEC) {firmware}; it needs {ATOMICS_UNNEEDED}"
        return found("mec-firmware-old", (evidence, Evidence(old, card.pci_address)))
    return warned("pcie-atomics", (evidence,), Confidence.POSSIBLE)


def other_cards(machine: Machine) -> Iterator[Finding]:
    """What keeps further RDNA1 cards from computing, beside the one that all else is about."""
    first = chosen_card(machine)
    for card in machine.gpus:
        if card.rdna1 and card is not first:
            yield from _beside(machine, card)


def _beside(machine: Machine, card: Gpu) -> Iterator[Finding]:
    alike = [gpu for gpu in machine.gpus if gpu.name == card.name]
    name = f"{card.name} ({card.pci_address})" if len(alike) > 1 else card.name
    about = About(other_card=card.pci_address)
    wrong = _undriven(machine, card)
    if wrong is None and card.atomics is False and card.kfd_node is None:
        wrong = _left_out(card)
    if wrong is not None and wrong.counts:
        title = BESIDE[wrong.cause].format(name)
        yield replace(wrong, status=Status.WARNING, title=title, about=about)
    elif wrong is not None:
        yield replace(wrong, title=f"The driver of {name} is unknown")
    elif missing_right(machine) is None:  # else it is told of both devices at once
        missing = missing_right(with_card(machine, card.pci_address))
        if missing is not None:
            needs, _, fix = missing.text.partition(": ")
            about = replace(about, groups=missing.groups)
            evidence = (Evidence(f"{needs} is missing", "/dev"),)
            title = f"This process may not open {name}"
            yield warned("kfd-permission", evidence, title=title, fix=(fix,), about=about)


def permission(machine: Machine) -> Iterator[Finding]:
    """Whether this process may open the devices, and what gives the right."""
    if chosen_card(machine) is None or not machine.access.kfd.present:
        return
    missing = missing_right(machine)
    if missing is None:
        yield fine("kfd-permission", "This process may open /dev/kfd and the card's render node")
        return
    groups = machine.access.groups_in_force
    told = "not known" if isinstance(groups, Unknown) else ", ".join(groups)
    evidence = (
        Evidence(f"{missing.text.partition(':')[0]} is missing", "/dev"),
        Evidence(f"active groups: {told}", "/proc/self/status"),
    )
    if not missing.needs_root:
        joined = Evidence("you have joined it, which takes effect at your next login", "/etc/group")
        yield found("kfd-permission", (*evidence, joined), fix=(AGAIN,))
        return
    # Inside a container the host's groups count, and those are given when it is started.
    groups = () if machine.surroundings.container else missing.groups
    fix = missing.text.partition(": ")[2]
    about = About(groups=groups) if groups else None
    yield found("kfd-permission", evidence, fix=(fix,), about=about)


def other_gpus(machine: Machine) -> Iterator[Finding]:
    """A processor's own GPU that ROCm counts as well."""
    inside = processor_gpus(machine)
    names = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
    if not inside or any(setting.name in names for setting in machine.settings):
        return
    evidence = (Evidence(f"{gpu.name} is also a ROCm device", gpu.pci_address) for gpu in inside)
    yield warned("igpu-selected", evidence, Confidence.POSSIBLE)


def processor_gpus(machine: Machine) -> list[Gpu]:
    """The processor's own GPUs that ROCm counts beside an RDNA1 card; none without that."""
    card = chosen_card(machine)
    inside = [g for g in machine.gpus if g.integrated and g.kfd_node is not None]
    return inside if card is not None and card.rdna1 and card not in inside else []


def stuck_work(machine: Machine) -> Iterator[Finding]:
    """Processes that compute on the GPU and that no signal ends."""
    if isinstance(machine.processes, Unknown):
        title = "The programs that use the GPU are unknown"
        yield not_tested(HANG, title, machine.processes.because)
        return
    stuck = [p for p in machine.processes if p.state == "D" and (p.compute or p.devices)]
    if stuck:
        how = "is stuck in the kernel (state D)"
        evidence = (Evidence(f"{p.name} {how}", f"/proc/{p.pid}") for p in stuck)
        yield found(HANG, evidence, Confidence.LIKELY)
    else:
        yield fine(HANG, "No program that uses the GPU is stuck")


LITTLE = 10**9
"""Less room than this ends most installations half-way."""
ROCM_DIRECTORY = re.compile(r"/rocm/apt/(\d+\.\d+(?:\.\d+)?)")
GONE = "Remove such packages: rdna1-setup clean-up. Restore them: rdna1-setup rollback."
NO_PIN = "AMD's apt source has no pin, so apt may prefer the distribution's packages"
NO_PIN_MEANS = (
    "Nothing is wrong yet: no ROCm package from the distribution is installed. Without a pin, apt "
    "may install one instead of AMD's, and AMD's packages need exact versions of one another."
)


def work(machine: Machine) -> Iterator[Finding]:
    """Locks, interrupted runs and packages that are not fully installed."""
    state = machine.package_work
    if isinstance(state.lock_holder, Unknown):
        yield not_tested("dpkg-lock", "Package locks were not tested", state.lock_holder.because)
    elif state.lock_holder:
        evidence = Evidence(f"locked by {state.lock_holder}", "/var/lib/dpkg/lock-frontend")
        yield warned("dpkg-lock", (evidence,))
    busy = bool(state.lock_holder)  # then unfinished packages may be just under way
    unfinished = () if isinstance(state.unfinished, Unknown) else state.unfinished
    broken = [name for name in unfinished if name.startswith("amdgpu-dkms")]
    if broken and busy:
        yield warned("dkms-build-failed", map(_status, broken), Confidence.POSSIBLE)
    elif broken:
        yield found("dkms-build-failed", map(_status, broken), Confidence.LIKELY)
    if busy:
        return
    if state.interrupted:
        evidence = Evidence("dpkg left a journal", "/var/lib/dpkg/updates")
        yield found("dpkg-interrupted", (evidence,), about=About(packages=tuple(unfinished)))
    elif others := [name for name in unfinished if name not in broken]:
        about = About(packages=tuple(others))
        yield warned("dpkg-interrupted", map(_status, others), Confidence.LIKELY, about=about)
    elif not unfinished and not isinstance(state.unfinished, Unknown):
        yield fine("dpkg-interrupted", "Every package is fully installed")


def shadowing(machine: Machine) -> Iterator[Finding]:
    """AMD's source without a pin, and packages of the distribution where AMD's are wanted."""
    sources = [source for source in machine.apt_sources if source.amd and source.enabled]
    rocm = [source for source in sources if any(ROCM_DIRECTORY.search(u) for u in source.uris)]
    if not rocm or isinstance(machine.rocm_packages, Unknown):
        return
    if any(f.kind == "pin" and "radeon" in f.detail for f in machine.system_files):
        yield fine("apt-distro-shadows-amd", "A pin puts AMD's packages first")
        return
    theirs = [one for one in machine.rocm_packages if one.origin == "distribution"]
    evidence = (*(_shown(source, machine) for source in rocm), *map(_package, theirs[:4]))
    about = About(packages=tuple(one.name for one in theirs))
    sure = Confidence.LIKELY if theirs else Confidence.POSSIBLE
    shadowed = warned("apt-distro-shadows-amd", evidence, sure, about=about)
    yield shadowed if theirs else replace(shadowed, title=NO_PIN, meaning=NO_PIN_MEANS)


def sources(machine: Machine) -> Iterator[Finding]:
    """Sources of AMD's that name a suite which is not in that directory."""
    known = {release.directory: release for release in load_catalogue().releases.values()}
    for source in machine.apt_sources:
        named = next((f[1] for u in source.uris if (f := ROCM_DIRECTORY.search(u))), "")
        release = known.get(named)
        if not source.enabled or release is None:
            continue
        if set(source.suites) - {*release.suites} or (
            release.contested and source.suites[:1] != release.suites[:1]
        ):
            yield warned("repo-not-found", (_shown(source, machine),), Confidence.POSSIBLE)


def releases(machine: Machine) -> Iterator[Finding]:
    """System packages of several releases, or whose files somebody deleted."""
    if isinstance(machine.rocm_packages, Unknown):
        return
    gone = [one for one in machine.rocm_packages if one.missing]
    if gone:
        evidence = (_status(f"{_text(one)}: its folder is gone") for one in gone[:4])
        yield warned("missing-hip-library", evidence, Confidence.LIKELY, fix=(GONE,))
    of = {release_of(one): one for one in machine.rocm_packages if one.origin == "amd"}
    of.pop("", None)
    theirs = [one for one in machine.rocm_packages if one.origin == "distribution"]
    mixed = [*of.values(), *theirs[:2]] if len(of) > 1 or (of and theirs) else []
    if mixed:
        yield warned("mixed-rocm-libraries", map(_package, mixed), Confidence.POSSIBLE)


def room(machine: Machine) -> Iterator[Finding]:
    """Folders that matter on file systems that are nearly full."""
    full = [disk for disk in machine.disks if disk.free_bytes < LITTLE]
    if not machine.disks:
        yield not_tested("disk-full", "Free space is not known", "no disk was listed")
    elif full:
        evidence = (
            Evidence(f"{short_path(d.path, machine)}: {size_text(d.free_bytes)} free", d.filesystem)
            for d in full
        )
        empty = any(disk.free_bytes < LITTLE // 10 for disk in full)
        status = Status.FAULT if empty else Status.WARNING
        yield found("disk-full", evidence, Confidence.LIKELY, status=status)
    else:
        yield fine("disk-full", "There is enough free space")


def _shown(source: AptSource, machine: Machine) -> Evidence:
    line = " ".join((*source.uris[:1], *source.suites))
    return Evidence(line, f"{short_path(source.file, machine)}:{source.line}")


def _package(package: Package) -> Evidence:
    return _status(f"{_text(package)} ({package.origin})")


def _status(text: str) -> Evidence:
    return Evidence(text, "/var/lib/dpkg/status")


def _text(package: Package) -> str:
    broken = f" ({package.state})" if is_broken(package) else ""
    return f"{package.name} {package.version}{broken}"
