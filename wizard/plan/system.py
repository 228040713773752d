"""Root steps of the footprint ``venv+system``: what is in the way goes, one release comes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from wizard.apt.packages import LocalDeb, Versions
from wizard.apt.sources import KEYRING, PIN, PROFILE, SOURCE
from wizard.core.amounts import counted
from wizard.core.fact import Unknown
from wizard.knowledge.stacks import FULL, Catalogue, Release, load_catalogue, repository_at
from wizard.machine.facts import Machine
from wizard.operations.edit_lines import sha256
from wizard.operations.packages import UNRESOLVED, AptChange, AptUpdate, KeepDebs, MarkPackages
from wizard.operations.system_files import WriteSystemFile
from wizard.plan.amd_packages import DISTRIBUTION, going, require_apt
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.leftover_files import FilesNow, strangers
from wizard.plan.removal import held, removal_steps
from wizard.plan.steps import Step

NEWER = "2.35"
"""The C library of Ubuntu 22.04, from which on old releases lack what they ask for."""
PIN_TEXT = "Package: *\nPin: release o=repo.radeon.com\nPin-Priority: 600\n"
PIN_WHY = (
    "Without this file, apt prefers the distribution's packages over AMD's packages with the "
    "same names, now and in later upgrades."
)
ASKED_FIRST = (
    "Before you are asked to confirm, rdna1-setup looks up the exact packages, versions and sizes "
    "in the repository."
)
PROFILE_WARNING = (
    "After the next login, this file affects every program that any user runs, including programs "
    "that need other settings. The venv does not need this file."
)


@dataclass(frozen=True, slots=True)
class Offer:
    """What the archive has for this machine, asked of it by the user's own, harmless apt."""

    suite: str
    """One whose InRelease was there."""
    key: str
    """The key in letters, its fingerprint checked."""
    install: Versions = ()
    """What is asked for, with its exact versions."""
    debs: tuple[LocalDeb, ...] = ()
    """What no archive of this system has: built or fetched into a folder of the user's."""
    brings: Versions = ()
    """Everything that apt would install, ``debs`` among it."""
    download_bytes: int = 0
    installed_bytes: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is found out before a plan with root steps; without an offer it cannot be begun."""

    files: FilesNow = field(default_factory=FilesNow)
    offer: Offer | None = None
    for_good: Versions = ()
    """Packages that go without a package file of them, as the user has chosen."""


@dataclass(frozen=True, slots=True)
class SystemPart:
    """What a plan does to the system, beside its venv."""

    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    first: str = ""
    """What the user must do before."""
    download_bytes: int | None = 0
    installed_bytes: int | None = 0


def system_part(machine: Machine, choice: Choice, release: str, prepared: Prepared) -> SystemPart:
    """Removes what is in the way, installs one system ROCm release. Raises PlanImpossible."""
    require_apt(machine)
    catalogue = load_catalogue()
    entry = release_named(catalogue, release)
    gone = going(machine, choice.system_removal, kept_release=release)
    suites = suites_to_ask(catalogue, entry, machine.system.glibc)
    if not suites:
        raise PlanImpossible(
            f"ROCm {entry.version} needs a newer C library than this system's "
            f"{machine.system.glibc}. Use an older ROCm release, or use --footprint venv."
        )
    if prepared.offer is not None:
        offer, first = prepared.offer, ""
    else:
        names, twins = asked_for(machine, choice, entry)
        unknown = tuple((name, UNRESOLVED) for name in names)
        notes = (*twins, *_repair(machine, entry, choice), ASKED_FIRST)
        offer = Offer(suites[0], UNRESOLVED, unknown, brings=unknown, notes=notes)
        first = f" First, the repository is checked for these suites: {', '.join(suites)}."
    files = prepared.files
    source_why = f"This is the apt source of ROCm {entry.version}. {entry.caution}{first}"
    coming = tuple(_coming(choice, catalogue, entry, offer, source_why, files))
    removed, notes = removal_steps(machine, gone, files, prepared.for_good, coming)
    steps = (
        *removed,
        *_install(entry, choice, offer, resolved=prepared.offer is not None),
        *(_profile(entry, files) if choice.profile_file else ()),
    )
    return SystemPart(
        steps,
        (*notes, *strangers(machine, removed), *_made_for_ubuntu(machine, entry), *offer.notes),
        held(gone.packages),
        None if prepared.offer is None else offer.download_bytes,
        None if prepared.offer is None else offer.installed_bytes,
    )


def _made_for_ubuntu(machine: Machine, entry: Release) -> tuple[str, ...]:
    """That the packages were made for another system than this one."""
    name = machine.system.distribution
    if name not in load_catalogue().not_ubuntu:
        return ()
    system = machine.system.pretty_name
    here = f"this system is {system}" if isinstance(system, str) else f"this system is {name}"
    unlisted = (
        f", which is not on AMD's list of supported systems for ROCm {entry.version}"
        if name in entry.unlisted
        else ""
    )
    return (f"AMD made these ROCm packages for Ubuntu, but {here}{unlisted}.",)


def asked_for(
    machine: Machine, choice: Choice, entry: Release
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Packages to ask for, and why some of the set are not: the distribution's own stay."""
    names = entry.sets[choice.system_set]
    packages = machine.rocm_packages
    if isinstance(packages, Unknown) or DISTRIBUTION in choice.system_removal:
        return names, ()
    theirs = {one.name: one.version for one in packages if one.origin == "distribution"}
    notes = tuple(
        f"The distribution's {name} {theirs[name]} is kept. AMD's package does not replace it."
        for name in names
        if name in theirs
    )
    return tuple(name for name in names if name not in theirs), notes


def _repair(machine: Machine, entry: Release, choice: Choice) -> tuple[str, ...]:
    """What the release's full set lacks on newer systems, as far as that is known without apt."""
    repair = entry.repair
    if repair is None or choice.system_set != FULL or not _runs(NEWER, machine.system.glibc):
        return ()
    return (
        f"This system no longer has everything that the full set of ROCm {entry.version} packages "
        f"needs. An empty package, {repair.name}, replaces {', '.join(repair.stand_in)} and "
        f"{repair.contended}. Where {repair.contender} is installed, {repair.repack} is instead "
        f"repackaged without its dependency on {repair.contended}. Ubuntu's {repair.older_suite} "
        f"provides {' and '.join(repair.older)}. `plan --exact` shows which of these are needed.",
    )


def release_named(catalogue: Catalogue, release: str) -> Release:
    """The release of this version; raises PlanImpossible for one that is not in our data."""
    found = catalogue.releases.get(release)
    if found is None:
        known = ", ".join(catalogue.releases)
        raise PlanImpossible(
            f"There is no system ROCm release {release!r}. The available releases are: {known}."
        )
    return found


def suites_to_ask(catalogue: Catalogue, entry: Release, glibc: object) -> tuple[str, ...]:
    """Suites whose packages can run with this C library, in the order in which they are asked for.

    From 5.4 on there is one for each Ubuntu, and only the newest of those is right.
    """
    fitting = tuple(one for one in entry.suites if _runs(catalogue.glibc[one], glibc))
    return fitting if entry.contested else fitting[:1]


def _coming(
    choice: Choice,
    catalogue: Catalogue,
    entry: Release,
    offer: Offer,
    source_why: str,
    files: FilesNow,
) -> Iterator[Step]:
    """The source of the release, and all that it brings, fetched."""
    repository = repository_at(catalogue, choice.rocm_repo, choice.rocm_key_fingerprint)
    key_why = f"This key signs the packages. Its fingerprint is {repository.fingerprint}."
    yield from _write(KEYRING, offer.key, key_why, files)
    place = f"{repository.address}/{entry.directory}"
    line = f"deb [arch=amd64 signed-by={KEYRING}] {place} {offer.suite} main\n"
    yield from _write(SOURCE, line, source_why, files)
    yield from _write(PIN, PIN_TEXT, PIN_WHY, files)
    yield AptUpdate("apt reads only the package list of the new source.")
    own = {deb.name for deb in offer.debs}
    if pairs := tuple(pair for pair in offer.brings if pair[0] not in own):
        why = (
            "All packages are downloaded before any package on the system is changed, in case the "
            "network fails."
        )
        yield KeepDebs(why, pairs, coming=True)


def _install(entry: Release, choice: Choice, offer: Offer, *, resolved: bool) -> Iterator[Step]:
    if not offer.brings:
        return
    many = f" ({counted(len(offer.brings), 'package')})" if resolved else ""
    yield AptChange(
        f"This installs the {choice.system_set} set of ROCm {entry.version}{many}. PyTorch itself "
        "does not need it.",
        install=offer.install,
        debs=offer.debs,
        expect_install=offer.brings,
        download_bytes=offer.download_bytes,
        installed_bytes=offer.installed_bytes,
    )
    names = entry.sets[choice.system_set]
    if helping := tuple(deb.name for deb in offer.debs if deb.name not in names):
        why = (
            "These packages are needed only for ROCm. When ROCm is removed, apt may offer to "
            "remove them too."
        )
        yield MarkPackages(why, auto=helping)


def _profile(entry: Release, files: FilesNow) -> Iterator[Step]:
    place = f"/opt/rocm-{entry.version}"
    # No LD_LIBRARY_PATH: it would put these libraries before those that torch brings.
    text = (
        f"# ROCm {entry.version}, written by rdna1-setup; `rdna1-setup rollback` removes it\n"
        f"export ROCM_PATH={place}\n"
        f'export PATH="$PATH:{place}/bin"\n'
    )
    yield from _write(PROFILE, text, f"You asked for this file. {PROFILE_WARNING}", files)


def _write(path: str, content: str, reason: str, files: FilesNow) -> Iterator[Step]:
    """Nothing where the file holds that already."""
    now = files.texts.get(path)
    if now is None or now != content:
        before = None if now is None else sha256(now)
        yield WriteSystemFile(reason, path, content, before)


def _runs(needed: str, there: object) -> bool:
    """True unless the C library is known to be too old."""
    if not isinstance(there, str):
        return True
    return _numbers(there) >= _numbers(needed)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
