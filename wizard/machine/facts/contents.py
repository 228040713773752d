"""What one Python environment holds: its distributions, and what else decides on changing it."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.host.distributions import Distribution as Distribution


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
