"""Checks of each torch (its build, libraries, numpy) and of the settings that reach it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from wizard.advice.algorithms import left_by
from wizard.advice.card import chosen_card, target_of
from wizard.advice.leftovers import short_path
from wizard.core.amounts import size_text
from wizard.core.fact import Unknown
from wizard.diagnose.checks_system import processor_gpus
from wizard.diagnose.conclusions import (
    IDLE,
    MASKS,
    elsewhere,
    empty_element,
    hides,
    is_foreign,
    leaves_out,
    override_hangs,
    overrides,
    reaching,
    torch_before,
)
from wizard.diagnose.finding import NO_CAUSE, About, Confidence, Evidence, Finding, Status
from wizard.diagnose.outcomes import fine, found, not_tested, shown_settings, warned
from wizard.host.host import Host
from wizard.knowledge.claims import Grade
from wizard.knowledge.solvers import OFF, ONLY, load_families
from wizard.knowledge.stacks import rocm_of
from wizard.knowledge.variables import LIBRARY_PATH, OVERRIDE
from wizard.machine.facts import ChangedLibrary, Environment, Machine, TorchInstall
from wizard.machine.gpus import NVIDIA
from wizard.machine.pythons import DISTRIBUTION
from wizard.machine.settings import has_empty_element
from wizard.machine.system import refuses_executable_stacks
from wizard.machine.torch import distribution_torch

OFFICIAL = re.compile(r"\+rocm\d")


def each_torch(machine: Machine) -> Iterator[tuple[Environment, TorchInstall]]:
    """Every environment that holds a torch."""
    return ((e, e.torch) for e in machine.environments if e.torch is not None)


def build(machine: Machine) -> Iterator[Finding]:
    """A torch for NVIDIA where there is none of its cards."""
    card = chosen_card(machine)
    if card is None or any(gpu.pci_id.startswith(NVIDIA) for gpu in machine.gpus):
        return
    wrong = [(e, torch) for e, torch in each_torch(machine) if torch.build == "cuda"]
    if wrong:
        yield found("cuda-wheel", (_shown(e, torch, machine) for e, torch in wrong))


def numpy(machine: Machine) -> Iterator[Finding]:
    """numpy 2 beside a torch that was built for numpy 1."""
    old = [(e, torch) for e, torch in each_torch(machine) if torch_before(torch.version, (2, 3))]
    wrong = [(e, torch) for e, torch in old if (torch.numpy or "").startswith("2.")]
    for e, torch in wrong:
        text = f"torch {torch.version} with numpy {torch.numpy}"
        evidence = Evidence(text, short_path(e.path, machine))
        yield found("numpy2-abi", (evidence,), about=_fixable(e))
    if not wrong and any(torch.numpy for _, torch in each_torch(machine)):
        yield fine("numpy2-abi", "Each torch works with its numpy")


def executable_stack(machine: Machine) -> Iterator[Finding]:
    """Libraries that this glibc refuses to load."""
    asking = [(e, torch) for e, torch in each_torch(machine) if torch.executable_stack]
    if not asking:
        return
    strict = refuses_executable_stacks(machine.system.glibc)
    if strict is None:
        title = "torch's libraries were not checked against glibc"
        yield not_tested("glibc-execstack", title, "the version of glibc is not known")
    elif strict:
        for e, torch in asking:
            evidence = Evidence(", ".join(torch.executable_stack), short_path(e.path, machine))
            yield found("glibc-execstack", (evidence,))
    else:
        yield fine("glibc-execstack", f"glibc {machine.system.glibc} loads torch's libraries")


def exchanged(machine: Machine) -> Iterator[Finding]:
    """Libraries of a wheel that are not those that the wheel brought."""
    wrong = [(e, torch) for e, torch in each_torch(machine) if torch.changed]
    for e, torch in wrong:
        place = short_path(e.path, machine)
        evidence = (Evidence(_sizes(library), place) for library in torch.changed)
        yield found("wheel-library-replaced", evidence, about=_fixable(e))
    if not wrong and any(e.path != DISTRIBUTION for e, _ in each_torch(machine)):
        title = "Each torch's libraries have the sizes its wheel recorded"
        yield fine("wheel-library-replaced", title)


def _fixable(e: Environment) -> About | None:
    """None for a folder that no plan works in."""
    return About(e.path) if e.kind in ("venv", "conda") else None


def _sizes(library: ChangedLibrary) -> str:
    name, saved = (path.rpartition("/")[2] for path in (library.path, library.saved))
    sizes = f"{size_text(library.bytes)}, but {size_text(library.recorded_bytes)} in the wheel"
    return f"{name}: {sizes}{f'; saved as {saved}' if saved else ''}"


def code_for_card(machine: Machine) -> Iterator[Finding]:
    """An override that does not go with a torch, or one that it needs and does not get."""
    card = chosen_card(machine)
    if card is None or not card.rdna1:
        return
    for_rocm = [(e, torch) for e, torch in each_torch(machine) if torch.build == "rocm"]
    told = [f for e, torch in for_rocm for f in _code(machine, e, torch, target_of(card))]
    yield from told
    if for_rocm and not told:
        yield fine("override-isa-mismatch", "Each ROCm build gets the override it needs")


def _code(machine: Machine, e: Environment, torch: TorchInstall, gfx: str) -> Iterator[Finding]:
    foreign = [s for s in overrides(reaching(machine, e)) if is_foreign(s.value)]
    evidence = (_shown(e, torch, machine), *shown_settings(foreign, machine))
    about = About(e.path, settings=tuple(foreign))
    package = distribution_torch(machine, e)
    code = package.targets if package else ()
    if torch.native_gfx or gfx in code:
        if foreign and not leaves_out(machine, e):
            yield found("stale-override", evidence, about=about)
        return
    if not code and not OFFICIAL.search(torch.version):
        title = f"torch {torch.version} was not checked for code for the card"
        yield not_tested("wheel-lacks-gfx-target", title, "it is not an official PyTorch build")
        return
    if not foreign:
        shown = (evidence[0], *shown_settings(overrides(reaching(machine, e)), machine))
        title, means = package.without(gfx) if package else ("", "")
        tell: Callable[..., Finding] = warned if any(overrides(elsewhere(machine))) else found
        sure = Confidence.POSSIBLE if tell is warned else Confidence.LIKELY
        yield tell("wheel-lacks-gfx-target", shown, sure, title=title, meaning=means)
    elif any(s.value != "10.3.0" for s in foreign):
        yield found("override-isa-mismatch", evidence, Confidence.LIKELY, about=about)
    elif code or override_hangs(torch.version):  # every such package was built for a later ROCm
        yield warned("override-isa-mismatch", evidence, Confidence.LIKELY, about=about)


def spoofed_processor(machine: Machine) -> Iterator[Finding]:
    """An override for every GPU, the processor's own among them."""
    inside = processor_gpus(machine)
    everywhere = [s for s in overrides(machine.settings) if not s.within and s.name == OVERRIDE]
    if not inside or not everywhere:
        return
    reached = (Evidence(f"it also applies to {gpu.name}", gpu.pci_address) for gpu in inside)
    evidence = (*shown_settings(everywhere, machine), *reached)
    about = About(settings=tuple(everywhere))
    yield warned("stale-override", evidence, Confidence.LIKELY, about=about)


def library_path(machine: Machine) -> Iterator[Finding]:
    """LD_LIBRARY_PATH in front of the libraries of a wheel, or with an empty element."""
    for e, torch in each_torch(machine):
        paths = [s for s in reaching(machine, e) if s.name == LIBRARY_PATH]
        leading = [s for s in paths if "rocm" in s.value.lower() or empty_element(s.value)]
        if torch.build == "rocm" and leading and torch_before(torch.version, (2, 1)):
            evidence = (_shown(e, torch, machine), *shown_settings(leading, machine))
            about = About(e.path, settings=tuple(leading))
            yield found("library-path-shadow", evidence, Confidence.LIKELY, about=about)
            return
    everywhere = [s for s in machine.settings if s.name == LIBRARY_PATH and not s.within]
    empty = [s for s in everywhere if empty_element(s.value)]
    if empty:
        # What a session has may come from a line that is only faulty where nothing was set before.
        behind = [s for s in everywhere if s.file and has_empty_element(s.value)]
        about = About(settings=tuple(dict.fromkeys((*empty, *behind))))
        evidence = shown_settings(empty, machine)
        yield warned("library-path-shadow", evidence, Confidence.POSSIBLE, about=about)
    elif not everywhere:
        yield fine("library-path-shadow", "LD_LIBRARY_PATH is not set for all programs")


def own_rocm(machine: Machine) -> Iterator[Finding]:
    """That a wheel runs the ROCm inside it, where the system has another release.

    Nothing is wrong then; but people exchange the system's ROCm to fix what the wheel does.
    """
    system = [t for t in machine.rocm_trees if not t.link_to and not isinstance(t.version, Unknown)]
    for environment, torch in each_torch(machine):
        own = rocm_of(torch.version)
        others = [t for t in system if own and not str(t.version).startswith(f"{own[0]}.{own[1]}")]
        led = any(s.name == LIBRARY_PATH for s in reaching(machine, environment))
        led_away = led and torch_before(torch.version, (2, 1))
        if own is None or not OFFICIAL.search(torch.version) or not others or led_away:
            continue
        names = ", ".join(short_path(tree.path, machine) for tree in others)
        title = f"torch {torch.version} uses its own ROCm {own[0]}.{own[1]}, not {names}"
        yield fine("mixed-rocm-libraries", title, _shown(environment, torch, machine))


def _shown(e: Environment, torch: TorchInstall, machine: Machine) -> Evidence:
    native = f" ({', '.join(torch.native_gfx)})" if torch.native_gfx else ""
    return Evidence(f"torch {torch.version}{native}", short_path(e.path, machine))


ENFORCE = "MIOPEN_FIND_ENFORCE"
EXHAUSTIVE = ("3", "4", "search", "search_db_update")
SLOW = (
    "With this setting, MIOpen first times every variant of every algorithm. The first call takes "
    "many minutes for each shape, which looks like a hang but is not one."
)
TUNING = "https://rocm.docs.amd.com/projects/MIOpen/en/latest/conceptual/tuningdb.html"
UNSET = f"Unset {ENFORCE} and try again. rdna1-setup clean-up finds where it is set."
FOLDERS = (("MIOPEN_CUSTOM_CACHE_DIR", ".cache/miopen"), ("MIOPEN_USER_DB_PATH", ".config/miopen"))
CACHE = "miopen-cache"
RESTRICTED = "miopen-solver-restricted"


def idle(machine: Machine) -> Iterator[Finding]:
    """Variables that do nothing, each with the place where it is set."""
    wrong = [one for one in machine.settings if one.effect.split(":")[0] in IDLE]
    if wrong:
        about = About(settings=tuple(wrong))
        yield warned("noop-setting", shown_settings(wrong, machine), about=about)
    else:
        yield fine("noop-setting", "No useless variable is set")


def masks(machine: Machine) -> Iterator[Finding]:
    """Variables that name a GPU past the last one, or none."""
    card = chosen_card(machine)
    count = sum(gpu.kfd_node is not None for gpu in machine.gpus)
    if card is None or not count:
        return
    hiding = [s for s in machine.settings if s.name in MASKS and hides(s.value, count)]
    if hiding:
        status = Status.FAULT if any(not one.within for one in hiding) else Status.WARNING
        about = About(settings=tuple(hiding))
        evidence = shown_settings(hiding, machine)
        yield found("visible-devices-mask", evidence, status=status, about=about)
    else:
        yield fine("visible-devices-mask", "No variable hides the card")


def families(machine: Machine) -> Iterator[Finding]:
    """MIOpen's families of algorithms that are switched off, where few layers or none have one."""
    switches = {each.variable for each in load_families()}
    everywhere = [one for one in machine.settings if not one.within]
    off = [s for s in everywhere if s.name in switches and s.value.lower() in OFF]
    gone, left = len({one.name for one in off}), left_by(machine, everywhere) if off else ()
    evidence = shown_settings(off, machine)
    if gone == len(switches):
        yield _asked(found(RESTRICTED, evidence, about=About(settings=tuple(off))), left)
    elif left or gone == len(switches) - 1:  # with one left somebody may have meant it so
        yield _asked(warned(RESTRICTED, evidence, Confidence.POSSIBLE), left)


def _asked(finding: Finding, left: tuple[str, ...]) -> Finding:
    """The same, with what MIOpen itself answered first."""
    meaning = " ".join((*left, finding.meaning))
    return replace(finding, meaning=meaning, grade=Grade.LIBRARY.value) if left else finding


def searching(machine: Machine) -> Iterator[Finding]:
    """Settings that make MIOpen search for long, or that leave it a single solver."""
    everywhere = [one for one in machine.settings if not one.within]
    if slow := [s for s in everywhere if s.name == ENFORCE and s.value.lower() in EXHAUSTIVE]:
        title = "MIOpen is set to try every algorithm before it computes"
        evidence = shown_settings(slow, machine)
        told = warned(NO_CAUSE, evidence, title=title, meaning=SLOW, fix=(UNSET,))
        yield replace(told, grade="source code", links=(TUNING,))
    if single := [s for s in everywhere if s.name == ONLY and s.value]:
        told = warned(RESTRICTED, shown_settings(single, machine), Confidence.POSSIBLE)
        yield _asked(told, left_by(machine, everywhere))


def miopen_folders(host: Host, machine: Machine) -> Iterator[Finding]:
    """The folders that are there and may not be written; asked of the kernel, nothing is opened."""
    paths = [host.environ.get(name) or f"{host.home}/{usual}" for name, usual in FOLDERS]
    there = [path for path in paths if host.exists(path)]
    closed = [path for path in there if not host.usable(path)]
    if closed:
        why = "you do not have permission to write here"
        yield found(CACHE, (Evidence(why, path) for path in closed))
    elif there:
        yield fine(CACHE, "MIOpen can write to its cache and database folders")
