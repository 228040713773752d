"""A plan as a shell script: for reading, and for sites without this program or Ansible.

What shell cannot do as the plan means it (root's part, environments that exist, edits of the user's
files) is not done at all: the script then says so before its first step, and is for reading.
"""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Iterable, Iterator

import assets
from wizard.credentials import redact
from wizard.plan.content import content_lines
from wizard.plan.resolve import BY_RANGE
from wizard.plan.steps import (
    CheckTorch,
    CreateVenv,
    DropDownloads,
    FetchWheels,
    InstallWheels,
    PinInstalled,
    Plan,
    RunProgram,
    Step,
    WriteFile,
)
from wizard.run.lines import clean

WIDTH = 98
SOURCES = ("PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX")
INSTALLING = (
    "env",
    *(word for name in SOURCES for word in ("-u", name)),
    "PIP_CONFIG_FILE=/dev/null",
    "PIP_NO_CACHE_DIR=1",
)
"""What is installed was fetched and hashed before: the user's settings of pip must not matter."""
INSTALLED = "/.rdna1-setup-installed"
"""In the venv: the plan whose wheels were installed by such a script."""
PINS = "import sys\nfrom importlib.metadata import version\n" + (
    'print(*(f"{name}=={version(name)}" for name in sys.argv[1:]), sep="\\n")'
)


def shell_script(plan: Plan) -> Iterator[str]:
    """The script, line by line."""
    yield "#!/bin/sh"
    yield "# shellcheck disable=SC2034,SC2317,SC2329  # the functions serve every plan"
    yield from _comment(f"Plan {plan.id} of rdna1-setup: {plan.stack}, footprint {plan.footprint}")
    yield from _comment(f"Into {plan.venv}." if plan.venv else "No venv.")
    for note in (plan.first, *plan.notes):
        yield from _comment(f"! {note}" if note else "")
    yield from _comment(
        "It keeps no journal: to take it back, remove the folder, if it was not there before. "
        "`rdna1-setup apply` does the same, goes on where it stopped, and has a way back."
    )
    yield ""
    yield from (assets.FOLDER / "plan_shell_head.sh").read_text("utf-8").splitlines()
    yield ""
    yield from _before(plan)
    skipped = _for_the_wheels(plan)
    for number, step in enumerate(plan.steps, 1):
        yield ""
        yield from _comment(f"{number}. {step.reason}")
        yield from _comment(f"undo: {step.inverse}")
        yield _line("say", f"[{number}/{len(plan.steps)}] {_shown(step)}")
        if step in skipped:
            yield 'if [ "$installed" = yes ]; then say "  done before"; else'
            yield from _lines(step, plan)
            yield "fi"
        else:
            yield from _lines(step, plan)
    yield ""
    yield _line("say", f"Finished: {plan.venv}/bin/python has torch." if plan.venv else "Finished.")


def _for_the_wheels(plan: Plan) -> tuple[Step, ...]:
    """What a second run leaves out: choosing, fetching and installing what is installed."""
    fetched = [step for step in plan.steps if isinstance(step, FetchWheels)]
    reports = [step.report for step in fetched]
    chosen = (s for s in plan.steps if isinstance(s, RunProgram) and set(reports) & set(s.creates))
    installed = (step for step in plan.steps if isinstance(step, InstallWheels))
    return (*chosen, *fetched, *installed)


def only_for_reading(plan: Plan) -> tuple[Step, ...]:
    """Steps that no shell line does."""
    return tuple(step for step in plan.steps if not _has_form(step) or _hides_login(step))


def _has_form(step: Step) -> bool:
    kinds = (RunProgram, CreateVenv, FetchWheels, InstallWheels, WriteFile, PinInstalled)
    return isinstance(step, (*kinds, CheckTorch, DropDownloads)) and not step.needs_root


def _hides_login(step: Step) -> bool:
    """True where an address has a login, which no script may keep."""
    return isinstance(step, RunProgram) and any(redact(word) != word for word in step.argv)


def _before(plan: Plan) -> Iterator[str]:
    yield f"mark={shlex.quote(plan.venv + INSTALLED)} plan={shlex.quote(plan.id)}"
    yield "installed=no"
    yield '[ ! -f "$mark" ] || [ "$(cat -- "$mark")" != "$plan" ] || installed=yes'
    if reading := only_for_reading(plan):
        yield from _comment("Not in shell, and so not at all: these steps need rdna1-setup itself.")
        for step in reading:
            yield from _comment(f"- {_shown(step)}")
        yield _line("stop", "this plan is for reading: rdna1-setup apply carries it out.")
        return
    yield '[ "$(id -u)" -ne 0 ] || say "This runs as root: what it makes belongs to root."'
    needed = (plan.download_bytes or 0) + (plan.installed_bytes or 0)
    yield _line("require_room", plan.venv, str(needed))
    made = f"{plan.venv}/pyvenv.cfg"
    full = f'[ -n "$(ls -A -- {shlex.quote(plan.venv)} 2>/dev/null || true)" ]'
    yield f"if {full} && ! {_line('all_there', made)}; then"
    yield "    " + _line("stop", f"{plan.venv} holds something else: choose another folder.")
    yield "fi"


def _lines(step: Step, plan: Plan) -> Iterator[str]:
    if step in only_for_reading(plan):
        yield from (f"#   | {clean(line)}" for line in content_lines(step))
        yield _line("stop", "this step has no shell form")
        return
    match step:
        case RunProgram():
            yield from _program(step)
        case CreateVenv():
            yield from _unless((f"{step.venv}/pyvenv.cfg", f"{step.venv}/bin/python"), step.argv)
        case FetchWheels():
            yield from _fetch(step, plan)
        case InstallWheels():
            yield _line(*INSTALLING, *step.argv)
            yield _line(*INSTALLING, step.python, "-m", "pip", "check")
            yield 'printf \'%s\\n\' "$plan" >"$mark"'
        case WriteFile():
            yield _line("write_file", step.path, f"{step.mode:04o}", step.content)
        case PinInstalled():
            python = f"{step.venv}/bin/python"
            pins = f"$({_line(python, '-I', '-c', PINS, *step.names)})"
            yield f'write_file {shlex.quote(step.path)} 0644 "{pins}\n"'
        case CheckTorch():
            yield from _python(step.python, "plan_shell_check.py", step.expect_torch, step.device)
        case DropDownloads():
            yield _line("rm", "-rf", "--", step.folder)
        case _:
            raise AssertionError(step)


def _program(step: RunProgram) -> Iterator[str]:
    settings = ("env", *(f"{name}={value}" for name, value in step.environment))
    with_settings = settings if step.environment else ()
    if step.folder:
        yield _line("mkdir", "-p", "--", step.folder)
    calls = " ||\n        ".join(
        _line(*with_settings, *argv) for argv in (step.argv, step.otherwise) if argv
    )
    yield from _guarded(step.creates, calls)


def _unless(there: tuple[str, ...], argv: tuple[str, ...]) -> Iterator[str]:
    yield from _guarded(there, _line(*argv))


def _guarded(there: tuple[str, ...], call: str) -> Iterator[str]:
    if not there:
        yield call
        return
    yield f"if ! {_line('all_there', *there)}; then"
    yield f"    {call}"
    yield "fi"
    yield _line("require", *there)


def _fetch(step: FetchWheels, plan: Plan) -> Iterator[str]:
    """pip fetches what it chose, and checks each hash of the lock."""
    python = f"{plan.venv}/bin/python"
    known = json.dumps(dict(step.hashes))
    yield from _python(python, "plan_shell_lock.py", step.report, step.lock, known)
    options = ("--no-input", "--no-deps", "--only-binary=:all:", "--require-hashes")
    words = (python, "-m", "pip", "download", *options, *_sources(step, plan))
    yield _line(*words, "--dest", step.staging, "--requirement", step.lock)


def _sources(fetch: FetchWheels, plan: Plan) -> tuple[str, ...]:
    """Where the resolver looked: all that stands between its options and its report."""
    chose = next(s for s in plan.steps if isinstance(s, RunProgram) and fetch.report in s.creates)
    words = chose.argv
    found = words[words.index("--only-binary=:all:") + 1 : words.index("--report")]
    return tuple(word for word in found if word != BY_RANGE)


def _python(python: str, script: str, *words: str) -> Iterator[str]:
    """A script of ours, handed to a Python on its standard input."""
    end = "END_OF_PYTHON"
    yield f"{_line(python, '-', *words)} <<'{end}'"
    yield from (assets.FOLDER / script).read_text("utf-8").splitlines()
    yield end


def _line(*words: str) -> str:
    return shlex.join(words)


def _shown(step: Step) -> str:
    return clean(str(step))


def _comment(text: str) -> Iterable[str]:
    lines = textwrap.wrap(clean(text), WIDTH, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in lines]
