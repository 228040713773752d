"""Secrets of all kinds at all places of a machine: no way out of it tells one of them."""

from __future__ import annotations

import json
import shutil
import zipfile
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from tests.commands.test_conv2d_lines import result
from tests.machine.records import MACHINES, NAMES, machine
from tests.report.owners import redacted
from tests.report.planted import KINDS, Planted, planted, told_of
from wizard.conv2d.cards.make_card import Here, make_card
from wizard.conv2d.cards.result_card import card_text
from wizard.conv2d.repro import repro_of_result
from wizard.conv2d.runs.history import sweeps
from wizard.conv2d.verdicts import Verdict
from wizard.core.journal import SCHEMA
from wizard.core.json_form import to_json
from wizard.core.own_files import places
from wizard.diagnose.machine import diagnose
from wizard.diagnose.this_machine import looks_here
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost
from wizard.machine.recording.recorder import make_record, write
from wizard.report.bundle import report_files_of, report_form, write_folder
from wizard.report.issue import report_text
from wizard.report.private import Redaction
from wizard.report.sources import Gathered, gather, known_lines

SECRETS = planted(seed=17, count=7 * len(KINDS))
"""Each of them in each of its lines."""
MACHINE = "rx5600xt-noble-rocm57"
NEEDED = """\
[   12.345678] amdgpu 0000:0b:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14
[   12.345679] amdgpu 0000:0b:00.0: amdgpu: GPU reset begin!
[    3.456789] kfd kfd: amdgpu: skipped device 1002:731f, PCI rejects atomics 730<0
RuntimeError: HIP error: invalid device function
MIOpen Error: /MIOpen/src/hipoc/hipoc_program.cpp:304: Code object build failed.
Memory access fault by GPU node-1 (Agent handle: 0x55d0b3c0) on address 0x7f1c00000000.
E: Unable to locate package rocm-core5.7.1
ERROR: Could not find a version that satisfies the requirement torch==2.2.2+rocm5.7
OSError: libMIOpen.so.1: cannot open shared object file: No such file or directory
"""
"""Lines with which helpers can do something: they come through as they are."""


@dataclass(frozen=True, slots=True)
class Live:
    """A machine that is full of secrets, as if it were this one."""

    host: RecordedHost
    kernel_log: Path

    def gathered(self) -> Gathered:
        """What a report of it is made of."""
        looks = partial(looks_here, kernel_log=str(self.kernel_log))
        return gather(self.host, places(self.host.environ, self.host.home), looks)


def settings_of(secrets: tuple[Planted, ...]) -> list[tuple[str, str]]:
    """Variables that detection takes, with secrets for values."""
    found = []
    for number, one in enumerate(secrets):
        if one.is_setting:
            name = ("HIP_PASSWORD_{}", "HIP_OWN_{}", "MIOPEN_SERVER_{}")[number % 3].format(number)
            value = one.value
        elif "/" in one.line and "\n" not in one.line and "error" not in one.line.lower():
            name, value = f"MIOPEN_PLACE_{number}", one.line
        else:
            continue
        found.append((name, value))
    for number, one in enumerate(secrets):
        if one.kind in ("user below windows", "neighbour's home"):
            folder = "/mnt/c/Users" if "windows" in one.kind else "/home"
            found.append((f"MIOPEN_FOLDER_{number}", f"{folder}/{one.value}/db"))
    return found


def sources_of(secrets: tuple[Planted, ...]) -> str:
    """Sources of apt on servers that are nobody's business."""
    hosts = [one.value for one in secrets if one.kind in ("internal host", "host", "mdns", "proxy")]
    logins = [one.value for one in secrets if one.kind == "login in an address"]
    rows = [f"deb http://{host}/rocm/apt/5.7 jammy main" for host in hosts]
    return "\n".join([*rows, *(f"deb https://me:{x}@mirror.example/x jammy main" for x in logins)])


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Live:
    """That machine, with a run, a measurement and a kernel log."""
    folder = tmp_path_factory.mktemp("live") / "machine"
    shutil.copytree(MACHINES / MACHINE, folder)
    files, settings = folder / "files", settings_of(SECRETS)
    bash = files / "home/owner/.bashrc"
    lines = [f"export {name}='{value}'" for name, value in settings]
    bash.write_text(bash.read_text("utf-8") + "\n".join(lines) + "\n", "utf-8")
    apt = files / "etc/apt/sources.list.d/own.list"
    apt.parent.mkdir(parents=True, exist_ok=True)
    apt.write_text(sources_of(SECRETS), "utf-8")
    state = folder / "state" / "rdna1-setup"
    fill(state, [one.line for one in SECRETS])
    kernel_log = folder / "kernel.txt"
    kernel_log.write_text(
        NEEDED + "\n".join(f"[    1.000000] amdgpu: {one.line}" for one in SECRETS), "utf-8"
    )
    host = RecordedHost(folder)
    host.name = ""
    host.environ = {
        **host.environ,
        **dict(settings[::2]),
        "XDG_STATE_HOME": str(state.parent),
    }
    return Live(host, kernel_log)


def fill(state: Path, lines: list[str]) -> None:
    """A run and its log, and a measurement; each text of theirs is full."""
    run = state / "runs" / "20260101-a"
    run.mkdir(parents=True)
    steps = [{"kind": "run", "text": line, "argv": [line]} for line in lines]
    plan = {"id": "a", "kind": "install", "stack": "rocm57", "cause": "", "takes_back": "",
            "venv": "/home/owner/rocm57", "steps": steps}  # fmt: skip
    begin = {"event": "begin", "schema": SCHEMA, "time": "", "plan": plan}
    outcomes = [
        {"event": "outcome", "step": number, "outcome": line}
        for number, line in enumerate(lines, 1)
    ]
    rows = (json.dumps(row) for row in (begin, *outcomes))
    (run / "journal.jsonl").write_text("".join(f"{row}\n" for row in rows), "utf-8")
    ends = "".join(f"failed: {line}\n{line}\n{line}\n" for line in lines[-3:])
    (run / "log.txt").write_text("\n".join((NEEDED, *lines, ends)), "utf-8")
    results = []
    for number, line in enumerate(lines):
        failed = to_json(result(Verdict.ERROR))
        failed |= {"detail": line, "because": line, "log_line": f"MIOpen(HIP): Error [x] {line}"}
        failed["loaded"] |= {"setting": [["HIP_OWN", line]]}
        results.append({"outcome": number, "result": failed})
    (state / "conv2d").mkdir(parents=True)
    journal = [{"journal": 1}, *results, {"finished": True}]
    text = "".join(f"{json.dumps(row)}\n" for row in journal)
    (state / "conv2d" / "planted.jsonl").write_text(text, "utf-8")


@pytest.fixture(scope="module")
def ways(live: Live, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """All that leaves this machine, by the way on which it does."""
    folder, gathered = tmp_path_factory.mktemp("out"), live.gathered()
    asked = known_lines(f"OS: {one.line}".replace("\n", " ") for one in SECRETS)
    report_files = report_files_of(gathered, "\n".join(asked))
    write_folder(report_files, folder / "report", zipped=True)
    with zipfile.ZipFile(folder / "report.zip") as packed:
        inside = "\n".join(f"{name}\n{packed.read(name).decode()}" for name in packed.namelist())
    write(make_record(live.host, "record").record, folder / "record")
    (sweep,) = sweeps(Path(places(live.host.environ, live.host.home).conv2d))
    here = Here(gathered.machine.gpus, gathered.machine.driver, gathered.machine.system)
    card = make_card(sweep.results, datetime.fromisoformat(sweep.time), here, finished=True)
    return {
        "card": card_text(card),
        "script": "\n".join(map(repro_of_result, sweep.results)),
        "report": report_text(gathered, Redaction(gathered.identity)),
        "json": json.dumps(report_form(gathered, Redaction(gathered.identity)), ensure_ascii=False),
        "folder": text_below(folder / "report"),
        "zip": inside,
        "record": text_below(folder / "record"),
    }


def text_below(folder: Path) -> str:
    """Names and contents of all files."""
    found = []
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
        found.append(f"{path.relative_to(folder)}\n{content}")
    return "\n".join(found)


def test_700_secrets_of_100_kinds_are_planted(live: Live) -> None:
    assert len(SECRETS) >= 700
    assert len({one.kind for one in SECRETS}) >= 100
    assert len({one.value for one in SECRETS}) == len(SECRETS)
    log = Path(live.host.environ["XDG_STATE_HOME"]) / "rdna1-setup/runs/20260101-a/log.txt"
    assert len(told_of(SECRETS, log.read_text("utf-8"))) == len(SECRETS)


@pytest.mark.parametrize("way", ["report", "json", "folder", "zip", "record", "card", "script"])
def test_none_of_them_leaves(ways: dict[str, str], way: str) -> None:
    assert told_of(SECRETS, ways[way]) == []


def test_any_text_that_is_redacted_tells_none() -> None:
    text = "\n".join(one.line for one in SECRETS)
    assert told_of(SECRETS, redacted(text)) == []


@pytest.mark.parametrize("line", NEEDED.splitlines())
def test_a_line_with_which_helpers_can_do_something_leaves(ways: dict[str, str], line: str) -> None:
    assert line in ways["folder"]
    assert line in ways["zip"]


@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_diagnosed_as_its_machine(name: str, tmp_path: Path) -> None:
    write(make_record(machine(name), name).record, tmp_path / name)
    before, after = (
        diagnose(detect(host), ()) for host in (machine(name), RecordedHost(tmp_path / name))
    )
    assert [one.cause for one in after.findings] == [one.cause for one in before.findings]
    assert before.rdna1 == after.rdna1
