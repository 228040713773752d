"""Finds uv, which installs wheels, and a Python that the system does not have."""

from __future__ import annotations

from wizard.host.host import Host
from wizard.machine.facts import Fact, Unknown
from wizard.machine.part import Found, Part


def read_uv(host: Host) -> Found[Fact[str]]:
    """The uv that came with the wizard, else one of the user's."""
    folders = [f"{host.prefix}/bin"] if host.prefix else []
    folders += [part for part in host.environ.get("PATH", "").split(":") if part.startswith("/")]
    folders += [f"{host.home}/.local/bin", f"{host.home}/.cargo/bin"]
    paths = (f"{folder.rstrip('/')}/uv" for folder in folders)
    return Found(next((path for path in paths if host.is_file(path)), Unknown("uv was not found")))


def _tell(uv: Fact[str]) -> tuple[str, tuple[str, ...]]:
    return (uv.because if isinstance(uv, Unknown) else uv), ()


UV: Part[Fact[str]] = Part(
    title="uv",
    source="beside the wizard, PATH, ~/.local/bin",
    read=read_uv,
    without=lambda why: why,
    tell=_tell,
)
"""The program that installs wheels and Pythons."""
