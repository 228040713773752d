"""What is said of a shape while a sweep goes on: the detail of its verdict, and notes.

Why a sweep or its runner stops, or cannot begin, is said in ``run_words``.
"""

from __future__ import annotations

from wizard.conv2d.worker.hang_classes import classify
from wizard.conv2d.worker.outcome import Outcome

LOST = "hung or killed before its outcome was written"
FORK_SUSPECTED = (
    "The first shape of a forked process did not come back. Trying it once more in a process of "
    "its own, to tell a fault of forking from a fault of the shape."
)
FORK_UNSAFE = (
    "Importing torch has opened the card, which a forked process must not share: each shape gets a "
    "process of its own, which is slower and otherwise the same."
)
FORK_BAD = (
    "Forked processes do not work with this torch: the same shape came back in a process of its "
    "own. Each further shape gets a new process, which is slower and otherwise the same."
)
FORK_FAILED_CHECK = (
    "A forked process did not pass the check of the card, and none has worked so far: the card is "
    "checked once more from a process of its own. From now on each shape gets a new process, which "
    "is slower and otherwise the same."
)
FORK_CLEARED = "It failed in a process of its own too: the shape is at fault, not forking."

WHERE = {
    "import": "while torch was imported",
    "start": "before its first operation",
    "tensors": "while its tensors were made and copied to the device",
    "cold": "in its first call",
    "backward": "in its first backward pass, after the forward pass had worked",
    "step": "in its first optimiser step, after the gradients were there",
    "warm": "in a later call, after the first one had worked",
    "copy back": "while the result was copied back",
}


def hung(outcome: Outcome) -> str:
    """What a hang was, as far as anybody can tell from outside."""
    where = WHERE.get(outcome.phase, outcome.phase)
    text = f"no answer within {outcome.seconds:g} s {where}; the process was killed"
    finding = None if outcome.evidence is None else classify(outcome.evidence)
    if finding is not None and finding.because:
        return f"{text}. {finding.hang_class.value}: {finding.because}"
    return text
