"""The places that Python imports from: venvs, conda environments, user site, dist-packages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wizard.machine.facts import Unknown
from wizard.machine.homes import Project, home_folders
from wizard.machine.host import Host
from wizard.machine.pythons import conda_roots

DISTRIBUTION = "/usr/lib/python3/dist-packages"
LOCAL = "/usr/local"
VENV_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Place:
    """A place that Python imports from, and its folders of packages."""

    path: str
    kind: str
    """``venv``, ``conda``, ``user-site`` or ``dist-packages``."""
    sites: tuple[tuple[str, str], ...]
    """Minor version and folder."""

    @property
    def folders(self) -> tuple[str, ...]:
        """Its folders of packages."""
        return tuple(site for _, site in self.sites)


@dataclass(frozen=True, slots=True)
class Survey:
    """Where Pythons and applications lie: looked up once for all parts that need it."""

    places: tuple[Place, ...]
    projects: tuple[Project, ...]
    unread: tuple[Unknown, ...]


def survey(host: Host) -> Survey:
    """Searches the home folder, and looks into the usual places of the system."""
    home = home_folders(host)
    unread = home.unread
    if len(home.venvs) > VENV_LIMIT:
        unread += (Unknown(f"there are many venvs: only {VENV_LIMIT} were looked into"),)
    places = {place.path: place for place in _places(host, home.venvs[:VENV_LIMIT])}
    return Survey(tuple(places.values()), home.projects, unread)


def _places(host: Host, venvs: tuple[str, ...]) -> Iterator[Place]:
    for folder in venvs:
        yield Place(folder, "venv", _sites(host, folder, "site-packages"))
    for folder in _conda_folders(host):
        yield Place(folder, "conda", _sites(host, folder, "site-packages"))
    for site in _sites(host, f"{host.home}/.local", "site-packages"):
        yield Place(site[1], "user-site", (site,))
    if host.is_folder(DISTRIBUTION):
        yield Place(DISTRIBUTION, "dist-packages", (("", DISTRIBUTION),))
    for site in _sites(host, LOCAL, "dist-packages"):
        yield Place(site[1], "dist-packages", (site,))


def _conda_folders(host: Host) -> tuple[str, ...]:
    folders = []
    for root in conda_roots(host):
        names = host.folders(f"{root}/envs")
        children = () if isinstance(names, Unknown) else names
        folders += [root, *(f"{root}/envs/{name}" for name in children)]
    active = host.environ.get("CONDA_PREFIX", "")
    folders += [active] if active.startswith("/") else []
    return tuple(dict.fromkeys(one for one in folders if host.is_folder(f"{one}/conda-meta")))


def _sites(host: Host, prefix: str, name: str) -> tuple[tuple[str, str], ...]:
    """Python minor version and folder of each ``lib/python3.X/NAME`` below a prefix."""
    names = host.folders(f"{prefix}/lib")
    minors = () if isinstance(names, Unknown) else names
    sites = (
        (minor.removeprefix("python"), f"{prefix}/lib/{minor}/{name}")
        for minor in minors
        if minor.startswith("python3.")
    )
    return tuple((python, site) for python, site in sites if host.is_folder(site))
