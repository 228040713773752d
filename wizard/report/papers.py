"""The files of a report, redacted, each with what was taken out of it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from wizard import __version__
from wizard.conv2d.runs.last_sweep import LastSweep, sweep_form
from wizard.core.amounts import size_text
from wizard.core.journal import OLDER
from wizard.core.json_form import SCHEMA, to_json
from wizard.diagnose.finding import to_form
from wizard.machine.facts import Fact, Unknown
from wizard.report.gathered import Gathered
from wizard.report.issue import report_text
from wizard.report.log_lines import told_lines
from wizard.report.private import Redaction, without_name

MANIFEST = "MANIFEST.txt"
NOT_ASKED = "not requested: --collect-env runs it, and it may use the card"


@dataclass(frozen=True, slots=True)
class Paper:
    """One file, as it would leave."""

    name: str
    """Its path below the folder of the report."""
    about: str
    text: str
    taken: tuple[tuple[str, int], ...]
    """How many of each kind were replaced in it."""

    @property
    def raw(self) -> bytes:
        """Its bytes."""
        return self.text.encode("utf-8", "replace")

    @property
    def taken_text(self) -> str:
        """What was replaced, for people."""
        return ", ".join(f"{kind} {count}" for kind, count in self.taken) or "nothing"


@dataclass(frozen=True, slots=True)
class Papers:
    """A whole report, and what is not in it."""

    files: tuple[Paper, ...]
    missing: tuple[tuple[str, str], ...]
    """Name and reason of each file that would belong to it."""


Content = tuple[str, str, Callable[[Redaction], str]]
"""Name, what is in it, and its redacted text."""


def papers_of(
    gathered: Gathered, collected: Fact[str] | None = None, first: Iterable[Content] = ()
) -> Papers:
    """The report as files, after those that go ``first``.

    ``collected`` is what ``collect_env`` printed, if it was asked for.
    """
    redaction = Redaction(gathered.identity)
    files = [_paper(redaction, *each) for each in (*first, *_contents(gathered))]
    missing = [
        (log.name, log.text.because) for log in gathered.logs if isinstance(log.text, Unknown)
    ]
    if isinstance(collected, str):
        about = "PyTorch's own report on its environment (torch.utils.collect_env)"
        files.append(_paper(redaction, "collect_env.txt", about, lambda r: r.text(collected)))
    else:
        why = NOT_ASKED if collected is None else collected.because
        missing.append(("collect_env.txt", why))
    found = tuple(files)
    absent = tuple((name, redaction.text(why)) for name, why in missing)
    return Papers((*found, _manifest(found, absent)), absent)


def report_form(gathered: Gathered, redaction: Redaction) -> dict[str, Any]:
    """The whole report in one JSON document."""
    runs = [f"{r.id} {r.name} {r.plan['venv']} {r.state}" for r in gathered.records]
    runs += [f"{run.id} {OLDER}" for run in gathered.older]
    form = {
        "schema": SCHEMA,
        "version": __version__,
        "conv2d": sweep_form(gathered.sweep),
        "machine": to_json(without_name(gathered.machine)),
        "runs": runs,
        **_findings(gathered),
    }
    redacted: dict[str, Any] = redaction.form(form)
    return redacted


def _contents(gathered: Gathered) -> Iterator[Content]:
    yield "report.md", "the report to read", lambda r: report_text(gathered, r)
    machine = to_json(without_name(gathered.machine))
    about = "all facts about the machine, including its settings"
    yield "machine.json", about, lambda r: _json(r.form({"schema": SCHEMA, "machine": machine}))
    findings = {"schema": SCHEMA, **_findings(gathered)}
    about = "the findings of diagnose, with evidence and fix"
    yield "findings.json", about, lambda r: _json(r.form(findings))
    sweeps = {
        "schema": SCHEMA,
        "last": sweep_form(gathered.sweep),
        "before": sweep_form(gathered.before),
    }
    about = "verdicts of the last Conv2d measurement and the previous one, with their evidence"
    yield "conv2d.json", about, lambda r: _json(r.form(sweeps))
    yield from _logs(gathered)


def _logs(gathered: Gathered) -> Iterator[Content]:
    for log in gathered.logs:
        if isinstance(log.text, str):
            yield log.name, log.about, partial(_redacted_log, log.text)
    if lines := _miopen(gathered.sweep):
        about = "the last line of MIOpen's log, for each shape that has one"
        yield "logs/miopen.txt", about, partial(_redacted_log, "\n".join(lines))


def _redacted_log(text: str, redaction: Redaction) -> str:
    """Redacted as a whole, since some secrets have several lines; then the lines that leave."""
    return f"{told_lines(redaction.text(text))}\n"


def _miopen(sweep: LastSweep | None) -> list[str]:
    results = () if sweep is None else sweep.results
    return [f"{r.label}: {r.verdict.value}: {r.log_line}" for r in results if r.log_line]


def _findings(gathered: Gathered) -> dict[str, Any]:
    return {
        "rdna1": gathered.diagnosis.rdna1,
        "findings": [to_form(finding) for finding in gathered.diagnosis.findings],
    }


def _json(form: Any) -> str:
    return json.dumps(form, indent=1, ensure_ascii=False) + "\n"


def _paper(redaction: Redaction, name: str, about: str, text: Callable[[Redaction], str]) -> Paper:
    before = Counter(redaction.counts)
    written = text(redaction)
    return Paper(name, redaction.text(about), written, redaction.taken_since(before))


def _manifest(files: tuple[Paper, ...], missing: tuple[tuple[str, str], ...]) -> Paper:
    lines = [f"Report from rdna1-setup {__version__}: files, sizes, SHA-256 and contents.", ""]
    for paper in files:
        lines += [
            f"{paper.name}  {len(paper.raw)} bytes ({size_text(len(paper.raw))})",
            f"  sha256 {hashlib.sha256(paper.raw).hexdigest()}",
            f"  {paper.about}",
            f"  replaced: {paper.taken_text}",
        ]
    lines += [f"{name}  not here: {why}" for name, why in missing]
    return Paper(MANIFEST, "this list", "\n".join(lines) + "\n", ())
