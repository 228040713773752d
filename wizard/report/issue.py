"""What the reader of an issue needs, most important first; the JSON form holds all of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from wizard import __version__
from wizard.advice.recommend import recommend
from wizard.conv2d.runs.history import PastSweep
from wizard.core.fact import Unknown
from wizard.core.journal import OLDER, UNFINISHED, OlderRun, Record
from wizard.core.lines import clean_lines, wrapped
from wizard.diagnose.machine import part_statuses
from wizard.diagnose.reading import is_known
from wizard.machine.access import ACCESS
from wizard.machine.environments import ENVIRONMENTS
from wizard.machine.facts import Machine
from wizard.machine.gpus import GPUS
from wizard.machine.packages import PACKAGES
from wizard.machine.rocm import ROCM_TREES
from wizard.machine.settings import SETTINGS
from wizard.machine.system import SYSTEM
from wizard.report.conv2d import counted_line, since_lines, table_lines
from wizard.report.findings import diagnosis_lines
from wizard.report.machine import heading, part_lines, recorded_lines, told_parts
from wizard.report.private import Redaction, without_name
from wizard.report.sources import Gathered, log_ends

LATEST_RUNS = 5
WHOLE = tuple(part.title for part in (GPUS, SYSTEM, ACCESS, ENVIRONMENTS, SETTINGS))
IN_BRIEF = (ROCM_TREES.title, PACKAGES.title)
"""Parts of the machine that are told, the latter without their details."""


def report_text(gathered: Gathered, redaction: Redaction) -> str:
    """The whole report as Markdown, most important first."""
    text = [f"# rdna1-setup {__version__}"]
    for title, lines in _sections(gathered, redaction).items():
        body = clean_lines("\n".join(lines)).strip("\n").splitlines()
        fence = _fence(body)
        text += ["", f"## {title}", "", fence, *body, fence]
    return redaction.text("\n".join(text)) + "\n"


def _fence(lines: Iterable[str]) -> str:
    """Longer than any run of backticks in the lines: none of them ends the block."""
    runs = (len(run) for line in lines for run in re.findall("`+", line))
    return "`" * max(3, max(runs, default=0) + 1)


def _sections(gathered: Gathered, redaction: Redaction) -> dict[str, Iterable[str]]:
    """Everything is redacted before it is laid out: a line break would hide half of a secret."""
    recommended = redaction.text(recommend(gathered.machine).sentence)
    why = [_failure(Path(record.folder) / "log.txt") for record in gathered.records[:LATEST_RUNS]]
    machine = redaction.value(without_name(gathered.machine))
    diagnosis = redaction.value(gathered.diagnosis)
    sweep, before = redaction.value(gathered.sweep), redaction.value(gathered.before)
    return {
        "Conv2d": sweep_section(sweep, before),
        "Findings": list(diagnosis_lines(replace(machine, recorded=""), diagnosis)),
        "Machine": machine_section(machine),
        "Runs": run_section(
            redaction.value(gathered.records), redaction.value(why), gathered.older
        ),
        "Recommended": wrapped(recommended),
    }


def sweep_section(sweep: PastSweep | None, before: PastSweep | None = None) -> Iterator[str]:
    """The last verdicts, and what changed since the sweep before."""
    if sweep is None:
        yield "No verdicts yet. To measure: rdna1-setup conv2d"
        return
    yield f"{sweep.time}{'' if sweep.finished else ', not finished'}"
    if sweep.results:
        yield from counted_line(sweep.results)
        yield from table_lines(sweep.results)
        yield from _settings_of(sweep)
    if before is not None:
        yield from since_lines(before.results, sweep.results)
    if sweep.lost:
        text = f"Shape number {sweep.lost} was launched but has no result: it "
        yield from wrapped(f"{text}hung, or the machine or the measurement stopped.")


def _settings_of(sweep: PastSweep) -> Iterator[str]:
    setting = sweep.results[-1].loaded.setting
    if setting:
        yield "Set during the measurement:"
    yield from (f"  {name}={value}" for name, value in setting)


def machine_section(machine: Machine) -> Iterator[str]:
    """Cards, system, access, torch and settings; system ROCm in brief."""
    yield from recorded_lines(machine)
    statuses = part_statuses(machine)
    for part in told_parts(machine):
        if part.title not in (*WHOLE, *IN_BRIEF):
            continue
        details = () if part.title in IN_BRIEF else part.details
        if part.title == SETTINGS.title:  # who reads an issue knows what they do
            details = tuple(line for line in details if not line.startswith(" "))
        yield heading(part.title, statuses)
        yield from part_lines(replace(part, details=details))


def run_section(
    records: Sequence[Record], failures: Sequence[Sequence[str]], older: Sequence[OlderRun]
) -> Iterator[str]:
    """The latest runs, newest first, with why an unfinished one failed; what the last one did."""
    for number, (record, why) in enumerate(zip(records, failures, strict=False)):
        yield f"{record.id} {record.name} {record.plan['venv']} {record.state}"
        if record.state == UNFINISHED:
            yield from (f"  {line}" for line in why)
        if number == 0:
            yield from _changes(record)
    yield from (f"{run.id} {OLDER}" for run in older)
    if not records and not older:
        yield "none"


def _changes(record: Record) -> Iterator[str]:
    """Each step of a run and what came of it, as its journal tells."""
    for number, step in enumerate(record.plan["steps"], 1):
        begun = "started, not finished" if number in record.intents else "not started"
        text = str(step.get("text") or step["kind"]).partition("\n")[0]
        outcome = record.outcomes.get(number, begun).partition("\n")[0]
        yield from wrapped(f"{number}. {text}: {outcome}", head="  ", indent="     ")


def _failure(log: Path) -> Sequence[str]:
    """The last failure in a log: what happened, what it means, what to do."""
    text = log_ends(log)
    lines = [] if isinstance(text, Unknown) else text.splitlines()
    begun = [number for number, line in enumerate(lines) if line.startswith("failed: ")]
    return lines[begun[-1] : begun[-1] + 3] if begun else ()


OWN = re.compile(
    r"\[\d+/\d+\] |ok \(\d|failed: |(?:not )?finished\Z|(?:Now the second|Trying another) way: "
    r"|\[\d+ bytes of this log"
)
"""Lines of this program itself."""
ERROR = re.compile(
    r"(?i)(?<![a-z])(?:error|fail(?:ed|ure|s|ing)?|fatal|cannot|can't|could not|couldn't|unable"
    r"|denied|refused|no such|not (?:found|supported|installed|permitted|available)|missing"
    r"|time[d ]?[ -]?out|killed|aborted|core dumped|segfault|segmentation|traceback|warn(?:ing)?"
    r"|invalid|unsupported|conflicts?|broken|unmet|illegal|fault|panic|oops|bug|hung|reset)(?![a-z])"
    r"|[a-z](?:Error|Exception|Warning)\b|^(?:E|W|N|Err):|^[ \t]{0,12}File \"|Call Trace"
    r"|\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}"
)
INSTALLERS = re.compile(
    r"[ \t]{0,12}(?:Collecting|Downloading|Using cached|Installing|Successfully|Requirement already"
    r"|Attempting uninstall|Found existing|Uninstalling|Building|Created? wheel|Setting up"
    r"|Unpacking|Preparing to unpack|Selecting|Removing|Purging|Processing triggers"
    r"|(?:Get|Hit|Ign):\d|The following|Need to get|After this operation|Resolved|Prepared"
    r"|Installed| [+~-] )\b"
)
"""What pip, uv, apt and dpkg say of packages."""
STACK = re.compile(
    r"\b(?:amdgpu|kfd|amdkfd)\b|\[drm|/opt/rocm|repo\.radeon\.com|/torch/lib"
    r"|\blib(?:MIOpen|amdhip64|hsa-runtime64|hiprtc|amd_comgr|rocblas|hipblas\w*|torch\w*|c10\w*)\.so"
)
"""The driver, and where ROCm and torch lie."""
AFTER = ((re.compile("failed: "), 2), (re.compile(r'[ \t]{0,12}File "'), 1))
"""What begins something, and how many lines it goes on."""


def told_lines(text: str) -> str:
    """The lines that may leave, and in place of the others how many there were."""
    return "\n".join(_told(text.split("\n")))


def _told(lines: list[str]) -> Iterator[str]:
    for leaves, group in groupby(zip(lines, _leaving(lines), strict=True), lambda pair: pair[1]):
        found = [line for line, _ in group]
        if leaves:
            yield from found
        else:
            yield f"[{len(found)} {'line' if len(found) == 1 else 'lines'} left out]"


def _leaving(lines: list[str]) -> Iterator[bool]:
    more = 0
    for line in lines:
        follows = more > 0
        more = next((count for begin, count in AFTER if begin.match(line)), more - 1)
        yield follows or not line.strip() or _leaves(line)


def _leaves(line: str) -> bool:
    by_form = OWN.match(line) or INSTALLERS.match(line) or ERROR.search(line) or STACK.search(line)
    return by_form is not None or is_known(line)
