"""The places that Python imports from: venvs, conda environments, user site, dist-packages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wizard.host.host import Host
from wizard.machine.facts import Unknown
from wizard.machine.homes import Project, home_folders
from wizard.machine.pythons import conda_roots

DISTRIBUTION = "/usr/lib/python3/dist-packages"
LOCAL = "/usr/local"
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
    for site in _sites(host, LOCAL, "dist-packages"):
        yield Place(site.path, "dist-packages", (site,))


def _conda_folders(host: Host) -> tuple[str, ...]:
    folders = []
    for root in conda_roots(host):
        names = host.folders(f"{root}/envs")
        children = () if isinstance(names, Unknown) else names
        folders += [root, *(f"{root}/envs/{name}" for name in children)]
    active = host.environ.get("CONDA_PREFIX", "")
    folders += [active] if active.startswith("/") else []
    return tuple(dict.fromkeys(one for one in folders if host.is_folder(f"{one}/conda-meta")))


def _sites(host: Host, prefix: str, name: str) -> tuple[Site, ...]:
    """Each ``lib/python3.X/NAME`` below a prefix."""
    names = host.folders(f"{prefix}/lib")
    minors = () if isinstance(names, Unknown) else names
    sites = (
        (minor.removeprefix("python"), f"{prefix}/lib/{minor}/{name}")
        for minor in minors
        if minor.startswith("python3.")
    )
    return tuple(_site(host, python, path) for python, path in sites if host.is_folder(path))


def _site(host: Host, python: str, path: str) -> Site:
    names = host.names(path)
    return Site(python, path, () if isinstance(names, Unknown) else names)
