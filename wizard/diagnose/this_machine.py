"""What is looked at on this very machine: logs, measurements, journals, each torch tried."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import assets
from wizard.advice.leftovers import short_path
from wizard.core.fact import Unknown
from wizard.core.lines import beginning
from wizard.core.own_files import Places
from wizard.diagnose.checks_measured import measurement, since_last_good
from wizard.diagnose.checks_torch import miopen_folders
from wizard.diagnose.explain import Explanation, explain, explain_file
from wizard.diagnose.finding import HANG, NO_CAUSE, Confidence, Evidence, Finding, Status
from wizard.diagnose.lines import NotText
from wizard.diagnose.machine import Look
from wizard.diagnose.measurements import Measured, measured_here
from wizard.diagnose.outcomes import fine, found, not_tested
from wizard.host.deadline import Answer, answer
from wizard.host.host import Host
from wizard.machine.facts import Environment, Machine
from wizard.machine.part import Once
from wizard.run.runs import read_records
from wizard.system.joined_groups import with_joined_group

Read = Callable[[tuple[str, ...], float], Answer]

JOURNAL = ("journalctl", "--dmesg", "--no-pager", "--output=short-monotonic", "--lines=20000")
READERS = ((*JOURNAL, "--boot=0"), ("dmesg", "--color=never"))
"""Who may not read the one may often read the other."""
BEFORE = (*JOURNAL, "--boot=-1")
ANSWER_S = 5.0
KERNEL_LOG_S = 30.0
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


TRY_S = 180.0
"""Gigabytes of torch from a cold disk, and a card that is started."""
WATCH_S = 30.0
"""How long the kernel may take to end a killed process before it is called unkillable."""
MOST = 4
"""Environments that are tried; more would take too long."""
TRY_TORCH_S = MOST * (TRY_S + WATCH_S)
SAID_BYTES = 1 << 20
NO_DEVICE = (
    "torch finds no card. Other findings may explain why: see those about the driver, "
    "permissions, and variables."
)
REPORT = "Report it with the output of: rdna1-setup report"


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one try."""

    answer: Answer
    told: Mapping[str, Any] | None
    """What ``torch_check.py`` wrote; None where it did not come to that."""


def to_try(machine: Machine) -> tuple[Environment, ...]:
    """Environments with a torch for ROCm and a Python of their own."""
    with_torch = [e for e in machine.environments if e.torch and e.torch.build == "rocm"]
    return tuple(e for e in with_torch if e.kind in ("venv", "conda"))[:MOST]


def try_each_torch(
    machine: Machine, attempt: Callable[[Environment], Tried] | None = None
) -> Iterator[Finding]:
    """One environment after the other; none after one that did not come back."""
    environments = to_try(machine)
    if not environments:
        why = "no venv or conda environment with a torch for ROCm was found"
        yield not_tested(HANG, "No torch was tried", f"{why}.")
    for environment in environments:
        tried = (attempt or try_once)(environment)
        yield from judged(environment, tried, machine)
        if tried.answer.late:
            return


def try_once(environment: Environment) -> Tried:
    """Run the check under the environment's own Python, with the variables of this session."""
    with tempfile.TemporaryDirectory(prefix="rdna1-setup-") as folder:
        result = Path(folder) / "answer.json"
        check = (f"{environment.path}/bin/python", str(assets.FOLDER / "torch_check.py"))
        # Unbuffered: the last words of one that dies are heard.
        environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
        argv = with_joined_group((*check, "--device", "cuda", "--result", str(result)), environ)
        told = answer(argv, TRY_S, most_bytes=SAID_BYTES, environ=environ, reaping_s=WATCH_S)
        try:
            form = json.loads(result.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            form = None
        return Tried(told, form if isinstance(form, dict) else None)


def judged(environment: Environment, tried: Tried, machine: Machine) -> Iterator[Finding]:
    """What a try proves."""
    place = short_path(environment.path, machine)
    version = environment.torch.version if environment.torch else ""
    what = Evidence(f"torch {version}, tried now", place)
    told = tried.told or {}
    if tried.answer.late:
        yield _did_not_come_back(tried.answer, what)
        return
    if tried.told is None or "error" in told:
        said = str(told.get("error") or f"{tried.answer.text}\n{tried.answer.said}")
        yield from _failed(said, tried.answer, what)
        return
    yield from _foreign_libraries(told, environment, what)
    matmul, device = told.get("matmul"), told.get("device")
    seen = f"{device} as {told['gfx']}" if told.get("gfx") else str(device)
    if matmul == "right":
        built = f" (HIP {told['hip']})" if told.get("hip") else ""
        yield fine(HANG, f"torch {version}{built} works on {seen}, tried now in {place}", what)
    else:
        wrong = device is not None
        text = f"The card gave wrong numbers: {matmul}" if wrong else NO_DEVICE
        title = f"torch {version} {'gives wrong results' if wrong else 'finds no card'} in {place}"
        status = Status.FAULT if wrong else Status.WARNING
        evidence = (what, Evidence(str(matmul), place))
        yield Finding(NO_CAUSE, status, Confidence.CERTAIN, title, evidence, text, (REPORT,))


def _did_not_come_back(told: Answer, what: Evidence) -> Finding:
    seen = [what, Evidence(f"no answer within {TRY_S:g} s, then killed", what.where)]
    if not told.gone:
        seen.append(Evidence(f"still running {WATCH_S:g} s after SIGKILL", what.where))
    return found(HANG, seen, Confidence.LIKELY if told.gone else Confidence.CERTAIN)


def _failed(said: str, told: Answer, what: Evidence) -> Iterator[Finding]:
    """What the words of a failure prove, through the reader of pasted texts."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    end = beginning(lines[-1], 400) if lines else f"ended with code {told.code}"
    last = Evidence(end, what.where)
    causes = [one for one in explain(said.encode()).findings if one.counts] if lines else []
    for one in causes:
        yield found(one.cause, (what, last), one.confidence, status=one.status, fix=one.fix)
    if not causes:
        title = f"{what.text.partition(',')[0]} could not be used in {what.where}"
        meaning = "Importing or using it failed. The line above is the whole message."
        yield found(NO_CAUSE, (what, last), title=title, meaning=meaning, fix=(REPORT,))


def _foreign_libraries(
    told: Mapping[str, Any], environment: Environment, what: Evidence
) -> Iterator[Finding]:
    """Libraries of ROCm in the process that are not the environment's own."""
    libraries = told.get("libraries")
    paths = libraries.values() if isinstance(libraries, dict) else ()
    inside = os.path.realpath(environment.path)
    foreign = [str(p) for p in paths if not str(p).startswith((environment.path, inside))]
    if foreign:
        yield found("library-path-shadow", (what, *(Evidence(p, what.where) for p in foreign)))


STAT = "/proc/stat"


def looks_here(
    host: Host,
    machine: Machine,
    places: Places,
    *,
    kernel_log: str = "",
    try_torches: bool = False,
) -> tuple[Look, ...]:
    """All of it, for ``each`` and ``diagnose``; of a recorded machine what can be told of it.

    ``kernel_log``: a file in place of the machine's own log. ``try_torches``: use the card.
    """

    def read_log(_: Machine) -> tuple[Finding, ...]:
        return findings_in_file(kernel_log) if kernel_log else kernel_findings()

    log = Look("the kernel log", read_log, KERNEL_LOG_S)
    if host.name:
        return (log,) if kernel_log else ()
    if not any(gpu.rdna1 for gpu in machine.gpus):
        return (log,)
    measured = Once(partial(measured_here, places))
    runs = partial(read_records, Path(places.runs))
    previous = "the kernel log of the previous boot"
    before = Look(previous, lambda _: _before(host, measured()), KERNEL_LOG_S)
    tried = Look("each torch on the card", try_each_torch, TRY_TORCH_S)
    return (
        log,
        *(() if kernel_log else (before,)),
        Look("the last Conv2d results", lambda m: measurement(measured(), m)),
        Look("changes since it last worked", lambda m: since_last_good(measured(), runs(), m)),
        Look("MIOpen's folders", partial(miopen_folders, host)),
        *((tried,) if try_torches else ()),
    )


def _before(host: Host, measured: tuple[Measured, ...]) -> tuple[Finding, ...]:
    """The log of the start before, where a hang is suspected to have ended that one."""
    began = started_s(host)
    last = next(iter(measured), None)
    if last is None or began is None or not last.hung or last.when.timestamp() >= began:
        return ()
    return findings_before()


def started_s(host: Host) -> float | None:
    """When this machine was started, in seconds since 1970."""
    text = host.read(STAT)
    lines = () if isinstance(text, Unknown) else text.splitlines()
    told = next((line.split()[1:] for line in lines if line.startswith("btime ")), [])
    return float(told[0]) if told and re.fullmatch("[0-9]{1,15}", told[0]) else None
