"""Finds the places that Python imports from, and the torch in each, without importing anything."""

from __future__ import annotations

from wizard.core.amounts import counted
from wizard.core.fact import Fact, Unknown, known
from wizard.host.host import Host
from wizard.machine.facts import ChangedLibrary, Environment, TorchInstall
from wizard.machine.part import Found, Part
from wizard.machine.pythons import DISTRIBUTION, Place, Survey
from wizard.machine.torch import Records, read_torch

VENV_KEYS = ("version_info", "version")


def read_environments(host: Host, survey: Survey) -> Found[tuple[Environment, ...]]:
    """Venvs, conda environments, the user site and the system's dist-packages."""
    records = Records(host)
    found = tuple(_environment(host, place, records) for place in survey.places)
    return Found(found, survey.unread)


def _environment(host: Host, place: Place, records: Records) -> Environment:
    unknown: Fact[str] = Unknown(f"{place.path} has an unknown Python")
    of_site = place.sites[0].python if place.sites else unknown
    behind = (DISTRIBUTION,) if host.is_folder(DISTRIBUTION) else ()
    if place.kind == "venv":
        lines = known(host.read(f"{place.path}/pyvenv.cfg"), "").splitlines()
        pairs = (line.partition("=") for line in lines)
        config = {key.strip().lower(): value.strip() for key, _, value in pairs}
        stated = next((config[key] for key in VENV_KEYS if config.get(key)), "")
        shared = config.get("include-system-site-packages", "").lower() == "true"
        python, behind = _release(stated) or of_site, behind if shared else ()
    elif place.kind == "conda":
        names = known(host.names(f"{place.path}/conda-meta"), ())
        parts = (name.split("-") for name in names if name.startswith("python-3"))
        python, behind = next((each[1] for each in parts if len(each) == 3), "") or of_site, ()
    else:
        minor = host.resolve("/usr/bin/python3").rpartition("/")[2].removeprefix("python")
        unknown = Unknown("the version of /usr/bin/python3 is not known")
        python = of_site or (minor if minor.startswith("3.") else unknown)
        behind = () if place.path == DISTRIBUTION else behind
    # The torch of the first folder that has one; numpy may come from a folder behind it.
    torches = (read_torch(host, site, records, behind) for site in place.sites)
    torch = next((torch for torch in torches if torch is not None), None)
    return Environment(place.path, place.kind, python, torch)


def _release(stated: str) -> str:
    """``3.12.3`` also for virtualenv's ``3.12.3.final.0``."""
    numbers = stated.split(".")[:3]
    plausible = len(numbers) > 1 and all(one.isascii() and one.isalnum() for one in numbers)
    return ".".join(numbers) if plausible and numbers[0] == "3" else ""


def _tell(environments: tuple[Environment, ...]) -> tuple[str, tuple[str, ...]]:
    torches = [one.torch.version for one in environments if one.torch is not None]
    with_torch = f"torch {', '.join(dict.fromkeys(torches))}" if torches else "no torch"
    lines = tuple(line for one in environments for line in _lines(one))
    return f"{counted(len(environments), 'environment')}, {with_torch}", lines


def _lines(one: Environment) -> list[str]:
    python = "unknown" if isinstance(one.python, Unknown) else one.python
    torch = one.torch
    if torch is None:
        return [f"{one.path} ({one.kind}, Python {python}): no torch"]
    numpy = f"numpy {torch.numpy}" if torch.numpy else "no numpy"
    first = f"{one.path} ({one.kind}, Python {python}): torch {torch.version}, {numpy}"
    return [first, *(f"  {line}" for line in _torch_lines(torch))]


def _torch_lines(torch: TorchInstall) -> list[str]:
    """What is out of the ordinary with an installed torch, a line each."""
    lines = [_changed(one) for one in torch.changed]
    if torch.executable_stack:
        names = ", ".join(torch.executable_stack)
        lines.append(f"{names}: asks for an executable stack, which glibc 2.41 and later refuse")
    return lines


def _changed(library: ChangedLibrary) -> str:
    name = library.path.rpartition("/")[2]
    saved = f"; saved as {library.saved.rpartition('/')[2]}" if library.saved else ""
    if not library.bytes:
        return f"{name} from the wheel is missing{saved}"
    sizes = f"it has {library.bytes:,} bytes, but the wheel's had {library.recorded_bytes:,}"
    return f"{name} was replaced: {sizes}{saved}"


ENVIRONMENTS: Part[tuple[Environment, ...]] = Part(
    title="Python environments",
    source="pyvenv.cfg, conda-meta, dist-info, torch/version.py",
    read=read_environments,
    tell=_tell,
)
"""Venvs, conda environments and site folders, with the torch in each."""
