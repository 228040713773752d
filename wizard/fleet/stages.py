"""The steps that fill a folder, in order."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.fleet.brought_python import bring_python, installed_python
from wizard.fleet.chosen import Asked, choose, choose_stack, make_chooser
from wizard.fleet.fetch import Fetch
from wizard.fleet.folder import LOCKS, PROGRAMS, PYTHON, START, WHEELS, WIZARD, Folder
from wizard.fleet.own_wheel import pack_wizard
from wizard.fleet.start import start_text
from wizard.plan.steps import FetchWheels
from wizard.run.acting import Act, Done, Stopped, Surroundings
from wizard.run.downloads.fetch import fetch_wheels
from wizard.run.downloads.partial import digest, sync
from wizard.run.downloads.resolution import read_report
from wizard.run.trouble import Trouble
from wizard.run.whole_file import write_whole

PROGRAM = 0o755


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of fetching."""

    text: str
    reason: str
    act: Callable[[Surroundings], Act]


def stages(fetch: Fetch) -> tuple[Stage, ...]:
    """Every step, whatever of it was done before: each looks for itself."""
    return (
        *(_bring(fetch, minor) for minor in _to_bring(fetch)),
        *(_chooser(fetch, minor) for minor in fetch.target.minors),
        *_wheels_of_stack(fetch),
        *_wheels_of_wizard(fetch),
        Stage(
            "uv and start.sh, which begin on a machine with nothing",
            "uv makes the wizard's own venv there, also without Debian's python3-venv.",
            partial(_put_programs, fetch),
        ),
        Stage(
            "the SHA-256 of every file, and what the folder is for",
            "Written last: without fleet.json the folder is not finished.",
            partial(_finish, fetch),
        ),
    )


def _to_bring(fetch: Fetch) -> tuple[str, ...]:
    """Pythons that the machines lack, and those that choose the wheels and are not here."""
    lacking = (minor for minor in fetch.target.minors if minor not in fetch.here.pythons)
    return tuple(dict.fromkeys((*fetch.target.brought, *lacking)))


def _bring(fetch: Fetch, minor: str) -> Stage:
    kept = minor in fetch.target.brought
    mirror = fetch.folder.path / PYTHON if kept else fetch.folder.work / "mirror"
    reason = (
        "The machines have none that fits."
        if kept
        else "To choose the wheels takes a Python of the machines' version; here is none."
    )
    installed, architecture = fetch.folder.work / "python", fetch.target.architecture
    act = partial(bring_python, fetch.here.uv, minor, architecture, mirror, installed)
    return Stage(f"Python {minor}, by uv", reason, act)


def _chooser(fetch: Fetch, minor: str) -> Stage:
    return Stage(
        f"a pip under Python {minor}",
        "It chooses the wheels; it goes when the folder is finished.",
        partial(_make_chooser, fetch, minor),
    )


async def _make_chooser(fetch: Fetch, minor: str, around: Surroundings) -> Act:
    brought = installed_python(fetch.folder.work / "python", minor)
    python = fetch.here.pythons.get(minor) or str(brought or "")
    async for each in make_chooser(python, _venv(fetch, minor), fetch.sources, around):
        yield each


def _venv(fetch: Fetch, minor: str) -> Path:
    return fetch.folder.work / f"pip-{minor}"


def _wheels_of_stack(fetch: Fetch) -> tuple[Stage, ...]:
    report, name = fetch.folder.work / "stack.json", fetch.target.stack
    venv = _venv(fetch, fetch.target.python)
    return (
        Stage(
            f"which wheels {name} takes",
            f"Exact versions for the machines' Python and C library, from {fetch.index}.",
            partial(choose_stack, report, venv, fetch.target, fetch.sources),
        ),
        Stage(
            f"the wheels of {name}",
            "Resumable, each SHA-256 checked.",
            partial(_fetched, fetch.folder, report, WHEELS, fetch.stack.hashes),
        ),
    )


def _wheels_of_wizard(fetch: Fetch) -> tuple[Stage, ...]:
    report = fetch.folder.work / "wizard.json"
    return (
        Stage(
            "which wheels the wizard takes",
            "The wizard that runs here, and what it depends on.",
            partial(_choose_wizard, fetch, report),
        ),
        Stage(
            "the wheels of the wizard",
            "Resumable, each SHA-256 checked.",
            partial(_fetched, fetch.folder, report, WIZARD, ()),
        ),
    )


async def _choose_wizard(fetch: Fetch, report: Path, around: Surroundings) -> Act:
    own = await asyncio.to_thread(_packed, fetch.folder.work / "own", report)
    venv, asked = _venv(fetch, fetch.target.wizard_python), Asked((str(own),), None, report)
    async for each in choose(asked, venv, fetch.target, fetch.sources, around):
        yield each


def _packed(folder: Path, report: Path) -> Path:
    """The wizard's own wheel; what was chosen for another one is chosen anew."""
    own = pack_wizard(folder)
    if report.is_file() and digest(own, lambda: False) not in report.read_text("utf-8"):
        report.unlink()
    return own


async def _fetched(
    folder: Folder,
    report: Path,
    name: str,
    hashes: tuple[tuple[str, str], ...],
    around: Surroundings,
) -> Act:
    staging, lock = folder.path / name, folder.path / LOCKS[name]
    step = FetchWheels("", str(report), str(staging), str(lock), "", hashes)
    news = fetch_wheels(step, cancelled=around.cancelled, indexes=around.indexes)
    while (each := await asyncio.to_thread(next, news, None)) is not None:
        yield each
    if around.cancelled():
        raise Stopped
    yield Done(await asyncio.to_thread(_only_chosen, folder, report, staging))


def _only_chosen(folder: Folder, report: Path, staging: Path) -> str:
    """Remove what an earlier choice left; raises Trouble for what nobody of us put there."""
    chosen = {wheel.file for wheel in read_report(report)}
    ours = {name.rpartition("/")[2] for name in folder.sums()}
    for path in staging.iterdir():
        if path.name in chosen:
            continue
        if path.name in ours or path.name.endswith((".whl.part", ".whl.json")):
            path.unlink()
            continue
        raise Trouble(
            f"{path} is none of the chosen files.",
            "It would go out to every machine, and could be installed there.",
            "Move it away, then run the same command again.",
        )
    return f"{len(chosen)} wheels, each SHA-256 right"


async def _put_programs(fetch: Fetch, around: Surroundings) -> Act:
    yield Done(await asyncio.to_thread(_programs, fetch))


def _programs(fetch: Fetch) -> str:
    folder = fetch.folder.path
    (wheel,) = (folder / WIZARD).glob("uv-*.whl")
    program = folder / PROGRAMS / "uv"
    program.parent.mkdir(exist_ok=True)
    draft = program.with_name(".uv.rdna1-setup")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        member = next(name for name in names if name.endswith(".data/scripts/uv"))
        draft.write_bytes(archive.read(member))
    draft.chmod(PROGRAM)
    sync(draft)
    draft.replace(program)
    write_whole(folder / START, start_text(fetch.target), PROGRAM)
    return f"{program} and {START} are there"


async def _finish(fetch: Fetch, around: Surroundings) -> Act:
    count = await asyncio.to_thread(fetch.folder.finish, fetch.target, around.cancelled)
    if around.cancelled():
        raise Stopped
    yield Done(f"{count} files")
