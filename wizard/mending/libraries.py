"""Steps that put the right libraries into a torch; what stood there stays beside them."""

from __future__ import annotations

import base64
from itertools import count

from wizard.diagnose.finding import About
from wizard.machine.contents import read_live_contents
from wizard.machine.facts import ChangedLibrary, Unknown
from wizard.machine.host import Host
from wizard.machine.wheel_files import recorded_hashes
from wizard.mending.settings import Mending
from wizard.plan.impossible import PlanImpossible
from wizard.plan.library_steps import ExchangeLibrary
from wizard.plan.steps import Step

BACK = "the old one is moved back to its place"


def stack_cleared(host: Host, about: About) -> Mending:
    """Copies without the flag in the place of libraries that ask for an executable stack."""
    steps = []
    for name in about.executable_stack:
        path = f"{_site(host, about.environment)}/torch/lib/{name}"
        size = host.size(path)
        if not isinstance(size, Unknown):
            why = (
                "glibc 2.41 and later refuse to load libraries that ask for an executable stack; "
                "this one does not need it."
            )
            steps.append(ExchangeLibrary(why, path, _kept(host, path), "", size, "", BACK))
    if not steps:
        names = ", ".join(about.executable_stack)
        raise PlanImpossible(f"{about.environment} holds none of {names} any more.")
    return Mending(tuple(steps))


def copies_restored(host: Host, about: About) -> Mending:
    """The wheel's own libraries in the place of exchanged ones; nothing unless all lie beside."""
    steps = tuple(step for one in about.changed for step in _restored(host, one))
    return Mending(steps) if len(steps) == len(about.changed) else Mending()


def _site(host: Host, folder: str) -> str:
    """The site folder of an environment; that of the user's own packages is one itself."""
    there = read_live_contents(host, folder)
    return there.site if there else folder


def _restored(host: Host, one: ChangedLibrary) -> tuple[Step, ...]:
    """Nothing where the copy beside it is not what the wheel brought."""
    site, name = one.path.rsplit("/torch/lib/", 1)
    sha256 = _recorded(host, site).get(name, "")
    if not one.saved or not sha256 or host.size(one.saved) != one.recorded_bytes:
        return ()
    why = (
        "The copy that somebody put aside has the size of the wheel's own; its SHA-256 is looked "
        "at before anything moves. What stands there instead is kept."
    )
    kept = _kept(host, one.path)
    return (ExchangeLibrary(why, one.path, kept, one.saved, one.bytes, sha256, BACK),)


def _recorded(host: Host, site: str) -> dict[str, str]:
    """SHA-256 in hexadecimal by name, from the list of torch's wheel."""
    names = host.names(site)
    infos = [
        name
        for name in (() if isinstance(names, Unknown) else names)
        if name.startswith("torch-") and name.endswith(".dist-info")
    ]
    record = host.read(f"{site}/{infos[0]}/RECORD") if len(infos) == 1 else ""
    pairs = recorded_hashes(record) if isinstance(record, str) else []
    return {name: base64.urlsafe_b64decode(f"{digest}=").hex() for name, digest in pairs}


def _kept(host: Host, path: str) -> str:
    """A free name beside it; an earlier plan that stands may have taken the first."""
    first = f"{path}.rdna1-setup-kept"
    names = (first if number == 1 else f"{first}-{number}" for number in count(1))
    return next(name for name in names if not host.exists(name))
