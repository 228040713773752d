"""Finds the places that Python imports from, and the torch in each, without importing anything."""

from __future__ import annotations

from collections.abc import Callable

from wizard.core.fact import known
from wizard.host.host import Host
from wizard.machine.facts import ChangedLibrary, Environment, Fact, TorchInstall, Unknown
from wizard.machine.part import Found, Part
from wizard.machine.pythons import DISTRIBUTION, Place, Survey
from wizard.machine.system import refuses_executable_stacks
from wizard.machine.torch import Records, read_torch

VENV_KEYS = ("version_info", "version")


def read_environments(host: Host, survey: Survey) -> Found[tuple[Environment, ...]]:
    """Venvs, conda environments, the user site and the system's dist-packages."""
    records = Records(host)
    found = tuple(_environment(host, place, records) for place in survey.places)
    return Found(found, survey.unread)


def _environment(host: Host, place: Place, records: Records) -> Environment:
    if place.kind == "venv":
        return _venv(host, place, records)
    if place.kind == "conda":
        python = _conda_python(host, place.path) or _python_of(place)
        return Environment(place.path, "conda", python, _torch(host, place, records))
    python = place.sites[0].python or _system_python(host)
    behind = _behind(host) if place.path != DISTRIBUTION else ()
    return Environment(place.path, place.kind, python, _torch(host, place, records, behind))


def _venv(host: Host, place: Place, records: Records) -> Environment:
    config = _config(host, f"{place.path}/pyvenv.cfg")
    stated = next((config[key] for key in VENV_KEYS if config.get(key)), "")
    shared = config.get("include-system-site-packages", "").lower() == "true"
    return Environment(
        path=place.path,
        kind="venv",
        python=_release(stated) or _python_of(place),
        torch=_torch(host, place, records, _behind(host) if shared else ()),
    )


def _conda_python(host: Host, folder: str) -> str:
    records = known(host.names(f"{folder}/conda-meta"), ())
    versions = (name.split("-") for name in records if name.startswith("python-3"))
    return next((parts[1] for parts in versions if len(parts) == 3), "")


def _torch(
    host: Host, place: Place, records: Records, behind: tuple[str, ...] = ()
) -> TorchInstall | None:
    """The torch of the first folder that has one; numpy may come from a folder behind it."""
    for site in place.sites:
        if (torch := read_torch(host, site, records, behind)) is not None:
            return torch
    return None


def _behind(host: Host) -> tuple[str, ...]:
    return (DISTRIBUTION,) if host.is_folder(DISTRIBUTION) else ()


def _config(host: Host, path: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in known(host.read(path), "").splitlines())
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _release(stated: str) -> str:
    """``3.12.3`` also for virtualenv's ``3.12.3.final.0``."""
    numbers = stated.split(".")[:3]
    plausible = len(numbers) > 1 and all(one.isascii() and one.isalnum() for one in numbers)
    return ".".join(numbers) if plausible and numbers[0] == "3" else ""


def _python_of(place: Place) -> Fact[str]:
    return place.sites[0].python if place.sites else Unknown(f"{place.path} has an unknown Python")


def _system_python(host: Host) -> Fact[str]:
    name = host.resolve("/usr/bin/python3").rpartition("/")[2]
    minor = name.removeprefix("python")
    return (
        minor if minor.startswith("3.") else Unknown("the version of /usr/bin/python3 is not known")
    )


def _tell(environments: tuple[Environment, ...]) -> tuple[str, tuple[str, ...]]:
    torches = [one.torch.version for one in environments if one.torch is not None]
    places = "environment" if len(environments) == 1 else "environments"
    with_torch = f"torch {', '.join(dict.fromkeys(torches))}" if torches else "no torch"
    lines = tuple(line for one in environments for line in _lines(one))
    return f"{len(environments)} {places}, {with_torch}", lines


def _lines(one: Environment) -> list[str]:
    python = "unknown" if isinstance(one.python, Unknown) else one.python
    torch = one.torch
    if torch is None:
        return [f"{one.path} ({one.kind}, Python {python}): no torch"]
    numpy = f"numpy {torch.numpy}" if torch.numpy else "no numpy"
    first = f"{one.path} ({one.kind}, Python {python}): torch {torch.version}, {numpy}"
    return [first, *(f"  {line}" for line in torch_lines(torch))]


def torch_lines(torch: TorchInstall, glibc: Fact[str] | None = None) -> list[str]:
    """What is out of the ordinary with an installed torch, a line each; against this glibc."""
    lines = [_changed(one) for one in torch.changed]
    if torch.executable_stack:
        names = ", ".join(torch.executable_stack)
        lines.append(f"{names}: asks for an executable stack, {_refusal(glibc)}")
    return lines


def _refusal(glibc: Fact[str] | None) -> str:
    refuses = refuses_executable_stacks(glibc)
    if refuses is None:
        return "which glibc 2.41 and later refuse"
    if not refuses:
        return f"which this machine's glibc {glibc} still allows; 2.41 and later refuse it"
    return f"which this machine's glibc {glibc} refuses, so torch does not start"


def _changed(library: ChangedLibrary) -> str:
    name = library.path.rpartition("/")[2]
    saved = f"; saved as {library.saved.rpartition('/')[2]}" if library.saved else ""
    if not library.bytes:
        return f"{name} from the wheel is missing{saved}"
    sizes = f"it has {library.bytes:,} bytes, but the wheel's had {library.recorded_bytes:,}"
    return f"{name} was replaced: {sizes}{saved}"


def environments_part(surveyed: Callable[[], Survey]) -> Part[tuple[Environment, ...]]:
    """Venvs, conda environments and site folders, with the torch in each."""
    return Part(
        title="Python environments",
        source="pyvenv.cfg, conda-meta, dist-info, torch/version.py",
        read=lambda host: read_environments(host, surveyed()),
        tell=_tell,
    )
