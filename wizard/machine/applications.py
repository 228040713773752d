"""Recognises applications that people run torch for, and tells how each is started."""

from __future__ import annotations

import shlex

from wizard.host.host import Host
from wizard.knowledge.applications import Trace, load_traces
from wizard.machine.facts import FoundApplication
from wizard.machine.part import Found, Part
from wizard.machine.pythons import MARK, VENV_NAMES, Place, Project, Survey


def read_applications(host: Host, survey: Survey) -> Found[tuple[FoundApplication, ...]]:
    """Applications by the files of their folder, then those by packages in environments."""
    packaged = [trace for trace in load_traces() if trace.packages]
    found = [_by_files(host, project) for project in survey.projects]
    for place in survey.places:
        installed = _installed(place)
        found += [
            _by_package(host, place, trace)
            for trace in packaged
            if any(name in installed for name in trace.packages)
        ]
    return Found(tuple(found))


def _by_files(host: Host, project: Project) -> FoundApplication:
    environment = _environment_of(host, project.path)
    python = f"{environment}/bin/python" if environment else "python3"
    return FoundApplication(
        id=project.trace.id,
        path=project.path,
        environment=environment,
        start=project.trace.start.format(
            folder=shlex.quote(project.path),
            python=shlex.quote(python.removeprefix(f"{project.path}/")),
        ),
    )


def _environment_of(host: Host, folder: str) -> str:
    """The venv inside of a folder, else the one beside it; ``""`` without either."""
    for parent in (folder, folder.rpartition("/")[0]):
        for name in VENV_NAMES:
            if host.is_file(f"{parent}/{name}/{MARK}"):
                return f"{parent}/{name}"
    return ""


def _by_package(host: Host, place: Place, trace: Trace) -> FoundApplication:
    beside = place.path.rpartition("/")[0]
    own = bool(trace.root) and host.is_file(f"{beside}/{trace.root}")
    path = beside if own else place.path
    return FoundApplication(trace.id, path, place.path, _start(host, place, trace, path))


def _start(host: Host, place: Place, trace: Trace, path: str) -> str:
    # A site of the system has its programs beside ``lib``.
    own = place.kind in ("venv", "conda")
    base = place.path if own else place.path.partition("/lib/python3")[0]
    program = f"{base}/bin/{trace.program}"
    if not trace.start or not host.is_file(program):
        return ""
    words = trace.start if path != place.path or not trace.root else "{program}"
    return words.format(program=shlex.quote(program), folder=shlex.quote(path))


def _installed(place: Place) -> frozenset[str]:
    """Normalised names of the distributions in an environment."""
    # No expression: an environment has hundreds of names, and there are many environments.
    return frozenset(
        name.partition("-")[0].lower().replace("_", "-").replace(".", "-")
        for site in place.sites
        for name in site.names
        if name.endswith(".dist-info")
    )


def _tell(found: tuple[FoundApplication, ...]) -> tuple[str, tuple[str, ...]]:
    lines = tuple(line for one in found for line in _lines(one))
    return ", ".join(dict.fromkeys(one.id for one in found)) or (
        "none found that this program knows"
    ), lines


def _lines(one: FoundApplication) -> list[str]:
    inside = one.environment or "no environment of its own"
    where = f"{one.id}: {one.path}" + (f" with {inside}" if inside != one.path else "")
    return [where, f"  start it: {one.start}"] if one.start else [where]


APPLICATIONS: Part[tuple[FoundApplication, ...]] = Part(
    title="Applications",
    source="files in home folders, dist-info",
    read=read_applications,
    tell=_tell,
)
"""Applications that people run torch for."""
