"""The advice for one machine as a text to read: a table of verdicts, and the words behind it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from wizard.knowledge.applications import Application, load_applications
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Fact, Gpu, Machine, Unknown
from wizard.plan.advice import Advice, advise
from wizard.sizes import memory_size_text

WIDTH = 110
HEAD = 14
COLUMN = 11
STACKS = [stack.id for stack in load_stacks()]


def advice_text(machine: Machine) -> str:
    """Everything that is advised on a machine, application by application."""
    advised = [(each, advise(machine, (each.id,))) for each in load_applications()]
    nothing = advise(machine, ())
    lines = [
        *_machine_lines(machine),
        "",
        *_table(advised),
        "",
        *_stack_lines(nothing),
        "",
        *_words("nothing ticked", nothing),
    ]
    for application, advice in advised:
        lines += ["", *_words(application.title, advice, nothing)]
    return "\n".join(lines) + "\n"


def _machine_lines(machine: Machine) -> Iterator[str]:
    yield machine.recorded
    for gpu in machine.gpus:
        yield f"  {_card(gpu)}"
    system, around = machine.system, machine.surroundings
    found = [f"{i.version}{'' if i.makes_venvs else ' (no venv)'}" for i in machine.interpreters]
    yield (
        f"  {_fact(system.pretty_name)}, glibc {_fact(system.glibc)}, "
        f"{_size(system.memory_bytes)}, Python {', '.join(found)}, "
        f"{'no uv' if isinstance(machine.uv, Unknown) else 'uv'}"
    )
    places = [around.container, "WSL" if around.wsl else "", around.virtual_machine]
    if any(places):
        yield f"  inside of {', '.join(filter(None, places))}"
    for environment in machine.environments:
        if environment.torch:
            yield f"  {environment.path}: torch {environment.torch.version}"


def _card(gpu: Gpu) -> str:
    return (
        f"{gpu.name}, {_fact(gpu.gfx)}, {_size(gpu.vram_bytes)}, {_fact(gpu.driver) or 'no driver'}"
    )


def _fact(fact: Fact[str]) -> str:
    return "?" if isinstance(fact, Unknown) else fact


def _size(fact: Fact[int]) -> str:
    return "? GiB" if isinstance(fact, Unknown) else memory_size_text(fact)


def _table(advised: list[tuple[Application, Advice]]) -> Iterator[str]:
    yield "".join((" " * HEAD, *(f"{stack:{COLUMN}}" for stack in STACKS), "take"))
    for application, advice in advised:
        verdicts = {
            road.fit.stack: _verdict(road.fit.possible, road.fit.cells[0].verdict.value)
            for road in advice.roads
        }
        cells = (f"{verdicts[stack]:{COLUMN}}" for stack in STACKS)
        yield "".join((f"{application.title:{HEAD}}", *cells, advice.roads[0].fit.stack))


def _verdict(possible: bool, verdict: str) -> str:
    return verdict if possible else "-"


def _stack_lines(advice: Advice) -> Iterator[str]:
    for stack in STACKS:
        fit = next(road.fit for road in advice.roads if road.fit.stack == stack)
        yield f"{stack}: Python {fit.python or 'none'}"
        for text in fit.obstacles:
            yield from _wrapped("  ruled out: ", text)
        for text in fit.needs:
            yield from _wrapped("  needs ", text)
        if fit.there:
            yield f"  is there: {fit.there}"


def _words(title: str, advice: Advice, told: Advice | None = None) -> Iterator[str]:
    """What is said of one wish; what was ``told`` for none is not said again."""
    first = advice.roads[0]
    yield f"{title}: {first.fit.stack}"
    if told is None:
        yield from _wrapped("  ", advice.headline)
    else:
        yield from _wrapped("  ", "; ".join(first.why))
    for need in first.fit.cells[0].needs:
        yield from _wrapped("  takes ", need)
    for risk in advice.risks:
        yield from _wrapped("  risk: ", risk)
    if advice.next_best:
        yield from _wrapped("  next best: ", advice.next_best)
    for text in advice.would_change:
        if told and text in told.would_change:
            continue
        yield from _wrapped("  would change: ", text)


def _wrapped(start: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=start, subsequent_indent="      ", break_on_hyphens=False
    )
