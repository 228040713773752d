"""What one environment holds, read from its files alone; nothing in it is started."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from wizard.core.fact import Unknown, known
from wizard.core.json_form import typed
from wizard.host.distributions import Distribution, read_distributions
from wizard.host.host import Host


@dataclass(frozen=True, slots=True)
class Contents:
    """A venv or a conda environment, as it is or, while a run of ours stands, as it was before."""

    path: str
    kind: str
    """``venv`` or ``conda``."""
    python: str
    """Minor version such as ``3.10``; ``""`` when nothing tells it."""
    starts: bool
    """True when its ``bin/python`` is there (the Python that it was based on may be gone)."""
    site: str
    """Its site-packages folder; ``""`` without one."""
    closed: bool
    """True when whoever made it has closed it to pip (PEP 668); uv then refuses too."""
    pip_conf: str
    """The text of its own ``pip.conf``; ``""`` without one."""
    conda: tuple[str, ...]
    """Names of the packages that conda itself installed."""
    distributions: tuple[Distribution, ...]
    user_site: str
    """The user's site folder where this environment imports from it too; ``""`` otherwise."""
    user_first: bool
    """True when the user's site comes before the environment's own packages."""
    user_distributions: tuple[Distribution, ...]
    """What lies in the user's site."""


OURS = ".rdna1-setup"
"""Folder inside an environment in which a run of ours keeps what it set aside."""
CLOSED = "EXTERNALLY-MANAGED"
"""Beside the standard library, it asks pip to change nothing."""
BEFORE = f"{OURS}/before.json"
"""The contents as the first step of a standing run found them."""
LIST = f"{OURS}/list.jsonl"
"""The list of what was set aside; while it is not there, nothing was moved."""

PYTHON_FOLDER = re.compile(r"python(3\.\d{1,2})")
_STATED = re.compile(r"^version(?:_info)?\s*=\s*(3\.\d{1,2})", re.MULTILINE | re.IGNORECASE)
_SHARED = re.compile(r"^include-system-site-packages\s*=\s*true", re.MULTILINE | re.IGNORECASE)
_CONDA = re.compile(r"(.+)-[^-]+-[^-]+\.json")


def read_contents(host: Host, folder: str) -> Contents | None:
    """What the environment in a folder holds; None where there is no venv and no conda one.

    While a run of ours stands there, this is what it held before that run: so the same command
    makes the same plan again, and goes on where it stopped.
    """
    kept = read_kept_contents(host, folder)
    # A copy of an environment, or one that was moved, tells of the one that it was.
    own = kept and host.resolve(kept.path) == host.resolve(folder)
    return kept if own else read_live_contents(host, folder)


def read_live_contents(host: Host, folder: str) -> Contents | None:
    """What it holds at this moment."""
    folder = folder.rstrip("/")
    config = ""
    conda: tuple[str, ...] = ()
    if host.is_folder(f"{folder}/conda-meta"):
        kind = "conda"
        names = known(host.names(f"{folder}/conda-meta"), ())
        conda = tuple(match[1].lower() for match in map(_CONDA.fullmatch, names) if match)
    elif host.is_file(f"{folder}/pyvenv.cfg"):
        kind = "venv"
        config = known(host.read(f"{folder}/pyvenv.cfg"), "")
    else:
        return None
    python = _python(host, folder, config)
    site = f"{folder}/lib/python{python}/site-packages"
    site = site if python and host.is_folder(site) else ""
    user = f"{host.home}/.local/lib/python{python}/site-packages"
    sees_user = kind == "conda" or bool(_SHARED.search(config))
    user = user if python and sees_user and host.is_folder(user) else ""
    return Contents(
        path=folder,
        kind=kind,
        python=python,
        starts=host.is_file(f"{folder}/bin/python"),
        site=site,
        # Of a venv neither pip nor uv looks at that file, which belongs to its base.
        closed=kind == "conda" and host.is_file(f"{folder}/lib/python{python}/{CLOSED}"),
        pip_conf=known(host.read(f"{folder}/pip.conf"), ""),
        conda=conda,
        distributions=read_distributions(host, site),
        user_site=user,
        user_first=kind == "conda",
        user_distributions=read_distributions(host, user),
    )


def read_kept_contents(host: Host, folder: str) -> Contents | None:
    """What lies in a folder's backup on its contents before, wherever that folder was then."""
    text = host.read(f"{folder}/{BEFORE}")
    if isinstance(text, Unknown) or not host.is_file(f"{folder}/{LIST}"):
        return None
    try:
        return typed(json.loads(text), Contents)
    except (ValueError, RecursionError):
        return None  # damaged: then what is there now is all that can be known


def _python(host: Host, folder: str, config: str) -> str:
    names = known(host.folders(f"{folder}/lib"), ())
    minors = [match[1] for match in map(PYTHON_FOLDER.fullmatch, names) if match]
    stated = _STATED.search(config)
    if stated and stated[1] in minors:
        return stated[1]
    return minors[0] if len(minors) == 1 else ""
