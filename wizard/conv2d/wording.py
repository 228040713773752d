"""Outcomes in words: the detail of a verdict, and the notes of a sweep."""

from __future__ import annotations

from wizard.conv2d.hang_classes import classify
from wizard.conv2d.outcome import Outcome
from wizard.conv2d.sweep import StopReason

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


def unkillable(outcome: Outcome, seconds: float) -> StopReason:
    """A process that even SIGKILL does not end."""
    return StopReason(
        f"The kernel did not end the hung process within {seconds:g} s: {outcome.text}.",
        "The driver is waiting for the card. Nothing measured on it now could be trusted.",
        "Save your work and restart the machine. The remaining shapes can be measured afterwards: "
        "the same command goes on where it stopped.",
    )


def no_device(hip: str | None, torch: str | None) -> StopReason:
    """torch runs and sees no GPU."""
    build = "a ROCm build" if hip else "not a ROCm build"
    return StopReason(
        f"torch {torch} sees no GPU.",
        f"This torch is {build}. Without a usable /dev/kfd and render node, or with another "
        "instruction set than the wheel has, torch finds no device.",
        "Look at the card and its device files: rdna1-setup detect. To measure on the processor: "
        "--device cpu.",
    )


def journal_unusable(path: str, error: Exception) -> StopReason:
    """The journal cannot be written, and without it nothing is launched."""
    reason = getattr(error, "strerror", None) or str(error)
    return StopReason(
        f"The journal {path} cannot be written: {reason}.",
        "A hang may freeze the machine, so nothing is launched that is not on disk first.",
        "Make the folder writable, or set XDG_STATE_HOME to one that is.",
    )


def no_databases(path: str, error: OSError) -> StopReason:
    """No folder can be made for what MIOpen keeps."""
    return StopReason(
        f"No folder can be made below {path}: {error.strerror}.",
        "Each setting needs databases of its own, or what MIOpen found under another would count.",
        "Make room or make it writable, or set XDG_CACHE_HOME to a folder that is.",
    )


def journal_busy(path: str) -> StopReason:
    """Another sweep with the same request is under way."""
    return StopReason(
        f"Another process is running this very sweep ({path}).",
        "Two at once would disturb each other.",
        "Wait for it, or stop it, then run this again.",
    )
