"""Finds out, as the ordinary user, exactly what installing a system release would do here."""

from __future__ import annotations

from dataclasses import replace

from wizard.apt.errors import explained
from wizard.apt.indexes import PackageRecord, package_records
from wizard.apt.packages import Versions
from wizard.apt.repository import fetch_key, find_suite
from wizard.knowledge.releases import Release, load_catalogue, repository_at
from wizard.machine.facts import Machine
from wizard.plan.choice import Choice
from wizard.plan.prepared import Offer, Prepared
from wizard.plan.root_steps import UNSETTLED
from wizard.plan.system import asked_for, release_named, suites_to_ask, system_part
from wizard.preflight.apt_view import AptView, make_view
from wizard.preflight.asking import Asking
from wizard.preflight.reading import files_now
from wizard.preflight.repair import SUFFIX
from wizard.preflight.resolving import SIMULATION_S, repair_notes, resolved
from wizard.preflight.simulation import Transaction
from wizard.preflight.surprises import refuse_surprises
from wizard.preflight.way_back import no_way_back, sources_of

UPDATE_S = 600.0


async def prepare(machine: Machine, choice: Choice, release: str, asking: Asking) -> Prepared:
    """What a plan needs to be settled; raises Trouble, or PlanImpossible for what cannot be."""
    catalogue = load_catalogue()
    entry = release_named(catalogue, release)
    repository = repository_at(catalogue, choice.rocm_repo, choice.rocm_key_fingerprint)
    files = files_now(asking.host, machine)
    for_good = await _for_good(machine, choice, release, Prepared(files), asking)
    suites = suites_to_ask(catalogue, entry, machine.system.glibc)
    offer = Offer(
        release=release,
        suite=await find_suite(asking.web, repository, entry, suites),
        key=await fetch_key(asking.web, repository, asking.now),
        install=(),
        debs=(),
        brings=(),
        download_bytes=0,
        installed_bytes=0,
    )
    view = await _view(machine, choice, release, Prepared(files, offer), asking)
    offer = await _complete(machine, choice, entry, offer, view, asking)
    return Prepared(files, offer, for_good)


async def _for_good(
    machine: Machine, choice: Choice, release: str, draft: Prepared, asking: Asking
) -> Versions:
    """Packages that go and could not come back; raises Trouble unless the user has chosen that."""
    sources = await sources_of(system_part(machine, choice, release, draft).steps, asking)
    if sources.lost and not choice.without_rollback:
        raise no_way_back(sources)
    return sources.lost


async def _view(
    machine: Machine, choice: Choice, release: str, draft: Prepared, asking: Asking
) -> AptView:
    """apt after everything but the installation itself."""
    steps = system_part(machine, choice, release, draft).steps
    view = make_view(asking.folder, steps, asking.root)
    answer = await asking.programs.ask(view.update(), UPDATE_S)
    if answer.code != 0:
        raise explained(answer)
    return view


async def _complete(
    machine: Machine, choice: Choice, entry: Release, offer: Offer, view: AptView, asking: Asking
) -> Offer:
    names, twins = asked_for(machine, choice, entry)
    wanted = tuple((name, UNSETTLED) for name in names)
    debs, found = await resolved(machine, entry, wanted, view, asking)
    refuse_surprises(found, choice)
    versions = dict(found.brings)
    sizes = await _sizes(found, view, asking)
    own = {deb.name for deb in debs}
    return replace(
        offer,
        install=tuple((n, versions[n]) for n in names if n in versions and n not in own),
        debs=debs,
        brings=found.brings,
        download_bytes=sum(one.download_bytes for one in sizes if one.name not in own),
        installed_bytes=sum(one.installed_bytes for one in sizes),
        notes=(*twins, *repair_notes(entry, debs)),
    )


async def _sizes(found: Transaction, view: AptView, asking: Asking) -> tuple[PackageRecord, ...]:
    """The records of what comes; what was packed anew is as large as it was before."""
    wanted = {(name, version.removesuffix(SUFFIX)) for name, version in found.brings}
    if not wanted:
        return ()
    pairs = sorted(f"{name}={version}" for name, version in wanted)
    answer = await asking.programs.ask(("apt-cache", *view.options, "show", *pairs), SIMULATION_S)
    records = {(one.name, one.version): one for one in package_records(answer.text)}
    return tuple(one for pair, one in records.items() if pair in wanted)
