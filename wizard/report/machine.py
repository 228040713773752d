"""What detection found, as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from wizard.core.amounts import memory_size_text, size_text
from wizard.core.fact import Fact, fact_text
from wizard.core.lines import clean, wrapped
from wizard.diagnose.finding import Status, worst
from wizard.diagnose.machine import part_statuses
from wizard.machine.access import DRIVER, PROCESSES
from wizard.machine.environments import torch_lines
from wizard.machine.facts import Access, Environment, Gpu, Machine, System
from wizard.machine.gpus import board_lines
from wizard.machine.packages import APT_SOURCES, PACKAGES, PackageFacts
from wizard.machine.part import Part
from wizard.machine.rocm import SYSTEM_FILES
from wizard.machine.surroundings import SURROUNDINGS
from wizard.machine.system import MOUNTED
from wizard.machine.torch import distribution_torch

if TYPE_CHECKING:
    from wizard.machine.torch import Verified


def memory_text(count: Fact[int]) -> str:
    """Memory for people; unknown memory says why."""
    return memory_size_text(count) if isinstance(count, int) else fact_text(count)


T = TypeVar("T")


def machine_lines(machine: Machine) -> Iterator[str]:
    """Everything that detection found; a line is a line, whatever a name or a value holds."""
    for line in recorded_lines(machine):
        yield from (line, "")
    statuses = part_statuses(machine)
    for title in SECTIONS:
        yield from section_lines(machine, title, statuses)


def recorded_lines(machine: Machine) -> Iterator[str]:
    """That this is a record, where it is one."""
    if machine.recorded:
        yield f"RECORDED MACHINE {_one_line(machine.recorded)}: not this computer"


def section_lines(machine: Machine, title: str, statuses: Mapping[str, Status]) -> Iterator[str]:
    """One section of it, below its title."""
    yield heading(title, statuses)
    yield from map(_one_line, SECTIONS[title](machine))


def heading(title: str, statuses: Mapping[str, Status]) -> str:
    """The title of a section; it says where not all is fine."""
    status = worst(statuses[part] for part in PARTS_IN.get(title, (title,)))
    return title if status is Status.OK else f"{title}: {status.word}"


def _one_line(text: str) -> str:
    return clean(text).replace("\n", " ")


def _graphics_lines(machine: Machine) -> Iterator[str]:
    for gpu in machine.gpus:
        yield from _gpu_lines(gpu)
    if not machine.gpus:
        yield "  no display device found on the PCI bus"
    if not any(gpu.rdna1 for gpu in machine.gpus):
        yield "  No RDNA1 card (RX 5300 to 5700, W5500, W5700, V520) was found."


def _gpu_lines(gpu: Gpu) -> Iterator[str]:
    by = {"kfd": ", according to the kernel", "table": ", from its PCI id"}.get(gpu.gfx_source, "")
    yield f"  {gpu.name} [{gpu.pci_id} rev {gpu.revision}] at {gpu.pci_address}"
    memory = memory_text(gpu.vram_bytes)
    driver = fact_text(gpu.driver) or "none"
    yield f"    {fact_text(gpu.gfx)}{by}; memory: {memory}; driver: {driver}"
    screen = {True: "drives a screen", False: "drives no screen"}
    shown = gpu.drives_screen
    told = screen[shown] if isinstance(shown, bool) else f"screen: {fact_text(shown)}"
    yield f"    {told}; integrated: {'yes' if gpu.integrated else 'no'}"
    yield from (f"    {line}" for line in board_lines(gpu))
    if gpu.note:
        yield from wrapped(gpu.note, head="    ")


def _system_lines(system: System) -> Iterator[str]:
    for name, value in (
        ("distribution", system.pretty_name),
        ("kernel", system.kernel),
        ("glibc", system.glibc),
        ("processor", system.cpu),
        ("architecture", system.architecture),
        ("memory", memory_text(system.memory_bytes)),
    ):
        yield f"  {name}: {fact_text(value)}"


def _access_lines(access: Access) -> Iterator[str]:
    for node in (access.kfd, *access.render_nodes):
        state = "usable" if node.usable else "no permission" if node.present else "missing"
        yield f"  {node.path}: {state}"
    in_force, in_file = access.groups_in_force, access.groups_in_file
    if isinstance(in_force, tuple) and isinstance(in_file, tuple):
        yield f"  active groups: {', '.join(in_force) or 'none'}"
        waiting = [name for name in in_file if name not in in_force]
        if waiting:
            yield f"  joined, but effective only from the next login: {', '.join(waiting)}"


def _disk_lines(machine: Machine) -> Iterator[str]:
    for disk in machine.disks:
        yield f"  {disk.path} on {disk.filesystem}: {size_text(disk.free_bytes)} free"


def _python_lines(machine: Machine) -> Iterator[str]:
    for python in machine.interpreters:
        yield f"  {python.path}: {python.version}{'' if python.makes_venvs else ', incomplete'}"
    yield f"  uv: {fact_text(machine.uv)}"


def _torch_lines(machine: Machine) -> Iterator[str]:
    with_torch = [each for each in machine.environments if each.torch is not None]
    yield from (f"  {line}" for each in with_torch for line in _environment_lines(each, machine))
    more = " more" if with_torch else ""
    yield f"  {len(machine.environments) - len(with_torch)}{more} without torch"


def _rocm_lines(machine: Machine) -> Iterator[str]:
    for tree in machine.rocm_trees:
        target = f" -> {tree.link_to}" if tree.link_to else ""
        yield f"  {tree.path}: {fact_text(tree.version)}{target}"
    facts = PackageFacts(machine.rocm_packages, machine.package_work)
    if machine.rocm_packages == () and not machine.rocm_trees:
        yield "  none (torch wheels include their own)"
        yield from (f"  {line}" for line in PACKAGES.tell(facts)[1])
    else:
        summary, details = PACKAGES.tell(facts)
        yield f"  packages: {summary}"
        yield from (f"  {line}" for line in details)


def _told(part: Part[T], value: T) -> Iterator[str]:
    """A part in the words of the Detect screen."""
    summary, details = part.tell(value)
    yield f"  {summary}"
    yield from (f"  {line}" for line in details if line != summary)


def _application_lines(machine: Machine) -> Iterator[str]:
    for found in machine.applications:
        inside = found.environment or "no environment of its own"
        yield f"  {found.id}: {found.path}" + (f" with {inside}" if inside != found.path else "")
        if found.start:
            yield f"    start it: {found.start}"
    if not machine.applications:
        yield "  none found"


def _miopen_lines(machine: Machine) -> Iterator[str]:
    for store in machine.miopen:
        targets = ", ".join(store.targets)
        yield f"  {store.path}: {store.kind} for {targets}, {size_text(store.bytes)}"
    if not machine.miopen:
        yield "  nothing"


def verified_lines(verified: tuple[Verified, ...] | None) -> Iterator[str]:
    """How the libraries of wheels compare with what their wheels brought; None: nobody asked."""
    if verified is None:
        return
    yield "ROCm libraries of torch, checked by hash"
    for library in verified:
        yield _one_line(f"  {library.path}: {library.outcome}")
    if not verified:
        yield "  none"


def _environment_lines(environment: Environment, machine: Machine) -> Iterator[str]:
    torch = environment.torch
    assert torch is not None  # noqa: S101 - the caller chose those with torch
    yield f"{environment.path} ({environment.kind}, Python {fact_text(environment.python)})"
    yield f"  torch {torch.version}, numpy {torch.numpy or 'none'}"
    if own := distribution_torch(machine, environment):
        yield from (f"    {line}" for line in own.lines)
    yield from (f"  ! {line}" for line in torch_lines(torch, machine.system.glibc))


def _setting_lines(machine: Machine) -> Iterator[str]:
    told: set[tuple[str, str]] = set()
    for setting in machine.settings:
        where = f"{setting.file}:{setting.line}" if setting.file else "this shell"
        where += f", only for {setting.within}" if setting.within else ""
        yield f"  {setting.name}={setting.value}  ({where})"
        if setting.effect and (setting.name, setting.value) not in told:
            told.add((setting.name, setting.value))
            yield from wrapped(setting.effect, head="      ")
    if not machine.settings:
        yield "  none"
    for source in machine.unread:
        yield f"  not read: {source.because}"


PARTS_IN = {
    "Graphics": ("Graphics cards",),
    "Access": ("Access to the GPU",),
    "Python": ("Pythons", "uv"),
    "PyTorch and environments": ("Python environments",),
    "System ROCm": ("ROCm folders", "ROCm packages"),
    "Settings": ("Settings", "App settings"),
    "Settings that ROCm, MIOpen or the loader may read": ("Settings", "App settings"),
}
"""The parts of detection that a section tells, where it has another title."""
SECTIONS: dict[str, Callable[[Machine], Iterator[str]]] = {
    "Graphics": _graphics_lines,
    "Graphics driver": lambda machine: _told(DRIVER, machine.driver),
    "Who uses the GPU": lambda machine: _told(PROCESSES, machine.processes),
    "System": lambda machine: _system_lines(machine.system),
    "Surroundings": lambda machine: _told(SURROUNDINGS, machine.surroundings),
    "Access": lambda machine: _access_lines(machine.access),
    "Disks": _disk_lines,
    "File systems": lambda machine: _told(MOUNTED, machine.silent),
    "Python": _python_lines,
    "PyTorch and environments": _torch_lines,
    "Applications": _application_lines,
    "System ROCm": _rocm_lines,
    "ROCm files": lambda machine: _told(SYSTEM_FILES, machine.system_files),
    "Package sources": lambda machine: _told(APT_SOURCES, machine.apt_sources),
    "MIOpen's cache": _miopen_lines,
    "Settings that ROCm, MIOpen or the loader may read": _setting_lines,
}
