"""Which wheels: pip decides, under a Python of the machines' own version, for their C library.

Markers such as ``python_version`` are read of the Python that runs pip, whatever its options say
(https://github.com/pypa/pip/issues/11664); hence a venv of the right one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

from wizard.core.events import Output
from wizard.core.trouble import Trouble
from wizard.fetch.target import Target
from wizard.knowledge.stacks import Stack, find_stack
from wizard.plan.python_steps import PIP_QUIET
from wizard.plan.resolve import resolve_argv, second_try
from wizard.run.pip_report import FORMAT, read_report
from wizard.system.system import Act, Done, System
from wizard.system.whole_file import write_whole

VENV_S = 300.0
CHOSEN_S = 900.0
OLDEST_MINOR = 5
"""manylinux_2_5 is the first tag that there is (PEP 600)."""
OLD_NAMES = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
"""What the same tags were called before (PEP 600)."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where wheels are taken from, as ``plan`` takes them."""

    torch_index: str = ""
    wheelhouse: str = ""


async def make_chooser(python: str, venv: Path, sources: Sources, system: System) -> Act:
    """A venv whose pip chooses: new enough, and gone once the folder is finished."""
    found = ("--no-index", "--find-links", sources.wheelhouse) if sources.wheelhouse else ()
    pip = (f"{venv}/bin/python", "-m", "pip", "install", "--no-input", "--upgrade", *found, "pip")
    for argv in ((python, "-m", "venv", str(venv)), pip):
        async for output in system.run(argv, system.environment(PIP_QUIET), VENV_S):
            yield output
    yield Done(f"{venv} exists")


@dataclass(frozen=True, slots=True)
class Asked:
    """What pip is to choose wheels for, and where it writes what it chose."""

    requirements: tuple[str, ...]
    stack: Stack | None
    """Names the index; None for pip's own."""
    report: Path


async def choose(asked: Asked, venv: Path, target: Target, sources: Sources, system: System) -> Act:
    """Have pip write which wheels it takes, once: a second choice could be another one."""
    if await asyncio.to_thread(asked.report.is_file):
        yield Done("already chosen")
        return
    argv, report = _argv(asked, venv, target, sources), asked.report
    draft = report.with_name(f"{report.name}.draft")
    try:
        async for output in _one(argv, system):
            yield output
    except Trouble as trouble:
        again = second_try(argv)
        if not again:
            raise
        yield Output((trouble.happened, "Trying again without range requests."))
        async for output in _one(again, system):
            yield output
    draft.replace(report)
    yield Done(f"{report} exists")


async def choose_stack(
    report: Path, venv: Path, target: Target, sources: Sources, system: System
) -> Act:
    """Have pip write the wheels of the stack, and the pip that the machine's plan begins with.

    That one comes from pip's own index: torch's have none, and some of them replace PyPI.
    """
    pip = Asked(("pip",), None, report.with_name(f"pip-of-{report.name}"))
    stack = find_stack(target.stack)
    alone = Asked(stack_requirements(target), stack, report.with_name(f"only-{report.name}"))
    for asked in (pip, alone):
        async for each in choose(asked, venv, target, sources, system):
            yield each
    write_whole(report, await asyncio.to_thread(_joined, (alone.report, pip.report)))
    yield Done(f"{report} exists")


def _joined(reports: tuple[Path, ...]) -> str:
    """One report of several; of a package that two name, the first counts."""
    rows: dict[str, object] = {}
    for path in reports:
        names = [wheel.name for wheel in read_report(path)]  # raises Trouble for an odd one
        for name, row in zip(names, json.loads(path.read_text("utf-8"))["install"], strict=True):
            rows.setdefault(name, row)
    return json.dumps({"version": FORMAT, "install": list(rows.values())})


async def _one(argv: tuple[str, ...], system: System) -> AsyncGenerator[Output, None]:
    async for output in system.run(argv, system.environment(PIP_QUIET), CHOSEN_S):
        yield output


def _argv(asked: Asked, venv: Path, target: Target, sources: Sources) -> tuple[str, ...]:
    stack = asked.stack
    argv = resolve_argv(
        f"{venv}/bin/python",
        asked.requirements,
        index=stack.index if stack else "",
        index_replaces_pypi=stack.index_replaces_pypi if stack else False,
        torch_index=sources.torch_index if stack else "",
        wheelhouse=sources.wheelhouse,
        report=f"{asked.report}.draft",
    )
    there = argv.index("--dry-run")
    # An older pip takes --platform only with a target; in a dry run nothing comes there.
    nowhere = ("--target", f"{venv}/nowhere")
    platforms = platform_words(target.glibc, target.architecture)
    return (*argv[:there], *nowhere, *platforms, *argv[there:])


def stack_requirements(target: Target) -> tuple[str, ...]:
    """What the stack asks for on that machine."""
    stack = find_stack(target.stack)
    assert stack is not None  # noqa: S101 - a target is of a stack that is known
    return tuple(line.replace("{gfx}", target.gfx) for line in stack.requirements)


def platform_words(glibc: str, architecture: str) -> tuple[str, ...]:
    """Options of pip for a machine with this C library, newest tags first; () where it tells none.

    pip gives every ``--platform`` the Python that runs it, so that this must be of the same minor
    version as the machine's.
    """
    tags = [f"{name}_{architecture}" for name in platform_tags(glibc)]
    return tuple(word for tag in (*tags, f"linux_{architecture}") for word in ("--platform", tag))


def platform_tags(glibc: str) -> tuple[str, ...]:
    """Every manylinux tag that a C library of this release satisfies."""
    major, _, rest = glibc.partition(".")
    minor = rest.split(".")[0]
    if major != "2" or not minor.isdecimal() or len(minor) > 3:
        return ()
    tags: list[str] = []
    for number in range(int(minor), OLDEST_MINOR - 1, -1):
        tags.append(f"manylinux_2_{number}")
        if number in OLD_NAMES:
            tags.append(OLD_NAMES[number])
    return tuple(tags)
