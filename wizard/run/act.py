"""How each kind of step is carried out on this machine, and how its outcome is verified."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Union

import assets
from wizard.plan.steps import (
    CheckTorch,
    ClearExecutableStack,
    CreateVenv,
    DropDownloads,
    FetchWheels,
    InstallWheels,
    PinInstalled,
    RunProgram,
    Step,
    WriteFile,
)
from wizard.run import execstack
from wizard.run.credentials import redact
from wizard.run.events import Output, Progress
from wizard.run.lines import clean
from wizard.run.ownership import installed_versions, missing_files, site_packages
from wizard.run.process import Exited, child_environment, stream
from wizard.run.remains import draft_of, holds
from wizard.run.trouble import Trouble, explain_pip


@dataclass(frozen=True, slots=True)
class Done:
    """A step acted and its outcome was verified; the text says what was found."""

    outcome: str


class Stopped(Exception):
    """The step stopped at a safe point because the user asked for it."""


Act = AsyncGenerator[Union[Output, Progress, Done], None]  # noqa: UP007 - read at run time on 3.10


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What acting needs from outside the step."""

    environ: Mapping[str, str]
    scratch: str
    """A folder on a big disk for programs that want a temporary one."""
    cancelled: Callable[[], bool]
    indexes: tuple[str, ...] = ()
    """Addresses that the resolver was given, with their logins: pip's report carries none."""

    def environment(self, additions: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
        """The environment of a child of this run."""
        return child_environment(self.environ, (("TMPDIR", self.scratch), *additions))


def act(step: Step, around: Surroundings) -> Act:
    """Carry one step out; ends with Done, or raises Trouble."""
    match step:
        case RunProgram():
            return _run_program(step, around)
        case CreateVenv():
            return _create_venv(step, around)
        case FetchWheels():
            return _fetch(step, around)
        case InstallWheels():
            return _install(step, around)
        case CheckTorch():
            return _check_torch(step, around)
        case WriteFile():
            return _at_once(lambda: _write_settings(Path(step.path), step.content, step.mode))
        case PinInstalled():
            return _at_once(lambda: _pin_installed(step))
        case ClearExecutableStack():
            return _at_once(lambda: _clear_stack(step))
        case DropDownloads():
            return _at_once(lambda: _drop(step))
        case _:
            raise Trouble(
                f"This version cannot carry out: {step}",
                "Steps that need root are planned and shown, and left to you for now.",
                "Take the footprint venv, which needs no root, or run the command by hand.",
            )


async def _program(
    argv: tuple[str, ...], environment: Mapping[str, str], deadline_s: float, limit: int = 400
) -> AsyncGenerator[Output, None]:
    """Run to the end; raises Trouble with the program's own words when it fails."""
    seen: list[str] = []
    async with aclosing(stream(argv, environment=environment, deadline_s=deadline_s)) as output:
        async for item in output:
            if isinstance(item, Exited):
                if item.code != 0:
                    raise explain_pip("\n".join(seen), item.code)
            else:
                seen = [*seen, *item][-limit:]
                yield Output(tuple(map(redact, item)))


async def _run_program(step: RunProgram, around: Surroundings) -> Act:
    if step.folder:
        _make_folder(step.folder)
    environment = around.environment(step.environment)
    try:
        async for output in _program(step.argv, environment, step.deadline_s):
            yield output
    except Trouble as trouble:
        if not step.otherwise:
            raise
        yield Output(
            (trouble.happened, redact(f"Now the second way: {shlex.join(step.otherwise)}"))
        )
        async for output in _program(step.otherwise, environment, step.deadline_s):
            yield output
    if missing := _missing(step.creates):
        raise Trouble(
            f"The program ended well, but {', '.join(missing)} is not there.",
            "Its exit code said success; the outcome says otherwise.",
            "Look at the log above, then run the same command again.",
        )
    yield Done("done" if not step.creates else f"{', '.join(step.creates)} is there")


async def _create_venv(step: CreateVenv, around: Surroundings) -> Act:
    Path(step.venv).parent.mkdir(parents=True, exist_ok=True)
    async for output in _program(step.argv, around.environment(), step.deadline_s):
        yield output
    if not (Path(step.venv) / "pyvenv.cfg").is_file() or not site_packages(Path(step.venv)):
        raise Trouble(
            f"{step.venv} is not a venv after all.",
            "The program ended well but made no pyvenv.cfg or no site-packages.",
            "Look at the log above; another Python may do better.",
        )
    yield Done(f"{step.venv} is a venv of {step.python}")


async def _fetch(step: FetchWheels, around: Surroundings) -> Act:
    from wizard.run.fetch import fetch_wheels  # brings ssl and the network with it

    events: Iterator[Progress | Output] = fetch_wheels(
        step, cancelled=around.cancelled, indexes=around.indexes
    )
    while (event := await asyncio.to_thread(next, events, None)) is not None:
        yield event
    if around.cancelled():
        raise Stopped
    sizes = _sizes(Path(step.staging))
    yield Done(f"{len(sizes)} wheels, {sum(sizes)} bytes, hashes right")


def _make_folder(path: str) -> None:
    Path(path).mkdir(parents=True, exist_ok=True)


def _missing(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in paths if not Path(path).exists())


def _sizes(staging: Path) -> tuple[int, ...]:
    return tuple(wheel.stat().st_size for wheel in staging.glob("*.whl"))


async def _install(step: InstallWheels, around: Surroundings) -> Act:
    # The user's pip settings name indexes and targets; this call must know neither.
    environment = around.environment((("PIP_CONFIG_FILE", os.devnull), ("PIP_NO_CACHE_DIR", "1")))
    async for output in _program(step.argv, environment, step.deadline_s):
        yield output
    check = (step.python, "-m", "pip", "check")
    async for output in _program(check, environment, 120):
        yield output
    if missing := await asyncio.to_thread(missing_files, Path(step.venv), Path(step.lock)):
        raise Trouble(
            f"pip says that all is installed, but {len(missing)} files are missing: {missing[0]}.",
            "An earlier installation was cut off, or something else works in this folder.",
            f"Undo this run with `rdna1-setup rollback` and start again: {step.venv} is ours.",
        )
    yield Done("installed: every file is there, and pip finds no conflict")


async def _at_once(action: Callable[[], str]) -> Act:
    yield Done(await asyncio.to_thread(action))


def _write_settings(path: Path, content: str, mode: int) -> str:
    """Write a file of ours; what somebody made of an earlier one is kept beside it."""
    kept = ""
    if path.is_file() and not holds(path, content):
        aside = _free_name(path)
        path.rename(aside)
        kept = f"; what it was before is kept as {aside}"
    return _write_file(path, content, mode) + kept


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.kept-{number}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def _write_file(path: Path, content: str, mode: int) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_of(path)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return f"{len(content.encode())} bytes written"


def _pin_installed(step: PinInstalled) -> str:
    versions = installed_versions(Path(step.venv))
    pins = [f"{name}=={versions[name]}" for name in step.names if name in versions]
    _write_file(Path(step.path), "".join(f"{pin}\n" for pin in pins), 0o644)
    return ", ".join(pins) or "none of them is installed"


def _clear_stack(step: ClearExecutableStack) -> str:
    found = [
        library
        for packages in site_packages(Path(step.venv))
        for name in step.libraries
        if (library := packages / "torch" / "lib" / name).is_file()
        and library.resolve().is_relative_to(Path(step.venv).resolve())
    ]
    try:
        cleared = [library.name for library in found if execstack.clear(library)]
    except ValueError as error:
        raise Trouble(
            f"The flag could not be cleared: {error}.",
            "The library is not in the form that was expected; nothing in it was changed.",
            "Take another stack, or clear it with patchelf --clear-execstack and run this again.",
        ) from None
    return f"cleared: {', '.join(cleared)}" if cleared else "no library asks for it"


def _drop(step: DropDownloads) -> str:
    shutil.rmtree(step.folder, ignore_errors=False) if Path(step.folder).exists() else None
    return "removed"


async def _check_torch(step: CheckTorch, around: Surroundings) -> Act:
    answer_file = Path(around.scratch) / "torch_check.json"
    answer_file.unlink(missing_ok=True)
    script = assets.FOLDER / "torch_check.py"
    argv = (step.python, str(script), "--device", step.device, "--result", str(answer_file))
    environment = around.environment((("PYTHONDONTWRITEBYTECODE", "1"),))
    async for output in _program(argv, environment, step.deadline_s):
        yield output
    answer = _answer_in(answer_file)
    yield Output(tuple(_told(answer)))
    _judge(step, answer)
    yield Done(f"torch {answer['torch']}, {answer['device'] or 'no device asked for'}")


def _answer_in(file: Path) -> Mapping[str, object]:
    """What the check found; torch itself may end Python before it could be written."""
    try:
        answer = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        answer = None
    expected = {"error"}, {"torch", "torch_folder", "device", "matmul"}
    if isinstance(answer, dict) and any(names <= answer.keys() for names in expected):
        return answer
    raise Trouble(
        "The check of torch ended without an answer.",
        "Importing torch ended Python itself, or what it wrote was cut off.",
        "Look at the log above; run the same command again to check once more.",
    )


def _told(answer: Mapping[str, object]) -> list[str]:
    lines = [f"{name}: {value}" for name, value in answer.items() if name != "libraries"]
    libraries = answer.get("libraries")
    if isinstance(libraries, dict):
        lines += [f"loaded {name}: {path}" for name, path in sorted(libraries.items())]
    return [clean(line) for text in lines for line in text.splitlines()]


def _judge(step: CheckTorch, answer: Mapping[str, object]) -> None:
    if "error" in answer:
        words = str(answer["error"]).splitlines()
        raise explain_pip("\n".join(map(clean, words)), 1)
    if not str(answer["torch"]).startswith(step.expect_torch):
        raise Trouble(
            f"torch {answer['torch']} was loaded instead of {step.expect_torch}.",
            "Another torch comes first on the import path.",
            f"It lies in {answer['torch_folder']}.",
        )
    if step.device != "none" and answer["matmul"] != "right":
        raise Trouble(
            f"The tiny matrix product failed: {answer['matmul']}.",
            "torch is installed; the device could not be used, or it counts wrong.",
            "Look at the device rows of `rdna1-setup detect`; then run the same command again.",
        )
