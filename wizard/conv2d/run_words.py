"""What is said of a runner that stopped, died, or could not begin."""

from __future__ import annotations

import errno

from wizard.conv2d.sweep import StopReason

SAME_COMMAND = "The same command goes on with the remaining shapes."


def stopped() -> StopReason:
    """Somebody asked for it."""
    return StopReason(
        "The experiment was stopped.",
        "The running shape was ended, which says nothing of it. All verdicts before it are kept.",
        SAME_COMMAND,
    )


def died(suspect: str, said: str) -> StopReason:
    """The runner is gone without a last word."""
    last = f" Its last words: {said}." if said else ""
    meaning = (
        f"{suspect} was launched and has no verdict: it is the suspect."
        if suspect
        else "No shape was under way at that moment."
    )
    return StopReason(
        f"The process that ran the experiment is gone.{last}",
        f"It was killed, ran out of memory, or the machine was restarted. {meaning}",
        "The same command goes on: it tries the suspect once more, and leaves it alone after that.",
    )


def not_written(path: str, error: OSError) -> StopReason:
    """An event or a verdict did not get onto the disk."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return StopReason(
        f"{error.filename or path} cannot be written: {error.strerror or error}.",
        "A hang may freeze the machine, so nothing is launched that is not on disk first. "
        "The experiment was stopped; verdicts that were written are kept.",
        ("Make room on that disk. " if full else "Make that folder writable. ") + SAME_COMMAND,
    )


def not_started(path: str, error: OSError) -> StopReason:
    """The runner could not be started, or its folder not be made."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return StopReason(
        f"The journal and the events below {path} cannot be written: {error.strerror or error}.",
        "A hang may freeze the machine, so nothing is launched that is not on disk first.",
        "Make room on that disk."
        if full
        else "Make the folder writable and your own, or set XDG_STATE_HOME to one that is.",
    )


def no_runner(why: str, log: str) -> StopReason:
    """Python itself did not become a runner."""
    return StopReason(
        f"The process that would run the experiment could not be started: {why}.",
        f"The Python of this program does not run as it is set up here; it may say why in {log}.",
        "Mend that, or run it inside this process with --foreground.",
    )


def another_at_work(what: str, run: str) -> StopReason:
    """A runner is at work on something else."""
    return StopReason(
        f"Another experiment is under way: {what} (run {run}).",
        "Two at once would disturb each other.",
        "`rdna1-setup conv2d --attach` shows it, `rdna1-setup conv2d --stop` ends it.",
    )


def still_ending(run: str) -> StopReason:
    """A runner has told its end and clears up."""
    return StopReason(
        f"The last experiment (run {run}) is just ending.",
        "Its processes still hold the device, and would disturb the next one.",
        "Try again in some seconds; `rdna1-setup conv2d --stop` ends what does not go.",
    )


def budget_spent(hangs: int) -> StopReason:
    """As many launches hung as were allowed."""
    times = "once" if hangs == 1 else f"{hangs} times"
    return StopReason(
        f"The device hung {times}: as often as was allowed.",
        "Each further hang may freeze the desktop, so the remaining shapes were not launched.",
        "The same command goes on with them; --hangs N allows more than before.",
    )
