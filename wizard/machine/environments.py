"""Finds the places that Python imports from, and the torch in each, without importing anything."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.machine.facts import Environment, Fact, TorchInstall, Unknown
from wizard.machine.homes import venv_folders
from wizard.machine.host import Host
from wizard.machine.part import Found, Part
from wizard.machine.pythons import conda_roots
from wizard.machine.torch import read_torch

VENV_KEYS = ("version_info", "version")
DISTRIBUTION = "/usr/lib/python3/dist-packages"
LOCAL = "/usr/local/lib"


def read_environments(host: Host) -> Found[tuple[Environment, ...]]:
    """Venvs, conda environments, the user site and the system's dist-packages."""
    venvs = venv_folders(host)
    found = [
        *(_venv(host, folder) for folder in venvs.value),
        *(_conda(host, folder) for folder in _conda_folders(host)),
        *_user_sites(host),
        *_system_sites(host),
    ]
    return Found(tuple({one.path: one for one in found}.values()), venvs.unread)


def _venv(host: Host, folder: str) -> Environment:
    config = _config(host, f"{folder}/pyvenv.cfg")
    stated = next((config[key] for key in VENV_KEYS if config.get(key)), "")
    sites = [site for _, site in _sites(host, folder, "site-packages")]
    shared = config.get("include-system-site-packages", "").lower() == "true"
    return Environment(
        path=folder,
        kind="venv",
        python=_release(stated) or _python_of(host, folder),
        torch=_torch(host, sites, _behind(host) if shared else ()),
    )


def _conda(host: Host, folder: str) -> Environment:
    names = host.names(f"{folder}/conda-meta")
    records = () if isinstance(names, Unknown) else names
    versions = (name.split("-") for name in records if name.startswith("python-3"))
    version = next((parts[1] for parts in versions if len(parts) == 3), "")
    sites = [site for _, site in _sites(host, folder, "site-packages")]
    return Environment(folder, "conda", version or _python_of(host, folder), _torch(host, sites))


def _conda_folders(host: Host) -> tuple[str, ...]:
    folders = []
    for root in conda_roots(host):
        names = host.folders(f"{root}/envs")
        children = () if isinstance(names, Unknown) else names
        folders += [root, *(f"{root}/envs/{name}" for name in children)]
    active = host.environ.get("CONDA_PREFIX", "")
    folders += [active] if active.startswith("/") else []
    return tuple(dict.fromkeys(one for one in folders if host.is_folder(f"{one}/conda-meta")))


def _user_sites(host: Host) -> Iterator[Environment]:
    for python, site in _sites(host, f"{host.home}/.local", "site-packages"):
        yield Environment(site, "user-site", python, _torch(host, [site], _behind(host)))


def _system_sites(host: Host) -> Iterator[Environment]:
    if host.is_folder(DISTRIBUTION):
        yield Environment(
            DISTRIBUTION, "dist-packages", _system_python(host), _torch(host, [DISTRIBUTION])
        )
    for python, site in _sites(host, "/usr/local", "dist-packages"):
        yield Environment(site, "dist-packages", python, _torch(host, [site], [DISTRIBUTION]))


def _sites(host: Host, prefix: str, name: str) -> list[tuple[str, str]]:
    """Python minor version and folder of each ``lib/python3.X/NAME`` below a prefix."""
    names = host.folders(f"{prefix}/lib")
    minors = () if isinstance(names, Unknown) else names
    sites = (
        (minor.removeprefix("python"), f"{prefix}/lib/{minor}/{name}")
        for minor in minors
        if minor.startswith("python3.")
    )
    return [(python, site) for python, site in sites if host.is_folder(site)]


def _torch(
    host: Host, sites: list[str], behind: tuple[str, ...] | list[str] = ()
) -> TorchInstall | None:
    """The torch of the first folder that has one; numpy may come from a folder behind it."""
    for site in sites:
        if (torch := read_torch(host, site, behind)) is not None:
            return torch
    return None


def _behind(host: Host) -> tuple[str, ...]:
    return (DISTRIBUTION,) if host.is_folder(DISTRIBUTION) else ()


def _config(host: Host, path: str) -> dict[str, str]:
    text = host.read(path)
    if isinstance(text, Unknown):
        return {}
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _release(stated: str) -> str:
    """``3.12.3`` also for virtualenv's ``3.12.3.final.0``."""
    numbers = stated.split(".")[:3]
    plausible = len(numbers) > 1 and all(one.isascii() and one.isalnum() for one in numbers)
    return ".".join(numbers) if plausible and numbers[0] == "3" else ""


def _python_of(host: Host, folder: str) -> Fact[str]:
    sites = _sites(host, folder, "site-packages")
    return sites[0][0] if sites else Unknown(f"{folder} does not tell its Python")


def _system_python(host: Host) -> Fact[str]:
    name = host.resolve("/usr/bin/python3").rpartition("/")[2]
    minor = name.removeprefix("python")
    return (
        minor if minor.startswith("3.") else Unknown("/usr/bin/python3 does not tell its version")
    )


def _tell(environments: tuple[Environment, ...]) -> tuple[str, tuple[str, ...]]:
    torches = [one.torch.version for one in environments if one.torch is not None]
    places = "place" if len(environments) == 1 else "places"
    with_torch = f"torch {', '.join(dict.fromkeys(torches))}" if torches else "no torch"
    lines = tuple(_line(one) for one in environments)
    return f"{len(environments)} {places}, {with_torch}", lines


def _line(one: Environment) -> str:
    python = "unknown" if isinstance(one.python, Unknown) else one.python
    torch = one.torch
    if torch is None:
        return f"{one.path} ({one.kind}, Python {python}): no torch"
    numpy = f"numpy {torch.numpy}" if torch.numpy else "no numpy"
    return f"{one.path} ({one.kind}, Python {python}): torch {torch.version}, {numpy}"


ENVIRONMENTS: Part[tuple[Environment, ...]] = Part(
    title="Python environments",
    source="pyvenv.cfg, conda-meta, dist-info, torch/version.py",
    read=read_environments,
    without=lambda _: (),
    tell=_tell,
)
"""Venvs, conda environments and site folders, with the torch in each."""
