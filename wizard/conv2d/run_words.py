"""Why a sweep or its runner stopped, died, or could not begin: each a ``StopReason``.

What starting, the health check and the controls find is said where they find it; what is said of
a shape while a sweep goes on, in ``wording``.
"""

from __future__ import annotations

import errno

from wizard.conv2d.sweep import StopReason
from wizard.conv2d.worker.outcome import Outcome

SUSPECTED = "was launched and has no verdict, so it is the suspect."
"""How it is told what may have taken the runner, or the machine, with it."""
RESTART = (
    "Save your work and restart the machine. Afterwards run the same command again: it continues "
    "where it stopped."
)
SAME_COMMAND = "The same command continues with the remaining shapes."


def stopped() -> StopReason:
    """Somebody asked for it."""
    return StopReason(
        "The experiment was stopped.",
        "The running shape was ended, and has no verdict. All earlier verdicts are kept.",
        SAME_COMMAND,
    )


def died(suspect: str, said: str) -> StopReason:
    """The runner is gone without a last word."""
    last = f" Its last words: {said}." if said else ""
    meaning = f"{suspect} {SUSPECTED}" if suspect else "No shape was running at that moment."
    return StopReason(
        f"The process that ran the experiment is gone.{last}",
        f"It was killed, ran out of memory, or the machine was restarted. {meaning}",
        "The same command continues: it tries the suspect once more, then leaves it alone.",
    )


def not_written(path: str, error: OSError) -> StopReason:
    """An event or a verdict did not get onto the disk."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return StopReason(
        f"{error.filename or path} cannot be written: {error.strerror or error}.",
        "A hang may freeze the machine, so each launch is written to disk first. The experiment "
        "was stopped; written verdicts are kept.",
        ("Free space on that disk. " if full else "Make that folder writable. ") + SAME_COMMAND,
    )


def not_read(path: str, error: OSError) -> StopReason:
    """What a run has written is there, and may not be looked at; or it is gone."""
    return StopReason(
        f"{error.filename or path} cannot be read: {error.strerror or error}.",
        "Only this file says what happened in the run.",
        "Make it readable and your own. Or delete its folder if you do not need it.",
    )


def not_started(path: str, error: OSError) -> StopReason:
    """The runner could not be started, or its folder not be made."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return StopReason(
        f"The journal and the events below {path} cannot be written: {error.strerror or error}.",
        "A hang may freeze the machine, so each launch is written to disk first.",
        "Free space on that disk."
        if full
        else "Make the folder writable and your own, or set XDG_STATE_HOME to such a folder.",
    )


def no_runner(why: str, log: str) -> StopReason:
    """Python itself did not become a runner."""
    return StopReason(
        f"The process that would run the experiment could not be started: {why}.",
        f"The Python of this program does not start; {log} may say why.",
        "Fix that, or run it inside this process with --foreground.",
    )


def another_at_work(what: str, run: str) -> StopReason:
    """A runner is at work on something else."""
    return StopReason(
        f"Another experiment is running: {what} (run {run}).",
        "Two at a time would disturb each other.",
        "`rdna1-setup conv2d --attach` shows it, `rdna1-setup conv2d --stop` ends it.",
    )


def still_ending(run: str) -> StopReason:
    """A runner has told its end and clears up."""
    return StopReason(
        f"The last experiment (run {run}) is still ending.",
        "Its processes still use the device, and would disturb the next one.",
        "Try again in a few seconds. `rdna1-setup conv2d --stop` ends what is left.",
    )


def budget_spent(hangs: int) -> StopReason:
    """As many launches hung as were allowed."""
    times = "once" if hangs == 1 else f"{hangs} times"
    return StopReason(
        f"The device hung {times}, the number that you allowed.",
        "Each further hang may freeze the desktop, so the remaining shapes were not measured.",
        "The same command continues with them; --hangs N allows more than before.",
    )


def unkillable(outcome: Outcome, seconds: float) -> StopReason:
    """A process that even SIGKILL does not end."""
    return StopReason(
        f"The kernel did not end the hung process within {seconds:g} s: {outcome.text}.",
        "The driver is waiting for the card. No measurement on it can be trusted now.",
        RESTART,
    )


def no_device(hip: str | None, torch: str | None) -> StopReason:
    """torch runs and sees no GPU."""
    build = "a ROCm build" if hip else "not a ROCm build"
    return StopReason(
        f"torch {torch} finds no GPU.",
        f"This torch is {build}. torch finds no device without a usable /dev/kfd and render node, "
        "or if the wheel has no code for the card.",
        "Check the card and its device files: rdna1-setup detect. To measure on the processor: "
        "--device cpu.",
    )


def journal_unusable(path: str, error: Exception) -> StopReason:
    """The journal cannot be written, and without it nothing is launched."""
    reason = getattr(error, "strerror", None) or str(error)
    return StopReason(
        f"The journal {path} cannot be written: {reason}.",
        "A hang may freeze the machine, so each launch is written to disk first.",
        "Make the folder writable, or set XDG_STATE_HOME to a writable one.",
    )


def no_databases(path: str, error: OSError) -> StopReason:
    """No folder can be made for what MIOpen keeps."""
    return StopReason(
        f"No folder can be created in {path}: {error.strerror}.",
        "Each setting needs its own databases. Otherwise MIOpen uses what it found with "
        "another setting.",
        "Free space or make it writable, or set XDG_CACHE_HOME to a writable folder.",
    )


def journal_busy(path: str) -> StopReason:
    """Another sweep with the same request is under way."""
    return StopReason(
        f"Another process is running the same measurement ({path}).",
        "Two at a time would disturb each other.",
        "Wait for it, or stop it, then run this again.",
    )
