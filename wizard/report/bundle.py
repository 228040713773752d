"""The files of a report, redacted, shown before they leave, and written into a new folder."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wizard import __version__
from wizard.conv2d.runs.history import PastSweep, sweep_form
from wizard.core.amounts import size_text
from wizard.core.fact import Fact, Unknown
from wizard.core.journal import OLDER
from wizard.core.json_form import SCHEMA, to_json
from wizard.core.lines import clean, wrapped
from wizard.core.trouble import Trouble
from wizard.diagnose.finding import to_form
from wizard.report.issue import report_text, told_lines
from wizard.report.private import Redaction, without_name
from wizard.report.sources import Gathered

MANIFEST = "MANIFEST.txt"
NOT_ASKED = "not requested: --collect-env runs it, and it may use the card"


@dataclass(frozen=True, slots=True)
class ReportFile:
    """One file, as it would leave."""

    name: str
    """Its path below the folder of the report."""
    about: str
    text: str
    replaced: tuple[tuple[str, int], ...]
    """How many of each kind were replaced in it."""

    @property
    def raw(self) -> bytes:
        """Its bytes."""
        return self.text.encode("utf-8", "replace")

    @property
    def replaced_text(self) -> str:
        """What was replaced, for people."""
        return ", ".join(f"{kind} {count}" for kind, count in self.replaced) or "nothing"


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """A whole report, and what is not in it."""

    files: tuple[ReportFile, ...]
    missing: tuple[tuple[str, str], ...]
    """Name and reason of each file that would belong to it."""


Content = tuple[str, str, Callable[[Redaction], str]]
"""Name, what is in it, and its redacted text."""


def report_files_of(
    gathered: Gathered, collected: Fact[str] | None = None, first: Iterable[Content] = ()
) -> ReportFiles:
    """The report as files, after those that go ``first``.

    ``collected`` is what ``collect_env`` printed, if it was asked for.
    """
    redaction = Redaction(gathered.identity)
    files = [_report_file(redaction, *each) for each in (*first, *_contents(gathered))]
    missing = [
        (log.name, log.text.because) for log in gathered.logs if isinstance(log.text, Unknown)
    ]
    if isinstance(collected, str):
        about = "PyTorch's own report on its environment (torch.utils.collect_env)"
        files.append(_report_file(redaction, "collect_env.txt", about, lambda r: r.text(collected)))
    else:
        why = NOT_ASKED if collected is None else collected.because
        missing.append(("collect_env.txt", why))
    found = tuple(files)
    absent = tuple((name, redaction.text(why)) for name, why in missing)
    return ReportFiles((*found, _manifest(found, absent)), absent)


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


def _miopen(sweep: PastSweep | None) -> list[str]:
    results = () if sweep is None else sweep.results
    return [f"{r.label}: {r.verdict.value}: {r.log_line}" for r in results if r.log_line]


def _findings(gathered: Gathered) -> dict[str, Any]:
    return {
        "rdna1": gathered.diagnosis.rdna1,
        "findings": [to_form(finding) for finding in gathered.diagnosis.findings],
    }


def _json(form: Any) -> str:
    return json.dumps(form, indent=1, ensure_ascii=False) + "\n"


def _report_file(
    redaction: Redaction, name: str, about: str, text: Callable[[Redaction], str]
) -> ReportFile:
    before = Counter(redaction.counts)
    written = text(redaction)
    return ReportFile(name, redaction.text(about), written, redaction.replaced_since(before))


def _manifest(files: tuple[ReportFile, ...], missing: tuple[tuple[str, str], ...]) -> ReportFile:
    lines = [f"Report from rdna1-setup {__version__}: files, sizes, SHA-256 and contents.", ""]
    for each in files:
        lines += [
            f"{each.name}  {len(each.raw)} bytes ({size_text(len(each.raw))})",
            f"  sha256 {hashlib.sha256(each.raw).hexdigest()}",
            f"  {each.about}",
            f"  replaced: {each.replaced_text}",
        ]
    lines += [f"{name}  not here: {why}" for name, why in missing]
    return ReportFile(MANIFEST, "this list", "\n".join(lines) + "\n", ())


SENDS_NOTHING = (
    "This program sends nothing: you decide what to attach. Read the report before you attach it. "
    "Known forms of secrets are replaced, but some may remain. The names of folders in your home "
    "directory are not replaced."
)


def preview_lines(report_files: ReportFiles) -> Iterator[str]:
    """The files with what was replaced in each, then what is not there."""
    for each in report_files.files:
        yield f"{each.name}  ({size_text(len(each.raw))})"
        yield from _indented(each.about)
        if each.replaced:
            yield from _indented(f"replaced: {each.replaced_text}")
    for name, why in report_files.missing:
        yield from wrapped(f"Not included: {name} ({clean(why)})")
    yield from wrapped(f"Replaced in total: {total_text(report_files)}.")
    yield from wrapped(SENDS_NOTHING)


def whole_lines(report_files: ReportFiles) -> Iterator[str]:
    """The preview, and then every file as it would be written."""
    yield from preview_lines(report_files)
    for each in report_files.files:
        yield ""
        yield f"===== {each.name}"
        yield from each.text.splitlines()


def total_text(report_files: ReportFiles) -> str:
    """How many of each kind were replaced in all files."""
    total: Counter[str] = Counter()
    for each in report_files.files:
        total.update(dict(each.replaced))
    return ", ".join(f"{kind} {count}" for kind, count in sorted(total.items())) or "nothing"


def _indented(text: str) -> list[str]:
    return wrapped(text, head="    ")


FOLDER_MODE, FILE_MODE = 0o700, 0o600
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)
"""What a file system says that knows no links."""
ELSEWHERE = "Choose a path to a new folder inside an existing folder that belongs to you."


def require_new(folder: Path, *, zipped: bool = False) -> None:
    """Raises Trouble unless there is nothing at that place and a folder above it."""
    for path in (folder, zip_of(folder)) if zipped else (folder,):
        if os.path.lexists(path):
            raise _not_written(path, "it already exists and is not overwritten")
    if not folder.parent.is_dir():
        raise _not_written(folder, f"there is no folder {folder.parent}")


def zip_of(folder: Path) -> Path:
    """Where the folder goes as one file."""
    return folder.with_name(f"{folder.name}.zip")


def write_folder(
    report_files: ReportFiles, folder: Path, *, zipped: bool = False
) -> tuple[Path, ...]:
    """Write the files, and one of all of them; gives the paths. Trouble leaves nothing behind."""
    require_new(folder, zipped=zipped)
    draft: Path | None = None
    try:
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name[:60]}.", dir=folder.parent))
        inside, packed = draft / "folder", draft / "zip"
        _fill(report_files, inside)
        if zipped:
            _pack(report_files, packed, folder.name)
            _name(packed, zip_of(folder))
        _put(inside, folder, zip_of(folder) if zipped else None)
    except OSError as error:
        raise _not_written(folder, error.strerror or str(error)) from None
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
    return (folder, zip_of(folder)) if zipped else (folder,)


def _name(packed: Path, path: Path) -> None:
    """Give the file its name, over nothing; a disk without links, such as a USB stick, renames."""
    try:
        os.link(packed, path)
    except OSError as error:
        if error.errno not in NO_LINKS or os.path.lexists(path):
            raise
        packed.rename(path)


def _put(inside: Path, folder: Path, packed: Path | None) -> None:
    """Give the folder its name; what came there meanwhile stays, unless it is an empty folder."""
    try:
        inside.rename(folder)
    except OSError:
        if packed is not None:
            packed.unlink(missing_ok=True)
        raise


def _fill(report_files: ReportFiles, folder: Path) -> None:
    folder.mkdir(mode=FOLDER_MODE)
    for each in report_files.files:
        path = folder / each.name
        path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(each.raw)
            file.flush()
            os.fsync(file.fileno())


def _pack(report_files: ReportFiles, path: Path, name: str) -> None:
    """One file of all, without times and owners."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w") as packed:
        for each in report_files.files:
            entry = zipfile.ZipInfo(f"{name}/{each.name}")
            entry.external_attr = FILE_MODE << 16
            packed.writestr(entry, each.raw, zipfile.ZIP_DEFLATED)


def _not_written(path: Path, why: str) -> Trouble:
    return Trouble(f"{clean(str(path))} was not written: {why}.", "Nothing was changed.", ELSEWHERE)
