"""What a root's own programs say about its packages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.e2e.system.authority import HOST
from tests.e2e.system.roots import Root


@dataclass(frozen=True, slots=True)
class Row:
    """One package that dpkg knows."""

    version: str
    status: str
    """dpkg's short state, such as ``ii``."""


def packages(root: Root) -> dict[str, Row]:
    """What dpkg-query says, by name; one of another architecture has it behind its name."""
    form = "${binary:Package}\t${Version}\t${db:Status-Abbrev}\n"
    lines = root.run("dpkg-query", "-W", "-f", form).stdout.splitlines()
    rows = (line.split("\t") for line in lines)
    return {row[0].removesuffix(":amd64"): Row(row[1], row[2].strip()) for row in rows}


def origins(root: Root, names: list[str]) -> dict[str, list[str]]:
    """Where apt finds the *installed* version of each: the lines below its ``***``."""
    found: dict[str, list[str]] = {}
    name, installed = "", False
    for line in root.run("apt-cache", "policy", *names).stdout.splitlines():
        if not line.startswith(" "):
            name, installed = line.removesuffix(":"), False
        elif line.startswith(" ***"):
            installed, found[name] = True, []
        elif installed and line.startswith("        "):
            found[name].append(line.split(None, 1)[1])
        else:
            installed = False
    return found


def of_amd(root: Root) -> set[str]:
    """Installed packages whose version apt finds in AMD's archive."""
    known = origins(root, sorted(packages(root)))
    return {name for name, lines in known.items() if any(HOST in line for line in lines)}


def detected(root: Root) -> dict[str, Any]:
    """What the wizard finds, run inside as the owner."""
    done = root.wizard("detect", "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
