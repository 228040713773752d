"""With what preflight finds things out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wizard.host.host import Host
from wizard.preflight.programs import Programs
from wizard.system.web import Web


@dataclass(frozen=True, slots=True)
class Asking:
    """A machine to look at, programs and servers to ask, a place for what they give, the time."""

    host: Host
    programs: Programs
    web: Web
    folder: Path
    """A folder of the user's, for apt's lists and for packages that are built."""
    now: datetime
    root: Path = Path("/")
    """Where the system's own folders lie."""
