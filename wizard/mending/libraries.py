"""Steps that clear the executable-stack flag of a torch's libraries; the old ones stay beside."""

from __future__ import annotations

from itertools import count

from wizard.diagnose.finding import About
from wizard.host.host import Host
from wizard.machine.contents import read_live_contents
from wizard.machine.facts import Unknown
from wizard.mending.settings import Mending
from wizard.plan.impossible import PlanImpossible
from wizard.plan.library_steps import ExchangeLibrary

BACK = "move the old library back"


def stack_cleared(host: Host, about: About) -> Mending:
    """Copies without the flag in the place of libraries that ask for an executable stack."""
    steps = []
    for name in about.executable_stack:
        path = f"{_site(host, about.environment)}/torch/lib/{name}"
        size = host.size(path)
        if not isinstance(size, Unknown):
            why = (
                "glibc 2.41 and later refuse to load libraries that ask for an executable stack. "
                "This one does not need it."
            )
            steps.append(ExchangeLibrary(why, path, _kept(host, path), size, BACK))
    if not steps:
        names = ", ".join(about.executable_stack)
        raise PlanImpossible(
            f"{about.environment} no longer contains any of these libraries: "
            f"{names}. Nothing was changed."
        )
    return Mending(tuple(steps))


def _site(host: Host, folder: str) -> str:
    """The site folder of an environment; that of the user's own packages is one itself."""
    there = read_live_contents(host, folder)
    return there.site if there else folder


def _kept(host: Host, path: str) -> str:
    """A free name beside it; an earlier plan that stands may have taken the first."""
    first = f"{path}.rdna1-setup-kept"
    names = (first if number == 1 else f"{first}-{number}" for number in count(1))
    return next(name for name in names if not host.exists(name))
