"""Whether the card can still be trusted, after a launch that hung or died on it.

Two things decide, and both must be well: a sum and a small product, computed in the very process
that measures the next shape and compared number by number; and what the driver has written to the
kernel log since that launch began. A reset that the driver finished is no reason to stop: who
starts after it gets a card that was set up anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from wizard.conv2d.run_words import RESTART
from wizard.conv2d.sweep import StopReason
from wizard.conv2d.worker.hang_classes import classify
from wizard.conv2d.worker.outcome import HUNG, Outcome
from wizard.knowledge.causes import KernelLine

RESET_DONE = "reset-done"
UNSOUND = ("reset-failed", "reset", "preemption-failed", "eviction-failed")
"""Messages after which only a finished reset makes the card whole."""
WELL = (
    "The card still works: a test addition and a small matrix product were correct. The "
    "measurement continues."
)
WELL_AFTER_RESET = (
    "The driver has reset the card, and it works again: a test addition and a small matrix "
    "product were correct. Other programs that used it, including the desktop, may have lost "
    "their data on the card."
)
NO_CONVOLUTION = (
    "This operation is not a convolution, and any working card can run it, so no measurement on "
    "this card can be trusted now."
)


def trouble_of(check: Outcome, lines: Sequence[KernelLine]) -> StopReason | None:
    """Why nothing more can be measured; None when the card is well."""
    if check.kind != "healthy":
        happened = f"After a failed launch, the card failed a check: {_failure(check)}."
        return StopReason(happened, NO_CONVOLUTION, RESTART)
    unsound = next((line for line in _since_reset(lines) if line.message.id in UNSOUND), None)
    if unsound is None:
        return None
    return StopReason(
        f"After a failed launch, the kernel log says: {unsound.line.strip()}",
        f"That message means that {unsound.message.means}. The card passed a small check, but no "
        "measurement on it can be trusted now.",
        RESTART,
    )


def well(lines: Sequence[KernelLine]) -> str:
    """The words for a card that passed."""
    was_reset = any(line.message.id == RESET_DONE for line in lines)
    return WELL_AFTER_RESET if was_reset else WELL


def _since_reset(lines: Sequence[KernelLine]) -> Sequence[KernelLine]:
    done = [place for place, line in enumerate(lines, 1) if line.message.id == RESET_DONE]
    return lines[done[-1] :] if done else lines


def _failure(check: Outcome) -> str:
    if check.kind in HUNG:
        finding = None if check.evidence is None else classify(check.evidence)
        proof = f" ({finding.because})" if finding is not None and finding.because else ""
        return f"{WHAT.get(check.phase, 'its first operation')} {_late(check)}{proof}"
    if check.kind == "wrong":
        return f"its {check.text} gave wrong numbers"
    if check.kind == "no device":
        return "torch no longer finds a GPU"
    return f"{WHAT.get(check.phase, 'its first operation')} failed: {check.text}"


def _late(check: Outcome) -> str:
    late = f"did not finish within {check.seconds:g} s"
    return f"{late}, and {check.text} long after SIGKILL" if check.kind == "unkillable" else late


WHAT = {"sum": "a sum", "product": "a product of two small matrices"}
