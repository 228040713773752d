"""Refuses transactions that are not what was asked for, and explains those that cannot be."""

from __future__ import annotations

from wizard.knowledge.releases import Release
from wizard.plan.amd_packages import DISTRIBUTION, DRIVERS
from wizard.plan.choice import Choice
from wizard.preflight.refusal import Refusal, Refused
from wizard.preflight.simulation import Coming, Transaction
from wizard.preflight.unmet import Missing, Unmet


def refuse_surprises(found: Transaction, choice: Choice) -> None:
    """Raise Refused for what this program never does, or was not asked to do."""
    if found.unread:
        raise Refused(_unread(found.unread[0]))
    modules = [one.name for one in found.coming if one.name in DRIVERS]
    if modules:
        raise Refused(_module(modules[0]))
    if found.leaving:
        raise Refused(_removes([name for name, _ in found.leaving]))
    if changed := [one for one in found.coming if one.old]:
        raise Refused(_exchanges(changed, choice))


def _unread(line: str) -> Refusal:
    return Refusal(
        f"apt says what it would do in a form that is not known: {line}",
        "What is not understood cannot be reviewed. Nothing was changed.",
        "Please report this line; the footprint venv needs no system packages.",
    )


def _module(name: str) -> Refusal:
    return Refusal(
        f"The transaction contains {name}, which builds a kernel module.",
        "Old ones do not build on newer kernels and block apt from then on. Nothing was changed.",
        "The driver of the kernel itself is enough. Take the smallest set; if that asks for it, "
        f"`apt-cache policy {name}` tells which source has it: switch that off.",
    )


def _removes(names: list[str]) -> Refusal:
    return Refusal(
        f"apt would remove {', '.join(names[:8])} to make room.",
        "They are not ROCm of AMD's, and nobody asked for that. Nothing was changed.",
        "Remove them yourself if you do not need them, or take the smallest set.",
    )


def _exchanges(changed: list[Coming], choice: Choice) -> Refusal:
    told = ", ".join(f"{one.name} {one.old} by {one.version}" for one in changed[:5])
    ours = any("radeon" in one.origin for one in changed)
    scopes = ",".join((*choice.system_removal, DISTRIBUTION))
    remedy = (
        f"Let the distribution's ROCm be removed first: --system-removal {scopes}."
        if ours
        else "Bring the system up to date first: sudo apt-get update, sudo apt-get upgrade."
    )
    return Refusal(
        f"apt would exchange packages that are there: {told}.",
        "Only packages that are not there yet are installed. Nothing was changed.",
        remedy,
    )


def not_installable(entry: Release, missing: tuple[Unmet, ...]) -> Refusal:
    """Why a set cannot be installed, from the dependencies that nothing meets."""
    nowhere = dict.fromkeys(
        " or ".join(each.name for each in one.missing)
        for one in missing
        if all(each.nowhere for each in one.missing)
    )
    if nowhere:
        return Refusal(
            f"This set of ROCm {entry.version} asks for packages that this system does not have: "
            f"{', '.join(nowhere)}.",
            "It was made for another release of the system. apt calls that held broken packages; "
            "nothing is held, and nothing was changed.",
            "Take the smallest set or another release. If the lists are old, `sudo apt-get update` "
            "first.",
        )
    told = "; ".join(f"{one.package} needs {_words(one.missing[0])}" for one in missing[:3])
    return Refusal(
        f"This set of ROCm {entry.version} cannot be installed beside what is there: {told}.",
        "apt calls that held broken packages; nothing is held, and nothing was changed.",
        "Let what is in the way be removed first (--system-removal), or take the smallest set.",
    )


def _words(missing: Missing) -> str:
    relation = f" ({missing.relation})" if missing.relation else ""
    return f"{missing.name}{relation}, but {missing.why}"
