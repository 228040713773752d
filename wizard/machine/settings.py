"""Finds the variables that ROCm, MIOpen and the loader read, in every file that may set them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from wizard.core.amounts import counted
from wizard.core.fact import Unknown, known
from wizard.host.host import Host
from wizard.knowledge.variables import LIBRARY_PATH, effect_of, empty_element
from wizard.machine.assignments import (
    Reader,
    assignments,
    compose_environment,
    fish_universals,
    imported_modules,
    is_wanted,
    json_variables,
    python_environ,
    unit_environment,
    unit_files,
)
from wizard.machine.facts import Setting
from wizard.machine.part import Found, Part
from wizard.machine.pythons import DISTRIBUTION, Place, Site, Survey

SYSTEM_FILES = ("/etc/environment", "/etc/profile", "/etc/bash.bashrc")
SYSTEM_FOLDERS = (("/etc/profile.d", ".sh"), ("/etc/environment.d", ".conf"))
HOME_FOLDERS = ((".config/environment.d", ".conf"), (".config/fish/conf.d", ".fish"))
HOME_FILES = (
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".config/fish/config.fish",
)
FISH_VARIABLES = ".config/fish/fish_variables"
UNIT_FOLDERS = ("/etc/systemd/system", "/etc/systemd/user")
USER_UNITS = ".config/systemd/user"
UNIT_LIMIT = 300
KERNEL_FOLDERS = ("/usr/local/share/jupyter/kernels", "/usr/share/jupyter/kernels")
USER_KERNELS = ".local/share/jupyter/kernels"
KERNEL_LIMIT = 50
ACTIVATORS = ("bin/activate", "bin/activate.fish")
CUSTOM_MODULES = ("sitecustomize.py", "usercustomize.py")
PTH_LIMIT = 50
PROJECT_SCRIPTS = ("run.sh", "start.sh", "webui-user.sh", ".env")
COMPOSE_FILES = ("docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml")


class SettingFile(NamedTuple):
    """A file that may set variables."""

    path: str
    read: Reader
    within: str = ""
    """The environment, application or service that alone sees them; ``""`` for everything."""
    expected: bool = True
    """True when somebody should hear that it is there and cannot be read."""


def login_files(host: Host) -> Iterator[SettingFile]:
    """What a login reads, in its order, and services of systemd."""
    folders = [*SYSTEM_FOLDERS, *((f"{host.home}/{name}", end) for name, end in HOME_FOLDERS)]
    paths = [
        *SYSTEM_FILES,
        *(path for folder, ending in folders for path in _ending(host, folder, ending)),
        *(f"{host.home}/{name}" for name in HOME_FILES),
    ]
    yield from (SettingFile(path, assignments) for path in paths)
    yield SettingFile(f"{host.home}/{FISH_VARIABLES}", fish_universals)
    for folder in (*UNIT_FOLDERS, f"{host.home}/{USER_UNITS}"):
        for name in known(host.names(folder), ())[:UNIT_LIMIT]:
            unit, is_drop_in = name.removesuffix(".d"), name.endswith(".d")
            if unit.endswith(".service"):
                path = f"{folder}/{name}"
                yield from _unit_files(
                    host, unit, _ending(host, path, ".conf") if is_drop_in else [path]
                )


def _unit_files(host: Host, unit: str, paths: list[str]) -> Iterator[SettingFile]:
    """A unit or its drop-ins, and the files of variables that each names."""
    for path in paths:
        yield SettingFile(path, unit_environment, unit, expected=False)
        for named in unit_files(known(host.read(path), "")):
            yield SettingFile(named, assignments, unit, expected=False)


def near_files(host: Host, survey: Survey) -> Iterator[SettingFile]:
    """What environments, kernels of Jupyter and known applications set for themselves."""
    for place in survey.places:
        yield from _environment_files(host, place)
    for folder in (f"{host.home}/{USER_KERNELS}", *KERNEL_FOLDERS):
        yield from _kernels(host, folder)
    for project in survey.projects:
        for names, read in ((PROJECT_SCRIPTS, assignments), (COMPOSE_FILES, compose_environment)):
            for name in names:
                path = f"{project.path}/{name}"
                yield SettingFile(path, read, project.path, expected=False)


def _environment_files(host: Host, place: Place) -> Iterator[SettingFile]:
    within = "" if place.path == DISTRIBUTION else place.path
    if place.kind == "venv":
        for name in ACTIVATORS:
            yield SettingFile(f"{place.path}/{name}", assignments, within, expected=False)
    if place.kind == "conda":
        state, scripts = f"{place.path}/conda-meta/state", f"{place.path}/etc/conda/activate.d"
        yield SettingFile(state, json_variables("env_vars"), within, expected=False)
        for script in (*_ending(host, scripts, ".sh"), *_ending(host, scripts, ".fish")):
            yield SettingFile(script, assignments, within, expected=False)
    if place.kind in ("venv", "conda"):
        yield from _kernels(host, f"{place.path}/share/jupyter/kernels")
    for site in place.sites:
        yield from _startup_files(host, site, within)


def _startup_files(host: Host, site: Site, within: str) -> Iterator[SettingFile]:
    """Modules that run at every start of a Python, and those that ``.pth`` files import."""
    paths = [f"{site.path}/{name}" for name in CUSTOM_MODULES if name in site.names]
    for name in [name for name in site.names if name.endswith(".pth")][:PTH_LIMIT]:
        paths.append(f"{site.path}/{name}")
        modules = imported_modules(known(host.read(f"{site.path}/{name}"), ""))
        paths += [f"{site.path}/{module}.py" for module in modules]
    yield from (SettingFile(path, python_environ, within, expected=False) for path in paths)


def _kernels(host: Host, folder: str) -> Iterator[SettingFile]:
    for name in known(host.names(folder), ())[:KERNEL_LIMIT]:
        path = f"{folder}/{name}/kernel.json"
        yield SettingFile(path, json_variables("env"), f"{folder}/{name}", expected=False)


def _ending(host: Host, folder: str, ending: str) -> list[str]:
    return [f"{folder}/{name}" for name in known(host.names(folder), ()) if name.endswith(ending)]


TEXT_LIMIT = 256 * 1024
"""Of each file: nobody writes longer ones, and to understand a damaged one takes minutes."""
OWN_VALUE = re.compile(r"\$LD_LIBRARY_PATH\b|\$\{LD_LIBRARY_PATH(?::?[+-][^}]*)?\}")
"""References to its value before, which may be none."""


def read_settings(host: Host) -> Found[tuple[Setting, ...]]:
    """The live environment first, then each file in the order in which a login reads them."""
    live = [Setting(name, value, "", 0, "") for name, value in _live(host)]
    found = _in_files(host, login_files(host))
    settings = (*live, *found.value)
    everywhere = {_text(one) for one in settings if not one.within}
    return Found(_explained(settings, everywhere), found.unread)


def read_near_settings(host: Host, survey: Survey) -> Found[tuple[Setting, ...]]:
    """What environments, kernels of Jupyter and applications set for themselves."""
    found = _in_files(host, near_files(host, survey))
    return Found(_explained(found.value, [f"{n}={v}" for n, v in _live(host)]), found.unread)


def _live(host: Host) -> list[tuple[str, str]]:
    return sorted((name, value) for name, value in host.environ.items() if is_wanted(name))


def _in_files(host: Host, files: Iterable[SettingFile]) -> Found[tuple[Setting, ...]]:
    settings: list[Setting] = []
    unread: list[Unknown] = []
    for file in files:
        text = host.read(file.path)
        if isinstance(text, str):
            assigned = file.read(text[:TEXT_LIMIT])
            settings += [Setting(n, v, file.path, line, "", file.within) for n, v, line in assigned]
        elif file.expected and host.exists(file.path):
            unread.append(text)
    return Found(tuple(dict.fromkeys(settings)), tuple(unread))


def _explained(settings: tuple[Setting, ...], everywhere: Collection[str]) -> tuple[Setting, ...]:
    """Each with what it does beside the others that are in force with it."""
    inside: dict[str, set[str]] = {}
    for one in settings:
        inside.setdefault(one.within, set(everywhere)).add(_text(one))
    told = (one._replace(effect=_effect(one, inside[one.within])) for one in settings)
    # A library path is everybody's business, and only ours when it is faulty or names ROCm.
    return tuple(one for one in told if one.name != LIBRARY_PATH or one.effect)


def _text(setting: Setting) -> str:
    return f"{setting.name}={setting.value}"


def _effect(setting: Setting, beside: Collection[str]) -> str:
    name, value = setting.name, setting.value
    if name != LIBRARY_PATH:
        return str(effect_of(name, value, beside))
    effects = [empty_element(value)] if has_empty_element(value) else []
    effects += [effect_of(name, value)] if "rocm" in value.lower() else []
    return "; ".join(map(str, effects))


def has_empty_element(value: str) -> bool:
    """True when a loader path has an empty element, at least where it was not set before."""
    alone = OWN_VALUE.sub("", value)
    return bool(alone) and "" in alone.split(":")


def _tell(settings: tuple[Setting, ...]) -> tuple[str, tuple[str, ...]]:
    files = len({one.file for one in settings if one.file})
    live = sum(not one.file for one in settings)
    if not settings:
        return "none", ()
    summary = f"{live} in this session, {len(settings) - live} in {counted(files, 'file')}"
    return summary, tuple(_lines(settings))


def _lines(settings: tuple[Setting, ...]) -> Iterator[str]:
    """Each value with every place where it is set, then what it does."""
    places: dict[str, list[str]] = {}
    for one in settings:
        place = f"{one.file}:{one.line}" if one.file else "this session"
        alone = f" only for {one.within}" if one.within else ""
        places.setdefault(_text(one), []).append(f"{place}{alone}")
    effects = {_text(one): one.effect or "unknown to this program" for one in reversed(settings)}
    for text, found in places.items():
        yield f"{text}  ({', '.join(found)})"
        yield f"  {effects[text]}"


def _tell_near(settings: tuple[Setting, ...]) -> tuple[str, tuple[str, ...]]:
    owners = len({one.within for one in settings})
    summary = f"{len(settings)} in {owners} of them" if settings else "none"
    return summary, tuple(_lines(settings))


SETTINGS: Part[tuple[Setting, ...]] = Part(
    title="Settings",
    source="environment, shell and fish files, environment.d, systemd",
    read=read_settings,
    tell=_tell,
)
"""Variables of ROCm, MIOpen and the loader that a login or a service sets."""


NEAR_SETTINGS: Part[tuple[Setting, ...]] = Part(
    title="App settings",
    source="activate, .pth, sitecustomize, conda, kernel.json, .env, compose",
    read=read_near_settings,
    tell=_tell_near,
)
"""Variables that environments and applications set for themselves."""
