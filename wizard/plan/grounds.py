"""What is said of a road: claims as sentences, what it costs, and what is known for this card."""

from __future__ import annotations

from wizard.knowledge.applications import Application
from wizard.knowledge.claims import Claim, Grade
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine, Unknown
from wizard.plan.card import chosen_card, target_of
from wizard.plan.fit import Fit
from wizard.plan.floors import numpy_allowed
from wizard.plan.leftovers import leftovers, short_path, torch_here
from wizard.plan.room import home_disk
from wizard.plan.strength import STRENGTH, holds, sentence, strength
from wizard.plan.verdict import Verdict
from wizard.plan.weighing import bears
from wizard.sizes import size_text

NUMPY_2 = "2.0"
UNDO = "rdna1-setup rollback removes what it made; files you added stay"


def said(
    leaning: str,
    stack: Stack,
    gfx: str,
    applications: tuple[Application, ...],
    claims: tuple[Claim, ...],
) -> tuple[str, ...]:
    """The claims of one leaning: what bears on the applications first, then by weight.

    Refuted claims come last, with what refutes them: a reader will have met them elsewhere.
    """
    gfx = gfx if stack.gfx else ""
    about = [c for c in claims if stack.id in c.stacks and c.leaning == leaning]
    standing = [claim for claim in about if claim.grade is not Grade.REFUTED]
    standing.sort(key=lambda claim: claim.date, reverse=True)
    told = [claim for claim in standing if holds(claim, stack) and _told(claim, applications)]
    standing.sort(key=lambda claim: (claim not in told, -strength(claim, gfx)))
    by_id = {claim.id: claim for claim in claims}
    refuted = [_refuted(claim, by_id) for claim in about if claim.grade is Grade.REFUTED]
    return (*(sentence(claim, gfx) for claim in standing), *refuted)


def also(
    machine: Machine, stack: Stack, fit: Fit, applications: tuple[Application, ...]
) -> tuple[str, ...]:
    """What else its user meets: leftovers, what applications take and spoil, presets, cautions."""
    accepted = {cell.application: cell for cell in fit.cells if cell.verdict is not Verdict.NO}
    asked = [(each, accepted[each.id]) for each in applications if each.id in accepted]
    takes = [
        f"{each.title} takes {need}"
        for each, cell in asked
        for need in cell.needs
        if need not in cell.because
    ]
    spoils = [
        f"{each.title}: {text}" if text.split()[0] != each.title else text
        for each, _ in asked
        for text in _spoils(each, stack)
    ]
    presets = [
        f"variables on offer, not set: {each.name} ({each.source})" for each in stack.presets
    ]
    return (*leftovers(machine, stack), *takes, *spoils, *presets, *stack.cautions)


def cost(machine: Machine, stack: Stack) -> str:
    """Download and disk, from the data or said to be unknown, and what is free."""
    download, installed = stack.download_bytes, stack.installed_bytes
    parts = [
        "download size not known" if download is None else f"{size_text(download)} to download",
        "size on disk not known" if installed is None else f"{size_text(installed)} on disk",
    ]
    disk = home_disk(machine)
    if disk is not None:
        parts.append(f"{size_text(disk.free_bytes)} free on {disk.filesystem}")
    return ", ".join(parts)


def your_card(machine: Machine, stack: Stack, claims: tuple[Claim, ...]) -> str:
    """What is known for this very card: what is there already, and what nobody tested."""
    card = chosen_card(machine)
    here = torch_here(machine, stack, target_of(card))
    start = f"you have it ({short_path(here.path, machine)}); " if here else ""
    if not stack.gfx:
        return f"{start}no card needed"
    if card is not None and isinstance(card.gfx, Unknown):
        return f"{start}the card's target is not known"
    if card is None or target_of(card) not in stack.gfx:
        return f"{start}not for this machine's card"
    standing = [c for c in claims if stack.id in c.stacks and c.grade is not Grade.REFUTED]
    count = sum(_model(card.name) in claim.card.split(", ") for claim in standing)
    verb = "is" if count == 1 else "are"
    about = f"{count} of {len(standing)} statements {verb} about the {_model(card.name)}"
    return f"{start}not tested by us; {about}"


def _spoils(application: Application, stack: Stack) -> tuple[str, ...]:
    """What installing the application would do to a stack for the card."""
    if not stack.gfx:
        return ()
    texts = [application.spoils]
    if not numpy_allowed(stack, NUMPY_2):
        texts.append(application.spoils_numpy_1)
    return tuple(text for text in texts if text)


def _told(claim: Claim, applications: tuple[Application, ...]) -> bool:
    return any(bears(claim, each) for each in applications)


def _model(name: str) -> str:
    return name.removeprefix("AMD ").removeprefix("Radeon ")


def _refuted(claim: Claim, by_id: dict[str, Claim]) -> str:
    rivals = [by_id[each] for each in claim.contradicts if each in by_id]
    truth = max(rivals, key=lambda rival: STRENGTH[rival.grade], default=None)
    by = f". In truth: {truth.text.rstrip('.')} ({truth.grade.value})" if truth else ""
    return f"refuted: {claim.text.rstrip('.')}{by}"
