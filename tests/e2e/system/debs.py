"""Small packages built with dpkg-deb: a name, a version, files, links and maintainer scripts."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.system.outside import run_outside

SINCE = "1600000000"
"""The time of every file in them, so that the same package has the same bytes."""


@dataclass(frozen=True, slots=True)
class Deb:
    """What goes into a package."""

    name: str
    version: str
    architecture: str = "amd64"
    maintainer: str = "ROCm Dev Support <rocm-dev.support@amd.com>"
    depends: tuple[str, ...] = ()
    recommends: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    programs: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    conffiles: tuple[str, ...] = ()
    scripts: Mapping[str, str] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """As archives name it: without the epoch."""
        return f"{self.name}_{self.version.rpartition(':')[2]}_{self.architecture}.deb"

    def control(self) -> str:
        """Its control file, without an empty line at the end."""
        size = sum(map(len, (*self.files.values(), *self.programs.values()))) // 1024 + 13
        fields = {
            "Package": self.name,
            "Version": self.version,
            "Architecture": self.architecture,
            "Priority": "optional",
            "Section": "devel",
            "Maintainer": self.maintainer,
            "Installed-Size": str(size),
            "Depends": ", ".join(self.depends),
            "Recommends": ", ".join(self.recommends),
            "Provides": ", ".join(self.provides),
            "Description": f"stand-in of {self.name} for tests",
        }
        return "".join(f"{name}: {value}\n" for name, value in fields.items() if value)


def build(deb: Deb, path: Path) -> None:
    """Write the package."""
    with tempfile.TemporaryDirectory(prefix="deb") as name:
        tree = Path(name)
        _fill(tree, deb)
        path.parent.mkdir(parents=True, exist_ok=True)
        options = ("--root-owner-group", "-Zgzip", "-z1")
        env = {"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": SINCE}
        run_outside("dpkg-deb", *options, "--build", str(tree), str(path), env=env)


def _fill(tree: Path, deb: Deb) -> None:
    tree.chmod(0o755)
    for contents, mode in ((deb.files, 0o644), (deb.programs, 0o755)):
        for name, content in contents.items():
            _place(tree, name).write_bytes(content)
            (tree / name.lstrip("/")).chmod(mode)
    for name, target in deb.links.items():
        _place(tree, name).symlink_to(target)
    _place(tree, "DEBIAN/control").write_text(deb.control())
    if deb.conffiles:
        (tree / "DEBIAN/conffiles").write_text("".join(f"{name}\n" for name in deb.conffiles))
    for name, text in deb.scripts.items():
        script = tree / "DEBIAN" / name
        script.write_text(text)
        script.chmod(0o755)


def _place(tree: Path, name: str) -> Path:
    path = tree / name.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
