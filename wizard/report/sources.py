"""All that a report is made of, as it was found: nothing of it leaves before it is redacted."""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from wizard.conv2d.runs.folders import runs_of
from wizard.conv2d.runs.history import PastSweep, sweeps
from wizard.core.fact import Fact, Unknown
from wizard.core.journal import OlderRun, Record
from wizard.core.lines import beginning, clean, clean_lines
from wizard.core.own_files import Places
from wizard.core.process import Exited, child_environment, stream
from wizard.core.trouble import Trouble
from wizard.diagnose.machine import Diagnosis, Look, diagnose
from wizard.diagnose.this_machine import looks_here
from wizard.host.host import Host
from wizard.machine.detect import detect
from wizard.machine.disclosure import told_machine
from wizard.machine.facts import Machine
from wizard.redaction.rules import told_value
from wizard.report.private import Identity, identity_of
from wizard.run.log import log_of
from wizard.run.runs import older_runs, records_of

MODULE = "torch.utils.collect_env"
DEADLINE_S = 90.0
MOST_LINES = 400
NO_ENVIRONMENT = "no environment with torch was found: name one with --collect-env DIR"

_TITLES = (
    "PyTorch version|Is debug build|CUDA used to build PyTorch|ROCM used to build PyTorch|OS"
    "|GCC version|Clang version|CMake version|Libc version|Python version|Python platform"
    "|Is CUDA available|CUDA runtime version|CUDA_MODULE_LOADING set to"
    "|GPU models and configuration|Nvidia driver version|cuDNN version|Is XPU available"
    "|HIP runtime version|MIOpen runtime version|Is XNNPACK available|Caching allocator config"
)
_PROCESSOR = (
    r"Architecture|CPU op-mode\(s\)|Byte Order|Address sizes|CPU\(s\)|Vendor ID|CPU family|Model"
    r"|Model name|Stepping|BIOS Vendor ID|BIOS Model name|Thread\(s\) per core|Core\(s\) per socket"
    r"|Socket\(s\)|CPU(?: max| min)? MHz|BogoMIPS|Flags|Virtualization(?: type)?|Hypervisor vendor"
    r"|L1d cache|L1i cache|L2 cache|L3 cache|NUMA node(?:\(s\)|\d+ CPU\(s\))"
)
KNOWN = re.compile(
    rf"(?:(?:{_TITLES}): .{{0,400}}|(?:CPU|Versions of relevant libraries):|"
    rf"(?:{_PROCESSOR}):\s.{{0,4000}}"
    r"|\[(?:pip3?|conda)\] [\w.+-]+(?:==|\s+)[\w.+!-]+(?:\s+[\w.+:/-]+){0,3}"
    r"|\[(?:pip3?|conda)\] Could not collect)"
)
"""The lines that it is known to print; all others are left out."""


def environment_for(asked: str, machine: Machine, records: Iterable[Record]) -> str:
    """The environment to ask: the one named, that of the last run, or the first with torch."""
    if asked:
        return str(Path(asked).expanduser().absolute())
    made = [str(record.plan["venv"]) for record in records if record.plan["venv"]]
    there = [
        one.path for one in machine.environments if one.torch and one.kind in ("venv", "conda")
    ]
    return next((path for path in (*made, *there) if python_of(path).exists()), "")


def python_of(environment: str) -> Path:
    """The Python of an environment, or the Python itself that was named."""
    path = Path(environment)
    return path if path.is_file() else path / "bin" / "python"


def collect_env(
    environment: str, variables: Mapping[str, str], deadline_s: float = DEADLINE_S
) -> Fact[str]:
    """Its known lines, or why there are none; it may touch the card, and has a deadline."""
    if not environment:
        return Unknown(NO_ENVIRONMENT)
    try:
        return asyncio.run(_ask(str(python_of(environment)), variables, deadline_s))
    except Trouble as trouble:
        return Unknown(f"{trouble.happened} {trouble.meaning}")


async def _ask(python: str, variables: Mapping[str, str], deadline_s: float) -> Fact[str]:
    argv = (python, "-m", MODULE)
    told: list[str] = []
    asked = stream(argv, environment=child_environment(variables, ()), deadline_s=deadline_s)
    async with aclosing(asked) as output:
        async for part in output:
            if isinstance(part, Exited):
                return _ended(part.code, told)
            told += part[: MOST_LINES * 10 - len(told)]
    return Unknown("it printed nothing")


def _ended(code: int, told: list[str]) -> Fact[str]:
    known = known_lines(told)
    if code == 0 and known:
        return "\n".join(known) + "\n"
    last = beginning(clean(told[-1]), 200) if told else "nothing was printed"
    return Unknown(f"collect_env ended with code {code}: {last}")


def known_lines(lines: Iterable[str]) -> list[str]:
    """The lines that it is known to print."""
    stripped = (line.rstrip() for line in lines)
    return [line for line in stripped if KNOWN.fullmatch(line)][:MOST_LINES]


HEAD_BYTES, TAIL_BYTES = 32_768, 131_072
"""Where it began, and more of where it ended."""


def log_ends(path: Path) -> Fact[str]:
    """The text of a log; of a long one, whole lines of its two ends."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return Unknown(error.strerror or str(error))
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return Unknown("it is not a regular file")
        return _ends(descriptor, found.st_size)
    except OSError as error:
        return Unknown(error.strerror or str(error))
    finally:
        os.close(descriptor)


def _ends(descriptor: int, size: int) -> str:
    if size <= HEAD_BYTES + TAIL_BYTES:
        return _text(os.pread(descriptor, size, 0))
    # Cut lines go whole: half of a token would be known by nobody as one.
    head = os.pread(descriptor, HEAD_BYTES, 0).rpartition(b"\n")[0]
    tail = os.pread(descriptor, TAIL_BYTES, size - TAIL_BYTES).partition(b"\n")[2]
    out = size - len(head) - len(tail)
    return f"{_text(head)}\n\n[{out} bytes of this log are left out here]\n\n{_text(tail)}"


def _text(raw: bytes) -> str:
    return clean_lines(raw.decode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was found, or why there is nothing of it."""

    name: str
    about: str
    text: Fact[str]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a report is made of."""

    machine: Machine
    identity: Identity
    diagnosis: Diagnosis
    records: tuple[Record, ...]
    older: tuple[OlderRun, ...]
    """Runs that an older version of this program recorded."""
    sweep: PastSweep | None
    before: PastSweep | None
    logs: tuple[Log, ...]


Looks = Callable[[Host, Machine, Places], tuple[Look, ...]]
"""What is looked at beside the facts of a machine."""


def gather(host: Host, places: Places, looks: Looks = looks_here) -> Gathered:
    """Looks at everything; a recorded machine has no runs, logs and kernel log of its own."""
    machine, recorded = told_machine(detect(host)), bool(host.name)
    runs = Path(places.runs)
    records = records_of(host)
    latest = [] if recorded else list(map(_told, islice(sweeps(Path(places.conv2d)), 2)))
    sweep, before = (*latest, None, None)[:2]
    return Gathered(
        machine=machine,
        identity=identity_of(host),
        diagnosis=diagnose(machine, looks(host, machine, places)),
        records=records,
        older=() if recorded else older_runs(runs),
        sweep=sweep,
        before=before,
        logs=() if recorded else _logs(records, places),
    )


def _told(sweep: PastSweep) -> PastSweep:
    """The sweep without what somebody may have put into a variable beside a fact."""
    return replace(
        sweep,
        results=tuple(
            replace(
                result,
                asked=_values(result.asked),
                loaded=replace(result.loaded, setting=_values(result.loaded.setting)),
            )
            for result in sweep.results
        ),
    )


def _values(setting: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((name, told_value(name, value)) for name, value in setting)


def _logs(records: tuple[Record, ...], places: Places) -> tuple[Log, ...]:
    found = []
    if records:
        about = f"log of the last run ({records[0].id})"
        found.append(Log("logs/last-run.txt", about, log_ends(Path(log_of(records[0])))))
    runs = runs_of(places)
    if runs and runs[0].log.exists():
        about = f"other output of the Conv2d measurement {runs[0].id}"
        found.append(Log("logs/conv2d-run.txt", about, log_ends(runs[0].log)))
    return tuple(found)
