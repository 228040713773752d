"""The kernel log of this machine as findings: of this start, of the one before, or of a file."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from wizard.diagnose.decoding import NotText
from wizard.diagnose.explain import Explanation, explain, explain_file
from wizard.diagnose.finding import HANG, Evidence, Finding, Status
from wizard.diagnose.outcomes import fine, not_tested
from wizard.host.watched import Answer, answer

Read = Callable[[tuple[str, ...], float], Answer]

JOURNAL = ("journalctl", "--dmesg", "--no-pager", "--output=short-monotonic", "--lines=20000")
READERS = ((*JOURNAL, "--boot=0"), ("dmesg", "--color=never"))
"""Who may not read the one may often read the other."""
BEFORE = (*JOURNAL, "--boot=-1")
ANSWER_S = 5.0
DEADLINE_S = 30.0
"""For both readers, and for what they brought to be read for causes."""
MOST_BYTES = 64 << 20
"""Of a longer log the end is read: what went wrong last stands there."""
SAMPLE = 1 << 12
NOT_READ = "The kernel log was not read"
REFUSALS = ("ermission", "not permitted", "not seeing messages")
"""What readers say to who may not read: of dmesg, and of journalctl."""
RIGHT = (
    "Only root and members of the groups adm and systemd-journal may read it. Run sudo dmesg > "
    "kernel.log, then rdna1-setup diagnose --kernel-log kernel.log"
)
NOT_KEPT = (
    "Without the folder /var/log/journal, the journal is lost at each restart. To keep the next "
    "one, create that folder as root and restart."
)


def kernel_findings(read: Read = answer) -> tuple[Finding, ...]:
    """What the log since the start proves; that it could not be read where nobody may."""
    reasons = []
    for argv in READERS:
        told = read(argv, ANSWER_S)
        if log := _entries(told):
            return _told(explain(log.encode()), "kernel log", "since the last restart")
        reasons.append(_why_not(argv[0], told))
    return _unread(_advised(reasons))


def findings_before(read: Read = answer) -> tuple[Finding, ...]:
    """The same of the start before this one: what happened then is over, and so a warning."""
    told = read(BEFORE, ANSWER_S)
    log = "kernel log of the previous boot"
    if not (entries := _entries(told)):
        why = _why_not(BEFORE[0], told)
        advice = _advised([why]) if _refuses(told.said) else f"{why}. {NOT_KEPT}"
        return (not_tested(HANG, f"The {log} was not read", advice),)
    found = _told(explain(entries.encode()), log, "of the previous boot")
    return tuple(replace(f, status=Status.WARNING) if f.counts else f for f in found)


def findings_in_file(path: str) -> tuple[Finding, ...]:
    """The same of a log in a file."""
    name = Path(path).name
    try:
        with _end_of(path) as (log, cut):
            if not log.peek(SAMPLE).strip():
                return _unread(f"{name} is empty.")
            found = _told(explain_file(log), name, f"in {name}")
    except NotText as error:
        return _unread(f"{name}: {error}.")
    except OSError as error:
        why = f"{name}: {error.strerror or error}"
        return _unread(f"{why}. Check the name and your permission to read it.")
    if cut:
        most = f"only the last {MOST_BYTES >> 20} MB were read"
        return (*found, not_tested(HANG, f"The beginning of {name} was not read", most))
    return found


@contextmanager
def _end_of(path: str) -> Iterator[tuple[io.BufferedReader, bool]]:
    """A log at the line from which it is read, and whether there is more before that."""
    # Without waiting: the open of a pipe would, for somebody at its other end.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("is not a file")
        cut = found.st_size > MOST_BYTES
        if cut:
            file.seek(-MOST_BYTES, io.SEEK_END)
            file.readline()  # the first line is cut
        yield file, cut


def _unread(why: str) -> tuple[Finding, ...]:
    return (not_tested(HANG, NOT_READ, why),)


def _told(explained: Explanation, where: str, since: str) -> tuple[Finding, ...]:
    found = []
    for finding in explained.findings:
        evidence = (Evidence(e.text, f"{where}, {e.where}") for e in finding.evidence)
        found.append(replace(finding, evidence=tuple(evidence)))
    if not any(finding.counts for finding in found):
        found.append(fine(HANG, f"The kernel log {since} shows no known fault"))
    return tuple(found)


def _entries(told: Answer) -> str:
    """What was printed without what the reader says of its own: ``-- No entries --``."""
    lines = told.text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("-- ")).strip("\n")


def _refuses(said: str) -> bool:
    return any(word in said for word in REFUSALS)


def _why_not(program: str, told: Answer) -> str:
    if told.late:
        return f"{program} did not respond within {ANSWER_S:g} s"
    lines = [line.strip() for line in told.said.splitlines() if line.strip()]
    last = lines[-1].rstrip(".") if lines else ""
    if last.startswith(program):
        return last
    if last:
        return f"{program}: {last}"
    return f"{program} ended with code {told.code}" if told.code else f"{program} printed nothing"


def _advised(reasons: list[str]) -> str:
    why = "; ".join(reasons)
    return f"{why}. {RIGHT}" if _refuses(why) else f"{why}."
