"""Expected failures, told so that a person can act on them."""

from __future__ import annotations

import signal

from wizard.core.credentials import redact
from wizard.core.known_failures import KNOWN
from wizard.core.lines import clean, shown
from wizard.core.unreached import host_words, hosts_in


class Trouble(Exception):
    """A failure that was foreseen: what happened, what it means, what to do next."""

    def __init__(self, happened: str, meaning: str, next_step: str) -> None:
        super().__init__(happened)
        self.happened = happened
        self.meaning = meaning
        self.next_step = next_step


class NoWayBack(Trouble):
    """Packages would go that rollback could not put back; the user may choose that."""


def as_trouble(error: Trouble | OSError) -> Trouble:
    """A failed look or write as Trouble; Trouble as it is."""
    if isinstance(error, Trouble):
        return error
    return Trouble(
        f"{clean(str(error.filename or 'A file'))} could not be changed: "
        f"{error.strerror or error}.",
        "The disk may be full or read-only, or the folder may belong to another user.",
        "Fix the problem, then run the same command again. Finished steps are kept.",
    )


LAST_WORDS = 3
"""Lines of unknown output that are worth repeating."""


def explained(output: str, code: int) -> Trouble:
    """What the output of a program that failed says, in plain words."""
    output = redact(output)
    for known in KNOWN:
        if found := known.pattern.search(output):
            servers = host_words(hosts_in(output, known.pattern))
            caught: dict[str | int, str] = {0: found[0]}
            caught |= {name: shown(text or "") for name, text in found.groupdict().items()}
            texts = (known.happened, known.meaning, known.next)
            filled: dict[str, object] = {"found": caught, **servers}
            return Trouble(*(text.format_map(filled) for text in texts))
    return _unknown(output, code)


def _unknown(output: str, code: int) -> Trouble:
    if code == -signal.SIGKILL:
        return Trouble(
            "The program was killed (signal 9).",
            "The system kills programs when memory runs out, or someone killed it.",
            "Close other programs, then run the same command again. Finished steps are kept.",
        )
    ended = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    said = " / ".join(_last_words(output))
    return Trouble(
        f"The program {ended}" + (f": {said}" if said else " without any output."),
        "rdna1-setup does not know this error. The log contains its full text.",
        "Read the log above, fix the problem it names, then run the same command again.",
    )


def _last_words(output: str) -> list[str]:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    loud = [line for line in lines if line.lower().startswith(("error", "fatal"))]
    return (loud or lines)[-LAST_WORDS:]
