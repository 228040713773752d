"""What went wrong, in words for a person."""

from __future__ import annotations

import errno
import os


class Trouble(Exception):
    """A failure that was foreseen: what happened, what it means, what to do next."""

    def __init__(self, happened: str, meaning: str, next_step: str) -> None:
        super().__init__(happened)
        self.happened = happened
        self.meaning = meaning
        self.next_step = next_step

    def texts(self) -> dict[str, str]:
        """The three texts as fields of an event."""
        return {
            "happened": self.happened,
            "meaning": self.meaning,
            "next_step": self.next_step,
        }


def as_trouble(error: OSError) -> Trouble:
    """A failed call of the kernel in plain words."""
    what = "A file" if error.filename is None else os.fsdecode(error.filename)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Trouble(
            f"The disk is full: {what} could not be written.",
            "The journal lists every change that was made.",
            "Free up some space on the file system that contains /var and /etc, then run the "
            "same step again.",
        )
    if error.errno == errno.EROFS:
        return Trouble(
            f"{what} could not be changed: the file system is read-only.",
            "The kernel often remounts a failing disk read-only.",
            "Look at the kernel log (sudo dmesg). Once the file system is writable, run "
            "the step again.",
        )
    return Trouble(
        f"{what} could not be used: {error.strerror or error}.",
        "The system refused the operation, so the step was not finished.",
        "Fix the problem, then run the same step again.",
    )


class Wrong(Exception):
    """A plan or request that is not one of ours; the text says what is wrong with it."""


def counted(number: int, what: str) -> str:
    """A number of things in words."""
    return "{} {}{}".format(number, what, "" if number == 1 else "s")


def surprise(what: str) -> Trouble:
    return Trouble(
        f"This differs from the plan you reviewed: {what}",
        "The package lists or the installed packages have changed since your review, or "
        "rdna1-setup does not allow this "
        "change. Nothing was changed.",
        "Have rdna1-setup check the machine again, and review the new plan.",
    )


def refusal(what: str, error: Wrong) -> Trouble:
    return Trouble(
        f"{what} was refused: {error}.",
        "The root helper does only what is known to be safe. It changed nothing.",
        "This is a bug in rdna1-setup, or another program is communicating with its root helper. "
        "Please report it.",
    )
