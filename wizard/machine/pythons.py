"""Pythons that can be the base of a venv, uv, and the places that Pythons import from."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wizard.core.fact import Fact, Unknown, known
from wizard.host.contents import PYTHON_FOLDER
from wizard.host.host import Host
from wizard.knowledge.applications import Trace, load_traces
from wizard.machine.facts import Interpreter
from wizard.machine.part import Found, Part

PROGRAM = re.compile(r"python3(?:\.\d{1,2})?")
RELEASE = re.compile(r"(?:^|[-/])(3\.\d{1,2}\.\d{1,2})(?=[-/+]|$)")
HEADER = re.compile(r'#define\s+PY_VERSION\s+"(3\.[\w.]+)')
SYSTEM_FOLDERS = ("/usr/bin", "/usr/local/bin")
LIBRARIES = ("lib", "lib64")
OLDEST = (3, 8)
CONDAS = ("miniconda3", "anaconda3", "miniforge3", "mambaforge")


def read_interpreters(host: Host) -> Found[tuple[Interpreter, ...]]:
    """Every Python 3.8 or newer with its standard library beside it, newest first."""
    found: dict[str, Interpreter] = {}
    for folder in dict.fromkeys(_folders(host)):
        for name in filter(PROGRAM.fullmatch, known(host.names(folder), ())):
            real = host.resolve(f"{folder}/{name}")
            if real not in found and (interpreter := _interpreter(host, real)) is not None:
                found[real] = interpreter
    return Found(
        tuple(sorted(found.values(), key=lambda one: (version_key(one.version), one.path)))[::-1]
    )


def conda_roots(host: Host) -> tuple[str, ...]:
    """conda installations in their usual places, and the one that is active."""
    roots = [f"{host.home}/{name}" for name in CONDAS]
    active = host.environ.get("CONDA_PREFIX", "")
    roots += [active.partition("/envs/")[0]] if active.startswith("/") else []
    return tuple(root for root in dict.fromkeys(roots) if host.is_folder(f"{root}/conda-meta"))


def version_key(version: str) -> tuple[int, ...]:
    """Numbers of a version, for sorting."""
    return tuple(int(part) for part in version.split(".") if part.isascii() and part.isdecimal())


def _folders(host: Host) -> Iterator[str]:
    """Where Pythons may lie, pyenv's and uv's among them."""
    yield from SYSTEM_FOLDERS
    yield f"{host.home}/.local/bin"
    yield from (
        part.rstrip("/") for part in host.environ.get("PATH", "").split(":") if part.startswith("/")
    )
    data = host.environ.get("XDG_DATA_HOME", "")
    data = data if data.startswith("/") else f"{host.home}/.local/share"
    of_uv = host.environ.get("UV_PYTHON_INSTALL_DIR", "")
    for parent in (
        f"{host.environ.get('PYENV_ROOT') or f'{host.home}/.pyenv'}/versions",
        of_uv if of_uv.startswith("/") else f"{data}/uv/python",
        f"{data}/rdna1-setup/python",  # those that we let uv fetch
    ):
        yield from (f"{parent}/{name}/bin" for name in known(host.folders(parent), ()))
    yield from (f"{root}/bin" for root in conda_roots(host))


def _interpreter(host: Host, path: str) -> Interpreter | None:
    """The Python at a resolved path; None for shims and copies, which have no library beside."""
    prefix, below_bin, name = path.rpartition("/bin/")
    match = PYTHON_FOLDER.fullmatch(name)
    if not below_bin or match is None or not host.is_file(path):
        return None
    minor = match[1]
    folders = (f"{prefix}/{library}/python{minor}" for library in LIBRARIES)
    library = next((folder for folder in folders if host.is_file(f"{folder}/os.py")), None)
    if library is None or version_key(minor) < OLDEST:
        return None
    return Interpreter(
        path=path,
        version=_version(host, prefix, minor),
        makes_venvs=host.is_file(f"{library}/venv/__init__.py"),
    )


def _version(host: Host, prefix: str, minor: str) -> str:
    """The full version where a folder name or a header tells it, else the minor version."""
    named = RELEASE.search(prefix)
    if named and named[1].startswith(f"{minor}."):
        return named[1]
    match = HEADER.search(known(host.read(f"{prefix}/include/python{minor}/patchlevel.h"), ""))
    return match[1] if match and match[1].startswith(f"{minor}.") else minor


def _tell(interpreters: tuple[Interpreter, ...]) -> tuple[str, tuple[str, ...]]:
    able = _minors(one for one in interpreters if one.makes_venvs)
    unable = [minor for minor in _minors(interpreters) if minor not in able]
    parts = (", ".join(able), f"{', '.join(unable)} incomplete" if unable else "")
    lines = tuple(
        f"{one.version} at {one.path}"
        + ("" if one.makes_venvs else ", incomplete: its standard library is not whole")
        for one in interpreters
    )
    return "; ".join(part for part in parts if part) or "none found", lines


def _minors(interpreters: Iterable[Interpreter]) -> list[str]:
    return list(dict.fromkeys(".".join(one.version.split(".")[:2]) for one in interpreters))


INTERPRETERS: Part[tuple[Interpreter, ...]] = Part(
    title="Pythons",
    source="/usr/bin, PATH, pyenv, uv, conda",
    read=read_interpreters,
    tell=_tell,
)
"""Pythons that can be the base of a venv."""


def read_uv(host: Host) -> Found[Fact[str]]:
    """The uv that came with the wizard, else one of the user's."""
    folders = [f"{host.prefix}/bin"] if host.prefix else []
    folders += [part for part in host.environ.get("PATH", "").split(":") if part.startswith("/")]
    folders += [f"{host.home}/.local/bin", f"{host.home}/.cargo/bin"]
    paths = (f"{folder.rstrip('/')}/uv" for folder in folders)
    return Found(next((path for path in paths if host.is_file(path)), Unknown("uv was not found")))


def _tell_uv(uv: Fact[str]) -> tuple[str, tuple[str, ...]]:
    return (uv.because if isinstance(uv, Unknown) else uv), ()


UV: Part[Fact[str]] = Part(
    title="uv",
    source="beside the wizard, PATH, ~/.local/bin",
    read=read_uv,
    without=lambda why: why,
    tell=_tell_uv,
)
"""The program that installs wheels and Pythons."""


DEPTH = 3
FOLDER_LIMIT = 2_000
CHILD_LIMIT = 500
"""A folder with more sub-folders than this holds data, not projects."""
MARK = "pyvenv.cfg"
SKIPPED = frozenset(
    {"node_modules", "__pycache__", "site-packages", "snap", "go", "target", "Steam", "Trash"}
)
HIDDEN = frozenset({".venv", ".venvs", ".virtualenvs", ".env", ".envs"})
"""Hidden folders that are entered all the same."""
VENV_NAMES = ("venv", ".venv", "env", ".env", "fooocus_env")
"""Where applications keep their venv, looked for beside them however deep they lie."""


class Project(NamedTuple):
    """A folder with the files of a known application."""

    trace: Trace
    path: str


class HomeFolders(NamedTuple):
    """What a search of the home folder found."""

    venvs: tuple[str, ...]
    projects: tuple[Project, ...]
    unread: tuple[Unknown, ...]


def home_folders(host: Host) -> HomeFolders:
    """Venvs and applications up to three folders deep in the home folder, and the active venv."""
    active = host.environ.get("VIRTUAL_ENV", "")
    venvs = [active] if active.startswith("/") and host.is_file(f"{active}/{MARK}") else []
    traces = tuple(trace for trace in load_traces() if trace.files)
    projects: list[Project] = []
    unread: list[Unknown] = []
    for folder, is_venv in _walk(host, unread):
        if is_venv:
            venvs.append(folder)
        elif (trace := _trace(host, folder, traces)) is not None:
            projects.append(Project(trace, folder))
            venvs += [
                f"{folder}/{name}" for name in VENV_NAMES if host.is_file(f"{folder}/{name}/{MARK}")
            ]
    return HomeFolders(tuple(dict.fromkeys(venvs)), tuple(projects), tuple(unread))


def _walk(host: Host, unread: list[Unknown]) -> Iterator[tuple[str, bool]]:
    """Each folder, nearest first, and whether it is a venv; a venv is not entered."""
    waiting = deque([(host.home, 0)])
    visited = 0
    while waiting and visited < FOLDER_LIMIT:
        folder, depth = waiting.popleft()
        visited += 1
        is_venv = host.is_file(f"{folder}/{MARK}")
        yield folder, is_venv
        if not is_venv and depth < DEPTH:
            waiting.extend((child, depth + 1) for child in _children(host, folder, unread))
    if waiting:
        unread.append(Unknown(f"{host.home} has many folders: only {FOLDER_LIMIT:,} were searched"))


def _trace(host: Host, folder: str, traces: tuple[Trace, ...]) -> Trace | None:
    for trace in traces:
        if all(host.is_file(f"{folder}/{name}") for name in trace.files):
            return trace
    return None


def _children(host: Host, folder: str, unread: list[Unknown]) -> list[str]:
    names = host.folders(folder)
    if isinstance(names, Unknown):
        if folder == host.home:
            unread.append(names)
        return []
    wanted = [
        name
        for name in names
        if name not in SKIPPED and (not name.startswith(".") or name in HIDDEN)
    ]
    if len(wanted) > CHILD_LIMIT:
        unread.append(Unknown(f"{folder} has many folders: only {CHILD_LIMIT} were searched"))
    return [f"{folder}/{name}" for name in wanted[:CHILD_LIMIT]]


DISTRIBUTION = "/usr/lib/python3/dist-packages"
VENV_LIMIT = 200


class Site(NamedTuple):
    """A folder of packages, listed once for all who look into it."""

    python: str
    """Minor version, ``""`` where it serves several."""
    path: str
    names: tuple[str, ...]


class Place(NamedTuple):
    """A place that Python imports from, and its folders of packages."""

    path: str
    kind: str
    """``venv``, ``conda``, ``user-site`` or ``dist-packages``."""
    sites: tuple[Site, ...]


class Survey(NamedTuple):
    """Where Pythons and applications lie: looked up once for all parts that need it."""

    places: tuple[Place, ...]
    projects: tuple[Project, ...]
    unread: tuple[Unknown, ...]


def survey(host: Host) -> Survey:
    """Searches the home folder, and looks into the usual places of the system."""
    home = home_folders(host)
    unread = home.unread
    if len(home.venvs) > VENV_LIMIT:
        unread += (Unknown(f"there are many venvs: only {VENV_LIMIT} were checked"),)
    places = {place.path: place for place in _places(host, home.venvs[:VENV_LIMIT])}
    return Survey(tuple(places.values()), home.projects, unread)


def _places(host: Host, venvs: tuple[str, ...]) -> Iterator[Place]:
    for folder in venvs:
        yield Place(folder, "venv", _sites(host, folder, "site-packages"))
    for folder in _conda_folders(host):
        yield Place(folder, "conda", _sites(host, folder, "site-packages"))
    for site in _sites(host, f"{host.home}/.local", "site-packages"):
        yield Place(site.path, "user-site", (site,))
    if host.is_folder(DISTRIBUTION):
        yield Place(DISTRIBUTION, "dist-packages", (_site(host, "", DISTRIBUTION),))
    for site in _sites(host, "/usr/local", "dist-packages"):
        yield Place(site.path, "dist-packages", (site,))


def _conda_folders(host: Host) -> tuple[str, ...]:
    folders = []
    for root in conda_roots(host):
        children = known(host.folders(f"{root}/envs"), ())
        folders += [root, *(f"{root}/envs/{name}" for name in children)]
    active = host.environ.get("CONDA_PREFIX", "")
    folders += [active] if active.startswith("/") else []
    return tuple(dict.fromkeys(one for one in folders if host.is_folder(f"{one}/conda-meta")))


def _sites(host: Host, prefix: str, name: str) -> tuple[Site, ...]:
    """Each ``lib/python3.X/NAME`` below a prefix."""
    sites = (
        (minor.removeprefix("python"), f"{prefix}/lib/{minor}/{name}")
        for minor in known(host.folders(f"{prefix}/lib"), ())
        if minor.startswith("python3.")
    )
    return tuple(_site(host, python, path) for python, path in sites if host.is_folder(path))


def _site(host: Host, python: str, path: str) -> Site:
    return Site(python, path, known(host.names(path), ()))
