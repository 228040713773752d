"""Where settings may stand: which files, in which form, and who alone sees each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wizard.host.host import Host
from wizard.machine.facts import Unknown
from wizard.machine.homes import Project
from wizard.machine.setting_formats import (
    Reader,
    compose_environment,
    fish_universals,
    imported_modules,
    json_variables,
    python_environ,
    unit_environment,
    unit_files,
)
from wizard.machine.shell import assignments
from wizard.machine.sites import DISTRIBUTION, Place, Site, Survey

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
SERVICE = ".service"
UNIT_LIMIT = 300
KERNEL_FOLDERS = ("/usr/local/share/jupyter/kernels", "/usr/share/jupyter/kernels")
USER_KERNELS = ".local/share/jupyter/kernels"
KERNEL_LIMIT = 50
ACTIVATORS = ("bin/activate", "bin/activate.fish")
CUSTOM_MODULES = ("sitecustomize.py", "usercustomize.py")
PTH = ".pth"
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
        yield from _units(host, folder)


def near_files(host: Host, survey: Survey) -> Iterator[SettingFile]:
    """What environments, kernels of Jupyter and known applications set for themselves."""
    for place in survey.places:
        yield from _environment_files(host, place)
    for folder in (f"{host.home}/{USER_KERNELS}", *KERNEL_FOLDERS):
        yield from _kernels(host, folder)
    for project in survey.projects:
        yield from _project_files(project)


def _units(host: Host, folder: str) -> Iterator[SettingFile]:
    for name in _names(host, folder)[:UNIT_LIMIT]:
        path = f"{folder}/{name}"
        if name.endswith(SERVICE):
            yield from _unit(host, path, name)
        elif name.endswith(f"{SERVICE}.d"):
            for drop_in in _ending(host, path, ".conf"):
                yield from _unit(host, drop_in, name.removesuffix(".d"))


def _unit(host: Host, path: str, service: str) -> Iterator[SettingFile]:
    yield SettingFile(path, unit_environment, service, expected=False)
    text = host.read(path)
    for named in unit_files(text) if isinstance(text, str) else ():
        yield SettingFile(named, assignments, service, expected=False)


def _environment_files(host: Host, place: Place) -> Iterator[SettingFile]:
    within = "" if place.path == DISTRIBUTION else place.path
    if place.kind == "venv":
        for name in ACTIVATORS:
            yield SettingFile(f"{place.path}/{name}", assignments, within, expected=False)
        yield from _kernels(host, f"{place.path}/share/jupyter/kernels")
    if place.kind == "conda":
        yield from _conda_files(host, place.path)
        yield from _kernels(host, f"{place.path}/share/jupyter/kernels")
    for site in place.sites:
        yield from _startup_files(host, site, within)


def _conda_files(host: Host, path: str) -> Iterator[SettingFile]:
    state = json_variables("env_vars")
    yield SettingFile(f"{path}/conda-meta/state", state, path, expected=False)
    folder = f"{path}/etc/conda/activate.d"
    for ending in (".sh", ".fish"):
        for script in _ending(host, folder, ending):
            yield SettingFile(script, assignments, path, expected=False)


def _startup_files(host: Host, site: Site, within: str) -> Iterator[SettingFile]:
    """Modules that run at every start of a Python, and those that ``.pth`` files import."""
    paths = [f"{site.path}/{name}" for name in CUSTOM_MODULES if name in site.names]
    for name in [name for name in site.names if name.endswith(PTH)][:PTH_LIMIT]:
        paths.append(f"{site.path}/{name}")
        text = host.read(f"{site.path}/{name}")
        modules = imported_modules(text) if isinstance(text, str) else ()
        paths += [f"{site.path}/{module}.py" for module in modules]
    yield from (SettingFile(path, python_environ, within, expected=False) for path in paths)


def _kernels(host: Host, folder: str) -> Iterator[SettingFile]:
    for name in _names(host, folder)[:KERNEL_LIMIT]:
        path = f"{folder}/{name}/kernel.json"
        yield SettingFile(path, json_variables("env"), f"{folder}/{name}", expected=False)


def _project_files(project: Project) -> Iterator[SettingFile]:
    for name in PROJECT_SCRIPTS:
        yield SettingFile(f"{project.path}/{name}", assignments, project.path, expected=False)
    for name in COMPOSE_FILES:
        path = f"{project.path}/{name}"
        yield SettingFile(path, compose_environment, project.path, expected=False)


def _ending(host: Host, folder: str, ending: str) -> list[str]:
    return [f"{folder}/{name}" for name in _names(host, folder) if name.endswith(ending)]


def _names(host: Host, folder: str) -> tuple[str, ...]:
    names = host.names(folder)
    return () if isinstance(names, Unknown) else names
