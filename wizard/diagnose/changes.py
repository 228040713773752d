"""What differs between the machine of a measurement and the machine of now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from wizard.diagnose.finding import Evidence
from wizard.diagnose.measurements import Measured
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
    since: str = ""
    """For example ``the last good measurement of 2026-11-20 17:05``; ``""`` where all know it."""

    @property
    def text(self) -> str:
        """All that changed, in a line."""
        more = len(self.changed) - MOST
        rest = (f"and {more} more",) if more > 0 else ()
        return ", ".join((*self.changed[:MOST], *rest))

    @property
    def title(self) -> str:
        """The same with its time."""
        return f"Since {self.since}: {self.text}"

    @property
    def missing(self) -> str:
        """What cannot be told, in words; ``""`` for nothing."""
        return f"not recorded then: {', '.join(self.unrecorded)}" if self.unrecorded else ""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Each change, and what was not recorded."""
        changed = [Evidence(each, f"since {self.since}") for each in self.changed]
        return (*changed, *([Evidence(self.missing, self.since)] if self.missing else []))


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
    return _with_torch(changes, then, later.loaded.torch or None)


def stack_changes(then: StackFacts, now: StackFacts, *, settings: bool = True) -> Changes:
    """What changed below torch and in the session."""
    parts = [(TITLES.get(name, name), getattr(then, name), getattr(now, name)) for name in PARTS]
    unrecorded = [title for title, before, after in parts if before is None and after is not None]
    if settings and then.settings is None:
        unrecorded.append("settings")
    elif settings:
        old, new = dict(then.settings or ()), dict(now.settings or ())
        names = sorted({*old, *new})
        parts += [(name, old.get(name, NOT_SET), new.get(name, NOT_SET)) for name in names]
    return Changes(_changed(parts), tuple(unrecorded))


def _with_torch(changes: Changes, then: Measured, after: str | None) -> Changes:
    torch = _changed([("torch", then.loaded.torch or None, after)])
    return replace(changes, changed=(*changes.changed, *torch))


def _changed(parts: Iterable[tuple[str, str | None, str | None]]) -> tuple[str, ...]:
    known = (part for part in parts if None not in part)
    return tuple(f"{name} {old} -> {new}" for name, old, new in known if old != new)
