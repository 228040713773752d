"""The resolver's runs for environments that exist: what stays is held, what cannot be is told."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.core.events import Output
from wizard.core.trouble import Trouble
from wizard.host.live import LiveHost
from wizard.machine.contents import read_live_contents
from wizard.plan.broken_needs import conflicts
from wizard.plan.existing_steps import ResolveCarried, ResolveHeld
from wizard.run.pip_report import read_report
from wizard.system.system import Act, Done, Stopped, System
from wizard.system.whole_file import write_whole

_DEPENDS = re.compile(
    r"^\s+(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])? \S+ depends on (?P<need>.+)$", re.MULTILINE
)
_NOTHING = re.compile(
    r"requirement (?P<need>[A-Za-z0-9][^\s(]*)(?: \(from (?P<by>[A-Za-z0-9][\w.-]*)[^)]*\))?"
    r" \(from versions: (?P<versions>[^)]*)\)"
)
_TOGETHER = re.compile(r"Cannot install (?P<names>.+) because these package versions", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_HELD = re.compile(r"The user requested \(constraint\) (?P<pin>\S+)")


@dataclass
class Attempt:
    """One or two runs of the resolver, and what they said."""

    said: list[str] = field(default_factory=list)
    failure: Trouble | None = None

    @property
    def text(self) -> str:
        """Everything that was printed."""
        return "\n".join(self.said)


async def _attempt(
    attempt: Attempt,
    calls: tuple[tuple[str, ...], ...],
    environment: dict[str, str],
    deadline_s: float,
    system: System,
) -> AsyncGenerator[Output, None]:
    """Run the calls until one succeeds; a conflict is final, a second way would meet it too."""
    for argv in calls:
        attempt.failure = None
        attempt.said.clear()
        try:
            async with aclosing(system.run(argv, environment, deadline_s)) as output:
                async for lines in output:
                    attempt.said += lines.lines
                    yield lines
            return
        except Trouble as trouble:
            attempt.failure = trouble
        if _TOGETHER.search(attempt.text):
            return


async def resolve_held(step: ResolveHeld, system: System) -> Act:
    """Decide, with everything else held; raises Trouble that names who asks for what."""
    await asyncio.to_thread(_show_what_stays, step)
    attempt, calls = Attempt(), tuple(filter(None, (step.argv, step.otherwise)))
    environment = system.environment(step.environment)
    async for output in _attempt(attempt, calls, environment, step.deadline_s, system):
        yield output
    if attempt.failure:
        raise _held_back(step, attempt) or attempt.failure
    yield Done(await asyncio.to_thread(_chosen, step))


def _show_what_stays(step: ResolveHeld) -> None:
    seen = Path(step.seen)
    shutil.rmtree(seen, ignore_errors=True)
    seen.mkdir(parents=True)
    leaving = frozenset(step.leaving)
    for info in Path(step.site).glob("*.dist-info"):
        if canonicalize_name(info.name.split("-", 1)[0]) not in leaving:
            (seen / info.name).symlink_to(info)
    write_whole(Path(step.constraints), "".join(f"{pin}\n" for pin in step.held))


def _chosen(step: ResolveHeld) -> str:
    """What will come; raises Trouble when something that stays would not get on with it."""
    come = {wheel.name: wheel.version for wheel in read_report(Path(step.report))}
    contents = read_live_contents(LiveHost(), step.venv)
    there = contents.distributions if contents else ()
    go = [each for each in there if each.name in step.leaving]
    stay = [each for each in there if each.name not in step.leaving]
    broken = conflicts(stay, go, come, contents.python if contents else "")
    broken += tuple(f"{name} would be changed" for name in come if name in {d.name for d in stay})
    if broken:
        Path(step.report).unlink()
        raise Trouble(
            f"{'; '.join(broken)}.",
            f"These packages remain in {step.venv}, and the new ones conflict with them. Nothing "
            "was changed.",
            "Undo this run (rdna1-setup rollback), then remove or update the conflicting package "
            "and start again. Or choose a new folder with --venv.",
        )
    return "comes: " + ", ".join(f"{name} {version}" for name, version in sorted(come.items()))


def _held_back(step: ResolveHeld, attempt: Attempt) -> Trouble | None:
    """The conflict with a package that stays, in words; None when it is something else."""
    pins = list(dict.fromkeys(_HELD.findall(attempt.text)))
    if not pins:
        return None
    wishes = (f"{m['name']} needs {m['need']}" for m in _DEPENDS.finditer(attempt.text))
    return Trouble(
        f"{'; '.join(dict.fromkeys(wishes))}, but {', '.join(pins)} is installed and will be kept.",
        f"All packages in {step.venv} except torch keep their versions. Nothing was changed.",
        f"Undo this run (rdna1-setup rollback), then remove or update {', '.join(pins)} yourself "
        "and start again. Or choose a new folder with --venv.",
    )


async def resolve_carried(step: ResolveCarried, system: System) -> Act:
    """Decide; what has no version that fits is asked for without its number, then left out."""
    _make_folder(step.folder)
    environment = system.environment(step.environment)
    wanted = {name: f"{name}=={version}" for name, version in step.carried}
    differs: dict[str, str] = {}
    while True:
        if system.cancelled():
            raise Stopped
        attempt = Attempt()
        calls = tuple((*argv, *wanted.values()) for argv in (step.argv, step.otherwise) if argv)
        async for output in _attempt(attempt, calls, environment, step.deadline_s, system):
            yield output
        if attempt.failure is None:
            break
        found = offender(attempt.text, tuple(wanted))
        if found is None:
            raise attempt.failure
        name, why = found
        differs[name] = why
        if wanted[name] == name:
            del wanted[name]
            yield Output((f"{name} is left out: {why}",))
        else:
            wanted[name] = name
            yield Output((f"{wanted[name]} gets another version: {why}",))
    lines = _told(step, wanted, differs)
    write_whole(Path(step.told), "".join(f"{line}\n" for line in lines))
    if lines:
        yield Output(tuple(lines))
    same = sum("==" in want for want in wanted.values())
    yield Done(
        f"{same} of {len(step.carried)} packages will have the same version and "
        f"{len(wanted) - same} another one; {len(step.carried) - len(wanted)} will be left out "
        f"(see {step.told})"
    )


def _make_folder(path: str) -> None:
    Path(path).mkdir(parents=True, exist_ok=True)


def offender(said: str, wanted: tuple[str, ...]) -> tuple[str, str] | None:
    """The wanted package that the resolver could not have, with its own reason; None without."""
    if missing := _NOTHING.search(said):
        by = missing["by"] or ""
        for name in (_NAME.match(missing["need"]), _NAME.match(by)):
            if name and canonicalize_name(name[0]) in wanted:
                versions = missing["versions"]
                has = "no version" if versions == "none" else f"only the versions {_few(versions)}"
                asked = f"{by} needs {missing['need']}: " if by else f"{missing['need']}: "
                return str(canonicalize_name(name[0])), f"{asked}{has} for this Python"
    for depends in _DEPENDS.finditer(said):
        if (name_of := canonicalize_name(depends["name"])) in wanted:
            return str(name_of), (
                f"it depends on {depends['need'].strip()}, which conflicts with the rest"
            )
    if together := _TOGETHER.search(said):
        for word in _NAME.findall(together["names"]):
            if canonicalize_name(word) in wanted:
                return str(canonicalize_name(word)), "the stack excludes it"
    return None


def _few(versions: str) -> str:
    every = versions.split(", ")
    return ", ".join(every if len(every) < 5 else [*every[:2], "...", *every[-2:]])


def _told(step: ResolveCarried, wanted: dict[str, str], differs: dict[str, str]) -> list[str]:
    had = dict(step.carried)
    come = {wheel.name: wheel.version for wheel in read_report(Path(step.report))}
    return [
        f"{name} {had[name]}: "
        + (
            (f"installed as {come.get(name, 'another version')}")
            if name in wanted
            else "not installed"
        )
        + f" ({why})"
        for name, why in sorted(differs.items())
    ]
