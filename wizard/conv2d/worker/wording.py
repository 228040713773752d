"""What is said of a shape while a sweep goes on: the detail of its verdict, and notes.

Why a sweep or its runner stops, or cannot begin, is said in ``run_words``.
"""

from __future__ import annotations

from wizard.conv2d.worker.hang_classes import classify
from wizard.conv2d.worker.outcome import Outcome

LOST = "hung or killed before its result was written"
FORK_SUSPECTED = (
    "The first shape in a forked process did not finish. Trying it again in a separate process, "
    "to see whether forking or the shape is at fault."
)
FORK_UNSAFE = (
    "Importing torch opened a connection to the card, which a forked process must not share. So "
    "each shape gets its own process, which is slower but changes nothing else."
)
FORK_BAD = (
    "Forked processes do not work with this torch: the same shape finished in a separate "
    "process. So each remaining shape gets its own process, which is slower but changes nothing "
    "else."
)
FORK_FAILED_CHECK = (
    "A forked process did not pass the card check, and none has worked so far. The card "
    "is checked again from a separate process. From now on, each shape gets its own process, "
    "which is slower but changes nothing else."
)
FORK_CLEARED = "The shape also failed in a separate process, so the shape is at fault, not forking."

WHERE = {
    "import": "while torch was imported",
    "start": "before its first operation",
    "tensors": "while its tensors were made and copied to the device",
    "cold": "in its first call",
    "backward": "in its first backward pass, after the forward pass worked",
    "step": "in its first optimizer step, after the gradients were computed",
    "warm": "in a later call, after the first one worked",
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
