"""What differs between the machine of a measurement and the machine of now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wizard.diagnose.measured import Measured
from wizard.machine.facts import Machine
from wizard.machine.stack_facts import PARTS, StackFacts, stack_of

TITLES = {"firmware": "compute firmware (MEC)"}
NOT_SET = "not set"
NO_TORCH = "no torch"
MOST = 12


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed, and what cannot be told."""

    changed: tuple[str, ...]
    """For example ``kernel 6.8.0-31 -> 6.11.0-9``."""
    unrecorded: tuple[str, ...]
    """What is known now and was not recorded then."""

    @property
    def text(self) -> str:
        """All that changed, in a line."""
        more = len(self.changed) - MOST
        rest = (f"and {more} more",) if more > 0 else ()
        return ", ".join((*self.changed[:MOST], *rest))


def changes_since(then: Measured, machine: Machine) -> Changes:
    """What changed between that measurement and this machine."""
    changes = stack_changes(then.stack, stack_of(machine), settings=not then.clean)
    here = [one for one in machine.environments if one.path == then.environment]
    if not here or not then.loaded.torch:
        return replace(changes, unrecorded=(*changes.unrecorded, "torch"))
    return _with_torch(changes, then, here[0].torch.version if here[0].torch else NO_TORCH)


def changes_between(then: Measured, later: Measured, machine: Machine) -> Changes:
    """What changed between two measurements; what the later did not record is as it is now."""
    now = stack_of(machine)
    named = {name: getattr(later.stack, name) or getattr(now, name) for name in PARTS}
    settings = now.settings if later.stack.settings is None else later.stack.settings
    stack = replace(now, **named, settings=settings)
    changes = stack_changes(then.stack, stack, settings=not (then.clean or later.clean))
    return _with_torch(changes, then, later.loaded.torch)


def stack_changes(then: StackFacts, now: StackFacts, *, settings: bool = True) -> Changes:
    """What changed below torch and in the session."""
    changed: list[str] = []
    unrecorded: list[str] = []
    for name in PARTS:
        before, after = getattr(then, name), getattr(now, name)
        title = TITLES.get(name, name)
        if before is None and after is not None:
            unrecorded.append(title)
        elif after is not None and before != after:
            changed.append(f"{title} {before} -> {after}")
    if settings and then.settings is None:
        unrecorded.append("settings")
    elif settings:
        changed += _settings(dict(then.settings or ()), dict(now.settings or ()))
    return Changes(tuple(changed), tuple(unrecorded))


def _settings(then: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    for name in sorted({*then, *now}):
        before, after = then.get(name, NOT_SET), now.get(name, NOT_SET)
        if before != after:
            yield f"{name} {before} -> {after}"


def _with_torch(changes: Changes, then: Measured, after: str | None) -> Changes:
    before = then.loaded.torch
    if not before or not after or before == after:
        return changes
    return replace(changes, changed=(*changes.changed, f"torch {before} -> {after}"))
