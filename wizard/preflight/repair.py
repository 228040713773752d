"""What of a release's wishes newer systems lack, and what can be done about each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wizard.apt.dependencies import Unmet
from wizard.knowledge.releases import Repair

VERSION = "1.0"
SUFFIX = "+rdna1.1"
"""After the version of a package that is packed anew: to apt it is newer, so it stays."""
CONTROL = """\
Package: {name}
Version: {version}
Architecture: all
Maintainer: rdna1-setup on this machine <root@localhost>
Section: misc
Priority: optional
Provides: {provides}
Description: empty package in place of packages that this system no longer has
 ROCm depends on these packages, but does not use their contents. Made by
 rdna1-setup. It is removed together with the ROCm release it was made for.
"""


@dataclass(frozen=True, slots=True)
class Lacking:
    """What must be made good, by how that is done."""

    stand_in: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()
    repack: bool = False

    def __or__(self, other: Lacking) -> Lacking:
        return Lacking(
            self.stand_in | other.stand_in,
            self.older | other.older,
            self.repack or other.repack,
        )


def lacking(unmet: Iterable[Unmet], repair: Repair, contender_there: bool) -> Lacking:
    """What of it the repair can make good."""
    found = Lacking()
    for one in unmet:
        if all(missing.nowhere for missing in one.missing):
            found |= _means([each.name for each in one.missing], one, repair, contender_there)
    return found


def _means(names: list[str], one: Unmet, repair: Repair, contender_there: bool) -> Lacking:
    """How one dependency is met: by the first of its alternatives for which there is a way."""
    for name in names:
        if name in repair.stand_in:
            return Lacking(stand_in=frozenset({name}))
        if name in repair.older:
            return Lacking(older=frozenset({name}))
        if name == repair.contended and not contender_there:
            return Lacking(stand_in=frozenset({name}))
        if name == repair.contended and one.package.partition(":")[0] == repair.repack:
            return Lacking(repack=True)
    return Lacking()


def stand_in_control(repair: Repair, provides: Iterable[str]) -> str:
    """The control file of the empty package that provides these names."""
    names = ", ".join(sorted(provides))
    return CONTROL.format(name=repair.name, version=VERSION, provides=names)


def without_dependency(control: str, name: str) -> str:
    """A control file that depends on the name no more, its version marked as ours."""
    fields = re.sub(r"(?m)^(Version: \S+)$", rf"\1{SUFFIX}", control, count=1)
    return re.sub(r"(?m)^Depends:(?:.*)(?:\n[ \t].*)*$", lambda m: _shorter(m[0], name), fields)


def _shorter(field: str, name: str) -> str:
    parts = [part.strip() for part in field.removeprefix("Depends:").replace("\n", " ").split(",")]
    kept = [part for part in parts if part and part.split()[0].partition(":")[0] != name]
    return f"Depends: {', '.join(kept)}"
