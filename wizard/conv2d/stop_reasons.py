"""Why a sweep or its runner stopped, died, or could not begin: each a ``StopReason``.

What starting, the health check and the controls find is said where they find it.
"""

from __future__ import annotations

import errno

from wizard.conv2d.sweep import StopReason
from wizard.conv2d.worker.launch import Outcome

SUSPECTED = "was launched and has no verdict, so it is the suspect."
"""How it is told what may have taken the runner, or the machine, with it."""
RESTART = (
    "Save your work and restart the machine. Then run the same command again to continue where "
    "the measurement stopped."
)
SAME_COMMAND = "Run the same command again to continue with the remaining shapes."


def stopped() -> StopReason:
    """Somebody asked for it."""
    return StopReason(
        "The measurement was stopped.",
        "The shape that was running has no verdict. All earlier verdicts are kept.",
        SAME_COMMAND,
    )


def died(suspect: str, said: str) -> StopReason:
    """The runner is gone without a last word."""
    last = f" It last printed: {said}." if said else ""
    meaning = f"{suspect} {SUSPECTED}" if suspect else "No shape was running when it ended."
    return StopReason(
        f"The process that ran the measurement has ended.{last}",
        f"It was killed or ran out of memory, or the machine was restarted. {meaning}",
        "Run the same command again to continue. It tries the suspect shape once more, then "
        "skips it.",
    )


def not_written(path: str, error: OSError) -> StopReason:
    """An event or a verdict did not get onto the disk."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return StopReason(
        f"{error.filename or path} cannot be written: {error.strerror or error}.",
        "A hang may freeze the machine, so each launch is recorded on disk first. The measurement "
        "was stopped. The verdicts written so far are kept.",
        ("Free up space on the full disk. " if full else "Make that folder writable. ")
        + SAME_COMMAND,
    )


def not_read(path: str, error: OSError) -> StopReason:
    """What a run has written is there, and may not be looked at; or it is gone."""
    return StopReason(
        f"{error.filename or path} cannot be read: {error.strerror or error}.",
        "Only this file records what happened during the run.",
        "Take ownership of the file and make it readable. If you do not need the run's results, "
        "delete the file's folder.",
    )


def not_started(path: str, error: OSError) -> StopReason:
    """The runner could not be started, or its folder not be made."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return StopReason(
        f"The journal and events in {path} cannot be written: {error.strerror or error}.",
        "A hang may freeze the machine, so each launch is recorded on disk first.",
        "Free up space on the full disk."
        if full
        else "Take ownership of the folder and make it writable, or set XDG_STATE_HOME to "
        "another folder.",
    )


def no_runner(why: str, log: str) -> StopReason:
    """Python itself did not become a runner."""
    return StopReason(
        f"The measurement process could not be started: {why}.",
        f"The Python that runs this program could not be started a second time. The log {log} may "
        "explain why.",
        "Repair the Python that runs this program, or measure in the current process with "
        "--foreground.",
    )


def another_at_work(what: str, run: str) -> StopReason:
    """A runner is at work on something else."""
    return StopReason(
        f"Another measurement is running: {what} (run {run}).",
        "Two measurements at the same time would interfere with each other.",
        "`rdna1-setup conv2d --attach` shows it, and `rdna1-setup conv2d --stop` ends it.",
    )


def still_ending(run: str) -> StopReason:
    """A runner has told its end and clears up."""
    return StopReason(
        f"The last measurement (run {run}) is still shutting down.",
        "That measurement's processes are still using the device and would interfere with the "
        "next one.",
        "Try again in a few seconds. `rdna1-setup conv2d --stop` ends any processes that are left.",
    )


def budget_spent(hangs: int) -> StopReason:
    """As many launches hung as were allowed."""
    times = "once" if hangs == 1 else f"{hangs} times"
    return StopReason(
        f"The device hung {times}, which is the limit.",
        "Any further hang may freeze the desktop, so the remaining shapes were not measured.",
        "Run the same command again to continue with the remaining shapes. To allow more hangs, "
        "add --hangs N.",
    )


def unkillable(outcome: Outcome, seconds: float) -> StopReason:
    """A process that even SIGKILL does not end."""
    return StopReason(
        f"The kernel did not end the hung process within {seconds:g} s: {outcome.text}.",
        "The driver is waiting for the card. No measurement on the card can be trusted now.",
        RESTART,
    )


def no_device(hip: str | None, torch: str | None) -> StopReason:
    """torch runs and sees no GPU."""
    build = "a ROCm build" if hip else "not a ROCm build"
    return StopReason(
        f"torch {torch} finds no GPU.",
        f"This torch is {build}. torch finds no device if /dev/kfd or the render node is not "
        "usable, or if the wheel has no code for the card.",
        "`rdna1-setup detect` checks the card and its device files. To measure on the processor, "
        "use --device cpu.",
    )


def journal_unusable(path: str, error: Exception) -> StopReason:
    """The journal cannot be written, and without it nothing is launched."""
    reason = getattr(error, "strerror", None) or str(error)
    return StopReason(
        f"The journal {path} cannot be written: {reason}.",
        "A hang may freeze the machine, so each launch is recorded on disk first.",
        "Make the folder writable, or set XDG_STATE_HOME to a writable folder.",
    )


def no_databases(path: str, error: OSError) -> StopReason:
    """No folder can be made for what MIOpen keeps."""
    return StopReason(
        f"A folder cannot be created in {path}: {error.strerror}.",
        "Each setting needs its own databases. Otherwise, MIOpen would use results that it found "
        "with another setting.",
        "Free up some space, make the folder writable, or set XDG_CACHE_HOME to a writable folder.",
    )


def journal_busy(path: str) -> StopReason:
    """Another sweep with the same request is under way."""
    return StopReason(
        f"Another process is running the same measurement ({path}).",
        "Two measurements at the same time would interfere with each other.",
        "Wait for the other process to finish, or stop it. Then try again.",
    )
