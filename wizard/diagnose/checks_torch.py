"""Checks of each torch: its build, its libraries, its numpy, and the settings that reach it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from wizard.advice.card import chosen_card, target_of
from wizard.advice.leftovers import short_path
from wizard.core.sizes import size_text
from wizard.diagnose.checks_card import processor_gpus
from wizard.diagnose.conclusions_settings import empty_element
from wizard.diagnose.finding import About, Confidence, Evidence, Finding
from wizard.diagnose.outcomes import fine, found, not_tested, shown_settings, warned
from wizard.diagnose.torch_settings import (
    OVERRIDE,
    elsewhere,
    is_foreign,
    leaves_out,
    override_hangs,
    overrides,
    reaching,
    torch_before,
)
from wizard.knowledge.torches import rocm_of
from wizard.machine.distribution_torch import distribution_torch
from wizard.machine.facts import ChangedLibrary, Environment, Machine, TorchInstall, Unknown
from wizard.machine.glibc import refuses_executable_stacks
from wizard.machine.gpu_words import NVIDIA
from wizard.machine.settings import has_empty_element
from wizard.machine.sites import DISTRIBUTION

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
        yield found("numpy2-abi", (evidence,), about=_mendable(e))
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
        yield found("wheel-library-replaced", evidence, about=_mendable(e))
    if not wrong and any(e.path != DISTRIBUTION for e, _ in each_torch(machine)):
        title = "Each torch's libraries have the sizes its wheel recorded"
        yield fine("wheel-library-replaced", title)


def _mendable(e: Environment) -> About | None:
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
        paths = [s for s in reaching(machine, e) if s.name == "LD_LIBRARY_PATH"]
        leading = [s for s in paths if "rocm" in s.value.lower() or empty_element(s.value)]
        if torch.build == "rocm" and leading and torch_before(torch.version, (2, 1)):
            evidence = (_shown(e, torch, machine), *shown_settings(leading, machine))
            about = About(e.path, settings=tuple(leading))
            yield found("library-path-shadow", evidence, Confidence.LIKELY, about=about)
            return
    everywhere = [s for s in machine.settings if s.name == "LD_LIBRARY_PATH" and not s.within]
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

    Nothing is wrong then; but people exchange the system's ROCm to mend what the wheel does.
    """
    system = [t for t in machine.rocm_trees if not t.link_to and not isinstance(t.version, Unknown)]
    for environment, torch in each_torch(machine):
        own = rocm_of(torch.version)
        others = [t for t in system if own and not str(t.version).startswith(f"{own[0]}.{own[1]}")]
        led = any(s.name == "LD_LIBRARY_PATH" for s in reaching(machine, environment))
        led_away = led and torch_before(torch.version, (2, 1))
        if own is None or not OFFICIAL.search(torch.version) or not others or led_away:
            continue
        names = ", ".join(short_path(tree.path, machine) for tree in others)
        title = f"torch {torch.version} uses its own ROCm {own[0]}.{own[1]}, not {names}"
        yield fine("mixed-rocm-libraries", title, _shown(environment, torch, machine))


def _shown(e: Environment, torch: TorchInstall, machine: Machine) -> Evidence:
    native = f" ({', '.join(torch.native_gfx)})" if torch.native_gfx else ""
    return Evidence(f"torch {torch.version}{native}", short_path(e.path, machine))
