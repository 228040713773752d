"""Which findings a plan may fix, and steps that take the settings of a finding out of files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from wizard.advice.leftovers import short_path
from wizard.diagnose.conclusions import override_hangs, overrides, reaching
from wizard.diagnose.finding import Finding
from wizard.host.host import Host
from wizard.machine.assignments import assignments
from wizard.machine.facts import Environment, Machine, Setting
from wizard.machine.torch import distribution_torch
from wizard.operations.edit_lines import Lines, TakeLinesOut, sha256, without_lines
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.clean_up import PROFILES
from wizard.plan.shell_lines import block_lines, parted, rocm_lines, whole_lines
from wizard.plan.steps import Step

SETTINGS = (
    "override-isa-mismatch",
    "stale-override",
    "noop-setting",
    "library-path-shadow",
    "visible-devices-mask",
    "miopen-solver-restricted",
)
"""Causes that are fixed by taking lines out of files."""
FOLDERS = ("numpy2-abi", "wheel-library-replaced")
"""Causes of which every environment has its own finding."""
SYSTEM = ("kfd-permission", "dpkg-interrupted", "apt-distro-shadows-amd")


def has_plan(finding: Finding) -> bool:
    """True when a plan of ours may fix it; what cannot be planned after all says so."""
    about = finding.about
    if about is None or not finding.counts:
        return False
    if finding.cause in SETTINGS:
        return any(one.file for one in about.settings)
    if finding.cause == "kfd-permission":
        return bool(about.groups)
    return finding.cause in (*FOLDERS, *SYSTEM)


NAMED = re.compile(r"rdna1-setup (?:plan|clean-up)(?![\w-])")
"""Commands that make a plan, as a fix names them."""
ONLY_NAMED = (
    "Follow the steps. {0} makes the plan they mention. You review it before anything is changed."
)
BY_HAND = "This program has no plan to fix this problem. Follow the steps to fix it yourself."


def without_plan(finding: Finding) -> str:
    """Who fixes what no plan of its own fixes: a plan that its steps name, or the user alone.

    ``""`` where a plan fixes it, and where there is nothing to do.
    """
    if has_plan(finding) or not finding.fix:
        return ""
    named = NAMED.search(" ".join(finding.fix))
    return ONLY_NAMED.format(f"`{named[0]}`") if named else BY_HAND


NO_SHELL = (".py", ".pth", ".json", ".yml", ".yaml", ".service", "/conda-meta/state")
"""Endings of files in which settings are no lines of a shell."""
FISH_VARIABLES = "fish_variables"
REPLACED = "\N{REPLACEMENT CHARACTER}"
FOR_ALL = re.compile(
    r"[ \t]*export (?![A-Z0-9_]*_(?:PATH|DIR|ROOT|HOME|LIB|LIBS|FILE|NVCC|TOOLS)(?:_[A-Z0-9_]*)?=)"
    r"(?:HSA|HIP|ROCR|ROCM|MIOPEN|AMD|GPU|PYTORCH|TORCH)_[A-Z0-9_]{1,80}=\S*"
)
"""Settings of ROCm that name no file: what root's helper lets into a file for all users."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Steps that fix, and what to know of them."""

    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: Fix) -> Fix:
        return Fix((*self.steps, *other.steps), (*self.notes, *other.notes))


def settings_out(host: Host, machine: Machine, settings: tuple[Setting, ...]) -> Fix:
    """Takes these settings out of the files in which they stand; what cannot go is noted."""
    found = Fix()
    for path in dict.fromkeys(one.file for one in settings if one.file):
        wanted = tuple(one for one in settings if one.file == path)
        found += _in_file(host, machine, path, wanted)
    in_files = {one.name for one in settings if one.file}
    alone = {(one.name, one.value) for one in settings if one.name not in in_files}
    for name, value in sorted(alone):
        text = (
            f"{name}={value} is set in this session, but not in any file this program reads. "
            f"Remove it with: unset {name}"
        )
        found += Fix((), (text,))
    return found


def by_hand(host: Host, machine: Machine, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings; where no plan can take settings out, with that as the first things to do."""
    return tuple(_by_hand(host, machine, finding) for finding in findings)


def _by_hand(host: Host, machine: Machine, finding: Finding) -> Finding:
    about = finding.about
    if about is None or finding.cause not in SETTINGS or not has_plan(finding):
        return finding
    if settings_out(host, machine, about.settings).steps:
        return finding
    steps = steps_by_hand(machine, about.settings)
    return replace(finding, fix=(*steps, *finding.fix), about=None)


def steps_by_hand(machine: Machine, settings: tuple[Setting, ...]) -> tuple[str, ...]:
    """How a person takes these settings out of each of their files."""
    paths = dict.fromkeys(one.file for one in settings if one.file)
    return tuple(
        _deleted(machine, path, [one for one in settings if one.file == path]) for path in paths
    )


def _deleted(machine: Machine, path: str, there: list[Setting]) -> str:
    if path.endswith(FISH_VARIABLES):
        return _erased(there)
    lines = ", ".join(f"{_shown(one)} (line {one.line})" for one in there)
    sudo = "" if _is_own(path, machine) else "sudo "
    command = f"{sudo}nano +{there[0].line} {shlex.quote(path)}"
    return f"Delete {lines} in {short_path(path, machine)}: {command}"


def _erased(settings: Iterable[Setting]) -> str:
    names = " ".join(dict.fromkeys(one.name for one in settings))
    return f"In fish, remove the setting yourself: set --universal --erase {names}"


def _is_own(path: str, machine: Machine) -> bool:
    return path.startswith(f"{machine.access.home.rstrip('/')}/")


def losing_override(machine: Machine, settings: tuple[Setting, ...]) -> Iterator[str]:
    """A note for each environment that needs an override and has it from these lines alone."""
    for environment in machine.environments:
        torch = environment.torch
        if torch is None or torch.build != "rocm" or torch.native_gfx:
            continue
        known = set(overrides(reaching(machine, environment)))
        if known and known <= set(settings) | {one for one in known if not one.file}:
            yield _loses(environment, machine)


def _loses(environment: Environment, machine: Machine) -> str:
    place = short_path(environment.path, machine)
    version = environment.torch.version if environment.torch else ""
    own = distribution_torch(machine, environment)
    if override_hangs(version) or (own and own.targets):
        return (
            f"Without this variable, {place} (torch {version}) stops with an error, because it has "
            "no code for your card. With it, users report hangs and crashes. Install the stack "
            "that `rdna1-setup plan` recommends instead."
        )
    where = "in your shell"
    if environment.kind in ("venv", "conda"):
        where = f"in it, for example at the end of {place}/bin/activate"
    return (
        f"{place} (torch {version}) needs HSA_OVERRIDE_GFX_VERSION=10.3.0, and only these lines "
        f"set it. Before you use that environment again, set the variable {where}: "
        "export HSA_OVERRIDE_GFX_VERSION=10.3.0"
    )


def _in_file(host: Host, machine: Machine, path: str, wanted: tuple[Setting, ...]) -> Fix:
    text = host.read(path)
    place = short_path(path, machine)
    if path.endswith(FISH_VARIABLES):
        return Fix((), (_erased(wanted),))
    stays = Fix(
        (), tuple(f"{place}:{s.line} is kept. Edit it yourself: {_shown(s)}" for s in wanted)
    )
    if not isinstance(text, str) or REPLACED in text or path.endswith(NO_SHELL):
        return stays
    out, instead, left = _lines(path, text, wanted)
    notes = tuple(f"{place}:{number} is kept, {why}" for number, why in left)
    if left and path.startswith(PROFILES):
        notes = (*notes, f"`rdna1-setup clean-up` shows what it would remove from {place}.")
    if not out:
        return Fix((), notes)
    if _is_own(path, machine):
        return Fix((_taken_out(path, text, out, instead, wanted),), notes)
    if path.startswith(PROFILES):
        return Fix((_profile(path, text, out, instead, wanted),), notes)
    return stays


def _shown(setting: Setting) -> str:
    return f"{setting.name}={setting.value}"


def _lines(
    path: str, text: str, wanted: tuple[Setting, ...]
) -> tuple[Lines, Lines, list[tuple[int, str]]]:
    """Lines that can go, what stays of them, and lines that cannot go, each with the reason."""
    rows, numbers = text.split("\n"), tuple(dict.fromkeys(one.line for one in wanted))
    whole, can_go = whole_lines(path, text), dict(rocm_lines(path, text).out)
    rests: dict[int, tuple[str, ...]] = {}
    for number in (number for number in numbers if number in whole):
        named = {(one.name, one.value) for one in wanted if one.line == number}
        rest = parted(rows[number - 1], named)
        if rest and _may_stand(path, rest):
            rests[number] = rest
    alone = block_lines(path, text, set(numbers) - set(rests))
    out, left = [], []
    for number in numbers:
        row = rows[number - 1] if 0 < number <= len(rows) else ""
        named = {(one.name, one.value) for one in wanted if one.line == number}
        there = {(name, value) for name, value, _ in assignments(row)}
        if not named <= there:  # changed since, or lines are counted otherwise in this file
            left.append((number, f"because the line has changed: {row.strip()}"))
        elif number in rests:
            out.append((number, row))
        elif others := sorted(name for name, _ in there - named):
            left.append((number, f"because it also sets {', '.join(others)}: {row.strip()}"))
        elif number not in can_go and number not in alone:
            why = (
                "because it does more than set variables, or is part of a larger command: "
                f"{row.strip()}"
            )
            left.append((number, why))
        else:
            out.append((number, row))
    return tuple(out), _instead(rests, out), left


def _may_stand(path: str, rest: tuple[str, ...]) -> bool:
    """False for lines that root would not write into a file for all users."""
    return not path.startswith(PROFILES) or all(map(FOR_ALL.fullmatch, rest))


def _instead(rests: Mapping[int, tuple[str, ...]], out: Iterable[tuple[int, str]]) -> Lines:
    """What stays of lines that go, numbered as the new text has it."""
    found: list[tuple[int, str]] = []
    for gone, (number, _) in enumerate(sorted(out)):
        first = number - gone + len(found)
        found += enumerate(rests.get(number, ()), first)
    return tuple(found)


def _taken_out(
    path: str, text: str, out: Lines, instead: Lines, wanted: tuple[Setting, ...]
) -> TakeLinesOut:
    before, after = sha256(text), sha256(without_lines(text, out, instead))
    return TakeLinesOut(_reason(wanted), path, out, before, after, instead)


def _profile(path: str, text: str, out: Lines, instead: Lines, wanted: tuple[Setting, ...]) -> Step:
    rest = without_lines(text, out, instead)
    reason = f"{_reason(wanted)} This change affects every user."
    if not any(row.strip() and not row.lstrip().startswith("#") for row in rest.split("\n")):
        return SetSystemPathAside(f"{reason} The file sets nothing else.", path)
    why = f"{reason} The rest of the file is kept."
    return WriteSystemFile(why, path, rest, sha256(text), lines=out, instead=instead)


def _reason(wanted: tuple[Setting, ...]) -> str:
    shown = ", ".join(dict.fromkeys(map(_shown, wanted)))
    return f"Removes these lines: {shown}."
