"""Refuses transactions that are not what was asked for, and explains those that cannot be."""

from __future__ import annotations

from wizard.apt.dependencies import Missing, Unmet
from wizard.core.trouble import Trouble
from wizard.knowledge.releases import Release
from wizard.plan.amd_packages import DISTRIBUTION, DRIVERS
from wizard.plan.choice import Choice
from wizard.preflight.simulation import Coming, Transaction


def refuse_surprises(found: Transaction, choice: Choice) -> None:
    """Raise Trouble for what this program never does, or was not asked to do."""
    if found.unread:
        raise _unread(found.unread[0])
    modules = [one.name for one in found.coming if one.name in DRIVERS]
    if modules:
        raise _module(modules[0])
    if found.leaving:
        raise _removes([name for name, _ in found.leaving])
    if changed := [one for one in found.coming if one.old]:
        raise _exchanges(changed, choice)


def _unread(line: str) -> Trouble:
    return Trouble(
        f"apt printed a line that this program does not know: {line}",
        "This program cannot tell what apt would do. Nothing was changed.",
        "Please report the line that apt printed. In the meantime, you can use --footprint venv, "
        "which needs no system packages.",
    )


def _module(name: str) -> Trouble:
    return Trouble(
        f"apt would install {name}, which builds a kernel module.",
        "Old modules fail to build on newer kernels, and a failed build blocks apt. Nothing was "
        "changed.",
        "The kernel's own driver is enough. Use the smallest set (--system-set smallest). If "
        "that set also needs the package, "
        f"`apt-cache policy {name}` shows which source provides it. Disable that source.",
    )


def _removes(names: list[str]) -> Trouble:
    return Trouble(
        f"To install these packages, apt would remove others: {', '.join(names[:8])}.",
        "Those packages are not part of AMD's ROCm, and you did not ask to remove them. Nothing "
        "was changed.",
        "Remove those packages yourself if you do not need them, or use the smallest set "
        "(--system-set smallest).",
    )


def _exchanges(changed: list[Coming], choice: Choice) -> Trouble:
    told = ", ".join(f"{one.name} {one.old} with {one.version}" for one in changed[:5])
    ours = any("radeon" in one.origin for one in changed)
    scopes = ",".join((*choice.system_removal, DISTRIBUTION))
    remedy = (
        f"First remove the distribution's ROCm with --system-removal {scopes}."
        if ours
        else "Update the system first: run `sudo apt-get update`, then `sudo apt-get upgrade`."
    )
    return Trouble(
        f"apt would replace installed packages: {told}.",
        "This program only installs packages that are not installed yet. Nothing was changed.",
        remedy,
    )


def not_installable(entry: Release, missing: tuple[Unmet, ...]) -> Trouble:
    """Why a set cannot be installed, from the dependencies that nothing meets."""
    nowhere = dict.fromkeys(
        " or ".join(each.name for each in one.missing)
        for one in missing
        if all(each.nowhere for each in one.missing)
    )
    if nowhere:
        return Trouble(
            f"This set of ROCm {entry.version} packages needs other packages that this system "
            f"does not have: {', '.join(nowhere)}.",
            "This set of packages was made for another release of the operating system. apt calls "
            "that 'held broken packages', but no package is held. Nothing was changed.",
            "Use the smallest set (--system-set smallest) or another release. If apt's package "
            "lists are old, run `sudo apt-get "
            "update` first.",
        )
    told = "; ".join(f"{one.package} needs {_words(one.missing[0])}" for one in missing[:3])
    return Trouble(
        f"This set of ROCm {entry.version} packages conflicts with packages already installed: "
        f"{told}.",
        "apt calls that 'held broken packages', but no package is held. Nothing was changed.",
        "Remove the conflicting packages first (--system-removal), or use the smallest set "
        "(--system-set smallest).",
    )


def _words(missing: Missing) -> str:
    relation = f" ({missing.relation})" if missing.relation else ""
    return f"{missing.name}{relation}, but {missing.why}"
