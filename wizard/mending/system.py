"""Steps that mend the system: groups, a missing pin, packages in the way, an interrupted dpkg."""

from __future__ import annotations

from wizard.apt.indexes import amd_versions
from wizard.apt.packages import Package
from wizard.apt.sources import PIN
from wizard.core.amounts import counted
from wizard.host.host import Host
from wizard.machine.facts import Machine, Unknown
from wizard.mending.settings import Mending
from wizard.operations.edit_lines import sha256
from wizard.operations.packages import AptChange, FinishInterrupted, KeepDebs
from wizard.operations.system_files import WriteSystemFile
from wizard.plan.group_steps import GROUPS, join_groups
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Step
from wizard.plan.system import PIN_TEXT
from wizard.plan.system_family import require_apt

CUT = ("half-installed", "must be reinstalled")
"""States that dpkg cannot finish: what it unpacks is not there any more."""


def groups_joined(machine: Machine, groups: tuple[str, ...]) -> Mending:
    """The user joins the groups of the devices."""
    if others := [name for name in groups if name not in GROUPS]:
        raise PlanImpossible(
            f"The device belongs to the {others[0]} group, and this program does not add you to "
            "that group. A udev rule from the distribution is missing. Restart the machine, or "
            "reinstall the udev package."
        )
    note = "Afterward, log out completely and log in again. The change takes effect only then."
    return Mending((join_groups(machine, groups),), (note,))


def finished(machine: Machine) -> Mending:
    """dpkg finishes what was cut off; that cannot be taken back."""
    require_apt(machine)
    unfinished = machine.package_work.unfinished
    named = () if isinstance(unfinished, Unknown) else unfinished
    if cut := [one for one in named if any(word in one for word in CUT)]:
        names = " ".join(one.split(" ")[0] for one in cut)
        raise PlanImpossible(
            f"dpkg cannot finish {', '.join(cut)}: it was interrupted while unpacking. Run `sudo "
            f"apt-get install --reinstall {names}`. If no archive has the package, run `sudo dpkg "
            f"--remove --force-remove-reinstreq {names}`."
        )
    told = f": {', '.join(named)}" if named else ""
    step = FinishInterrupted(
        f"apt refuses to work until dpkg has finished its interrupted work{told}.",
    )
    note = (
        "This cannot be undone, because it runs the packages' own scripts. Only packages that are "
        "already unpacked are installed."
    )
    return Mending((step,), (note,))


def pinned(host: Host, machine: Machine, names: tuple[str, ...]) -> Mending:
    """A pin for AMD's packages; the distribution's of the same names go, each kept as a file."""
    require_apt(machine)
    now = host.read(PIN)
    before = sha256(now) if isinstance(now, str) else None
    why = (
        "Without this file, apt prefers the distribution's packages over AMD's packages with the "
        "same names, now and in later upgrades."
    )
    pin = WriteSystemFile(why, PIN, PIN_TEXT, before)
    going = _shadowing(host, machine, names)
    if not going:
        return Mending((pin,), _staying(names, going))
    return Mending((*_removed(going), pin), (*_staying(names, going), _THEN))


_THEN = (
    "This plan does not install AMD's packages. Afterward, install the packages you wanted, for "
    "example with rdna1-setup apply --footprint venv+system. PyTorch's wheels include everything "
    "they need."
)


def _shadowing(host: Host, machine: Machine, names: tuple[str, ...]) -> tuple[Package, ...]:
    """Packages of the distribution of which AMD's lists have one of the same name."""
    amds = {name for name, _ in amd_versions(host)[0]}
    packages = machine.rocm_packages
    known = () if isinstance(packages, Unknown) else packages
    theirs = (one for one in known if one.origin == "distribution" and one.name in names)
    return tuple(one for one in theirs if one.name in amds)


def _staying(names: tuple[str, ...], going: tuple[Package, ...]) -> tuple[str, ...]:
    left = [name for name in names if name not in {one.name for one in going}]
    if not left:
        return ()
    return (
        "These distribution packages are kept, because AMD has no packages with the same names: "
        f"{', '.join(left)}.",
    )


def _removed(going: tuple[Package, ...]) -> tuple[Step, ...]:
    names = tuple(one.name for one in going)
    return (
        KeepDebs(
            "With these files, each package can be restored, even without a network connection.",
            tuple((one.name, one.version) for one in going),
        ),
        AptChange(
            f"This removes {counted(len(names), 'package')} that came from the distribution and "
            "should be replaced by AMD's packages with the same "
            "names. The step stops if apt would remove "
            "anything else.",
            remove=names,
            purge=True,
            expect_remove=names,
        ),
    )
