"""Finds Pythons that can be the base of a venv, without running one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wizard.host.host import Host
from wizard.machine.facts import Fact, Interpreter, Unknown
from wizard.machine.part import Found, Part

PROGRAM = re.compile(r"python3(?:\.\d{1,2})?")
MINOR = re.compile(r"python(3\.\d{1,2})")
RELEASE = re.compile(r"(?:^|[-/])(3\.\d{1,2}\.\d{1,2})(?=[-/+]|$)")
HEADER = re.compile(r'#define\s+PY_VERSION\s+"(3\.[\w.]+)')
SYSTEM_FOLDERS = ("/usr/bin", "/usr/local/bin")
LIBRARIES = ("lib", "lib64")
OLDEST = (3, 8)
CONDAS = ("miniconda3", "anaconda3", "miniforge3", "mambaforge")


def read_interpreters(host: Host) -> Found[tuple[Interpreter, ...]]:
    """Every Python 3.8 or newer with its standard library beside it, newest first."""
    found: dict[str, Interpreter] = {}
    for path in _candidates(host):
        real = host.resolve(path)
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


def _candidates(host: Host) -> Iterator[str]:
    for folder in dict.fromkeys(_folders(host)):
        names = host.names(folder)
        if not isinstance(names, Unknown):
            yield from (f"{folder}/{name}" for name in names if PROGRAM.fullmatch(name))


def _folders(host: Host) -> Iterator[str]:
    yield from SYSTEM_FOLDERS
    yield f"{host.home}/.local/bin"
    yield from (
        part.rstrip("/") for part in host.environ.get("PATH", "").split(":") if part.startswith("/")
    )
    for parent in (_pyenv(host), *_uv(host)):
        names = host.folders(parent)
        if not isinstance(names, Unknown):
            yield from (f"{parent}/{name}/bin" for name in names)
    yield from (f"{root}/bin" for root in conda_roots(host))


def _pyenv(host: Host) -> str:
    return f"{host.environ.get('PYENV_ROOT') or f'{host.home}/.pyenv'}/versions"


def _uv(host: Host) -> tuple[str, str]:
    """uv's own folder, and the one that we let uv fill."""
    data = host.environ.get("XDG_DATA_HOME", "")
    base = data if data.startswith("/") else f"{host.home}/.local/share"
    own = host.environ.get("UV_PYTHON_INSTALL_DIR", "")
    return own if own.startswith("/") else f"{base}/uv/python", f"{base}/rdna1-setup/python"


def _interpreter(host: Host, path: str) -> Interpreter | None:
    """The Python at a resolved path; None for shims and copies, which have no library beside."""
    prefix, below_bin, name = path.rpartition("/bin/")
    match = MINOR.fullmatch(name)
    if not below_bin or match is None or not host.is_file(path):
        return None
    minor = match[1]
    library = next(
        (
            folder
            for folder in (f"{prefix}/{name}/python{minor}" for name in LIBRARIES)
            if host.is_file(f"{folder}/os.py")
        ),
        None,
    )
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
    header: Fact[str] = host.read(f"{prefix}/include/python{minor}/patchlevel.h")
    match = HEADER.search(header) if isinstance(header, str) else None
    return match[1] if match and match[1].startswith(f"{minor}.") else minor


def _tell(interpreters: tuple[Interpreter, ...]) -> tuple[str, tuple[str, ...]]:
    able = _minors(one for one in interpreters if one.makes_venvs)
    unable = [minor for minor in _minors(interpreters) if minor not in able]
    parts = (
        ", ".join(able),
        f"{', '.join(unable)} incomplete" if unable else "",
    )
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
    without=lambda _: (),
    tell=_tell,
)
"""Pythons that can be the base of a venv."""
