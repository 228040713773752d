"""Whether MIOpen may write where it keeps its kernels and choices."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.diagnose.checked import fine, found
from wizard.diagnose.finding import Evidence, Finding
from wizard.machine.facts import Machine
from wizard.machine.host import Host

FOLDERS = (
    ("MIOPEN_CUSTOM_CACHE_DIR", ".cache/miopen"),
    ("MIOPEN_USER_DB_PATH", ".config/miopen"),
)
CAUSE = "miopen-cache"


def miopen_folders(host: Host, machine: Machine) -> Iterator[Finding]:
    """The folders that are there and may not be written; asked of the kernel, nothing is opened."""
    paths = [host.environ.get(name) or f"{host.home}/{usual}" for name, usual in FOLDERS]
    there = [path for path in paths if host.exists(path)]
    closed = [path for path in there if not host.usable(path)]
    if closed:
        yield found(CAUSE, (Evidence("you may not write here", path) for path in closed))
    elif there:
        yield fine(CAUSE, "MIOpen may write where it keeps its kernels and choices")
