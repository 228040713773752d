"""The part of a record's allow-list about settings, applications, MIOpen and our own runs.

Of each file only the assignments that detection takes are kept, each on its line.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator

from wizard.journalform import SCHEMA, older_run_of, record_of
from wizard.knowledge.traces import load_traces
from wizard.machine.recording import keep
from wizard.machine.recording.keep import Keep
from wizard.machine.setting_files import COMPOSE_FILES, PROJECT_SCRIPTS
from wizard.machine.setting_formats import (
    Assigned,
    Reader,
    compose_environment,
    fish_universals,
    imported_modules,
    json_variables,
    python_environ,
    unit_environment,
    unit_files,
)
from wizard.redaction.values import told_value


def fish_universal_file(text: str) -> str:
    """Exported universal variables of fish."""
    return _placed(
        (line, f"SETUVAR --export {name}:{_fish_text(value)}")
        for name, value, line in _told(fish_universals(text))
    )


def json_file(key: str) -> Keep:
    """One object of variables below a key, each variable on its line."""
    read: Reader = json_variables(key)

    def kept(text: str) -> str:
        found = sorted(_told(read(text)), key=lambda one: one[2])
        if not found:
            return "{}"
        rows = [(line, f"{json.dumps(name)}: {json.dumps(value)}") for name, value, line in found]
        rows = [(line, f"{row},") for line, row in rows[:-1]] + rows[-1:]
        return f'{{"{key}": {{{_placed(rows).rstrip()}}}}}\n'

    return kept


def unit_file(text: str) -> str:
    """``Environment=`` lines, and the files that the unit names below ``/etc``."""
    rows = [(line, _quoted(f"{n}={v}")) for n, v, line in _told(unit_environment(text))]
    named = [path for path in unit_files(text) if path.startswith("/etc/")]
    placed = _placed(rows).split("\n")
    written = "\n".join(f"Environment={line}" if line else "" for line in placed)
    return written + "".join(f"EnvironmentFile={path}\n" for path in named)


def python_file(text: str) -> str:
    """What a module puts into the environment."""
    return _placed(_python_rows(python_environ(text)))


def pth_file(text: str) -> str:
    """What a ``.pth`` file sets itself, and which modules it imports."""
    rows = list(_python_rows(python_environ(text)))
    return _placed(rows) + "".join(f"import {name}\n" for name in imported_modules(text))


def compose_file(text: str) -> str:
    """Variables that a compose file gives its services, as one list."""
    rows = [(line, f"- {name}={value}") for name, value, line in _told(compose_environment(text))]
    # ``environment:`` goes on the first line: what is wanted always stands further down.
    return f"environment:{_placed(rows)}" if rows else ""


def journal(text: str) -> str:
    """What a run was for, its folder and its state; nothing of its steps."""
    complete = text.split("\n")[:-1]
    record = record_of("", "", complete)
    if record is None:
        if older_run_of("", "", complete) is not None:
            return f"{json.dumps({'event': 'begin', 'schema': SCHEMA - 1})}\n"
        return "damaged\n" if any(complete) else ""
    told = {name: record.plan[name] for name in ("kind", "stack", "cause", "venv")}
    plan = {"id": "", **told, "takes_back": "", "steps": []}
    begin = {"event": "begin", "schema": SCHEMA, "plan": plan}
    state = {"event": "state", "state": record.state}
    return "".join(f"{json.dumps(line)}\n" for line in (begin, state))


def _told(found: Iterable[Assigned]) -> list[Assigned]:
    """The assignments with values that may leave."""
    return [(name, told_value(name, value), line) for name, value, line in found]


def _python_rows(found: list[Assigned]) -> Iterator[tuple[int, str]]:
    for name, value, line in _told(found):
        yield line, f"os.environ[{json.dumps(name)}] = {json.dumps(value, ensure_ascii=False)}"


def _placed(rows: Iterable[tuple[int, str]]) -> str:
    """Lines with these texts at their numbers, and nothing between them."""
    lines: dict[int, list[str]] = {}
    for number, row in rows:
        lines.setdefault(number, []).append(row)
    last = max(lines, default=0)
    return "".join(f"{' '.join(lines.get(number, ()))}\n" for number in range(1, last + 1))


def _quoted(word: str) -> str:
    """A word as systemd and shells read it."""
    return shlex.quote(word)


def _fish_text(value: str) -> str:
    """A value as fish writes it: all but letters, digits and a few signs as their codes."""
    plain = (one if one.isalnum() or one in "/_" else _fish_code(one) for one in value)
    return "".join(plain)


def _fish_code(sign: str) -> str:
    return f"\\x{ord(sign):02x}" if ord(sign) < 256 else sign


DISTRIBUTIONS = (
    *("InvokeAI", "invokeai", "ultralytics", "timm", "diffusers", "transformers"),
    *("jupyterlab", "notebook"),
)
"""As their wheels spell the names of the packages in ``assets/applications.toml``."""
TOLD_RULES: tuple[tuple[str, Keep], ...] = (
    ("~/.config/fish/conf.d/*.fish", keep.fish),
    ("~/.config/fish/fish_variables", fish_universal_file),
    ("/etc/systemd/*/*.service", unit_file),
    ("/etc/systemd/*/*.service.d/*.conf", unit_file),
    ("~/.config/systemd/user/*.service", unit_file),
    ("~/.config/systemd/user/*.service.d/*.conf", unit_file),
    ("/etc/default/*", keep.shell),
    ("**/bin/activate", keep.shell),
    ("**/bin/activate.fish", keep.fish),
    ("**/conda-meta/state", json_file("env_vars")),
    ("**/etc/conda/activate.d/*.sh", keep.shell),
    ("**/etc/conda/activate.d/*.fish", keep.fish),
    ("**/jupyter/kernels/*/kernel.json", json_file("env")),
    ("**/*-packages/*.pth", pth_file),
    ("**/*-packages/*.py", python_file),
    *((f"**/{name}", keep.shell) for name in PROJECT_SCRIPTS),
    *((f"**/{name}", compose_file) for name in COMPOSE_FILES),
    *((f"**/{name}", keep.nothing) for trace in load_traces() for name in trace.files),
    *((f"**/{trace.root}", keep.nothing) for trace in load_traces() if trace.root),
    *((f"**/bin/{trace.program}", keep.nothing) for trace in load_traces() if trace.program),
)
"""What ``wizard.machine.setting_files`` and the modules beside it read: kept if facts name it."""
RULES: tuple[tuple[str, Keep], ...] = (
    *((f"**/*-packages/{name}-*.dist-info", keep.nothing) for name in DISTRIBUTIONS),
    (
        "**/*-packages/torch-*.dist-info/RECORD",
        keep.lines(r"torch/lib/lib[\w+-]+\.so[\w.]*,sha256=[\w-]*,\d{1,19}"),
    ),
    ("**/rdna1-setup/runs/*/journal.jsonl", journal),
)
"""Kept wherever detection looked at them."""
