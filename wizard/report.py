"""One machine, one advice, one plan -> plain text for people, lines that never wrap commands."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wizard.credentials import redact
from wizard.machine.environments import torch_lines
from wizard.machine.facts import Access, Environment, Fact, Gpu, Machine, System, Unknown
from wizard.plan.advice import Advice, Road
from wizard.plan.steps import Plan, Step, WriteFile
from wizard.run.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.run.lines import clean

if TYPE_CHECKING:
    from wizard.machine.wheel_hashes import Verified

WIDTH = 79
_PATH = re.compile(r"[^\s\"']*/[^\s\"']*")


def bytes_text(count: int | None) -> str:
    """A size for people, in decimal units as shops and download pages use them."""
    if count is None:
        return "not known"
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def memory_text(count: Fact[int]) -> str:
    """Memory in binary units, as it is sold."""
    return f"{count / 2**30:.1f} GiB" if isinstance(count, int) else fact_text(count)


def fact_text(fact: Fact[object]) -> str:
    """A fact for people; an unknown one says why."""
    return f"unknown, because {fact.because}" if isinstance(fact, Unknown) else str(fact)


def machine_lines(machine: Machine) -> Iterator[str]:
    """Everything that detection found; a line is a line, whatever a name or a value holds."""
    return (clean(line).replace("\n", " ") for line in _machine_lines(machine))


def _machine_lines(machine: Machine) -> Iterator[str]:
    if machine.recorded:
        yield f"RECORDED MACHINE {machine.recorded}: not this computer"
        yield ""
    yield "Graphics"
    for gpu in machine.gpus:
        yield from _gpu_lines(gpu)
    if not machine.gpus:
        yield "  no display device found on PCI"
    if not any(gpu.rdna1 for gpu in machine.gpus):
        yield "  There is no RDNA1 card (RX 5300 to 5700, W5500, W5700, V520) here."
    yield "System"
    yield from _system_lines(machine.system)
    yield "Access"
    yield from _access_lines(machine.access)
    yield from _software_lines(machine)
    yield from _setting_lines(machine)


def _gpu_lines(gpu: Gpu) -> Iterator[str]:
    by = {"kfd": ", says the kernel", "table": ", by PCI id"}.get(gpu.gfx_source, "")
    yield f"  {gpu.name} [{gpu.pci_id} rev {gpu.revision}] at {gpu.pci_address}"
    memory = memory_text(gpu.vram_bytes)
    driver = fact_text(gpu.driver) or "none"
    yield f"    {fact_text(gpu.gfx)}{by}; memory: {memory}; driver: {driver}"
    screen = {True: "drives a screen", False: "drives no screen"}
    shown = gpu.drives_screen
    told = screen[shown] if isinstance(shown, bool) else f"screen: {fact_text(shown)}"
    yield f"    {told}; integrated: {'yes' if gpu.integrated else 'no'}"
    if gpu.note:
        yield from textwrap.wrap(
            gpu.note, WIDTH - 4, initial_indent="    ", subsequent_indent="    "
        )


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
        state = "usable" if node.usable else "no permission" if node.present else "not there"
        yield f"  {node.path}: {state}"
    in_force, in_file = access.groups_in_force, access.groups_in_file
    if isinstance(in_force, tuple) and isinstance(in_file, tuple):
        yield f"  groups in force: {', '.join(in_force) or 'none'}"
        waiting = [name for name in in_file if name not in in_force]
        if waiting:
            yield f"  joined, but not before the next login: {', '.join(waiting)}"


def _software_lines(machine: Machine) -> Iterator[str]:
    yield "Disks"
    for disk in machine.disks:
        yield f"  {disk.path} on {disk.filesystem}: {bytes_text(disk.free_bytes)} free"
    yield "Python"
    for python in machine.interpreters:
        yield f"  {python.path}: {python.version}{'' if python.makes_venvs else ', no venv module'}"
    yield f"  uv: {fact_text(machine.uv)}"
    yield "PyTorch and environments"
    with_torch = [each for each in machine.environments if each.torch is not None]
    glibc = machine.system.glibc
    yield from (f"  {line}" for each in with_torch for line in _environment_lines(each, glibc))
    yield f"  {len(machine.environments) - len(with_torch)} more without torch"
    yield from _found_lines(machine)
    yield "System ROCm"
    for tree in machine.rocm_trees:
        target = f" -> {tree.link_to}" if tree.link_to else ""
        yield f"  {tree.path}: {fact_text(tree.version)}{target}"
    packages = machine.rocm_packages
    if isinstance(packages, Unknown):
        yield f"  packages: {fact_text(packages)}"
    else:
        yield from (f"  {p.name} {p.version} ({p.origin})" for p in packages)
        if not packages and not machine.rocm_trees:
            yield "  none (torch wheels bring their own)"


def _found_lines(machine: Machine) -> Iterator[str]:
    """Applications, what MIOpen keeps, and earlier runs of this wizard, where there are any."""
    if machine.applications:
        yield "Applications"
    for found in machine.applications:
        inside = found.environment or "no environment of its own"
        yield f"  {found.id}: {found.path}" + (f" with {inside}" if inside != found.path else "")
        if found.start:
            yield f"    start it: {found.start}"
    if machine.miopen:
        yield "What MIOpen keeps"
    for store in machine.miopen:
        targets = ", ".join(store.targets)
        yield f"  {store.path}: {store.kind} for {targets}, {bytes_text(store.bytes)}"
    if machine.runs:
        yield "Earlier runs of this program"
    for run in machine.runs:
        yield f"  {run.id}: {run.stack} in {run.folder}, {run.state}"


def _environment_lines(environment: Environment, glibc: Fact[str]) -> Iterator[str]:
    torch = environment.torch
    assert torch is not None  # noqa: S101 - the caller chose those with torch
    yield f"{environment.path} ({environment.kind}, Python {fact_text(environment.python)})"
    yield f"  torch {torch.version}, numpy {torch.numpy or 'none'}"
    yield from (f"  ! {line}" for line in torch_lines(torch, glibc))


def _setting_lines(machine: Machine) -> Iterator[str]:
    yield "Settings that ROCm, MIOpen or the loader may read"
    told: set[tuple[str, str]] = set()
    for setting in machine.settings:
        where = f"{setting.file}:{setting.line}" if setting.file else "this shell"
        where += f", only for {setting.within}" if setting.within else ""
        yield f"  {setting.name}={setting.value}  ({where})"
        if setting.effect and (setting.name, setting.value) not in told:
            told.add((setting.name, setting.value))
            yield from textwrap.wrap(
                setting.effect, WIDTH - 6, initial_indent="      ", subsequent_indent="      "
            )
    if not machine.settings:
        yield "  none"
    for source in machine.unread:
        yield f"  not read: {source.because}"


def verified_lines(verified: tuple[Verified, ...] | None) -> Iterator[str]:
    """How the libraries of wheels compare with what their wheels brought; None: nobody asked."""
    if verified is None:
        return
    yield "ROCm libraries of torch, by their hash"
    for library in verified:
        yield clean(f"  {library.path}: {library.outcome}").replace("\n", " ")
    if not verified:
        yield "  none"


def advice_lines(advice: Advice) -> Iterator[str]:
    """The suggestion, then every road with its reasons."""
    yield from textwrap.wrap(advice.headline, WIDTH)
    for road in advice.roads:
        yield ""
        yield from _road_lines(road)
    if advice.would_change:
        yield ""
        yield from _listed("What would change this advice", advice.would_change)


def _road_lines(road: Road) -> Iterator[str]:
    state = "" if road.fit.possible else "  [not possible here]"
    yield f"{road.rank}. {road.fit.stack}{state}"
    yield from _listed("   For your card", (road.your_card,))
    for cell in road.fit.cells:
        yield from _listed(f"   {cell.application}: {cell.verdict.value}", (cell.because,))
    for title, sentences in (
        ("   Stands in the way", road.fit.obstacles),
        ("   Needs", road.fit.needs),
        ("   Why", road.why),
        ("   For", road.in_favour),
        ("   Against", road.against),
        ("   Unknown", road.unknown),
        ("   Also", road.also),
        ("   Cost", (road.cost,)),
        ("   Undo", (road.undo,)),
    ):
        yield from _listed(title, sentences)


def _listed(title: str, sentences: Iterable[str]) -> Iterator[str]:
    for number, sentence in enumerate(sentences):
        head = f"{title}: " if number == 0 else " " * (len(title) + 2)
        indent = " " * min(len(head), 22)
        yield from textwrap.wrap(
            sentence, WIDTH, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False
        )


def plan_lines(plan: Plan) -> Iterator[str]:
    """Every step with its reason, its exact text and the whole content of every file."""
    yield f"Plan {plan.id}: {plan.stack}, footprint {plan.footprint}, in {plan.venv}"
    yield f"Download {bytes_text(plan.download_bytes)}, on disk {bytes_text(plan.installed_bytes)}"
    yield f"New login needed: {'yes' if plan.relogin_needed else 'no'}"
    for note in plan.notes:
        yield from textwrap.wrap(note, WIDTH, initial_indent="! ", subsequent_indent="  ")
    for number, step in enumerate(plan.steps, 1):
        yield ""
        yield from step_lines(number, step)


def step_lines(number: int, step: Step) -> Iterator[str]:
    """One step as Review shows it; its commands are never wrapped."""
    yield from textwrap.wrap(
        step.reason, WIDTH, initial_indent=f"{number:2}. ", subsequent_indent="    "
    )
    yield f"    {'$' if hasattr(step, 'argv') else '-'} {step}"
    if isinstance(step, WriteFile):
        yield from (f"    | {line}" for line in step.content.splitlines())
    yield f"    undo: {step.inverse}"


def event_lines(event: Event) -> Iterator[str]:
    """What happens while a plan is carried out, as plain lines."""
    match event:
        case StepStarted():
            yield f"[{event.number}/{event.total}] {event.text}"
        case Output():
            yield from (f"    {line}" for line in event.lines)
        case StepFinished():
            state = "done before" if event.already_done else f"ok, {event.seconds:.1f} s"
            yield f"    {state}: {event.outcome}"
        case StepFailed():
            yield f"    FAILED: {event.happened}"
            yield f"    What it means: {event.meaning}"
            yield f"    What to do: {event.next_step}"
        case PlanFinished():
            yield from _ending_lines(event)
        case Progress():
            yield progress_line(event)


def progress_line(progress: Progress) -> str:
    """How far a step is, in words."""
    percent = f"{progress.done * 100 // progress.total} %" if progress.total else ""
    done, total = bytes_text(progress.done), bytes_text(progress.total)
    count = f"{done} of {total}" if progress.unit == "bytes" else f"{progress.done} files"
    left = progress.seconds_left
    time = "" if left is None else f", {left // 60:.0f} min {left % 60:.0f} s left"
    return f"{percent} ({count}{time}) {progress.what}".strip()


def _ending_lines(event: PlanFinished) -> Iterator[str]:
    if event.ok:
        yield "Finished." if event.changed else "Nothing had to be changed."
    elif event.cancelled:
        yield "Stopped at a safe point. The same command goes on from here."
    else:
        yield "Not finished. The same command goes on from here once the cause is mended."
    if event.relogin_needed:
        yield "Log out and in again: the new groups count from then on."
    if event.run:
        yield f"Undo: rdna1-setup rollback {event.run}"
        yield f"Log: {event.log}"


def redacted(text: str, access: Access) -> str:
    """The text without logins in addresses, the home folder, and the user's name in paths.

    Elsewhere the name stays: a user may be called "a" or "render".
    """
    text = redact(text)
    if len(access.home) > 1:
        text = re.sub(rf"{re.escape(access.home)}(?![\w.-])", "~", text)
    if not access.user:
        return text
    name = re.compile(rf"\b{re.escape(access.user)}\b")
    return _PATH.sub(lambda path: name.sub("USER", path[0]), text)


def redacted_form(form: Any, access: Access) -> Any:
    """The JSON form with every text in it redacted; keys stay as they are."""
    if isinstance(form, dict):
        return {key: redacted_form(value, access) for key, value in form.items()}
    if isinstance(form, list):
        return [redacted_form(value, access) for value in form]
    return redacted(form, access) if isinstance(form, str) else form


def without_name(machine: Machine) -> Machine:
    """The machine with the user's name, and the group that is called like the user, left out."""
    access = machine.access
    shared = ("render", "video")
    names = {access.user: "USER"} if access.user not in shared else {}

    def others(groups: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
        if isinstance(groups, Unknown):
            return groups
        return tuple(names.get(group, group) for group in groups)

    in_force, in_file = others(access.groups_in_force), others(access.groups_in_file)
    hidden = replace(access, user="USER", groups_in_force=in_force, groups_in_file=in_file)
    return replace(machine, access=hidden)
