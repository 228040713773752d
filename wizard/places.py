"""Where our own files go, after the XDG base directory specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NAME = "rdna1-setup"


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of ours below one home folder."""

    home: str
    state: str
    """Journals, logs and verdicts: kept until the user removes them."""
    cache: str
    """Downloads under way: safe to remove when nothing runs."""
    data: str
    """Pythons that uv brought."""

    @property
    def runs(self) -> str:
        """One folder a run, with its journal, its log and what it owns."""
        return f"{self.state}/runs"

    @property
    def conv2d(self) -> str:
        """Journals of Conv2d sweeps."""
        return f"{self.state}/conv2d"


def places(environ: Mapping[str, str], home: str) -> Places:
    """Our folders for a user; a relative XDG variable is ignored, as the specification asks."""

    def base(variable: str, fallback: str) -> str:
        value = environ.get(variable, "")
        return f"{value if value.startswith('/') else f'{home}/{fallback}'}/{NAME}"

    return Places(
        home=home,
        state=base("XDG_STATE_HOME", ".local/state"),
        cache=base("XDG_CACHE_HOME", ".cache"),
        data=base("XDG_DATA_HOME", ".local/share"),
    )
