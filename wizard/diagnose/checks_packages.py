"""Checks of the package system, of what is installed from where, and of room."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from wizard.advice.leftovers import short_path
from wizard.apt.packages import Package
from wizard.apt.sources import AptSource
from wizard.core.sizes import size_text
from wizard.diagnose.finding import About, Confidence, Evidence, Finding, Status
from wizard.diagnose.outcomes import fine, found, not_tested, warned
from wizard.machine.facts import Machine, Unknown
from wizard.plan.amd_packages import is_broken, release_of

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
    from wizard.knowledge.releases import load_catalogue

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
