"""The plan that clears away what other scripts left: settings, orphans, broken packages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.advice.leftovers import short_path
from wizard.apt.packages import Package, Versions
from wizard.core.journal import Kind
from wizard.host.host import Host
from wizard.machine.facts import Machine, RocmTree
from wizard.operations.edit_lines import TakeLinesOut, sha256, without_lines
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.amd_packages import AMD, DRIVERS, Going, going, is_broken, release_of, uses_apt
from wizard.plan.impossible import NothingToDo
from wizard.plan.leftover_files import FilesNow, Leftover, files_now, files_with_settings
from wizard.plan.removal import held, make_removal, removal_steps, system_plan
from wizard.plan.shell_lines import Findings, rocm_lines
from wizard.plan.steps import Plan, Step

PROFILES = "/etc/profile.d/"
OWN_NAME = re.compile(r"(?:^|[-_.])(?:rocm|rdna1|miopen)", re.IGNORECASE)
"""What scripts call a file that is theirs alone."""
UNEDITED = ("fish_variables",)
"""fish writes it anew whenever it likes."""


def make_clean_up(machine: Machine, files: FilesNow, for_good: Versions = ()) -> Plan:
    """Clears away what other scripts left; raises NothingToDo where they left nothing.

    Of packages that go ``for_good`` no file is kept: the user has chosen that.
    """
    own = tuple(_own_files(machine, files))
    profiles = [
        _profile(path, files.texts.get(path))
        for path in files_with_settings(machine)
        if path.startswith(PROFILES)
    ]
    packages, notes, first = _packages(machine, files, for_good)
    trees = _orphans(machine, packages)
    steps = (*own, *packages, *(each for each in profiles if not isinstance(each, str)), *trees)
    told = (*notes, *(each for each in profiles if isinstance(each, str)), *_told(machine, files))
    if not steps:
        raise NothingToDo(
            " ".join((("There is nothing to clean up: other scripts left nothing behind."), *told))
        )
    return system_plan(Kind.CLEAN_UP, steps, told, first)


def make_clearing(
    kind: Kind, scopes: tuple[str, ...], machine: Machine, host: Host, for_good: Versions = ()
) -> Plan:
    """Removes ROCm of these scopes, or clears away leftovers. Raises PlanImpossible."""
    files = files_now(host, machine)
    if kind is Kind.CLEAN_UP:
        return make_clean_up(machine, files, for_good)
    return make_removal(machine, scopes, files, for_good)


def _own_files(machine: Machine, files: FilesNow) -> Iterator[Step]:
    home = f"{machine.access.home.rstrip('/')}/"
    for path in files_with_settings(machine):
        text = files.texts.get(path, "")
        found = rocm_lines(path, text)
        if path.startswith(home) and found.out and not path.endswith(UNEDITED):
            yield TakeLinesOut(
                f"These settings for ROCm affect every program: {_names(found)}.",
                path,
                found.out,
                sha256(text),
                sha256(without_lines(text, found.out)),
            )


def _profile(path: str, text: str | None) -> Leftover:
    """What becomes of a file that every shell reads."""
    lines = rocm_lines(path, text or "")
    if OWN_NAME.search(path.removeprefix(PROFILES)) or lines.only:
        return SetSystemPathAside("These settings affect every user.", path)
    if text is None or not lines.out:
        return f"{path} does more than set variables for ROCm. Edit it yourself."
    content = without_lines(text, lines.out)
    why = (
        f"This removes settings that affect every user: {_names(lines)}. The rest of the "
        "file is kept."
    )
    return WriteSystemFile(why, path, content, sha256(text), lines=lines.out)


def _packages(
    machine: Machine, files: FilesNow, for_good: Versions
) -> tuple[tuple[Step, ...], tuple[str, ...], str]:
    """Packages that are broken, or whose files somebody deleted, and what belongs to none."""
    if not uses_apt(machine) or not isinstance(machine.rocm_packages, tuple):
        return (), (), ""
    amd = going(machine, (AMD,))
    out = tuple(one for one in amd.packages if _is_useless(one) or _is_gone(one, machine))
    stays = tuple(one for one in machine.rocm_packages if one.origin == "amd" and one not in out)
    gone = Going(out, stays, (), amd=not stays)
    steps, notes = removal_steps(machine, gone, files, for_good)
    return steps, notes, held(out)


def _is_useless(package: Package) -> bool:
    """True for a broken package, and for all of a driver of which some is broken."""
    return is_broken(package) or package.name in DRIVERS


def _is_gone(package: Package, machine: Machine) -> bool:
    """True for a package that dpkg believes in although its release is not below ``/opt``."""
    release = release_of(package)
    if package.missing or not release:
        return package.missing
    if any("/opt" in one.because for one in machine.unread):  # then nothing is known of it
        return False
    return not any(tree.path == f"/opt/rocm-{release}" for tree in machine.rocm_trees)


def _orphans(machine: Machine, planned: tuple[Step, ...]) -> Iterator[Step]:
    """Folders of ROCm that no package owns, and links into nothing."""
    named = {step.path for step in planned if isinstance(step, SetSystemPathAside)}
    there = {tree.path for tree in machine.rocm_trees}
    rest = (tree for tree in machine.rocm_trees if tree.path not in named)
    for tree in rest if uses_apt(machine) else ():
        if tree.path.startswith("/opt/rocm") and (why := _orphaned(tree, there)):
            yield SetSystemPathAside(why, tree.path)


def _orphaned(tree: RocmTree, there: set[str]) -> str:
    if tree.link_to is None:
        return (
            "According to dpkg, no package owns anything in this folder."
            if tree.owner == ""
            else ""
        )
    lost = tree.link_to.startswith("/opt/") and tree.link_to not in there
    return f"This link points to {tree.link_to}, which does not exist." if lost else ""


def _told(machine: Machine, files: FilesNow) -> Iterator[str]:
    """What is left to the user, each with its place."""
    for path in files_with_settings(machine):
        found = rocm_lines(path, files.texts.get(path, ""))
        if not path.startswith(PROFILES):
            yield from (
                f"{short_path(path, machine)}:{number} is kept, because it does more than set "
                f"variables, or is part of a larger command: {line.strip()}"
                for number, line in found.left
            )
        mine = path.startswith(f"{machine.access.home.rstrip('/')}/") and path in files.texts
        if not path.startswith(PROFILES) and (path.endswith(UNEDITED) or not mine):
            first = next(one for one in machine.settings if one.file == path)
            how = (
                "In fish, remove it with `set --universal --erase NAME`."
                if path.endswith(UNEDITED)
                else "Edit it yourself."
            )
            place = f"{short_path(path, machine)}:{first.line}"
            yield f"{place} is kept ({first.name}={first.value}). {how}"
    within = dict.fromkeys(one.within for one in machine.settings if one.within)
    if within:
        yield f"Settings that affect only these programs are kept: {', '.join(within)}."
    yield from (
        f"The library {path} was replaced by hand, and the old one was kept. To remove both, "
        "remove the ROCm installation they belong to."
        for path in files.exchanged
    )


def _names(found: Findings) -> str:
    rows = (line for _, line in found.out)
    sets = "\n".join(row for row in rows if not row.lstrip().startswith("#"))
    return ", ".join(dict.fromkeys(re.findall(r"\b([A-Z][A-Z0-9_]+)(?==| )", sets)))
