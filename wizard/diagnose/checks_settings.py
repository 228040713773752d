"""Checks of variables that do nothing, that hide the card, or that leave MIOpen no choice."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.advice.card import chosen_card
from wizard.diagnose.checked import fine, found, shown_settings
from wizard.diagnose.concluded_settings import MASKS, hides
from wizard.diagnose.finding import About, Confidence, Finding, Status
from wizard.machine.facts import Machine

IDLE = ("no-op", "invented")
FAMILIES = tuple(
    f"MIOPEN_DEBUG_CONV_{family}"
    for family in ("GEMM", "DIRECT", "WINOGRAD", "FFT", "IMPLICIT_GEMM")
)
OFF = ("0", "no", "off", "false", "disable", "disabled")


def idle(machine: Machine) -> Iterator[Finding]:
    """Variables that do nothing, each with the place where it is set."""
    wrong = [one for one in machine.settings if one.effect.split(":")[0] in IDLE]
    if wrong:
        about = About(settings=tuple(wrong))
        evidence = shown_settings(wrong, machine)
        yield found("noop-setting", evidence, status=Status.WARNING, about=about)
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
        everywhere = any(not one.within for one in hiding)
        status = Status.FAULT if everywhere else Status.WARNING
        about = About(settings=tuple(hiding))
        evidence = shown_settings(hiding, machine)
        yield found("visible-devices-mask", evidence, status=status, about=about)
    else:
        yield fine("visible-devices-mask", "No variable hides the card")


def families(machine: Machine) -> Iterator[Finding]:
    """MIOpen's families of algorithms of which nearly all are switched off."""
    everywhere = [one for one in machine.settings if not one.within]
    off = [s for s in everywhere if s.name in FAMILIES and s.value.lower() in OFF]
    gone = {one.name for one in off}
    if len(gone) >= len(FAMILIES) - 1:
        sure = Confidence.CERTAIN if len(gone) == len(FAMILIES) else Confidence.POSSIBLE
        status = Status.FAULT if len(gone) == len(FAMILIES) else Status.WARNING
        # With one family left somebody may have meant it so.
        about = About(settings=tuple(off)) if status is Status.FAULT else None
        evidence = shown_settings(off, machine)
        yield found("miopen-solver-restricted", evidence, sure, status=status, about=about)
