"""Each torch tried on the card: import, device, one tiny product; only where somebody asks for it.

Whatever touches the card may hang it, so each try is a child of its own with a deadline.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import assets
from wizard.advice.leftovers import short_path
from wizard.core.lines import beginning
from wizard.diagnose.explain import explain
from wizard.diagnose.finding import HANG, NO_CAUSE, Confidence, Evidence, Finding, Status
from wizard.diagnose.outcomes import fine, found, not_tested
from wizard.host.watched import Answer, answer
from wizard.machine.facts import Environment, Machine
from wizard.system.joined_groups import with_joined_group

TRY_S = 180.0
"""Gigabytes of torch from a cold disk, and a card that is started."""
WATCH_S = 30.0
"""How long the kernel may take to end a killed process before it is called unkillable."""
MOST = 4
"""Environments that are tried; more would take too long."""
DEADLINE_S = MOST * (TRY_S + WATCH_S)
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


def try_torches(
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
